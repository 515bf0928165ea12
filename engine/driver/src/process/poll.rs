//! The one place that waits: `poll(2)` over the pipes of the engine that is waited for, of one more that must not
//! block context, and over the interrupt; then a read of each that has something.
//!
//! Each source that is polled costs time, above all with many games at once, when nothing of it is in a cache. So where
//! lines follow each other closely only the few that bring them are watched, and all others are looked at now and then:
//! what happens there is seen some milliseconds later, which moves no clock.

use std::io;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::interrupt::Interrupt;
use super::unix::Process;

/// What a wait is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitFor {
    /// Until it says something.
    Output,
    /// Until there is room in its standard input (or it says something, which may be why there is none).
    Room,
}

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PollOutcome {
    /// Something happened: bytes were read, room was made, or a process ended.
    Progress,
    /// The deadline came first.
    TimedOut,
    /// The interrupt was raised.
    Interrupted,
}

/// So long a wait watches only those that bring lines, before it watches all. Longer than the tick of most systems (4 ms),
/// whose timer need not be set for it then.
const LINES_ONLY_WAIT: Duration = Duration::from_millis(5);

/// All are watched at least so often, however closely lines follow each other.
const FULL_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A wait for all sources is made in pieces of this length, so that it shows when this program itself stood still: one
/// that ends much later than its piece does was not awake in between (SIGSTOP, a suspended virtual machine).
const FULL_POLL_WAIT: Duration = Duration::from_millis(100);

/// The most that one wait can watch: four of the engine, two of the other, the interrupt.
const SOURCES: usize = 7;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Output,
    Errors,
    End,
    Room,
    OtherOutput,
    OtherErrors,
    Interrupt,
}

impl Source {
    fn brings_lines(self) -> bool {
        matches!(self, Source::Output | Source::OtherOutput)
    }
}

/// Which sources a look is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PollSet {
    /// Those that bring lines, and the standard error of an engine that uses it, so that it need not wait to be read.
    Lines,
    All,
}

/// Waits once, and reads what there is: of the engine and of the other. Lines are not lost: where one waits to be
/// taken, nothing more is read. A deadline that has passed still reads what is there already.
///
/// # Errors
/// When the system refuses to wait: out of memory, or out of descriptors.
pub fn poll_once(
    engine: &mut Process,
    mut other: Option<&mut Process>,
    interrupt: Option<&Interrupt>,
    waiting: WaitFor,
    deadline: Instant,
) -> io::Result<PollOutcome> {
    if !engine.is_running() && !engine.is_silent() {
        engine.read_stdout();
        return Ok(PollOutcome::Progress);
    }
    let mut now = Instant::now();
    engine.note_awake(now, engine.awake_at());
    let brief = deadline.min(now + LINES_ONLY_WAIT);
    let mut outcome = None;
    if waiting == WaitFor::Output && engine.last_full_poll().is_some_and(|at| now < at + FULL_POLL_INTERVAL) {
        outcome = poll_set(PollSet::Lines, engine, other.as_deref_mut(), interrupt, waiting, (now, brief))?;
        now = engine.awake_at();
    }
    while outcome.is_none() {
        engine.note_full_poll(Some(now));
        let until = deadline.min(now + FULL_POLL_WAIT);
        outcome = poll_set(PollSet::All, engine, other.as_deref_mut(), interrupt, waiting, (now, until))?;
        now = engine.awake_at();
        if now >= deadline {
            break;
        }
    }
    Ok(outcome.unwrap_or(PollOutcome::TimedOut))
}

/// Waits for some sources, from one instant to another, and reads those that have something; none if the latter came
/// first. Notes that this program is awake after it.
fn poll_set(
    look: PollSet,
    engine: &mut Process,
    mut other: Option<&mut Process>,
    interrupt: Option<&Interrupt>,
    waiting: WaitFor,
    (now, deadline): (Instant, Instant),
) -> io::Result<Option<PollOutcome>> {
    let mut ready = [None; SOURCES];
    let happened = {
        let (mut fds, sources, count) = watched(look, engine, other.as_deref(), interrupt, waiting);
        let happened = poll_until(&mut fds[..count], now, deadline)?;
        for (slot, (fd, source)) in ready.iter_mut().zip(fds[..count].iter().zip(sources)) {
            *slot = (!fd.revents().is_empty()).then_some(source);
        }
        happened
    };
    if happened == 0 {
        note_awake(engine, other, Instant::now(), deadline);
        return Ok(None);
    }
    if let Some(other) = other.as_deref_mut().filter(|other| !other.has_line())
        && !ready.contains(&Some(Source::OtherOutput))
    {
        other.note_quiet();
    }
    let mut result = PollOutcome::Progress;
    for source in ready.into_iter().flatten() {
        match source {
            Source::Output => engine.read_stdout(),
            Source::Errors => engine.read_stderr(),
            Source::End => engine.note_end(),
            Source::Room => {}
            Source::OtherOutput => other.as_deref_mut().into_iter().for_each(Process::read_stdout),
            Source::OtherErrors => other.as_deref_mut().into_iter().for_each(Process::read_stderr),
            Source::Interrupt => result = PollOutcome::Interrupted,
        }
        // Where something seldom happened there may be more of it.
        if !source.brings_lines() {
            engine.note_full_poll(None);
        }
    }
    let now = if ready.contains(&Some(Source::Output)) { engine.read_at() } else { Instant::now() };
    note_awake(engine, other, now, deadline);
    Ok(Some(result))
}

/// Both engines may have a clock that runs.
fn note_awake(engine: &mut Process, other: Option<&mut Process>, now: Instant, expected: Instant) {
    engine.note_awake(now, expected);
    if let Some(other) = other {
        other.note_awake(now, expected);
    }
}

/// Polls from now until something is ready, or the deadline; how many are.
pub(super) fn poll_until(fds: &mut [PollFd<'_>], mut now: Instant, deadline: Instant) -> io::Result<usize> {
    loop {
        let timeout = Timespec::try_from(deadline.saturating_duration_since(now)).ok();
        match poll(fds, timeout.as_ref()) {
            Ok(count) => return Ok(count),
            Err(Errno::INTR) => now = Instant::now(),
            Err(error) => return Err(error.into()),
        }
    }
}

type Watched<'a> = ([PollFd<'a>; SOURCES], [Source; SOURCES], usize);

/// What to poll, in order of what is most likely; the first so many of both arrays.
fn watched<'a>(
    look: PollSet,
    engine: &'a Process,
    other: Option<&'a Process>,
    interrupt: Option<&'a Interrupt>,
    waiting: WaitFor,
) -> Watched<'a> {
    let read = PollFlags::IN;
    let filler = PollFd::from_borrowed_fd(engine.pidfd(), read);
    let mut fds = std::array::from_fn(|_| filler.clone());
    let mut sources = [Source::End; SOURCES];
    let mut count = 0;
    let is_chatty = engine.stderr_lines().next().is_some();
    let room = engine.stdin_fd().filter(|_| waiting == WaitFor::Room);
    let other_output = other.filter(|other| !other.has_line()).and_then(Process::stdout_fd);
    for (source, fd, flags) in [
        (Source::Output, engine.stdout_fd().filter(|_| !engine.has_line()), read),
        (Source::End, engine.is_running().then(|| engine.pidfd()), read),
        (Source::Errors, engine.stderr_fd(), read),
        (Source::Room, room, PollFlags::OUT),
        (Source::OtherOutput, other_output, read),
        (Source::OtherErrors, other.and_then(Process::stderr_fd), read),
        (Source::Interrupt, interrupt.map(Interrupt::fd), read),
    ] {
        if let Some(fd) = fd
            && (look == PollSet::All || source.brings_lines() || (is_chatty && source == Source::Errors))
        {
            fds[count] = PollFd::from_borrowed_fd(fd, flags);
            sources[count] = source;
            count += 1;
        }
    }
    (fds, sources, count)
}
