//! A child process and what was read of it: lines, the last of its standard error, how it ended, and how long this
//! program stood still while it waited for it.
//!
//! Three things hold on every system. The child leads a process group (on Windows a job) that ends with it, so that what
//! it started (wrapper scripts, helpers) ends too. The system ends it when the thread that spawned it ends, even by
//! SIGKILL: **spawn from the thread that plays the game and lives as long as the engine does**. And [`Process`] ends the
//! group and releases the child when dropped.
//!
//! On Linux two gaps remain: the death signal reaches the child alone, not its own children, and the system withdraws it
//! from set-user-id and set-group-id programs (Debian's phalanx). macOS has no such signal. A [`Reaper`] closes these gaps;
//! and there is [`ProcessIdentity`], to be written down and swept by a later run. A grandchild that leaves the group
//! (`setsid`) escapes the group's signal, but on Linux not its tag: see [`super::adopt_orphans`].

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::command::{EngineCommand, StderrPolicy};
use super::exit::Exit;
use super::identity::ProcessIdentity;
use super::lines::{LINE_LIMIT, Line, LineBuffer};
use super::lookup::{LookupError, find_program};
use super::poll::{Source, SourceSet, Watch};
use super::stderr_tail::StderrTail;
use super::system::{
    Child, Errors, NULL_DEVICE, ReadOutcome, Reaper, SpawnError, StartErrorKind, SystemChild, Written,
    classify, poll,
};

/// How long a killed process may take to vanish before it is left to the system (a process in a system call that
/// cannot be interrupted does not die before that call ends).
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// How much of standard error is read at once.
const SCRATCH_BYTES: usize = 8192;

/// A wait that ends later than it should by more than this is counted: busy machines are late by some milliseconds.
const STALL_TOLERANCE: Duration = Duration::from_millis(50);

/// What a pipe holds (pipe(7)).
const PIPE_BYTES: usize = 1 << 16;

/// Why a process was not started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program, or it cannot be run.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    #[error("open `{}` for its standard error: {reason}", path.display())]
    StderrFile { path: PathBuf, reason: String },
    #[error("bind it to processors {processors:?}")]
    Affinity { processors: Vec<usize> },
    /// Too many open files or processes; not a fault of the engine.
    #[error("start `{}`: {reason}; play fewer games at once, or raise the limit (ulimit -n, ulimit -u)", program.display())]
    Exhausted { program: PathBuf, reason: String },
    #[error("start `{}`: {reason}", program.display())]
    System { program: PathBuf, reason: String },
}

/// A running child and our ends of its pipes.
#[derive(Debug)]
pub struct Process {
    child: Child,
    output: LineBuffer,
    tail: StderrTail,
    read_at: Instant,
    life: Life,
    quiet: Quiet,
    last_full_poll: Option<Instant>,
    /// The last instant at which this program is known to have run while it waited for the engine.
    awake_at: Instant,
    stalled: Duration,
    reaper: Option<(Reaper, ProcessIdentity)>,
}

/// Whether a poll has found nothing in its standard output since the last line was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quiet {
    Seen,
    Unknown,
}

/// How much of the process is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Running,
    /// It ended; its number is still ours, and so is its group's.
    Ended,
    Reaped(Exit),
}

impl Process {
    /// Starts the program. The calling thread must live as long as the process should: see the page of this module.
    ///
    /// # Errors
    /// When there is nothing to run, or the system refuses.
    pub fn spawn(command: &EngineCommand) -> Result<Self, StartError> {
        let program = find_program(command)?;
        let errors = errors_of(&command.stderr)?;
        let child = Child::spawn(command, &program, errors).map_err(|error| match error {
            SpawnError::Affinity => StartError::Affinity { processors: command.affinity.clone() },
            SpawnError::System(error) => {
                let reason = error.to_string();
                match classify(&error) {
                    StartErrorKind::ForeignFormat => LookupError::ForeignFormat { path: program }.into(),
                    StartErrorKind::Exhausted => StartError::Exhausted { program, reason },
                    StartErrorKind::Other => StartError::System { program, reason },
                }
            }
        })?;
        let mut process = Self {
            child,
            output: LineBuffer::new(LINE_LIMIT),
            tail: StderrTail::new(),
            read_at: Instant::now(),
            life: Life::Running,
            quiet: Quiet::Unknown,
            last_full_poll: None,
            awake_at: Instant::now(),
            stalled: Duration::ZERO,
            reaper: None,
        };
        if let Some(reaper) = &command.reaper {
            let identity = process.identity();
            reaper.watch(identity);
            process.reaper = Some((reaper.clone(), identity));
        }
        Ok(process)
    }

    /// The process number, which on Unix is also that of its group.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// What a later run needs to find what is left of this process.
    #[must_use]
    pub fn identity(&self) -> ProcessIdentity {
        ProcessIdentity::of(self.pid())
    }

    /// Writes as many of these bytes to its standard input as there is room for; never waits.
    pub fn write(&mut self, bytes: &[u8]) -> Written {
        self.child.write(bytes)
    }

    /// Closes its standard input: engines take that for `quit`.
    pub fn close_stdin(&mut self) {
        self.child.close_stdin();
    }

    /// True if [`Self::take_line`] has one.
    #[must_use]
    pub fn has_line(&self) -> bool {
        self.output.has_line()
    }

    /// The next line of its standard output that was read; never waits.
    pub fn take_line(&mut self) -> Option<Line<'_>> {
        self.output.take()
    }

    /// How many bytes of lines that were too long have been dropped.
    #[must_use]
    pub fn dropped_bytes(&self) -> u64 {
        self.output.dropped()
    }

    /// How many bytes of the line that it is writing now have been dropped: zero unless that line is too long.
    pub(crate) fn dropped_of_line(&self) -> u64 {
        self.output.dropped_of_line()
    }

    /// When the bytes were read that completed the lines which wait now: taken right after the read.
    #[must_use]
    pub fn read_at(&self) -> Instant {
        self.read_at
    }

    /// Says that a poll found nothing to read.
    pub(super) fn note_quiet(&mut self) {
        self.quiet = Quiet::Seen;
    }

    /// True if a poll found nothing to read since it last said something.
    pub(crate) fn was_quiet(&self) -> bool {
        self.quiet == Quiet::Seen
    }

    /// When all sources were last polled; `None` if the next poll should be one of all.
    pub(super) fn last_full_poll(&self) -> Option<Instant> {
        self.last_full_poll
    }

    pub(super) fn note_full_poll(&mut self, at: Option<Instant>) {
        self.last_full_poll = at;
    }

    /// How long this program stood still (stopped, suspended, starved of processor time) while it waited for the engine,
    /// in all: time that ran on the engine's clock by our doing.
    #[must_use]
    pub fn stalled(&self) -> Duration {
        self.stalled
    }

    /// We wait for an answer from now on.
    pub(crate) fn note_written(&mut self, now: Instant) {
        self.awake_at = now;
    }

    /// This program runs now, and should have run again at `expected` (or now, if that is later) at the latest.
    pub(super) fn note_awake(&mut self, now: Instant, expected: Instant) {
        let late = now.saturating_duration_since(expected.max(self.awake_at));
        if late > STALL_TOLERANCE {
            self.stalled += late;
        }
        self.awake_at = now;
    }

    /// The last instant at which this program is known to have waited for the engine.
    pub(super) fn awake_at(&self) -> Instant {
        self.awake_at
    }

    /// The most memory that it had at once so far, in bytes, without its children; `None` once it is gone.
    #[must_use]
    pub fn peak_memory_bytes(&self) -> Option<u64> {
        super::system::peak_memory_bytes(self.pid())
    }

    /// True once it will never say anything again and all lines were taken.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        !self.child.has_stdout() && !self.output.has_line()
    }

    /// The last lines of its standard error, oldest first, if they are kept.
    pub fn stderr_lines(&self) -> impl Iterator<Item = &[u8]> {
        self.tail.lines()
    }

    /// The lines of its standard error that came since the last call.
    pub(crate) fn take_stderr(&mut self) -> impl Iterator<Item = &[u8]> {
        self.tail.take_fresh()
    }

    /// How it ended, if it has; kills what is left of its group then.
    pub fn exit(&mut self) -> Option<Exit> {
        match self.life {
            Life::Running => None,
            Life::Reaped(exit) => Some(exit),
            Life::Ended => self.reap(),
        }
    }

    /// Waits until it has ended, reading and discarding its output; how it ended, unless the deadline came first.
    pub fn await_exit(&mut self, deadline: Instant) -> Option<Exit> {
        while self.life == Life::Running {
            while self.take_line().is_some() {}
            let sources = SourceSet::exit();
            let watch = Watch { engine: &self.child, other: None, interrupt: None, sources };
            let ready = poll(&watch, Instant::now(), deadline).ok()?;
            if ready.iter().all(Option::is_none) {
                return None;
            }
            self.read_stderr();
            self.read_stdout();
            while self.take_line().is_some() {}
            if ready.contains(&Some(Source::End)) {
                self.note_end();
            } else if Instant::now() >= deadline {
                return None;
            }
        }
        self.exit()
    }

    /// Asks the whole group to leave (SIGTERM; nothing on Windows, which has no such signal).
    pub fn terminate(&mut self) {
        if !matches!(self.life, Life::Reaped(_)) {
            self.child.terminate();
        }
    }

    /// Ends the whole group at once (SIGKILL) and reaps the child. Gives how it ended, which may be by itself, before;
    /// `None` if the system has not let go of it within five seconds.
    pub fn kill(&mut self) -> Option<Exit> {
        if self.life == Life::Running {
            self.child.kill();
            self.await_exit(Instant::now() + KILL_TIMEOUT);
        }
        self.exit()
    }

    fn reap(&mut self) -> Option<Exit> {
        let exit = self.child.reap()?;
        self.life = Life::Reaped(exit);
        if let Some((reaper, identity)) = self.reaper.take() {
            reaper.release(identity);
        }
        Some(exit)
    }

    pub(super) fn child(&self) -> &Child {
        &self.child
    }

    pub(super) fn is_running(&self) -> bool {
        self.life == Life::Running
    }

    /// The child has ended: what its pipes still hold is read, and then they are closed, though a grandchild may hold
    /// their other ends.
    pub(super) fn note_end(&mut self) {
        if self.life == Life::Running {
            self.life = Life::Ended;
        }
        // As much as a pipe holds: the messages of a crash are at its end.
        for _ in 0..PIPE_BYTES.div_ceil(SCRATCH_BYTES) {
            self.read_stderr();
        }
        self.read_stdout();
    }

    /// One read of standard output, unless lines wait: they bear the instant of the last read.
    pub(crate) fn read_stdout(&mut self) {
        if self.output.has_line() || !self.child.has_stdout() {
            return;
        }
        match self.child.read_stdout(self.output.room()) {
            ReadOutcome::Bytes(count, at) => {
                self.read_at = at;
                self.quiet = Quiet::Unknown;
                self.output.filled(count);
            }
            ReadOutcome::Empty if self.life == Life::Running => {}
            ReadOutcome::Empty | ReadOutcome::Closed => {
                self.read_at = Instant::now();
                self.child.close_stdout();
                self.output.finish();
            }
        }
    }

    /// Reads standard error, a bounded amount a call.
    pub(super) fn read_stderr(&mut self) {
        let mut scratch = [0; SCRATCH_BYTES];
        match self.child.read_stderr(&mut scratch) {
            ReadOutcome::Bytes(count, _) => self.tail.push(&scratch[..count]),
            ReadOutcome::Empty => {}
            ReadOutcome::Closed => self.tail.finish(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn errors_of(policy: &StderrPolicy) -> Result<Errors, StartError> {
    let (path, opened) = match policy {
        StderrPolicy::KeepLast => return Ok(Errors::Piped),
        StderrPolicy::Discard => {
            let nowhere = Path::new(NULL_DEVICE);
            (nowhere, OpenOptions::new().write(true).open(nowhere))
        }
        StderrPolicy::File(path) => (path.as_path(), OpenOptions::new().append(true).create(true).open(path)),
    };
    match opened {
        Ok(file) => Ok(Errors::To(file)),
        Err(error) => Err(StartError::StderrFile { path: path.to_owned(), reason: error.to_string() }),
    }
}
