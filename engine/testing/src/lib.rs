//! Helpers shared by the tests of several crates: [`positions`] for properties and comparisons, a [`Random`] generator,
//! the [`corpus`] of a fuzz target, and [`process`], which starts programs under test and waits for their output. A
//! dev-dependency only.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

pub mod corpus;
pub mod positions;
pub mod process;
mod processes;
mod random;

pub use random::Random;
