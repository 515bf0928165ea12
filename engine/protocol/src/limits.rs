//! Limits of a search.

use std::num::NonZeroU32;
use std::time::Duration;

use smalt_chess::{Color, UciMove};

/// Limits of a search. Without any, the search runs until `stop`.
///
/// Times are written in whole milliseconds, rounded down.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchLimits {
    /// `searchmoves`; all moves if empty.
    pub search_moves: Vec<UciMove>,
    /// `ponder`: the limits count from `ponderhit`.
    pub ponder: bool,
    pub white: Option<Clock>,
    pub black: Option<Clock>,
    /// Moves to go to the next time control; absent in sudden death.
    pub moves_to_go: Option<NonZeroU32>,
    /// Depth in plies.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// `mate`: search for a mate in this many moves.
    pub mate: Option<u32>,
    pub move_time: Option<Duration>,
    pub infinite: bool,
    /// `perft`: count leaf nodes at this depth instead of searching.
    pub perft: Option<u32>,
}

impl SearchLimits {
    /// The clock of this side, if one is given.
    #[must_use]
    pub fn clock_of(&self, side: Color) -> Option<Clock> {
        match side {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }
}

/// One side's clock at the start of its move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time left; zero if the flag has fallen.
    pub remaining: Duration,
    pub increment: Duration,
}
