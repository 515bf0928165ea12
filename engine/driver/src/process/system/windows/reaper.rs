//! No process is needed here to end what a killed run leaves: its jobs end with it.

use std::io::{self, BufRead};
use std::path::Path;

use crate::process::identity::ProcessIdentity;

/// What ends the engines of a killed program: on Windows the system itself.
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
