//! This program itself: its file, its reaper, and builds of commits that end with it.

use std::path::PathBuf;

use anyhow::Context;
use smalt_driver::process::Reaper;
use smalt_workbench::source::{self, Builder};

use super::exit::{OrRefuse, Refusal};
use super::output::print_info;

pub(super) fn own_program() -> Result<PathBuf, Refusal> {
    std::env::current_exe().context("find this program's own file").or_failed()
}

/// Starts the reaper. Without it the system and the next run still end leftover engines, only later.
pub(super) fn start_reaper() -> Option<Reaper> {
    let started = std::env::current_exe().and_then(|program| Reaper::start(&program, "reaper"));
    started
        .map_err(|error| {
            print_info(&format!("Warning: failed to start the process that ends leftover engines: {error}"))
        })
        .ok()
}

/// Builds commits in the user's cache; a build ends with this program.
pub(super) fn builder() -> Builder<'static> {
    Builder { cache: source::cache_folder(), reaper: Box::new(start_reaper), notify: Box::new(print_info) }
}
