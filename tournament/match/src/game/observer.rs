//! Observers of a game in progress: live boards, and the run that warns its users. A game never waits for an
//! observer.

use std::fmt::Debug;
use std::time::Duration;

use smalt_chess::{Color, UciMove};
use smalt_driver::SearchReport;
use smalt_protocol::Info;

use super::search_warning::GameWarning;
use crate::schedule::ScheduledGame;

/// Observes the games of a slot. Its methods must return at once.
pub trait GameObserver: Debug + Send + Sync {
    /// The side to move has started its search.
    fn move_started(&self, start: &MoveStart<'_>);

    /// Whether [`GameObserver::info`] is wanted now; only then are search lines forwarded.
    fn wants_info(&self) -> bool;

    /// A line of information of the search from the position after `ply` plies; the score is from the point
    /// of view of `side`, which thinks.
    fn info(&self, side: Color, ply: usize, info: &Info<'_>);

    /// A warning about the engine of `side`, which plays on; the text follows the engine's name.
    fn warning(&self, side: Color, words: String);

    /// There is something wrong with the output of a search of `side`.
    fn search_warning(&self, side: Color, warning: GameWarning) {
        let _ = (side, warning);
    }
}

/// The state of a game when a search begins.
#[derive(Clone, Copy, Debug)]
pub struct MoveStart<'a> {
    pub game: ScheduledGame,
    /// Start position; `None` for the standard one.
    pub fen: Option<&'a str>,
    /// All moves so far, the opening included.
    pub moves: &'a [UciMove],
    /// Time left of White and Black; `None` without a clock.
    pub left: [Option<Duration>; 2],
    /// The side that moved last, the report of its search, and the time used; `None` before the first engine
    /// move.
    pub last: Option<(Color, &'a SearchReport, Duration)>,
}
