//! Faults of an engine: a closed list, each with a stored name and a message. A fault is a result of the game, not an
//! error of the runner.

use std::fmt;
use std::time::Duration;

use crate::process::{Exit, StartError, text};

/// The longest part of an engine's line that a fault quotes, in characters.
const QUOTED: usize = 200;

/// What an engine did wrong. The message follows the engine's name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    #[error("would not start: failed to {0}")]
    WouldNotStart(#[from] StartError),
    /// It did not finish the handshake.
    #[error(
        "did not answer `uci` with `uciok` within {waited:?} (an engine that speaks xboard needs proto=xboard; proto=auto finds out){last}"
    )]
    NoUciok { waited: Duration, last: LastOutput },
    /// No protocol that was tried got an answer.
    #[error(
        "wrote nothing within {waited:?}, neither as a UCI engine nor as an xboard engine (one that is silent before its first move needs proto=xboard)"
    )]
    NoLine { waited: Duration },
    #[error("did not answer `isready` with `readyok` within {waited:?}{last}")]
    NoReadyok { waited: Duration, last: LastOutput },
    #[error("gave no best move within {:?}{last}", rounded(*waited))]
    NoBestmove {
        /// Since `go`.
        waited: Duration,
        last: LastOutput,
    },
    #[error("gave no best move within {waited:?} after `stop`{last}")]
    StopIgnored {
        /// Since `stop`.
        waited: Duration,
        last: LastOutput,
    },
    #[error("did not read its standard input for {waited:?}")]
    NotReading {
        /// Since the first attempt to write.
        waited: Duration,
    },
    #[error("{exit} while {during}{stderr}")]
    Exited {
        exit: Exit,
        during: State,
        /// The end of what it wrote to standard error.
        stderr: StderrExcerpt,
    },
    #[error("closed its standard output while {during}")]
    StdoutClosed { during: State },
    #[error("closed its standard input while {during}")]
    StdinClosed { during: State },
    #[error("answered without a move: `{line}`")]
    NoMove { line: String },
    #[error("gave an invalid best move: `{line}`")]
    MalformedBestmove { line: String },
    #[error("wrote a line of more than {limit} bytes, beginning `{start}`")]
    LineTooLong {
        /// The longest line that is read.
        limit: usize,
        start: String,
    },
    #[error("declared options of more than {limit} bytes")]
    OptionsTooLong { limit: usize },
    #[error("did not end its features with `done=1` within {waited:?}")]
    NoFeaturesDone { waited: Duration },
    #[error("did not answer `ping` with `pong` within {waited:?}")]
    NoPong { waited: Duration },
    #[error("refused a legal move or position: `{line}`")]
    Refused { line: String },
    #[error("gave a move that is not legal: `{line}`")]
    IllegalMove { line: String },
    #[error("cannot be given this position: {lack}")]
    NoSetBoard { lack: &'static str },
    /// No method can enforce a node limit.
    #[error(
        "cannot be held to a number of nodes: xboard's protocol has no such limit but `nps`, which it does not offer, and it ignores `?`; use --depth, --movetime or --tc"
    )]
    NoNodeLimit,
    #[error("cannot play Chess960: {lack}")]
    NoChess960 {
        /// The feature or option that would be needed.
        lack: &'static str,
    },
    #[error("had been closed before")]
    Closed,
}

/// What an engine is doing, by its conversation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum State {
    /// The process runs; the handshake is not complete.
    Starting,
    /// Waiting for a command.
    Idle,
    /// Searching or pondering.
    Thinking,
    /// Terminated, on request or by a fault.
    Closed,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Starting => "starting",
            Self::Idle => "idle",
            Self::Thinking => "thinking",
            Self::Closed => "closing",
        })
    }
}

/// Rounded up to milliseconds.
fn rounded(waited: Duration) -> Duration {
    Duration::from_millis(waited.as_micros().div_ceil(1000) as u64)
}

impl Fault {
    /// Whether the process has exited, or closed a pipe as an exiting process does.
    #[must_use]
    pub fn is_exit(&self) -> bool {
        matches!(self, Self::Exited { .. } | Self::StdoutClosed { .. } | Self::StdinClosed { .. })
    }

    /// Whether it depends on time, so that a stall of this program may be its cause.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(
            self,
            Self::NoUciok { .. }
                | Self::NoLine { .. }
                | Self::NoReadyok { .. }
                | Self::NoBestmove { .. }
                | Self::StopIgnored { .. }
                | Self::NotReading { .. }
                | Self::NoFeaturesDone { .. }
                | Self::NoPong { .. }
        )
    }

    /// A stable name for stores and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::WouldNotStart(_) => "would-not-start",
            Self::NoUciok { .. } | Self::NoLine { .. } => "no-uciok",
            Self::NoReadyok { .. } => "no-readyok",
            Self::NoBestmove { .. } => "no-bestmove",
            Self::StopIgnored { .. } => "stop-ignored",
            Self::NotReading { .. } => "not-reading",
            Self::Exited { exit: Exit::Code(_), .. } => "exited",
            Self::Exited { exit: Exit::Signal(_), .. } => "crashed",
            Self::StdoutClosed { .. } => "stdout-closed",
            Self::StdinClosed { .. } => "stdin-closed",
            Self::NoMove { .. } => "no-move",
            Self::MalformedBestmove { .. } => "malformed-bestmove",
            Self::LineTooLong { .. } => "line-too-long",
            Self::OptionsTooLong { .. } => "options-too-long",
            Self::NoFeaturesDone { .. } => "no-features",
            Self::NoPong { .. } => "no-pong",
            Self::Refused { .. } => "refused",
            Self::IllegalMove { .. } => "illegal-move",
            Self::NoSetBoard { .. } => "no-setboard",
            Self::NoNodeLimit => "no-node-limit",
            Self::NoChess960 { .. } => "no-chess960",
            Self::Closed => "closed",
        }
    }
}

/// What an engine wrote instead of the awaited answer, if that may explain a timeout.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum LastOutput {
    #[default]
    Nothing,
    /// The beginning of a line without its line feed.
    Unfinished(String),
    /// The last line that was not understood.
    Unknown(String),
}

impl fmt::Display for LastOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Unfinished(text) => write!(f, "; it has written `{text}` without a line feed"),
            Self::Unknown(line) => write!(f, "; the last line that was not understood is `{line}`"),
        }
    }
}

/// The lines of standard error that most likely explain the exit: from the last panic, failed assertion or sanitizer
/// report on, or else the last lines.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StderrExcerpt(String);

/// How many lines a fault quotes.
const LINES_QUOTED: usize = 2;

impl StderrExcerpt {
    pub(crate) fn of<'a>(stderr: impl Iterator<Item = &'a [u8]>) -> StderrExcerpt {
        const CAUSES: [&str; 4] = ["panicked at", "ssertion", "ERROR: ", "terminate called"];
        let lines: Vec<String> =
            stderr.map(|line| text(line).trim().to_owned()).filter(|line| !line.is_empty()).collect();
        let cause = lines.iter().rposition(|line| CAUSES.iter().any(|cause| line.contains(cause)));
        let first = cause.unwrap_or(lines.len().saturating_sub(LINES_QUOTED));
        let quoted: Vec<String> = lines[first..].iter().take(LINES_QUOTED).map(|line| quote(line)).collect();
        StderrExcerpt(quoted.join(" | "))
    }
}

impl fmt::Display for StderrExcerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "; last lines on standard error: `{}`", self.0) }
    }
}

/// The beginning of a line, as quoted by a fault.
pub(crate) fn quote(line: &str) -> String {
    line.chars().take(QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_standard_error_with_the_cause_are_quoted() {
        let check = |lines: &[&str], expected: &str| {
            assert_eq!(StderrExcerpt::of(lines.iter().map(|line| line.as_bytes())).0, expected);
        };
        check(&[], "");
        check(&["a", "b", "", "c"], "b | c");
        let panic = [
            "loading",
            "thread 'main' panicked at src/search.rs:42:5:",
            "index 64",
            "note: run with `RUST_BACKTRACE=1`",
        ];
        check(&panic, "thread 'main' panicked at src/search.rs:42:5: | index 64");
        check(
            &["x: search.c:7: go: Assertion `n < 3' failed."],
            "x: search.c:7: go: Assertion `n < 3' failed.",
        );
    }
}
