//! Observers of a game in progress: live boards, and the coordinator for warnings. A game never waits for an
//! observer.

use std::fmt::Debug;
use std::time::Duration;

use smalt_chess::{Color, UciMove};
use smalt_driver::SearchReport;
use smalt_protocol::Info;

use super::search_warning::GameWarning;
use crate::opening::Opening;
use crate::schedule::ScheduledGame;

/// Observes the games of a slot. Its methods must return at once.
pub trait GameObserver: Debug + Send + Sync {
    /// The side to move has started to search.
    fn move_started(&self, start: &MoveStart<'_>);

    /// Whether [`GameObserver::info`] is needed now; search lines are forwarded only then.
    fn wants_info(&self) -> bool;

    /// An info line of the search from the position after `ply` plies; the score is from the view of `side`, the side
    /// to move.
    fn info(&self, side: Color, ply: usize, info: &Info<'_>);

    /// A warning about the engine of `side`, which plays on; `words` follow the engine's name.
    fn warning(&self, side: Color, words: String);

    /// The output of a search of `side` is invalid.
    fn search_warning(&self, side: Color, warning: GameWarning) {
        let _ = (side, warning);
    }
}

/// The state of a game when a search begins.
#[derive(Clone, Copy, Debug)]
pub struct MoveStart<'a> {
    pub game: ScheduledGame,
    pub opening: &'a Opening,
    /// All moves so far, including the opening.
    pub moves: &'a [UciMove],
    /// Time left of White and Black; `None` without a clock.
    pub left: [Option<Duration>; 2],
    /// The side that moved last, the report of its search, and the time used; `None` before the first engine
    /// move.
    pub last: Option<(Color, &'a SearchReport, Duration)>,
}
