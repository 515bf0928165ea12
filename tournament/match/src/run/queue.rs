//! The work queue: pairs of games, played on threads of this process ([`super::LocalWorkers`]) or on other machines.
//! [`Queue::submit`] sends work out; results return as [`super::Event`]s.

use crate::opening::Opening;
use crate::schedule::ScheduledGame;

/// The games of one pair, played by one worker in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub pair: u32,
    /// Its games without a result.
    pub games: Vec<OpenedGame>,
}

/// A game with its opening.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedGame {
    /// Its entry in the schedule.
    pub game: ScheduledGame,
    pub opening: Opening,
}

/// Workers that play submitted games.
pub trait Queue {
    /// Number of further pairs that could start now.
    fn capacity(&self) -> usize;

    /// Submits work; returns at once.
    fn submit(&mut self, work: Work);

    /// A game was stored, now or earlier.
    fn stored(&mut self, _game: u32) {}

    /// Cancels the waiting games of a disqualified entrant.
    fn cancel_entrant(&mut self, _entrant: usize) {}

    /// All games of this pair are stored; the worker is free.
    fn acknowledge(&mut self, worker: usize, pair: u32);

    /// Stops all games at once.
    fn cancel(&mut self);

    /// No more work follows: workers end after their current work.
    fn close(&mut self);

    /// A worker has ended.
    fn worker_left(&mut self, worker: usize);

    /// Number of concurrent games; 0 if it varies.
    fn slots(&self) -> usize;

    /// Number of workers that have not ended.
    fn workers(&self) -> usize;
}
