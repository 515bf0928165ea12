//! Static evaluation: a hand-crafted sum of terms with weights from `params/evaluation.toml`. It does not depend on
//! search, clock or game history.
//!
//! A term is one statement: it passes a feature (weight, count, owner) and gets its value. Engine, tuner and `eval`
//! command run the same statements with a different [`trace::Trace`]; only the values of pieces' squares with pawns are
//! summed beforehand for the engine (module `squares`). King danger, complexity, scaling and the taper, which are not
//! linear in the weights, are in [`taper`].

mod document;
mod eval_info;
mod evaluator;
mod explain;
pub mod parameters;
pub mod schema;
mod score;
mod squares;
pub mod taper;
mod terms;
pub mod trace;

pub use evaluator::Evaluator;
pub use explain::{Explanation, explain};
pub use parameters::{Parameters, ParametersError};
pub use taper::LARGEST_EVALUATION;

use smalt_chess::{Color, Position};

use squares::{PieceSquareTables, PieceSquares};
use taper::Parts;
use terms::{material, structure};
use trace::{FeatureCounter, Features, NoTrace, Trace, Weighing};

/// Static evaluation in centipawns from the side to move's point of view, between -[`LARGEST_EVALUATION`] and
/// [`LARGEST_EVALUATION`]. [`Evaluator`] returns the same value faster, from its caches.
pub fn evaluate(position: &Position, parameters: &Parameters) -> i32 {
    evaluation_for(position.turn(), &trace_parts(position, parameters, &mut NoTrace))
}

/// The features (trace) of a position, from White's point of view. Features times weights give the evaluation.
pub fn features(position: &Position, counter: &mut FeatureCounter) -> Features {
    trace_parts(position, Parameters::embedded(), counter);
    counter.take(eval_info::phase(position))
}

/// Rule-50 scaling: the full evaluation at a halfmove clock of 0, half of it at 100. It is separate from the
/// evaluation, so that evaluations can be cached by position key.
pub fn rule50_scaled(evaluation: i32, halfmove_clock: u16) -> i32 {
    evaluation * (200 - i32::from(halfmove_clock.min(100))) / 200
}

/// Evaluates all terms without caches.
fn trace_parts<T: Trace>(position: &Position, parameters: &Parameters, trace: &mut T) -> Parts<i64> {
    let mut weighing = Weighing::new(parameters, position.turn(), trace);
    let pawns = structure::weigh_pawns(position, &mut weighing);
    let structure = structure::weigh_pawns_and_kings(position, &pawns, &mut weighing);
    let material = material::weigh(material::Material::of(position), &mut weighing);
    let mut tables = PieceSquareTables::new(parameters.squares());
    if !T::RECORDS {
        tables.update(position, parameters.squares());
    }
    let squares = PieceSquares::new(position, &tables, parameters.squares());
    let sums = terms::weigh(position, material, &structure, &squares, &mut weighing);
    sums.parts(position.turn(), &mut weighing)
}

/// The evaluation for a side to move, from its point of view.
#[inline]
fn evaluation_for(turn: Color, parts: &Parts<i64>) -> i32 {
    let evaluation = parts.evaluation() as i32;
    match turn {
        Color::White => evaluation,
        Color::Black => -evaluation,
    }
}
