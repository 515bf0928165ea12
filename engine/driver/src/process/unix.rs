//! The system's side of a child process on Linux: pipes that never block, the pidfd, and the kill.
//!
//! Three things hold whatever happens. The child leads a process group of its own, so that one signal reaches what it
//! started (wrapper scripts, helpers), and has no terminal that could stop it. The system kills the child when the thread that spawned it ends, even by
//! SIGKILL: **spawn from the thread that plays the game and lives as long as the engine does**; a short-lived helper
//! thread would take the engine with it. And [`Process`] kills the group and reaps the child when dropped.
//!
//! Two gaps remain: the death signal reaches the child alone, not its own children, and the system withdraws it from
//! set-user-id and set-group-id programs (Debian's phalanx). A [`Reaper`] closes both; and there is [`ProcessIdentity`],
//! to be written down and swept by a later run. A grandchild that leaves the group (`setsid`) escapes the group's
//! signal, but not its tag: see `descendants`.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, Signal, WaitOptions, waitpid};

use super::affinity::processor_set;
use super::command::{EngineCommand, StderrPolicy};
use super::descendants::Children;
use super::exit::Exit;
use super::identity::ProcessIdentity;
use super::lines::{LINE_LIMIT, Line, LineBuffer};
use super::lookup::{LookupError, find_program};
use super::poll::poll_until;
use super::reaper::Reaper;
use super::spawn::{Errors, SpawnError, Spawned, spawn};
use super::stderr_tail::StderrTail;

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
    /// The file for standard error cannot be opened.
    #[error("open `{}` for its standard error: {reason}", path.display())]
    StderrFile {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The processors that it should be bound to do not exist or are not ours to use.
    #[error("bind it to processors {processors:?}")]
    Affinity {
        /// As asked.
        processors: Vec<usize>,
    },
    /// This program has too many files open, or this user too many processes. The engine is not to blame.
    #[error("start `{}`: {reason}; play fewer games at once, or raise the limit (ulimit -n, ulimit -u)", program.display())]
    Exhausted {
        /// The program's file.
        program: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The system refused for another reason.
    #[error("start `{}`: {reason}", program.display())]
    System {
        /// The program's file.
        program: PathBuf,
        /// What the system said.
        reason: String,
    },
}

/// What became of bytes that were to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// So many of them are in the pipe; fewer than asked (or none) means that the pipe is full.
    Bytes(usize),
    /// Nobody can read them any more.
    Broken,
}

/// A running child and our ends of its pipes.
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    pidfd: OwnedFd,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
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
    tag: OsString,
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
        let system = |error: io::Error| {
            let (program, reason) = (program.clone(), error.to_string());
            let errno = error.raw_os_error().map(Errno::from_raw_os_error);
            match errno {
                Some(Errno::MFILE | Errno::NFILE | Errno::AGAIN | Errno::NOMEM) => {
                    StartError::Exhausted { program, reason }
                }
                _ => StartError::System { program, reason },
            }
        };
        let affinity = || StartError::Affinity { processors: command.affinity.clone() };
        let processors = match command.affinity.as_slice() {
            [] => None,
            some => Some(processor_set(some).ok_or_else(affinity)?),
        };
        let errors = errors_of(&command.stderr)?;
        let spawned = spawn(command, &program, processors, errors).map_err(|error| match error {
            SpawnError::Affinity => affinity(),
            SpawnError::System(error) if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
                LookupError::ForeignFormat { path: program.clone() }.into()
            }
            SpawnError::System(error) => system(error),
        })?;
        Self::adopt(spawned, command.reaper.clone()).map_err(system)
    }

    fn adopt(spawned: Spawned, reaper: Option<Reaper>) -> io::Result<Self> {
        let Spawned { pid, pidfd, stdin, stdout, stderr, tag } = spawned;
        // From here on the drop of this value ends the child, whatever fails.
        let mut process = Self {
            pid,
            pidfd,
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr,
            output: LineBuffer::new(LINE_LIMIT),
            tail: StderrTail::new(),
            read_at: Instant::now(),
            life: Life::Running,
            quiet: Quiet::Unknown,
            last_full_poll: None,
            awake_at: Instant::now(),
            stalled: Duration::ZERO,
            reaper: None,
            tag,
        };
        if let Some(reaper) = reaper {
            let identity = process.identity();
            reaper.watch(identity);
            process.reaper = Some((reaper, identity));
        }
        for pipe in [&process.stdin, &process.stdout, &process.stderr].into_iter().flatten() {
            let flags = rustix::fs::fcntl_getfl(pipe)?;
            rustix::fs::fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?;
        }
        Ok(process)
    }

    /// The process number, which is also that of its group.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// What a later run needs to find what is left of this process.
    #[must_use]
    pub fn identity(&self) -> ProcessIdentity {
        ProcessIdentity::of(self.pid())
    }

    /// Puts as many of these bytes into its standard input as there is room for; never waits, never raises SIGPIPE
    /// in a Rust program.
    pub fn write(&mut self, bytes: &[u8]) -> Written {
        let Some(stdin) = &self.stdin else { return Written::Broken };
        loop {
            match rustix::io::write(stdin, bytes) {
                Ok(count) => return Written::Bytes(count),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Written::Bytes(0),
                Err(_) => return Written::Broken,
            }
        }
    }

    /// Closes its standard input: an honest engine takes that for `quit`.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
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

    /// When a wait for it last began to watch all that can happen; none if the next one should at once.
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

    /// The most memory that it had at once so far, in bytes, without its children; none once it is gone.
    #[must_use]
    pub fn peak_memory_bytes(&self) -> Option<u64> {
        super::memory::peak_bytes(self.pid())
    }

    /// True once it will never say anything again and all lines were taken.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.stdout.is_none() && !self.output.has_line()
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

    /// Waits until it has ended, reading and throwing away what it still says; how, unless the deadline came first.
    pub fn await_exit(&mut self, deadline: Instant) -> Option<Exit> {
        while self.life == Life::Running {
            let pipes = [&self.stdout, &self.stderr].into_iter().flatten().map(AsFd::as_fd);
            let watched = std::iter::once(self.pidfd.as_fd()).chain(pipes);
            let mut fds: Vec<_> = watched.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
            if !matches!(poll_until(&mut fds, Instant::now(), deadline), Ok(1..)) {
                return None;
            }
            let ended = !fds[0].revents().is_empty();
            drop(fds);
            self.read_stderr();
            self.read_stdout();
            while self.take_line().is_some() {}
            if ended {
                self.note_end();
            } else if Instant::now() >= deadline {
                return None;
            }
        }
        self.exit()
    }

    /// Asks the whole group to leave (SIGTERM).
    pub fn terminate(&mut self) {
        self.signal_group(Signal::TERM);
    }

    /// Ends the whole group at once (SIGKILL) and reaps the child. Gives how it ended, which may be by itself, before;
    /// none if the system has not let go of it within five seconds.
    pub fn kill(&mut self) -> Option<Exit> {
        if self.life == Life::Running {
            self.signal_group(Signal::KILL);
            self.await_exit(Instant::now() + KILL_TIMEOUT);
        }
        self.exit()
    }

    fn signal_group(&self, signal: Signal) {
        if matches!(self.life, Life::Reaped(_)) {
            return;
        }
        // Both may find nobody, and then there is nobody to end.
        let _ = rustix::process::kill_process_group(self.pid, signal);
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, signal);
    }

    /// The group goes before the number: once the child is reaped, the system may give its number to others.
    fn reap(&mut self) -> Option<Exit> {
        self.signal_group(Signal::KILL);
        let mut children = Children::lock();
        let (_, status) = retry_on_intr(|| waitpid(Some(self.pid), WaitOptions::empty())).ok()??;
        let exit = Exit::from_status(ExitStatus::from_raw(status.as_raw()));
        self.life = Life::Reaped(exit);
        children.remove(self.pid(), &self.tag);
        drop(children);
        if let Some((reaper, identity)) = self.reaper.take() {
            reaper.release(identity);
        }
        Some(exit)
    }

    pub(super) fn stdin_fd(&self) -> Option<BorrowedFd<'_>> {
        self.stdin.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn stdout_fd(&self) -> Option<BorrowedFd<'_>> {
        self.stdout.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn stderr_fd(&self) -> Option<BorrowedFd<'_>> {
        self.stderr.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
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
        // As much as a pipe holds: the last words of a crash are at its end.
        for _ in 0..PIPE_BYTES.div_ceil(SCRATCH_BYTES) {
            self.read_stderr();
        }
        self.read_stdout();
    }

    /// One read of standard output, unless lines wait: they bear the instant of the last read.
    pub(crate) fn read_stdout(&mut self) {
        let Some(stdout) = &self.stdout else { return };
        if self.output.has_line() {
            return;
        }
        match rustix::io::read(stdout, self.output.room()) {
            Ok(count @ 1..) => {
                self.read_at = Instant::now();
                self.quiet = Quiet::Unknown;
                self.output.filled(count);
            }
            Err(Errno::AGAIN | Errno::INTR) if self.life == Life::Running => {}
            Ok(0) | Err(_) => {
                self.read_at = Instant::now();
                self.stdout = None;
                self.output.finish();
            }
        }
    }

    /// Reads standard error, a bounded amount a call.
    pub(super) fn read_stderr(&mut self) {
        let mut scratch = [0; SCRATCH_BYTES];
        let Some(stderr) = &self.stderr else { return };
        match rustix::io::read(stderr, &mut scratch) {
            Ok(count @ 1..) => self.tail.push(&scratch[..count]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(0) | Err(_) => {
                self.stderr = None;
                self.tail.finish();
            }
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
            let nowhere = Path::new("/dev/null");
            (nowhere, OpenOptions::new().write(true).open(nowhere))
        }
        StderrPolicy::File(path) => (path.as_path(), OpenOptions::new().append(true).create(true).open(path)),
    };
    match opened {
        Ok(file) => Ok(Errors::To(file.into())),
        Err(error) => Err(StartError::StderrFile { path: path.to_owned(), reason: error.to_string() }),
    }
}
