//! What engines and those who drive them say to each other: text to values and back, for both ends.
//!
//! The values (limits of a search, options, reports of its progress, scores) belong to no protocol; each
//! protocol is a module that reads and writes them: [`uci`] and [`xboard`]. Nothing here reads a pipe,
//! knows the time, or judges whether a move is legal. Reading is lenient and never fails by panic; writing is
//! strict, one line a message, and gives back the value when read again.

pub mod info;
pub mod limits;
pub mod moves;
pub mod option;
pub mod score;
pub mod time_control;
pub mod uci;
pub mod xboard;

mod number;
mod words;

pub use info::Info;
pub use limits::{Clock, SearchLimits};
pub use moves::Moves;
pub use option::{OptionDeclaration, OptionKind, OptionValue};
pub use score::{Bound, ReportedScore, Score, Wdl};
pub use time_control::{Period, TimeControl};
