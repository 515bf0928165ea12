//! Scores engines on suites of problems (STS, WAC and any EPD file): the library behind the program `smalt-suites`.
//!
//! A [`Suite`] has problems with goals; `ask` runs engines on them in parallel; `grade` grades the moves; a
//! [`Record`] holds the results, which `report` formats and `compare` compares. A `plan` describes a run, and a
//! [`History`] stores the results of each build. `cli` has flags, files and output.

mod ask;
mod bench;
mod cli;
mod compare;
mod grade;
mod history;
mod plan;
mod rating;
mod record;
mod report;
mod suite;

pub use cli::{Builtin, main};
pub use grade::MoveList;
pub use grade::Tablebases;
pub use history::History;
pub use record::{Record, ResultRecord, from_json, to_json};
pub use suite::{EMBEDDED, Problem, Suite};
