//! What the driver needs from an operating system, with one module for each: `linux`, `macos` and `windows`; `unix` has
//! what the first two share. All offer the items re-exported here. [`SystemChild`] is the contract of a child: its
//! calls never block, its process tree dies with it, and none of it outlives this program.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Instant;

use super::EngineCommand;
use super::exit::Exit;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_process;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(super) use linux::identify;
#[cfg(target_os = "linux")]
pub use linux::{
    adopt_orphans, bind_this_thread, end_orphans, own_processors, peak_memory_bytes, reap_orphans,
};
#[cfg(target_os = "macos")]
pub(super) use macos::identify;
#[cfg(target_os = "macos")]
pub use macos::{
    adopt_orphans, bind_this_thread, end_orphans, own_processors, peak_memory_bytes, reap_orphans,
};
#[cfg(all(test, unix))]
pub(super) use unix::knows_more_formats;
#[cfg(unix)]
pub(super) use unix::{
    Child, FALLBACK_FOLDERS, NULL_DEVICE, StartErrorKind, WakeEvent, bare_name, candidates, check_format,
    classify, is_executable, poll, sweep, sweep_stored,
};
#[cfg(unix)]
pub use unix::{
    MostGames, Reaper, StopSignals, catch_file_size_signal, most_games, raise_file_limit, run_reaper,
};
#[cfg(windows)]
pub(super) use windows::{
    Child, FALLBACK_FOLDERS, NULL_DEVICE, StartErrorKind, WakeEvent, bare_name, candidates, check_format,
    classify, identify, is_executable, poll, sweep, sweep_stored,
};
#[cfg(windows)]
pub use windows::{
    MostGames, Reaper, StopSignals, adopt_orphans, bind_this_thread, catch_file_size_signal, end_orphans,
    most_games, own_processors, peak_memory_bytes, raise_file_limit, reap_orphans, run_reaper,
};

/// Where the child's standard error goes.
#[derive(Debug)]
pub(super) enum Errors {
    /// To a pipe that we read.
    Piped,
    To(File),
}

/// Why no child was started.
#[derive(Debug)]
pub(super) enum SpawnError {
    /// The processors to bind it to do not exist, or this program may not use them.
    Affinity,
    /// Any other error of the system.
    System(io::Error),
}

impl<E: Into<io::Error>> From<E> for SpawnError {
    fn from(error: E) -> SpawnError {
        SpawnError::System(error.into())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Output,
    Errors,
    End,
    Room,
    OtherOutput,
    OtherErrors,
    Interrupt,
}

impl Source {
    pub(super) const ALL: [Source; 7] = [
        Source::Output,
        Source::Errors,
        Source::End,
        Source::Room,
        Source::OtherOutput,
        Source::OtherErrors,
        Source::Interrupt,
    ];
}

/// What one system call watches.
pub(super) struct Watch<'a> {
    pub(super) engine: &'a Child,
    pub(super) other: Option<&'a Child>,
    pub(super) interrupt: Option<&'a WakeEvent>,
    pub(super) sources: SourceSet,
}

/// A set of sources as a bit mask.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct SourceSet(u8);

impl SourceSet {
    /// The sources that show the exit of a process.
    pub(super) fn exit() -> SourceSet {
        SourceSet::default().with(Source::End, true).with(Source::Output, true).with(Source::Errors, true)
    }

    /// With this source too, if the condition is true.
    pub(super) fn with(self, source: Source, condition: bool) -> SourceSet {
        SourceSet(self.0 | u8::from(condition) << source as u8)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Source> {
        Source::ALL.into_iter().filter(move |&source| self.contains(source))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(super) fn contains(self, source: Source) -> bool {
        self.0 >> source as u8 & 1 == 1
    }
}

/// Result of a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// Number of bytes written; fewer than given (or zero) means that the pipe is full.
    Bytes(usize),
    /// The other end is closed.
    Broken,
}

/// How this program was asked to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopRequest {
    /// By Ctrl-C, a closed terminal, or the like.
    Interrupt,
    /// By SIGTERM.
    Terminate,
}

/// Result of a read from a pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadOutcome {
    /// Number of bytes, and when they were read.
    Bytes(usize, Instant),
    /// Nothing yet.
    Empty,
    Closed,
}

/// A running child with our ends of its pipes. No call waits, except [`Self::reap`] for a child that has exited. It
/// leads a process group (or job) that is killed with it. The system kills it when the thread that spawned it or this
/// program ends.
pub(super) trait SystemChild: Sized {
    /// Starts the program with its pipes.
    fn spawn(command: &EngineCommand, program: &Path, errors: Errors) -> Result<Self, SpawnError>;

    fn pid(&self) -> u32;

    /// Peak memory so far, in bytes; `None` after its exit.
    fn peak_memory_bytes(&self) -> Option<u64> {
        peak_memory_bytes(self.pid())
    }

    /// Writes as many bytes to its standard input as fit.
    fn write(&mut self, bytes: &[u8]) -> Written;

    /// Closes our end of its standard input.
    fn close_stdin(&mut self);

    /// Whether our end of its standard output is open.
    fn has_stdout(&self) -> bool;

    /// Reads its standard output once.
    fn read_stdout(&mut self, buffer: &mut [u8]) -> ReadOutcome;

    /// Closes our end of its standard output.
    fn close_stdout(&mut self);

    /// Reads its standard error once; [`ReadOutcome::Closed`] if it has no pipe.
    fn read_stderr(&mut self, buffer: &mut [u8]) -> ReadOutcome;

    /// Asks the process tree to exit, where the system has a signal for it.
    fn terminate(&self);

    /// Kills the process tree.
    fn kill(&self);

    /// Kills the rest of the process tree and reaps the child, which has exited.
    fn reap(&mut self) -> Option<Exit>;
}

#[cfg(all(test, any(target_os = "linux", windows)))]
mod tests {
    use super::*;

    #[test]
    fn a_bound_thread_stays_where_it_was_bound() {
        let all = own_processors().unwrap();
        let last = all[all.len() - 1];
        bind_this_thread(&[last]).unwrap();
        assert_eq!(own_processors().unwrap(), [last]);
        assert!(bind_this_thread(&[]).is_err());
        assert!(bind_this_thread(&[1_000_000]).is_err());
        bind_this_thread(&all).unwrap();
    }
}
