//! Problems in a PGN file, with their lines.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::notation::fen::FenError;
use crate::notation::san::SanError;
use crate::outcome::Outcome;

/// Something skipped, with line and reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnProblem {
    /// Line of the file, from 1.
    pub line: u64,
    /// Kind of problem.
    pub kind: ProblemKind,
}

impl fmt::Display for PgnProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

/// A problem in a PGN file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProblemKind {
    /// A line outside any game; skipped.
    #[error("text outside of a game: {0:?}")]
    OutsideGame(String),
    /// A tag without a name or a quoted value; skipped.
    #[error("malformed tag {0:?}")]
    Tag(String),
    /// A character without meaning in movetext; skipped.
    #[error("unexpected {0:?} among the moves")]
    Unexpected(char),
    /// A word that is not a move; the rest of its variation or game is skipped.
    #[error("{0:?} is not a move")]
    NotAMove(String),
    /// An illegal move; the rest of its variation or game is skipped.
    #[error(transparent)]
    Move(#[from] SanError),
    /// A comment not closed before the next game; kept.
    #[error("comment without an end")]
    OpenComment,
    /// A variation before any move, one that is not closed, or an extra closing parenthesis.
    #[error("parentheses do not match")]
    Parentheses,
    /// A variation nested too deeply; skipped.
    #[error("variations nested too deeply")]
    Depth,
    /// A text that is too long; truncated.
    #[error("text too long")]
    TooLong,
    /// No result after the moves; the result tag counts, if present.
    #[error("no result behind the moves")]
    NoResult,
    /// The result tag and the result after the moves differ; the latter counts.
    #[error("the tag says {tag}, but {behind_moves} stands behind the moves")]
    Results {
        /// The result tag.
        tag: Outcome,
        /// The result at the end of the movetext.
        behind_moves: Outcome,
    },
    /// A variant other than standard chess and Chess960; the game is skipped.
    #[error("unknown variant {0:?}")]
    Variant(String),
    /// An invalid start position; the game is skipped.
    #[error("wrong start position: {0}")]
    Fen(#[from] FenError),
}

impl ProblemKind {
    /// Whether start position and moves are complete despite the problem.
    pub fn spares_moves(&self) -> bool {
        matches!(self, ProblemKind::TooLong | ProblemKind::Results { .. })
    }
}

/// A game that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the game of line {line} was skipped: {problem}")]
pub struct SkippedGame {
    /// The line on which the game starts, from 1.
    pub line: u64,
    /// Why it can't be used.
    pub problem: PgnProblem,
}

/// Why there is no next game. Reading can continue after a skipped game.
#[derive(Debug, Error)]
pub enum PgnError {
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next game cannot be used.
    #[error(transparent)]
    Skipped(#[from] SkippedGame),
}
