//! Tests of the public API, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod choosing;
mod formats;
mod fuzz_corpus;
