//! Who follows a game while it is played: live boards, and the run that warns its users. A game never waits for an
//! observer. Knows no clock and no rule of chess.

use std::fmt::Debug;
use std::time::Duration;

use smalt_chess::{Color, UciMove};
use smalt_driver::SearchReport;
use smalt_protocol::Info;

use crate::schedule::ScheduledGame;

/// Follows one game after the other. Its methods return at once.
pub trait GameObserver: Debug + Send + Sync {
    /// The side to move has begun its search.
    fn move_started(&self, start: &MoveStart<'_>);

    /// Whether somebody wants [`GameObserver::info`] now: only then a search is followed line by line.
    fn wants_info(&self) -> bool;

    /// A running search from the position after `ply` plies reports this; the score is from the view of `side`, which
    /// thinks.
    fn info(&self, side: Color, ply: usize, info: &Info<'_>);

    /// The engine of `side` plays on, but not as agreed; the words fit after its name.
    fn warning(&self, side: Color, words: String);
}

/// The state of a game when a search begins.
#[derive(Clone, Copy, Debug)]
pub struct MoveStart<'a> {
    /// The game.
    pub game: ScheduledGame,
    /// Its first position; the start position of chess if none.
    pub fen: Option<&'a str>,
    /// All moves so far, those of the opening first.
    pub moves: &'a [UciMove],
    /// The time left on both clocks, White's first; none without a clock.
    pub left: [Option<Duration>; 2],
    /// The side that has just moved, what its search reported, and how long it took; none at the first move of an engine.
    pub last: Option<(Color, &'a SearchReport, Duration)>,
}
