//! Problems in a PGN file, with their lines.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::notation::fen::FenError;
use crate::notation::san::SanError;
use crate::outcome::Outcome;

/// Something that was skipped, with its place and reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgnProblem {
    /// The line of the file, from 1.
    pub line: u64,
    /// What is wrong there.
    pub kind: ProblemKind,
}

impl fmt::Display for PgnProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

/// What is wrong at some place of a PGN file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ProblemKind {
    /// A line outside of any game that belongs to none; it is skipped.
    #[error("text outside of a game: {0:?}")]
    OutsideGame(String),
    /// A tag without name or without a value in quotes; it is skipped.
    #[error("malformed tag {0:?}")]
    Tag(String),
    /// A character that has no meaning among moves; it is skipped.
    #[error("unexpected {0:?} among the moves")]
    Unexpected(char),
    /// A word that is no move; the rest of its variation or game is skipped.
    #[error("{0:?} is no move")]
    NotAMove(String),
    /// A move that can't be played; the rest of its variation or game is skipped.
    #[error(transparent)]
    Move(#[from] SanError),
    /// A comment that does not end before the next game; it is kept.
    #[error("comment without an end")]
    OpenComment,
    /// A variation before any move, one that is not closed, or a closing parenthesis too many.
    #[error("parentheses do not match")]
    Parentheses,
    /// A variation within too many others; it is skipped.
    #[error("variations nested too deeply")]
    Depth,
    /// A text longer than any real one; its end is dropped.
    #[error("text too long")]
    TooLong,
    /// The moves end without a result; the result tag counts, if there is one.
    #[error("no result behind the moves")]
    NoResult,
    /// The result tag and the result after the moves disagree; the latter counts.
    #[error("the tag says {tag}, but {behind_moves} stands behind the moves")]
    Results {
        /// What the tag says.
        tag: Outcome,
        /// The result at the end of the movetext.
        behind_moves: Outcome,
    },
    /// A variant of chess other than standard and Chess960; the game is skipped.
    #[error("unknown variant {0:?}")]
    Variant(String),
    /// An invalid start position; the game is skipped.
    #[error("wrong start position: {0}")]
    Fen(#[from] FenError),
}

impl ProblemKind {
    /// Whether start position and moves are complete all the same.
    pub fn spares_moves(&self) -> bool {
        matches!(self, ProblemKind::TooLong | ProblemKind::Results { .. })
    }
}

/// A game of which nothing can be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the game of line {line} was skipped: {problem}")]
pub struct SkippedGame {
    /// The line on which the game begins, from 1.
    pub line: u64,
    /// Why it can't be used.
    pub problem: PgnProblem,
}

/// Why there is no next game. Reading can go on after a skipped game.
#[derive(Debug, Error)]
pub enum PgnError {
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The next game can't be used.
    #[error(transparent)]
    Skipped(#[from] SkippedGame),
}
