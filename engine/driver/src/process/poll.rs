//! The one place that waits: for an engine's pipes and exit, the pipes of the other engine of its game, and the
//! interrupt. It then reads the sources that are ready.
//!
//! Polling a source costs time, above all with many concurrent games, when none of its state is cached. While lines
//! follow each other closely only the output pipes are polled, and all sources every 50 ms. Other events are then seen
//! some milliseconds later, which affects no clock.

use std::io;
use std::time::{Duration, Instant};

use super::child::Process;
use super::interrupt::Interrupt;
use super::system::{self, Source, SourceSet, Watch};

/// What a wait is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitFor {
    /// Until it writes a line.
    Output,
    /// Until its standard input has room (or it writes, which may be why it does not read).
    Room,
}

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PollOutcome {
    /// Bytes were read, the pipe has room, or a process exited.
    Progress,
    TimedOut,
    Interrupted,
}

/// How long a wait polls only the output pipes before it polls all sources. Longer than the timer tick of most systems
/// (4 ms), so that short waits need no timer.
const LINES_ONLY_WAIT: Duration = Duration::from_millis(5);

/// All sources are polled at least this often.
const FULL_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum length of one poll of all sources. A poll that ends much later shows that this program was suspended
/// meanwhile (SIGSTOP, a suspended virtual machine).
const FULL_POLL_WAIT: Duration = Duration::from_millis(100);

/// Which sources a poll includes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PollSet {
    /// The output pipes, and standard error if the engine uses it, so that it never blocks on it.
    Lines,
    All,
}

/// Waits once and reads the sources that are ready, of both engines. No line is lost: while one is buffered, nothing
/// more is read. Even after the deadline, what has arrived is read.
///
/// # Errors
/// If the system refuses to wait: out of memory or descriptors.
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

/// Polls some sources from one instant to another and reads those that are ready; none at the deadline. Records that
/// this program is running.
fn poll_set(
    set: PollSet,
    engine: &mut Process,
    mut other: Option<&mut Process>,
    interrupt: Option<&Interrupt>,
    waiting: WaitFor,
    (now, deadline): (Instant, Instant),
) -> io::Result<Option<PollOutcome>> {
    let watch = Watch {
        engine: engine.child(),
        other: other.as_deref().map(Process::child),
        interrupt: interrupt.map(Interrupt::event),
        sources: sources(set, engine, other.as_deref(), waiting),
    };
    let ready = system::poll(&watch, now, deadline)?;
    if ready.is_empty() {
        note_awake(engine, other, Instant::now(), deadline);
        return Ok(None);
    }
    if let Some(other) = other.as_deref_mut().filter(|other| !other.has_line())
        && !ready.contains(Source::OtherOutput)
    {
        other.note_quiet();
    }
    let mut result = PollOutcome::Progress;
    for source in ready.iter() {
        match source {
            Source::Output => engine.read_stdout(),
            Source::Errors => engine.read_stderr(),
            Source::End => engine.note_end(),
            Source::Room => {}
            Source::OtherOutput => other.as_deref_mut().into_iter().for_each(Process::read_stdout),
            Source::OtherErrors => other.as_deref_mut().into_iter().for_each(Process::read_stderr),
            Source::Interrupt => result = PollOutcome::Interrupted,
        }
        // There may be more in a source that is rarely polled.
        if !matches!(source, Source::Output | Source::OtherOutput) {
            engine.note_full_poll(None);
        }
    }
    let now = if ready.contains(Source::Output) { engine.read_at() } else { Instant::now() };
    note_awake(engine, other, now, deadline);
    Ok(Some(result))
}

fn sources(set: PollSet, engine: &Process, other: Option<&Process>, waiting: WaitFor) -> SourceSet {
    let lines = SourceSet::default()
        .with(Source::Output, !engine.has_line())
        .with(Source::OtherOutput, other.is_some_and(|other| !other.has_line()));
    match set {
        PollSet::Lines => lines.with(Source::Errors, engine.stderr_lines().next().is_some()),
        PollSet::All => lines
            .with(Source::End, engine.is_running())
            .with(Source::Errors, true)
            .with(Source::Room, waiting == WaitFor::Room)
            .with(Source::OtherErrors, true)
            .with(Source::Interrupt, true),
    }
}

/// The clock of either engine may be running.
fn note_awake(engine: &mut Process, other: Option<&mut Process>, now: Instant, expected: Instant) {
    engine.note_awake(now, expected);
    if let Some(other) = other {
        other.note_awake(now, expected);
    }
}
