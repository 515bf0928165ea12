//! A child process with pipes: started in its own process group, read and written without blocking, and killed with all
//! its children when its owner drops it.
//!
//! It handles bytes, lines and instants, and leaves the meaning of a line to its callers. Code that depends on the
//! operating system is in `system`.

mod child;
mod command;
mod exit;
mod identity;
mod interrupt;
mod lines;
mod lookup;
mod lookup_error;
mod poll;
mod stderr_tail;
mod system;

use std::ffi::OsString;
use std::path::PathBuf;

pub use child::{Process, StartError};
pub use exit::Exit;
pub use identity::Swept;
pub use interrupt::Interrupt;
pub(crate) use lines::split_line;
pub use lines::{LINE_LIMIT, Line, LineEnd, text};
pub use lookup_error::LookupError;
pub use poll::{PollOutcome, WaitFor, poll_once};
pub use system::{
    MostGames, Reaper, StopRequest, StopSignals, Written, adopt_orphans, bind_this_thread,
    catch_file_size_signal, end_orphans, most_games, own_processors, peak_memory_bytes, raise_file_limit,
    reap_orphans, run_reaper,
};

/// The environment variable that marks an engine and its descendants.
const ENGINE_VARIABLE: &str = "SMALT_ENGINE";

/// Our environment variable with the password of the worker server; removed from the environment of every child
/// process.
pub const PASSWORD_VARIABLE: &str = "SMALT_NATS_PASSWORD";

/// Where an engine's standard error goes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum StderrPolicy {
    /// To the null device; costs nothing.
    Discard,
    /// Always read, so that the engine never blocks on it; the last lines are kept for fault reports.
    #[default]
    KeepLast,
    /// Appended to this file, which is created if missing.
    File(PathBuf),
}

/// How to start an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineCommand {
    /// A path, or a name to look up: `PATH`, then `directory`, then `/usr/games`. A relative path with a slash is tried
    /// from `directory` first, then from the current folder.
    pub program: PathBuf,
    /// Passed unchanged; no shell reads them.
    pub arguments: Vec<OsString>,
    /// Working folder [default: the current one].
    pub directory: Option<PathBuf>,
    /// Variables added to the inherited environment, or replaced in it.
    pub environment: Vec<(OsString, OsString)>,
    pub stderr: StderrPolicy,
    /// Lines sent before the first line of the protocol, each with its line feed.
    pub initial_lines: String,
    /// Processors to run on, by the system's numbers; if empty, those of the thread that starts it.
    pub affinity: Vec<usize>,
    /// Kills the engine's processes if this program is killed.
    pub reaper: Option<Reaper>,
}

/// Enough to recognize a process that an earlier run started, and its group. Plain numbers, to be stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ProcessIdentity {
    /// Process id, also the id of the group it leads.
    pub pid: u32,
    /// Start time in the system's unit: on Linux clock ticks since boot (field 22 of `/proc/pid/stat`, proc(5)); 0 if
    /// unknown.
    pub started: u64,
    /// Its session id, that of the run which started it; 0 on Windows.
    pub session: u32,
}
