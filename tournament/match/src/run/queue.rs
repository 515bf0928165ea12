//! Work for those who play: games of one pair, and the trait behind which they are played, on threads of this process
//! ([`super::LocalWorkers`]) or on other machines. Work goes out by [`Queue::submit`]; all that comes back are
//! [`super::Event`]s, on a channel that the queue was made with.

use crate::opening::Opening;
use crate::schedule::ScheduledGame;

/// Games of one pair that are to be played by one worker, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The pair's number.
    pub pair: u32,
    /// Those of its games that have no result yet.
    pub games: Vec<OpenedGame>,
}

/// A game and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenedGame {
    /// Which game of the schedule.
    pub game: ScheduledGame,
    /// Its opening.
    pub opening: Opening,
}

/// Those who play.
pub trait Queue {
    /// How many more pieces of work could be played at once.
    fn capacity(&self) -> usize;

    /// Gives out work; nobody has to wait for it.
    fn submit(&mut self, work: Work);

    /// This game has a result in the store, a new one or one from before.
    fn stored(&mut self, _game: u32) {}

    /// This entrant plays no more: its games need not be begun.
    fn cancel_entrant(&mut self, _entrant: usize) {}

    /// The results of this worker's work, which was this pair, are stored; it is free again.
    fn acknowledge(&mut self, worker: usize, pair: u32);

    /// Ends all games at once.
    fn cancel(&mut self);

    /// No more work will come: workers end when they have done theirs.
    fn close(&mut self);

    /// This worker has left.
    fn worker_left(&mut self, worker: usize);

    /// How many games are played at once; 0 if that changes.
    fn slots(&self) -> usize;

    /// How many workers have not left yet.
    fn workers(&self) -> usize;
}
