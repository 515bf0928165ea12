//! Tunes evaluation weights and search parameters: the library behind the program `smalt-tuner`. Games are left to the
//! tournament program. Modules in reading order:
//!
//! - `extract`: turns games into labelled positions;
//! - `rescore`: scores of positions by another engine;
//! - `weights`: the weights as one list of parameters;
//! - `features`: positions as features of Smalt's evaluation;
//! - `trace`: traces of another engine's evaluation, for the same fit;
//! - `labels`, `word_store`, `fit_data`: labels, packed rows, and a data set in memory;
//! - `loss`: the error, its gradient and its Gauss-Newton matrix;
//! - `optimizer`: L-BFGS and Adam;
//! - `texel`: Texel tuning from beginning to end;
//! - `check`: diagnoses a data set;
//! - `plot`, `progress`: charts of a fit, and the progress display;
//! - `parameter_file`: files of parameters for tuning by games;
//! - `games`, `source_build`: games by the tournament program, and builds of an engine;
//! - `tuning`, `spsa`, `clop`: tuning by games;
//! - `prove`: tests tuned weights by an SPRT;
//! - `night`: the state of the loop of games, fits and proofs;
//! - `cli`: flags, files and output.

mod check;
mod cli;
mod clop;
mod extract;
mod features;
mod fit_data;
mod games;
mod labels;
mod loss;
mod night;
mod optimizer;
mod parameter_file;
mod plot;
mod progress;
mod prove;
mod rescore;
mod source_build;
mod spsa;
mod texel;
mod trace;
mod tuning;
mod weights;
mod word_store;

pub use cli::main;
pub use extract::{ExtractReport, Rules, extract};
pub use features::row::pack;
pub use features::{FeatureData, FeatureRow, Keep, Kept, Rows, Split};
pub use loss::{Loss, PARAMETERS, sigmoid, slope, targets};
pub use optimizer::{Checkpoints, FitEnd, Method, OptimizerSettings, Penalty, Schedule};
pub use texel::{Players, Task, TexelError, Tuned, fit};
pub use trace::file::{TraceFile, TraceFileError, TracedPosition};
pub use trace::header::Header;
pub use trace::position::Trace;
pub use weights::difference::differences;
pub use weights::document::{OriginValue, rewritten};
pub use weights::schema::{Bounds, Schema};
pub use weights::source::{Comments, rewrite_source};
pub use weights::variables::Constraints;
pub use weights::{Numbers, Selection, entry_of, parameters_of, rounded};
