//! UCI and xboard (CECP) messages: parsing and formatting for both ends of the pipe.
//!
//! There is no I/O, no clock and no check of legality. Parsing is lenient and never panics; formatting is strict, one
//! line per message, and parses back to the same value. Modules in reading order:
//!
//! - `words`, `number`: words of a line, and lenient integers;
//! - [`score`], [`moves`]: engine scores, and move sequences;
//! - [`limits`], [`time_control`]: limits of a search, and time controls as engine testers write them;
//! - [`option`](mod@option): engine options and their values;
//! - [`info`]: search information;
//! - [`uci`], [`xboard`]: the messages of each protocol.

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
