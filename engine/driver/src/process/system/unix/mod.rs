//! Code shared by Linux and macOS: non-blocking pipes, `poll(2)`, process groups, resource limits.

mod child;
mod event;
mod identity;
mod limits;
mod lookup;
mod poll;
mod reaper;
mod signals;

use std::io;

use rustix::io::Errno;

pub(in crate::process) use child::Child;
pub(in crate::process) use event::WakeEvent;
pub(in crate::process) use identity::{sweep, sweep_stored};
pub use limits::{MostGames, most_games, raise_file_limit};
#[cfg(test)]
pub(in crate::process) use lookup::knows_more_formats;
pub(in crate::process) use lookup::{FALLBACK_FOLDERS, bare_name, candidates, check_format, is_executable};
pub(in crate::process) use poll::poll;
pub use reaper::{Reaper, run_reaper};
pub use signals::{StopSignals, catch_file_size_signal};

pub(in crate::process) const NULL_DEVICE: &str = "/dev/null";

/// Kind of error at a start.
pub(in crate::process) enum StartErrorKind {
    /// Out of files, processes or memory.
    Exhausted,
    /// The file is not a program for this system.
    ForeignFormat,
    Other,
}

pub(in crate::process) fn classify(error: &io::Error) -> StartErrorKind {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM) => StartErrorKind::Exhausted,
        Some(Errno::NOEXEC) => StartErrorKind::ForeignFormat,
        _ => StartErrorKind::Other,
    }
}
