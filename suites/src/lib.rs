//! Scores engines on suites of problems: STS, WAC and any EPD file.
//!
//! A [`suite`] has problems with goals; [`ask`] puts them to an engine, several at a time; [`grade`] says what a move
//! is worth; a [`record`] holds the results, which [`report`] makes tables of and [`compare`] sets beside others.
//! A [`plan`] says how a run goes, a [`history`] keeps what each build brought. Flags, files and the screen are
//! [`cli`]'s business alone.

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
