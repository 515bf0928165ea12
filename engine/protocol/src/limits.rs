//! How long an engine may think about one move.

use std::num::NonZeroU32;
use std::time::Duration;

use smalt_chess::UciMove;

/// When a search shall end, and what it shall look at. Nothing set: think until told to stop.
///
/// Times are written in whole milliseconds, rounded down.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchLimits {
    /// Look at these root moves only; all when empty.
    pub search_moves: Vec<UciMove>,
    /// Think on the opponent's time: the limits count from the moment when the awaited move is played.
    pub ponder: bool,
    /// White's clock.
    pub white: Option<Clock>,
    /// Black's clock.
    pub black: Option<Clock>,
    /// Moves to the next time control; absent in sudden death.
    pub moves_to_go: Option<NonZeroU32>,
    /// Nominal depth, in plies.
    pub depth: Option<u32>,
    /// Nodes to visit.
    pub nodes: Option<u64>,
    /// Look for a mate in so many full moves.
    pub mate: Option<u32>,
    /// Exactly this time for the move.
    pub move_time: Option<Duration>,
    /// Don't end before being told to stop.
    pub infinite: bool,
    /// Count leaf nodes at this depth, in plies, instead of searching.
    pub perft: Option<u32>,
}

/// One side's clock at the start of its move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// Time left; zero when the flag is down already.
    pub remaining: Duration,
    /// Added for each move.
    pub increment: Duration,
}
