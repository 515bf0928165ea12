//! Scores engines on suites of problems: STS, WAC and any EPD file.
//!
//! A [`suite`] has problems with goals; [`ask`] lets an engine solve them, several at a time; [`grade`]
//! grades its moves; a [`record`] holds the results, which [`report`] formats and [`compare`] compares. A
//! [`plan`] describes a run, and a [`history`] keeps the results of each build. [`cli`] has flags, files and
//! output.

pub mod ask;
pub mod bench;
pub mod cli;
pub mod compare;
pub mod grade;
pub mod history;
pub mod plan;
pub mod rating;
pub mod record;
pub mod report;
pub mod suite;
