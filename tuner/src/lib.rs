//! From games to better tables: positions out of PGN, the engine's own evaluation as a function of its weights, and
//! the fit that makes it predict results best. The library behind the program `smalt-tuner`.

pub mod check;
pub mod cli;
pub mod dataset;
pub mod features;
pub mod games;
pub mod labels;
pub mod loss;
pub mod optimizer;
pub mod plot;
pub mod progress;
pub mod prove;
pub mod source_build;
pub mod spsa;
mod table;
pub mod texel;
pub mod trace;
pub mod weights;
