//! What Linux and macOS share: pipes that never block, `poll(2)`, process groups, resource limits.

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
pub(super) use child::Spawned;
pub(in crate::process) use event::Event;
pub(in crate::process) use identity::sweep;
pub(super) use identity::{Life, ProcessStat};
pub(super) use limits::file_limit_of_children;
pub use limits::{MostGames, most_games, raise_file_limit};
#[cfg(test)]
pub(in crate::process) use lookup::knows_more_formats;
pub(in crate::process) use lookup::{FALLBACK_FOLDERS, bare_name, candidates, check_format, is_executable};
pub(in crate::process) use poll::poll;
pub use reaper::{Reaper, run_reaper};
pub use signals::StopSignals;

/// The file that discards what is written to it.
pub(in crate::process) const NULL_DEVICE: &str = "/dev/null";

/// What an error of a start means.
pub(in crate::process) enum StartErrorKind {
    /// Too many files, processes or too little memory.
    Exhausted,
    /// The file is no program for this system.
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
