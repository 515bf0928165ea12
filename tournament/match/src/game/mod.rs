//! One game: two engines, their clocks, the rules of chess, and a record of what happened.
//!
//! [`play`] needs engines that run; [`clock`] and [`adjudicate`] are pure. Nothing here knows tournaments: whose name
//! is whose, which games come next, and where records are kept.

pub mod adjudicate;
pub mod clock;
pub mod moves;
pub mod observer;
pub mod play;
pub mod record;
pub mod tablebases;
pub mod termination;

pub use adjudicate::Adjudicator;
pub use clock::RunningClock;
pub use observer::{GameObserver, MoveStart};
pub use play::{GameSetup, Interrupted, Player, play};
pub use record::{BinaryReport, EngineFault, FaultReport, GameRecord, Machine, MachineReport, PlyRecord};
pub use tablebases::{TablebaseError, Tablebases};
pub use termination::Termination;
