//! Tests of the public API, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod damaged_input;
mod engine;
mod extracting;
mod fits;
mod fuzz_corpus;
mod json;
mod laws;
#[cfg(unix)]
mod night;
mod programs;
#[cfg(unix)]
mod rescoring;
mod splitting;
mod spsa;
#[cfg(unix)]
mod traces;
mod writing;
