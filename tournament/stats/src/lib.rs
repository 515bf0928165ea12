//! Elo, pentanomial statistics, SPRT and ratings: pure functions of counts. Modules in reading order:
//!
//! - [`counts`]: games as wins, draws and losses ([`Wdl`]), and as pairs ([`Pentanomial`]).
//! - `moments`: mean and variance of scores.
//! - [`normal`], `student`: the normal distribution, and Student's t.
//! - [`elo`]: score, Elo, normalized Elo and likelihood of superiority of one entrant against another.
//! - `random`: random numbers for resampling.
//! - [`sequence`]: intervals that hold at every look.
//! - [`sprt`]: the sequential probability ratio test, its log-likelihood ratio, the estimate after it, and how long it
//!   will take.
//! - [`race`]: many candidates against one base, with one error rate for all.
//! - [`bisection`]: which of many commits changed the strength.
//! - [`ratings`]: a rating list of many players, by maximum likelihood.
//! - [`homogeneity`](mod@homogeneity): test whether one source of results differs from the others.
//! - [`paired`]: two runs over the same questions: McNemar's test and the bootstrap.
//!
//! No input or output. Public functions never return NaN or infinity: a value that is not finite is `None`, and the
//! documentation says when.

#![warn(missing_docs)]

pub mod bisection;
mod counts;
pub mod elo;
pub mod homogeneity;
mod moments;
pub mod normal;
pub mod paired;
pub mod race;
mod random;
pub mod ratings;
mod sequence;
pub mod sprt;
mod student;

pub use counts::{Counts, GameResult, MAX_COUNT, Pentanomial, Wdl};
pub use elo::{Elo, Estimate, Interval, MatchFigures, MatchStatistics, NORMALIZED_ELO_PER_DEVIATION};
pub use sprt::{Sprt, Verdict};
