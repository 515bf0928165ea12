//! The terms of the evaluation, one file for each idea. Each function weighs the features of one side and returns
//! what they are worth to it; those of complexity belong to the leader, whoever it is.

mod complexity;
mod danger;
mod endgame;
mod passed;
mod pawns;
mod pieces;
mod shelter;
mod space;
pub(super) mod structure;
mod threats;

use smalt_chess::{Color, Position};

use super::scene::Scene;
use super::schema::Term;
use super::score::Score;
use super::trace::{Trace, Weighing};
use structure::Structure;

/// What the terms come to, before the formula.
pub(super) struct Sums {
    /// White's minus Black's, but for [`tempo`].
    pub(super) linear: Score,
    /// Of the white and the black king.
    pub(super) danger: [Score; 2],
    /// For whoever is ahead, in centipawns of the endgame.
    pub(super) complexity: i32,
    /// When White or Black is ahead.
    pub(super) scale: [i32; 2],
}

/// Weighs every term outside of the structure but [`tempo`], and adds the structure.
#[inline]
pub(super) fn weigh<T: Trace>(
    position: &Position,
    structure: &Structure,
    weighing: &mut Weighing<'_, T>,
) -> Sums {
    let mut scene = Scene::new(position);
    let mut linear = structure.score;
    linear += pieces::weigh(&mut scene, structure, Color::White, weighing);
    linear -= pieces::weigh(&mut scene, structure, Color::Black, weighing);
    linear += rest(&scene, structure, Color::White, weighing);
    linear -= rest(&scene, structure, Color::Black, weighing);
    Sums {
        linear,
        danger: [
            danger::weigh(&scene, structure, Color::White, weighing),
            danger::weigh(&scene, structure, Color::Black, weighing),
        ],
        complexity: structure.complexity + complexity::of_pieces(position, weighing),
        scale: endgame::scales(position, weighing),
    }
}

/// The linear terms that need the attacks of both sides, or none.
// Not inlined: one copy for both sides.
#[inline(never)]
fn rest<T: Trace>(
    scene: &Scene<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    threats::weigh(scene, color, weighing)
        + passed::weigh(scene, structure, color, weighing)
        + space::weigh(scene, color, weighing)
        + endgame::lone_king(scene.position, color, weighing)
}

/// What it is worth to White that a side is to move.
#[inline]
pub(super) fn tempo<T: Trace>(turn: Color, weighing: &mut Weighing<'_, T>) -> Score {
    let score = weighing.weigh(Term::Tempo.first(), 1, turn);
    if turn == Color::White { score } else { -score }
}

/// Whether terms other than [`tempo`] ask whose turn it is: who has only a king to catch passed pawns may come too late.
/// Whoever writes another such term says so here.
#[inline]
pub(super) fn ask_for_turn(position: &Position) -> bool {
    Color::ALL.into_iter().any(|color| !position.has_pieces(color))
}
