//! One game between two engines: clocks, rules of chess, adjudication, and the game record.
//!
//! [`play`] drives the engines; [`clock`] and [`adjudicate`] are pure. Names of entrants, pairings and
//! storage belong to other modules.

pub mod adjudicate;
pub mod clock;
pub mod moves;
pub mod observer;
pub mod play;
pub mod record;
pub mod search_warning;
pub mod tablebases;
pub mod termination;

pub use adjudicate::Adjudicator;
pub use clock::RunningClock;
pub use observer::{GameObserver, MoveStart};
pub use play::{GameSetup, Interrupted, Player, play};
pub use record::{BinaryReport, EngineFault, FaultReport, GameRecord, Machine, MachineReport, PlyRecord};
pub use search_warning::{Finding, GameWarning, SearchWarning, WarningCounts};
pub use tablebases::{TablebaseError, Tablebases};
pub use termination::Termination;
