//! A chess engine: UCI and xboard, with a hand-crafted, tunable evaluation.

pub mod bench;
pub mod engine;
pub mod evaluation;
mod memory;
pub mod openings;
pub mod search;
pub mod serve;
pub mod strength;
pub mod tablebases;
