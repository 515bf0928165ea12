//! Reaper of killed runs: not needed on Windows, where the job objects of a run are killed with it.

use std::io::{self, BufRead};
use std::path::Path;

use crate::process::ProcessIdentity;

/// Placeholder for the reaper process: Windows itself kills the engines of a killed program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reaper(());

impl Reaper {
    /// Starts nothing.
    ///
    /// # Errors
    /// Never.
    pub fn start(_: &Path, _: &str) -> io::Result<Reaper> {
        Ok(Reaper(()))
    }

    pub(in crate::process) fn watch(&self, _: ProcessIdentity) {}

    pub(in crate::process) fn release(&self, _: ProcessIdentity) {}
}

/// Does nothing.
pub fn run_reaper(_: impl BufRead) {}
