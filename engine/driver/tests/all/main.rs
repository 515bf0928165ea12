//! The tests of the crate through its public interface, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod faults;
mod pondering;
mod process;
mod real_engines;
mod real_xboard;
mod scripted;
mod scripted_xboard;
mod support;
