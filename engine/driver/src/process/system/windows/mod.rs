//! Windows: a job object that ends with this program, and a thread for each pipe, since a pipe there cannot be polled.

mod affinity;
mod child;
mod event;
mod job;
mod lookup;
mod pipes;
mod processes;
mod reaper;
mod signals;

use std::io;

use windows_sys::Win32::Foundation::{
    ERROR_BAD_EXE_FORMAT, ERROR_COMMITMENT_LIMIT, ERROR_NO_SYSTEM_RESOURCES, ERROR_NOT_ENOUGH_MEMORY,
    ERROR_TOO_MANY_OPEN_FILES,
};

pub use affinity::{bind_this_thread, own_processors};
pub(in crate::process) use child::{Child, poll};
pub(in crate::process) use event::Event;
pub(in crate::process) use lookup::{FALLBACK_FOLDERS, bare_name, candidates, check_format, is_executable};
pub(in crate::process) use processes::identify;
pub use processes::peak_memory_bytes;
pub use reaper::{Reaper, run_reaper};
pub use signals::StopSignals;

use crate::process::identity::ProcessIdentity;

/// The file that discards what is written to it.
pub(in crate::process) const NULL_DEVICE: &str = "NUL";

/// What an error of a start means.
pub(in crate::process) enum StartErrorKind {
    /// Too many files, processes or too little memory.
    Exhausted,
    /// The file is no program for this system.
    ForeignFormat,
    Other,
}

pub(in crate::process) fn classify(error: &io::Error) -> StartErrorKind {
    match error.raw_os_error().and_then(|code| u32::try_from(code).ok()) {
        Some(
            ERROR_TOO_MANY_OPEN_FILES
            | ERROR_NOT_ENOUGH_MEMORY
            | ERROR_NO_SYSTEM_RESOURCES
            | ERROR_COMMITMENT_LIMIT,
        ) => StartErrorKind::Exhausted,
        Some(ERROR_BAD_EXE_FORMAT) => StartErrorKind::ForeignFormat,
        _ => StartErrorKind::Other,
    }
}

/// Nothing is left of a run that was killed: the system closed its jobs, which ended their processes.
pub(in crate::process) fn sweep(_: &ProcessIdentity) -> usize {
    0
}

/// Does nothing: what an engine started belongs to its job.
///
/// # Errors
/// Never.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Does nothing: what an engine started ended with its job.
pub fn end_orphans() {}

/// Does nothing: the system has no limit of open files.
pub fn raise_file_limit() {}

/// How many games can be played at once, and which limit says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MostGames {
    /// The number; zero where not even one can be played.
    pub games: usize,
    /// The limit, in words, with the command that shows it.
    pub limit: &'static str,
}

/// The most games at once that the limits of this system allow: it has none.
pub fn most_games(_: usize) -> Option<MostGames> {
    None
}
