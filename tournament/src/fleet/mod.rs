//! Where games are played: on threads of this process, or on other machines over NATS, behind one trait.
//!
//! Work goes out by [`Queue::offer`]; all that comes back are [`crate::run::Event`]s, on a channel that the queue was
//! made with. Work is done only when its games are stored: a redelivered game is played twice at worst, never counted
//! twice. Knows no results.

#[cfg(feature = "nats")]
pub mod identity;
#[cfg(feature = "nats")]
pub mod jetstream;
#[cfg(feature = "nats")]
pub mod ledger;
mod local;
mod processors;
#[cfg(feature = "nats")]
pub mod terms;
#[cfg(feature = "nats")]
pub mod verify;
#[cfg(feature = "nats")]
pub mod wire;

pub use local::Local;
pub use processors::{AffinityError, Processors};

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
    fn appetite(&self) -> usize;

    /// Gives out work; nobody has to wait for it.
    fn offer(&mut self, work: Work);

    /// This game has a result in the store, a new one or one from before.
    fn stored(&mut self, _game: u32) {}

    /// This entrant plays no more: its games need not be begun.
    fn withdraw(&mut self, _entrant: usize) {}

    /// The results of this worker's work, which was this pair, are stored; it is free again.
    fn acknowledge(&mut self, worker: usize, pair: u32);

    /// Ends all games at once.
    fn cancel(&mut self);

    /// No more work will come: workers end when they have done theirs.
    fn close(&mut self);

    /// This worker has left.
    fn forget(&mut self, worker: usize);

    /// How many games are played at once; 0 if that changes.
    fn slots(&self) -> usize;

    /// How many workers have not left yet.
    fn workers(&self) -> usize;
}
