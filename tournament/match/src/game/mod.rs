//! One game between two engines: clocks, rules of chess, adjudication, and the game record.
//!
//! [`play`] drives the engines; [`clock`] and [`adjudicate`] are pure.

mod adjudicate;
mod clock;
mod losing_move;
pub mod moves;
mod observer;
mod play;
mod record;
mod search_warning;
mod tablebases;
mod termination;

pub use adjudicate::Adjudicator;
pub use clock::{ClockFlag, RunningClock};
pub use observer::{GameObserver, MoveStart};
pub(crate) use play::{GameSetup, Interrupted, Player, is_part_of_stop, play, transcript_of};
pub use record::{
    BinaryReport, EngineFault, FaultReport, GameRecord, Machine, MachineReport, PlyRecord, SearchRecord,
};
pub use search_warning::{Finding, GameWarning, MateSigns, SearchWarning, WarningCounts};
pub use tablebases::{TablebaseAdjudicator, TablebaseError};
pub use termination::{Termination, TerminationKind};
