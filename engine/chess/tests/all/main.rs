//! The tests of the crate through its public interface, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod actions;
mod against_shakmaty;
mod epd;
mod fuzz_corpus;
mod game;
mod laws;
mod notation_laws;
mod perft;
mod pgn;
mod polyglot;
mod san_against_shakmaty;
mod shared_data;
