//! Where games are played: on threads of this process now, on other machines later, behind one trait.
//!
//! Work goes out by [`Queue::offer`]; all that comes back are [`crate::run::Event`]s, on a channel that the queue was
//! made with. Work is done only when its games are stored: a redelivered game is played twice at worst, never counted
//! twice. Knows no results.

mod local;
mod processors;

pub use local::Local;
pub use processors::{AffinityError, Processors};

use crate::schedule::ScheduledGame;

/// Games of one pair that are to be played by one worker, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The pair's number.
    pub pair: u32,
    /// Those of its games that have no result yet.
    pub games: Vec<ScheduledGame>,
}

/// Those who play.
pub trait Queue {
    /// How many more pieces of work could be played at once.
    fn appetite(&self) -> usize;

    /// Gives out work; nobody has to wait for it.
    fn offer(&mut self, work: Work);

    /// The results of this worker's work are stored; it is free again.
    fn acknowledge(&mut self, worker: usize);

    /// Ends all games at once.
    fn cancel(&mut self);

    /// No more work will come: workers end when they have done theirs.
    fn close(&mut self);

    /// This worker has left.
    fn forget(&mut self, worker: usize);

    /// How many workers have not left yet.
    fn workers(&self) -> usize;
}
