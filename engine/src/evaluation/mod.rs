//! What a position is worth, judged at rest: a hand-crafted sum of terms whose numbers all live in
//! `params/evaluation.toml`. Knows nothing of search, of the clock or of the game's history.
//!
//! A term makes one statement: it weighs a feature (which weight, how many, whose) and gets back its value. Engine,
//! tuner and explanation run the same statements and differ in the [`trace::Trace`] that listens. What is not linear
//! in the weights is the formula of [`taper`].

pub mod document;
mod evaluator;
mod explain;
pub mod parameters;
mod scene;
pub mod schema;
pub mod score;
pub mod taper;
mod terms;
pub mod trace;

pub use evaluator::Evaluator;
pub use explain::{Explanation, explain};
pub use parameters::{Parameters, ParametersError};
pub use taper::LARGEST_EVALUATION;

use smalt_chess::{Color, Position};

use score::Score;
use taper::{Pair, Parts};
use terms::{Sums, structure};
use trace::{FeatureCounter, Features, NoTrace, Trace, Weighing};

/// The value of a position in centipawns, from the view of the side to move, at most [`LARGEST_EVALUATION`] from
/// zero. [`Evaluator`] gives the same faster, by remembering structures and evaluations.
pub fn evaluate(position: &Position, parameters: &Parameters) -> i32 {
    from_mover(position.turn(), trace_parts(position, parameters, &mut NoTrace).evaluation())
}

/// The features of a position: with the weights they give its evaluation, from White's view.
pub fn features(position: &Position, counter: &mut FeatureCounter) -> Features {
    trace_parts(position, Parameters::embedded(), counter);
    counter.take(scene::phase(position))
}

/// An evaluation drawn toward zero as the fifty-move rule comes nearer: whole at a clock of 0, half at 100.
/// The clock is no part of the evaluation itself, so that a position's value may be kept under its key.
pub fn rule50_scaled(evaluation: i32, halfmove_clock: u16) -> i32 {
    evaluation * (200 - i32::from(halfmove_clock.min(100))) / 200
}

/// Weighs all terms with nothing remembered.
fn trace_parts<T: Trace>(position: &Position, parameters: &Parameters, trace: &mut T) -> Parts<i32> {
    let mut weighing = Weighing::new(parameters, trace);
    let structure = structure::weigh(position, &mut weighing);
    let sums = terms::weigh(position, &structure, &mut weighing);
    parts(&sums, terms::tempo(position.turn(), &mut weighing), scene::phase(position))
}

/// What the formula starts from.
#[inline]
fn parts(sums: &Sums, tempo: Score, phase: i32) -> Parts<i32> {
    let pair = |score: Score| Pair { middlegame: score.middlegame(), endgame: score.endgame() };
    Parts {
        linear: pair(sums.linear + tempo),
        danger: sums.danger.map(pair),
        complexity: sums.complexity,
        scale: sums.scale,
        phase,
    }
}

/// White's view as that of the side to move.
#[inline]
fn from_mover(turn: Color, evaluation: i32) -> i32 {
    match turn {
        Color::White => evaluation,
        Color::Black => -evaluation,
    }
}
