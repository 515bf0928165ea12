//! Scores engines on suites of problems (STS, WAC and any EPD file): the library behind the program `smalt-suites`.
//! Modules in reading order:
//!
//! - `suite`: a [`Suite`] of problems with goals;
//! - `plan`: engines, limits and concurrency of a run;
//! - `ask`: runs engines on the problems, in parallel;
//! - `grade`: grades the moves;
//! - `rating`: Elo estimated from STS, and performance on puzzles that have ratings;
//! - `record`: the results of a run as JSON, a [`Record`];
//! - `report`: results as text, Markdown or CSV;
//! - `compare`: two runs on the same suite, position by position;
//! - `history`: results of each build, a [`History`];
//! - `bench`: node count and speed of any engine on fixed positions;
//! - `cli`: flags, files and output.

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
