//! The terms of the evaluation, one file for each idea. Each function weighs the features of one side and returns
//! what they are worth to it.

mod pieces;
pub(super) mod structure;

use smalt_chess::{Color, Position};

use super::scene::Scene;
use super::schema::Term;
use super::score::Score;
use super::taper::FULL_SCALE;
use super::trace::{Trace, Weighing};
use structure::Structure;

/// What the terms come to, before the formula.
pub(super) struct Sums {
    /// White's minus Black's.
    pub(super) linear: Score,
    /// Of the white and the black king.
    pub(super) danger: [Score; 2],
    /// When White or Black is ahead.
    pub(super) scale: [i32; 2],
}

/// Weighs every term outside of the structure, and adds that.
#[inline]
pub(super) fn weigh<T: Trace>(
    position: &Position,
    structure: &Structure,
    weighing: &mut Weighing<'_, T>,
) -> Sums {
    let mut scene = Scene::new(position);
    let mut linear = structure.score;
    linear += pieces::weigh(&mut scene, Color::White, weighing);
    linear -= pieces::weigh(&mut scene, Color::Black, weighing);
    let tempo = weighing.weigh(Term::Tempo.first(), 1, position.turn());
    linear += if position.turn() == Color::White { tempo } else { -tempo };
    Sums { linear, danger: [Score::ZERO; 2], scale: [FULL_SCALE; 2] }
}
