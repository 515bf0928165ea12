//! Windows: a job object per engine, killed with this program, and a thread for each pipe, since pipes cannot be polled.

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
pub(in crate::process) use event::WakeEvent;
pub(in crate::process) use lookup::{FALLBACK_FOLDERS, bare_name, candidates, check_format, is_executable};
pub(in crate::process) use processes::identify;
pub use processes::peak_memory_bytes;
pub use reaper::{Reaper, run_reaper};
pub use signals::StopSignals;

use crate::process::ProcessIdentity;

pub(in crate::process) const NULL_DEVICE: &str = "NUL";

/// Kind of an error at process start.
pub(in crate::process) enum StartErrorKind {
    /// Too many files or processes, or too little memory.
    Exhausted,
    /// The file is not an executable of this system.
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

/// Finds nothing: when a run is killed, Windows closes its job objects and so kills their processes.
pub(in crate::process) fn sweep(_: &ProcessIdentity) -> usize {
    0
}

/// Finds nothing, as [`sweep`].
pub(in crate::process) fn sweep_stored(_: &ProcessIdentity) -> usize {
    0
}

/// Puts this program into a job object that ends with it: an engine that is started, but not in its own job yet, is
/// killed with this program, too. For programs whose children are all started by this crate.
///
/// # Errors
/// If the program is in a job that allows no nested job.
pub fn adopt_orphans() -> io::Result<()> {
    job::Job::contain_this_program()
}

/// Does nothing: descendants of an engine were killed with its job object.
pub fn end_orphans() {}

/// Does nothing, as [`end_orphans`].
pub fn reap_orphans() {}

/// Does nothing: Windows has no limit of the size of files.
pub fn catch_file_size_signal() {}

/// Does nothing: Windows has no limit of open files.
pub fn raise_file_limit() {}

/// Maximum number of concurrent games, and the limit that sets it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MostGames {
    /// Number of games; 0 if the limit is too low for one game.
    pub games: usize,
    /// The limit as text, with the command that shows it.
    pub limit: &'static str,
}

/// Maximum number of concurrent games; Windows sets no limit.
pub fn most_games(_: usize) -> Option<MostGames> {
    None
}
