//! The tests of the crate through its public interface, in one program.

mod fuzz_corpus;
mod laws;
mod time_control;
mod uci_client;
mod uci_engine;
mod xboard;
