//! UCI and xboard (CECP) messages: parsing and formatting for both ends of the pipe.
//!
//! Search limits, options, search information and scores are shared; each
//! protocol is a module that parses and formats them: [`uci`] and [`xboard`]. There is no I/O, no clock and no
//! check of legality. Parsing is lenient and never panics; formatting is
//! strict, one line per message, and parses back to the same value.

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
