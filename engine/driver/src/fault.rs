//! What can go wrong with an engine: a closed list, each with a name that is stored and words that are shown. A fault
//! is a result of a game, never an error of ours.

use std::time::Duration;

use crate::conversation::State;
use crate::process::{Exit, StartError};

/// The longest part of an engine's line that a fault quotes, in characters.
const QUOTED: usize = 200;

/// What an engine did wrong. The words fit after the engine's name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// It could not be started.
    #[error("would not start: failed to {0}")]
    WouldNotStart(#[from] StartError),
    /// It did not introduce itself.
    #[error(
        "did not answer `uci` with `uciok` within {waited:?} (an engine that speaks xboard needs proto=xboard; proto=auto finds out)"
    )]
    NoUciok {
        /// How long we waited.
        waited: Duration,
    },
    /// It did not say that it is ready.
    #[error("did not answer `isready` with `readyok` within {waited:?}")]
    NoReadyok {
        /// How long we waited.
        waited: Duration,
    },
    /// It thinks on and on.
    #[error("gave no best move within {:?}", rounded(*waited))]
    NoBestmove {
        /// How long we waited, since `go`.
        waited: Duration,
    },
    /// It was told to stop, and did not.
    #[error("gave no best move within {waited:?} after `stop`")]
    StopIgnored {
        /// How long we waited, since `stop`.
        waited: Duration,
    },
    /// It does not read what we write.
    #[error("did not read its standard input for {waited:?}")]
    NotReading {
        /// How long we waited for room in the pipe.
        waited: Duration,
    },
    /// Its process ended.
    #[error("{exit} while {during}")]
    Exited {
        /// How.
        exit: Exit,
        /// What it should have been doing.
        during: State,
    },
    /// It runs on, but closed its standard output.
    #[error("closed its standard output while {during}")]
    StdoutClosed {
        /// What it should have been doing.
        during: State,
    },
    /// It runs on, but closed its standard input.
    #[error("closed its standard input while {during}")]
    StdinClosed {
        /// What it should have been doing.
        during: State,
    },
    /// It said that it has no move, or answered without one.
    #[error("answered without a move: `{line}`")]
    NoMove {
        /// Its line.
        line: String,
    },
    /// Its best move is no move.
    #[error("gave a best move that is none: `{line}`")]
    MalformedBestmove {
        /// Its line.
        line: String,
    },
    /// It wrote a line without end.
    #[error("wrote a line of more than {limit} bytes, beginning `{start}`")]
    LineTooLong {
        /// The longest line that is read.
        limit: usize,
        /// How it begins.
        start: String,
    },
    /// It said that it would tell when its features are complete, and did not.
    #[error("did not end its features with `done=1` within {waited:?}")]
    NoFeaturesDone {
        /// How long we waited.
        waited: Duration,
    },
    /// It did not answer.
    #[error("did not answer `ping` with `pong` within {waited:?}")]
    NoPong {
        /// How long we waited.
        waited: Duration,
    },
    /// It would not take a legal move or position.
    #[error("refused what it was told: `{line}`")]
    Refused {
        /// Its line.
        line: String,
    },
    /// Its move, in algebraic notation, fits no legal one.
    #[error("gave a move that is not legal: `{line}`")]
    IllegalMove {
        /// Its line.
        line: String,
    },
    /// It cannot be given the position.
    #[error("cannot be given this position: {lack}")]
    NoSetBoard {
        /// What stands against it.
        lack: &'static str,
    },
    /// It was asked for a game of Chess960, and never said that it can.
    #[error("cannot play Chess960: {lack}")]
    NoChess960 {
        /// What it would have to offer.
        lack: &'static str,
    },
    /// It was asked for something after we had ended it.
    #[error("had been closed before")]
    Closed,
}

/// To milliseconds: more digits tell nobody anything.
fn rounded(waited: Duration) -> Duration {
    Duration::from_millis(waited.as_micros().div_ceil(1000) as u64)
}

impl Fault {
    /// A stable name for stores and tables.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::WouldNotStart(_) => "would-not-start",
            Self::NoUciok { .. } => "no-uciok",
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
            Self::NoFeaturesDone { .. } => "no-features",
            Self::NoPong { .. } => "no-pong",
            Self::Refused { .. } => "refused",
            Self::IllegalMove { .. } => "illegal-move",
            Self::NoSetBoard { .. } => "no-setboard",
            Self::NoChess960 { .. } => "no-chess960",
            Self::Closed => "closed",
        }
    }

    /// Whether the engine can go on after it: a late or unreadable move leaves it alive, all else does not.
    #[must_use]
    pub fn survival(&self) -> Survival {
        match self {
            Self::NoBestmove { .. }
            | Self::NoMove { .. }
            | Self::MalformedBestmove { .. }
            | Self::Refused { .. }
            | Self::IllegalMove { .. }
            | Self::NoSetBoard { .. }
            | Self::NoChess960 { .. } => Survival::Alive,
            _ => Survival::Ended,
        }
    }
}

/// What a fault leaves of its engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Survival {
    /// It runs; after a late move it must be resynchronized (or closed) before it is used again.
    Alive,
    /// It and its group were killed.
    Ended,
}

/// The beginning of a line, for a fault to quote.
pub(crate) fn quote(line: &str) -> String {
    line.chars().take(QUOTED).collect()
}
