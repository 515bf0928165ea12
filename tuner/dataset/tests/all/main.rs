//! The tests of the crate through its public interface, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod choosing;
mod formats;
mod fuzz_corpus;
