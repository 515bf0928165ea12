//! A chess engine: UCI and xboard, with a hand-crafted, tunable evaluation.

pub mod evaluation;
