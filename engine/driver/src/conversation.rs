//! A conversation with a running engine: writes and reads lines, with an absolute deadline for every wait and one of four
//! states. A [`LineHandler`] parses the lines.

use std::time::{Duration, Instant};

use crate::fault::{Fault, LastOutput, State, StderrExcerpt, quote};
use crate::process::{
    EngineCommand, LINE_LIMIT, Line, LineEnd, PollOutcome, Process, WaitFor, Written, poll_once, split_line,
    text,
};
use crate::transcript::{Speaker, Transcript};
use crate::wait_context::WaitContext;

/// A line that exceeds the limit by more than this is treated as endless.
const ENDLESS_LINE: u64 = 64 << 20;

/// Time without output after which an unfinished line counts as such: in a flood every read ends in the middle of one.
const STILL: Duration = Duration::from_millis(20);

/// Time from SIGTERM to SIGKILL.
const TERMINATE_TIMEOUT: Duration = Duration::from_millis(500);

/// Time for a process to exit after it closed its pipes, before closing them counts as a fault.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);

/// Lines between two looks at the clock, so that the handling of a flood of lines is not taken for one long stall of this
/// program, which would move the deadline.
const LINES_PER_LOOK: u32 = 64;

/// Maximum number of lines of the other engine between two reads of the awaited one, in which they delay its answer.
const MOST_BACKGROUND_LINES: usize = 4096;

/// Timeouts for every answer except a search, which has its own deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineTimeouts {
    /// From the start to `uciok`.
    pub start: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
    /// From `isready` to `readyok` after `ucinewgame`, when large hash tables are cleared.
    pub new_game: Duration,
    /// From `stop` to the best move.
    pub stop: Duration,
    /// Until the engine reads what was written.
    pub write: Duration,
    /// From `quit` to the exit; then SIGTERM follows, and half a second later SIGKILL.
    pub quit: Duration,
}

impl Default for EngineTimeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            ready: Duration::from_secs(10),
            new_game: Duration::from_secs(10),
            stop: Duration::from_secs(5),
            write: Duration::from_secs(5),
            quit: Duration::from_secs(5),
        }
    }
}

/// Why a request to an engine failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConversationError {
    #[error("the engine {0}")]
    Fault(#[from] Fault),
    /// The wait was canceled; the engine still runs, and must be resynchronized or closed.
    #[error("interrupted")]
    Interrupted,
    /// The wait failed for lack of memory or file descriptors; not a fault of the engine.
    #[error("wait for the engine: {reason}")]
    System { reason: String },
}

/// Why a wait for a line ended without one.
#[derive(Debug)]
pub(crate) enum WaitError {
    TimedOut,
    Failed(ConversationError),
}

/// How an engine exited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitOutcome {
    /// By itself, after `quit` or at the end of its input.
    Quit(crate::process::Exit),
    /// After SIGTERM.
    Terminated(crate::process::Exit),
    Killed,
    /// It had exited before.
    Gone,
}

/// Parses the lines of an engine.
pub(crate) trait LineHandler {
    /// Called for each line, with the time at which it was read.
    fn on_line(&mut self, line: Line<'_>, at: Instant);
}

/// An engine process, its transcript and its state.
#[derive(Debug)]
pub struct Conversation {
    process: Process,
    pub(crate) transcript: Transcript,
    pub(crate) state: State,
    pub(crate) timeouts: EngineTimeouts,
    fault: Option<Fault>,
    /// The beginning of the last line that was too long.
    long_line: String,
    quit_asked_at: Option<Instant>,
    /// Lines awaited and handled since the last look at the clock.
    lines_since_look: u32,
    /// Lines sent to the engine before the first line of its protocol.
    initial_lines: String,
}

impl Conversation {
    pub(crate) fn open(command: &EngineCommand, timeouts: EngineTimeouts) -> Result<Self, Fault> {
        let process = Process::spawn(command)?;
        Ok(Self {
            process,
            transcript: Transcript::new(),
            state: State::Starting,
            timeouts,
            fault: None,
            long_line: String::new(),
            quit_asked_at: None,
            lines_since_look: 0,
            initial_lines: command.initial_lines.clone(),
        })
    }

    pub(crate) fn process(&self) -> &Process {
        &self.process
    }

    pub(crate) fn process_mut(&mut self) -> &mut Process {
        &mut self.process
    }

    pub(crate) fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Writes whole lines, each with its line feed; returns the instant after the write.
    pub(crate) fn send(
        &mut self,
        lines: &[u8],
        context: &mut WaitContext<'_>,
        handler: &mut impl LineHandler,
    ) -> Result<Instant, ConversationError> {
        let at = self.write(lines, context, handler)?;
        self.note_sent(at, lines);
        Ok(at)
    }

    /// Sends the initial lines, if there are any.
    pub(crate) fn send_initial_lines(
        &mut self,
        context: &mut WaitContext<'_>,
        handler: &mut impl LineHandler,
    ) -> Result<(), ConversationError> {
        let lines = std::mem::take(&mut self.initial_lines);
        if !lines.is_empty() {
            self.send(lines.as_bytes(), context, handler)?;
        }
        Ok(())
    }

    /// As [`Self::send`], for lines that start with the first `shared` bytes of the last ones sent this way.
    pub(crate) fn send_growing(
        &mut self,
        shared: usize,
        lines: &[u8],
        context: &mut WaitContext<'_>,
        handler: &mut impl LineHandler,
    ) -> Result<Instant, ConversationError> {
        let at = self.write(lines, context, handler)?;
        let (first, rest) = split_line(lines);
        self.transcript.push_growing(at, first.trim_ascii_end(), shared);
        self.note_sent(at, rest);
        Ok(at)
    }

    fn note_sent(&mut self, at: Instant, mut lines: &[u8]) {
        while !lines.is_empty() {
            let (line, after) = split_line(lines);
            self.transcript.push(at, Speaker::Driver, line.trim_ascii_end());
            lines = after;
        }
    }

    fn write(
        &mut self,
        lines: &[u8],
        context: &mut WaitContext<'_>,
        handler: &mut impl LineHandler,
    ) -> Result<Instant, ConversationError> {
        if self.state == State::Closed {
            return Err(self.fault.clone().unwrap_or(Fault::Closed).into());
        }
        let mut rest = lines;
        let mut deadline = None;
        loop {
            match self.process.write(rest) {
                Written::Bytes(count) => rest = &rest[count..],
                Written::Broken => return Err(self.diagnose_broken().into()),
            }
            let now = Instant::now();
            self.process.note_written(now);
            if rest.is_empty() {
                return Ok(now);
            }
            let deadline = *deadline.get_or_insert(now + self.timeouts.write);
            match self.wait(WaitFor::Room, deadline, context) {
                Ok(()) if now < deadline => self.handle_buffered(handler)?,
                Ok(()) | Err(WaitError::TimedOut) => {
                    return Err(self.fail(Fault::NotReading { waited: self.timeouts.write }).into());
                }
                Err(WaitError::Failed(error)) => return Err(error),
            }
        }
    }

    /// Passes one line to the handler, waiting for it if necessary. A line read after the deadline still counts (it may
    /// have arrived in time), but nothing more is read then, so a flood of lines cannot extend the deadline. Time
    /// during which this program was suspended does not count.
    pub(crate) fn handle_line(
        &mut self,
        deadline: Instant,
        context: &mut WaitContext<'_>,
        handler: &mut impl LineHandler,
    ) -> Result<(), WaitError> {
        let mut deadline = deadline;
        loop {
            let stalled = self.process.stalled();
            let result = self.handle_line_before(deadline, context, handler);
            deadline += self.process.stalled().saturating_sub(stalled);
            if !matches!(result, Err(WaitError::TimedOut)) || self.process.stalled() == stalled {
                return result;
            }
        }
    }

    fn handle_line_before(
        &mut self,
        deadline: Instant,
        context: &mut WaitContext<'_>,
        handler: &mut impl LineHandler,
    ) -> Result<(), WaitError> {
        let mut is_last_chance = false;
        while !self.process.has_line() {
            if self.state == State::Closed {
                return Err(WaitError::Failed(self.fault.clone().unwrap_or(Fault::Closed).into()));
            }
            if self.process.is_silent() {
                return Err(WaitError::Failed(self.diagnose_silence().into()));
            }
            if self.process.dropped_of_line() > ENDLESS_LINE {
                return Err(WaitError::Failed(self.fail_by_long_line().into()));
            }
            if self.process.read_at() > deadline {
                return Err(WaitError::TimedOut);
            }
            self.wait(WaitFor::Output, deadline, context)?;
            if !self.process.has_line() {
                if is_last_chance {
                    return Err(WaitError::TimedOut);
                }
                is_last_chance = Instant::now() >= deadline;
            }
        }
        self.handle_next(handler).map_err(|fault| WaitError::Failed(fault.into()))?;
        self.lines_since_look += 1;
        if self.lines_since_look == LINES_PER_LOOK {
            self.lines_since_look = 0;
            self.process.note_working(Instant::now());
        }
        Ok(())
    }

    /// Passes all buffered lines to the handler; never waits.
    pub(crate) fn handle_buffered(&mut self, handler: &mut impl LineHandler) -> Result<(), Fault> {
        while self.process.has_line() {
            self.handle_next(handler)?;
        }
        Ok(())
    }

    /// As [`Self::handle_buffered`], but for a limited number of lines, while another engine is awaited.
    pub(crate) fn handle_background(&mut self, handler: &mut impl LineHandler) -> Result<(), Fault> {
        for _ in 0..MOST_BACKGROUND_LINES {
            if !self.process.has_line() {
                break;
            }
            self.handle_next(handler)?;
        }
        Ok(())
    }

    /// Reads once without waiting and passes the lines to the handler. The read is skipped if a poll has found nothing
    /// since the engine's last line, as while its opponent was thinking.
    pub(crate) fn handle_available(&mut self, handler: &mut impl LineHandler) -> Result<(), Fault> {
        self.handle_buffered(handler)?;
        if self.process.was_quiet() {
            return Ok(());
        }
        self.process.read_stdout();
        self.handle_buffered(handler)
    }

    fn handle_next(&mut self, handler: &mut impl LineHandler) -> Result<(), Fault> {
        let at = self.process.read_at();
        let Some(line) = self.process.take_line() else { return Ok(()) };
        self.transcript.push(at, Speaker::Engine, line.bytes);
        match line.end {
            LineEnd::LineFeed => handler.on_line(line, at),
            // A truncated best move may be a different move: e7e8 from e7e8q. The exit is reported next.
            LineEnd::EndOfFile => {}
            // What matters is at the beginning of a line.
            LineEnd::TooLong => {
                self.long_line = quote(&line.text());
                handler.on_line(line, at);
            }
        }
        Ok(())
    }

    fn wait(
        &mut self,
        waiting: WaitFor,
        deadline: Instant,
        context: &mut WaitContext<'_>,
    ) -> Result<(), WaitError> {
        let (other, interrupt) = context.parts();
        let outcome = poll_once(&mut self.process, other, interrupt, waiting, deadline);
        context.handle_buffered();
        self.log_stderr();
        match outcome {
            Ok(PollOutcome::Progress) => Ok(()),
            Ok(PollOutcome::TimedOut) => Err(WaitError::TimedOut),
            Ok(PollOutcome::Interrupted) => Err(WaitError::Failed(ConversationError::Interrupted)),
            Err(error) => Err(WaitError::Failed(ConversationError::System { reason: error.to_string() })),
        }
    }

    /// No best move in time. An engine in the middle of an endless line will never send one.
    pub(crate) fn late(&mut self, waited: Duration, not_understood: &str) -> ConversationError {
        if self.process.dropped_of_line() > 0 {
            return self.fail_by_long_line().into();
        }
        Fault::NoBestmove { waited, last: self.last_output(not_understood) }.into()
    }

    /// What the engine wrote instead of an answer, given its last line that was not understood.
    pub(crate) fn last_output(&self, not_understood: &str) -> LastOutput {
        let unfinished = text(self.process.unfinished_line());
        let is_flooding = self.process.read_at().elapsed() < STILL;
        if !unfinished.trim().is_empty() && !is_flooding {
            LastOutput::Unfinished(quote(unfinished.trim()))
        } else if not_understood.is_empty() {
            LastOutput::Nothing
        } else {
            LastOutput::Unknown(not_understood.to_owned())
        }
    }

    fn fail_by_long_line(&mut self) -> Fault {
        let start = std::mem::take(&mut self.long_line);
        self.fail(Fault::LineTooLong { limit: LINE_LIMIT, start })
    }

    /// The end of the output: usually the process has exited or is about to.
    fn diagnose_silence(&mut self) -> Fault {
        let during = self.state;
        self.diagnose_exit().unwrap_or_else(|| self.fail(Fault::StdoutClosed { during }))
    }

    fn diagnose_broken(&mut self) -> Fault {
        let during = self.state;
        self.diagnose_exit().unwrap_or_else(|| self.fail(Fault::StdinClosed { during }))
    }

    fn diagnose_exit(&mut self) -> Option<Fault> {
        let during = self.state;
        let exit = self.process.await_exit(Instant::now() + EXIT_TIMEOUT)?;
        let stderr = StderrExcerpt::of(self.process.stderr_lines());
        Some(self.fail(Fault::Exited { exit, during, stderr }))
    }

    /// Copies new standard error output to the full log, if there is one.
    fn log_stderr(&mut self) {
        if self.transcript.has_sink() {
            for line in self.process.take_stderr() {
                self.transcript.push_stderr(line);
            }
        }
    }

    /// Records a fatal fault and kills the engine.
    pub(crate) fn fail(&mut self, fault: Fault) -> Fault {
        self.process.kill();
        self.log_stderr();
        self.state = State::Closed;
        self.fault.get_or_insert_with(|| fault.clone());
        fault
    }

    /// Closes the engine with this fault if it was late.
    pub(crate) fn fail_if_late(
        &mut self,
        result: Result<(), WaitError>,
        fault: Fault,
    ) -> Result<(), ConversationError> {
        match result {
            Ok(()) => Ok(()),
            Err(WaitError::TimedOut) => Err(self.fail(fault).into()),
            Err(WaitError::Failed(error)) => Err(error),
        }
    }

    pub(crate) fn kill(&mut self) {
        self.process.kill();
        self.state = State::Closed;
    }

    /// Sends the quit lines without waiting.
    pub(crate) fn send_quit(&mut self, quit_lines: &[u8]) {
        if self.state == State::Closed || self.quit_asked_at.is_some() {
            return;
        }
        let now = Instant::now();
        // `quit` terminates an engine that no longer reads.
        let _ = self.process.write(quit_lines);
        self.transcript.push(now, Speaker::Driver, quit_lines.trim_ascii_end());
        self.quit_asked_at = Some(now);
    }

    /// Sends the quit lines unless they were sent, closes the engine's input, then sends SIGTERM, then kills it.
    pub(crate) fn quit(&mut self, quit_lines: &[u8]) -> ExitOutcome {
        if self.state == State::Closed {
            return ExitOutcome::Gone;
        }
        self.send_quit(quit_lines);
        self.state = State::Closed;
        let timeouts = self.timeouts.quit;
        let begun = self.quit_asked_at.unwrap_or_else(Instant::now);
        if let Some(exit) = self.process.await_exit(begun + timeouts / 2) {
            return ExitOutcome::Quit(exit);
        }
        self.process.close_stdin();
        if let Some(exit) = self.process.await_exit(begun + timeouts) {
            return ExitOutcome::Quit(exit);
        }
        self.process.terminate();
        if let Some(exit) = self.process.await_exit(begun + timeouts + TERMINATE_TIMEOUT) {
            return ExitOutcome::Terminated(exit);
        }
        self.process.kill();
        ExitOutcome::Killed
    }
}

impl From<ConversationError> for WaitError {
    fn from(error: ConversationError) -> Self {
        Self::Failed(error)
    }
}
