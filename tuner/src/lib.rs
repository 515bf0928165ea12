//! Tunes evaluation weights and search parameters: the library behind the program `smalt-tuner`.
//!
//! [`extract`] turns games into positions, kept by `smalt-dataset`; a [`FeatureData`] holds them as features of the evaluation, whose
//! [`Loss`] [`fit`] minimizes (Texel tuning). Other modules fit traces of other engines, tune by SPSA and prove the result by
//! an SPRT. Games are left to the tournament program.

mod check;
mod cli;
mod clop;
mod extract;
mod features;
mod fit_data;
mod games;
mod labels;
mod loss;
mod optimizer;
mod parameter_file;
mod plot;
mod progress;
mod prove;
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
pub use weights::schema::Schema;
pub use weights::source::{Comments, rewrite_source};
pub use weights::variables::{Bounds, Constraints};
pub use weights::{Numbers, Selection, entry_of, parameters_of, rounded};
