//! The tests of the crate through its public interface, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod engine;
mod evaluation;
#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
mod faster_build;
mod parameters;
mod pipes;
mod program;
mod soak;
mod tablebases;
mod uci;
mod xboard;
