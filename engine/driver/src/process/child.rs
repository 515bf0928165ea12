//! A child process: its output lines, the end of its standard error, its exit, and how long this program was suspended
//! while waiting for it.
//!
//! On every system the child leads a process group (on Windows a job) that is killed with it, so the processes it
//! started (wrapper scripts, helpers) end too. The system kills it when the thread that spawned it ends, even by
//! SIGKILL: **spawn from the thread that plays the game and lives as long as the engine does**. Dropping a [`Process`]
//! kills the group and reaps the child.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::exit::Exit;
use super::lines::{LINE_LIMIT, Line, LineBuffer};
use super::lookup::find_program;
use super::lookup_error::LookupError;
use super::stderr_tail::StderrTail;
use super::system::{
    Child, Errors, NULL_DEVICE, ReadOutcome, Reaper, Source, SourceSet, SpawnError, StartErrorKind,
    SystemChild, Watch, Written, classify, poll,
};
use super::{EngineCommand, ProcessIdentity, StderrPolicy};

/// How long to wait for a killed process to exit. A process in an uninterruptible system call dies only after that
/// call.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Buffer size for reading standard error.
const SCRATCH_BYTES: usize = 8192;

/// A wait that ends later than planned by more than this counts as a stall; a busy machine adds some milliseconds.
const STALL_TOLERANCE: Duration = Duration::from_millis(50);

/// Capacity of a pipe (pipe(7)).
const PIPE_BYTES: usize = 1 << 16;

/// Why a process could not be started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StartError {
    /// The program does not exist or cannot be executed.
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

/// A running child with the parent's ends of its pipes.
///
/// On Linux the death signal reaches only the child, not its children, and set-user-id and set-group-id programs
/// (Debian's phalanx) do not get it; macOS has no such signal. A [`Reaper`] closes these gaps, and a [`ProcessIdentity`]
/// can be stored and swept by a later run. A grandchild that leaves the group (`setsid`) escapes the group's signal, but
/// on Linux its tag still identifies it: see [`super::adopt_orphans`].
#[derive(Debug)]
pub struct Process {
    child: Child,
    output: LineBuffer,
    tail: StderrTail,
    read_at: Instant,
    life: Life,
    quiet: Quiet,
    has_written: bool,
    last_full_poll: Option<Instant>,
    /// The last instant at which this program is known to have been running while it waited for the engine.
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

/// Whether the process runs, has exited or is reaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Running,
    /// It exited and is not reaped, so its process id and group id are not reused.
    Ended,
    Reaped(Exit),
}

impl Process {
    /// Starts the program. The calling thread must live as long as the process: see the module page.
    ///
    /// # Errors
    /// If the program cannot be found or executed, or the system refuses.
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
            has_written: false,
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

    /// The process id; on Unix also the group id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// What a later run needs to find this process and its group.
    #[must_use]
    pub fn identity(&self) -> ProcessIdentity {
        ProcessIdentity::of(self.pid())
    }

    /// Writes as many bytes to standard input as fit into the pipe; never waits.
    pub fn write(&mut self, bytes: &[u8]) -> Written {
        self.child.write(bytes)
    }

    /// Closes its standard input; engines treat that as `quit`.
    pub fn close_stdin(&mut self) {
        self.child.close_stdin();
    }

    /// Whether [`Self::take_line`] will return a line.
    #[must_use]
    pub fn has_line(&self) -> bool {
        self.output.has_line()
    }

    /// The next buffered line of its standard output; never waits.
    pub fn take_line(&mut self) -> Option<Line<'_>> {
        self.output.take()
    }

    /// What it has written after its last line feed.
    pub(crate) fn unfinished_line(&self) -> &[u8] {
        self.output.unfinished()
    }

    /// Whether it has ever written anything to its standard output.
    #[must_use]
    pub fn has_written(&self) -> bool {
        self.has_written
    }

    /// Total number of bytes dropped from lines that were too long.
    #[must_use]
    pub fn dropped_bytes(&self) -> u64 {
        self.output.dropped()
    }

    /// Number of bytes dropped from the current line; zero unless it is too long.
    pub(crate) fn dropped_of_line(&self) -> u64 {
        self.output.dropped_of_line()
    }

    /// When the buffered lines were completed: taken right after the read.
    #[must_use]
    pub(crate) fn read_at(&self) -> Instant {
        self.read_at
    }

    /// Records that a poll found nothing to read.
    pub(super) fn note_quiet(&mut self) {
        self.quiet = Quiet::Seen;
    }

    /// Whether a poll has found nothing to read since the last output.
    pub(crate) fn was_quiet(&self) -> bool {
        self.quiet == Quiet::Seen
    }

    /// When all sources were last polled; `None` if the next poll must include all.
    pub(super) fn last_full_poll(&self) -> Option<Instant> {
        self.last_full_poll
    }

    pub(super) fn note_full_poll(&mut self, at: Option<Instant>) {
        self.last_full_poll = at;
    }

    /// Total time during which this program did not run (stopped, suspended, starved of processor time) while it waited
    /// for the engine: the engine's clock ran without its fault.
    #[must_use]
    pub fn stalled(&self) -> Duration {
        self.stalled
    }

    /// Records that a command was written: the wait for an answer starts.
    pub(crate) fn note_written(&mut self, now: Instant) {
        self.awake_at = now;
    }

    /// Records that this program handles lines of this engine while it waits for it: its own work is no stall.
    pub(crate) fn note_working(&mut self, now: Instant) {
        self.note_awake(now, self.awake_at);
    }

    /// Records that this program runs now, and should have been running by `expected` (or now, if that is later).
    pub(super) fn note_awake(&mut self, now: Instant, expected: Instant) {
        let expected = expected.max(self.awake_at);
        if now > expected + STALL_TOLERANCE {
            self.stalled += now - expected;
        }
        self.awake_at = now;
    }

    /// The last instant at which this program is known to have been waiting for the engine.
    pub(super) fn awake_at(&self) -> Instant {
        self.awake_at
    }

    /// Peak memory so far, in bytes, without its children; on Windows that of the largest process of its tree, since a program there
    /// cannot be replaced by another. `None` after its exit.
    #[must_use]
    pub fn peak_memory_bytes(&self) -> Option<u64> {
        self.child.peak_memory_bytes()
    }

    /// Whether its output has ended and all lines were taken.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        !self.child.has_stdout() && !self.output.has_line()
    }

    /// The last lines of its standard error, oldest first, if they are kept.
    pub fn stderr_lines(&self) -> impl Iterator<Item = &[u8]> {
        self.tail.lines()
    }

    /// The lines of its standard error since the last call.
    pub(crate) fn take_stderr(&mut self) -> impl Iterator<Item = &[u8]> {
        self.tail.take_fresh()
    }

    /// Its exit status, if it has exited; then kills the rest of its group.
    pub fn exit(&mut self) -> Option<Exit> {
        match self.life {
            Life::Running => None,
            Life::Reaped(exit) => Some(exit),
            Life::Ended => self.reap(),
        }
    }

    /// Waits for its exit, discarding its output; the exit status, or `None` at the deadline.
    pub fn await_exit(&mut self, deadline: Instant) -> Option<Exit> {
        while self.life == Life::Running {
            while self.take_line().is_some() {}
            let sources = SourceSet::exit();
            let watch = Watch { engine: &self.child, other: None, interrupt: None, sources };
            let ready = poll(&watch, Instant::now(), deadline).ok()?;
            if ready.is_empty() {
                return None;
            }
            self.read_stderr();
            self.read_stdout();
            while self.take_line().is_some() {}
            if ready.contains(Source::End) {
                self.note_end();
            } else if Instant::now() >= deadline {
                return None;
            }
        }
        self.exit()
    }

    /// Sends SIGTERM to the group; does nothing on Windows, which has no such signal.
    pub fn terminate(&mut self) {
        if !matches!(self.life, Life::Reaped(_)) {
            self.child.terminate();
        }
    }

    /// Kills the group (SIGKILL) and reaps the child. Returns the exit status, which may be that of an earlier exit;
    /// `None` if the process is still there after five seconds.
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

    /// Called when the child has exited: reads the rest of its pipes and closes them, though a grandchild may hold the
    /// other ends open.
    pub(super) fn note_end(&mut self) {
        if self.life == Life::Running {
            self.life = Life::Ended;
        }
        // One full pipe: a crash message is at the end of it.
        for _ in 0..PIPE_BYTES.div_ceil(SCRATCH_BYTES) {
            self.read_stderr();
        }
        self.read_stdout();
    }

    /// Reads standard output once, unless lines are buffered: they keep the time of the last read.
    pub(crate) fn read_stdout(&mut self) {
        if self.output.has_line() || !self.child.has_stdout() {
            return;
        }
        match self.child.read_stdout(self.output.room()) {
            ReadOutcome::Bytes(count, at) => {
                self.read_at = at;
                self.quiet = Quiet::Unknown;
                self.has_written = true;
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

    /// Reads standard error, a bounded amount per call.
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
