//! The terms of the evaluation, one file per topic. Each function adds the features of one side and returns their value
//! for that side; complexity counts for the leader.

mod complexity;
mod danger;
mod endgame;
pub(super) mod material;
mod passed;
mod pawns;
mod pieces;
mod shelter;
mod space;
pub(super) mod structure;
mod threats;

use smalt_chess::{Bitboard, Color, Position};

use super::eval_info::EvalInfo;
use super::schema::Term;
use super::score::PackedScore;
use super::trace::{Trace, Weighing};

/// Pawn cache entry: score of the pawn and king structure, and data for other terms.
#[derive(Clone, Copy, Default)]
pub(super) struct Structure {
    /// White minus Black.
    pub(super) score: PackedScore,
    /// The passed pawns of both sides.
    passed: Bitboard,
    /// Complexity: endgame centipawns for the leader.
    complexity: i32,
    /// Danger to the white and the black king by the pawns near them.
    danger: [PackedScore; 2],
}

/// Sums of the terms, before the formula.
pub(super) struct Sums {
    /// White minus Black, without [`tempo`].
    pub(super) linear: PackedScore,
    /// For the white and the black king.
    pub(super) danger: [PackedScore; 2],
    /// Complexity: endgame centipawns for the leader.
    pub(super) complexity: i32,
    /// Endgame scale when White or Black is ahead.
    pub(super) scale: [i32; 2],
}

/// Evaluates all terms but [`tempo`], given those of the material, White minus Black, and the pawn structure.
#[inline]
pub(super) fn weigh<T: Trace>(
    position: &Position,
    material: PackedScore,
    structure: &Structure,
    weighing: &mut Weighing<'_, T>,
) -> Sums {
    let mut info = EvalInfo::new(position);
    let mut linear = material + structure.score;
    linear += pieces::weigh(&mut info, Color::White, weighing);
    linear -= pieces::weigh(&mut info, Color::Black, weighing);
    linear += rest(&info, structure, Color::White, weighing);
    linear -= rest(&info, structure, Color::Black, weighing);
    Sums {
        linear,
        danger: [
            danger::weigh(&info, structure, Color::White, weighing),
            danger::weigh(&info, structure, Color::Black, weighing),
        ],
        complexity: structure.complexity + complexity::of_pieces(position, weighing),
        scale: endgame::scales(position, weighing),
    }
}

/// The linear terms that need the attacks of both sides, and those that need no attacks.
// Not inlined: one copy for both sides.
#[inline(never)]
fn rest<T: Trace>(
    info: &EvalInfo<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    threats::weigh(info, color, weighing)
        + passed::weigh(info, structure, color, weighing)
        + space::weigh(info, color, weighing)
        + endgame::lone_king(info.position, color, weighing)
        + weighing.weigh(Term::KingMoves.at(info.king_moves(color).count()), 1, color)
}

/// Tempo: the value for White of having the move.
#[inline]
pub(super) fn tempo<T: Trace>(turn: Color, weighing: &mut Weighing<'_, T>) -> PackedScore {
    let score = weighing.weigh(Term::Tempo.first(), 1, turn);
    if turn == Color::White { score } else { -score }
}

/// Whether a term other than [`tempo`] depends on the side to move: only unstoppable passed pawns against a bare king
/// with pawns do. A new term of this kind must be added here.
#[inline]
pub(super) fn depends_on_turn(position: &Position) -> bool {
    Color::ALL.into_iter().any(|color| !position.has_pieces(color))
}
