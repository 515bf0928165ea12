//! Helpers shared by the tests of several crates; a dev-dependency only. Modules in reading order:
//!
//! - `random`: a deterministic random number generator, [`Random`];
//! - [`positions`]: random games and rare cases of the rules;
//! - [`corpus`]: the corpora of fuzz targets, replayed as tests;
//! - [`process`]: starts programs under test and waits for their output;
//! - `processes`: the processes in a folder;
//! - [`json`]: compares JSON with its schema.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

pub mod corpus;
pub mod json;
pub mod positions;
pub mod process;
mod processes;
mod random;

pub use random::Random;
