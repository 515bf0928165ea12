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

use super::eval_info::{EvalInfo, phase};
use super::schema::Term;
use super::score::PackedScore;
use super::squares::PieceSquares;
use super::taper::{Pair, Parts};
use super::trace::{Trace, Weighing};

/// Score of the pawns alone, and the passed pawns; kept in the pawn cache.
#[derive(Clone, Copy, Default)]
pub(super) struct PawnStructure {
    /// White minus Black.
    score: PackedScore,
    /// The passed pawns of both sides.
    passed: Bitboard,
}

/// Score of pawns and kings, and data for other terms; kept in the pawn-king cache.
#[derive(Clone, Copy, Default)]
pub(super) struct Structure {
    /// White minus Black.
    pub(super) score: PackedScore,
    /// The passed pawns of both sides.
    passed: Bitboard,
    /// Complexity in tenths of centipawns, for the leader in the endgame.
    complexity: i32,
    /// Danger to the white and the black king by the pawns near them.
    danger: [PackedScore; 2],
}

/// Linear terms of a side.
struct Linear {
    always: PackedScore,
    /// Added when the side is to move.
    to_move: PackedScore,
}

/// Sums of the terms, in tenths, before the formula.
pub(super) struct Sums {
    /// White minus Black.
    linear: PackedScore,
    /// White minus Black, added when White or when Black is to move.
    to_move: [PackedScore; 2],
    /// For the white and the black king.
    danger: [PackedScore; 2],
    /// In the endgame, for the leader.
    complexity: i32,
    /// Endgame scale when White or Black is ahead.
    scale: [i32; 2],
    /// 0 to 24, not in tenths.
    phase: i32,
}

impl Sums {
    /// Arguments of the formula when a side is to move.
    #[inline]
    pub(super) fn parts<T: Trace>(&self, turn: Color, weighing: &mut Weighing<'_, T>) -> Parts<i64> {
        let pair = |score: PackedScore| Pair {
            middlegame: score.middlegame().into(),
            endgame: score.endgame().into(),
        };
        let tempo = weighing.weigh(Term::Tempo.first(), 1, turn);
        let tempo = if turn == Color::White { tempo } else { -tempo };
        let mut danger = self.danger;
        danger[(!turn).index()] += weighing.weigh(Term::DangerEnemyToMove.first(), 1, !turn);
        Parts {
            linear: pair(self.linear + self.to_move[turn.index()] + tempo),
            danger: danger.map(pair),
            complexity: self.complexity.into(),
            scale: self.scale.map(i64::from),
            phase: self.phase,
        }
    }
}

/// Evaluates all terms but those of [`Sums::parts`], given those of the material, White minus Black, those of pawns and
/// kings and, unless the terms are recorded, the values of squares.
#[inline]
pub(super) fn weigh<T: Trace>(
    position: &Position,
    material: PackedScore,
    structure: &Structure,
    squares: &PieceSquares<'_>,
    weighing: &mut Weighing<'_, T>,
) -> Sums {
    let mut info = EvalInfo::new(position);
    let mut linear = material + structure.score;
    linear += pieces::weigh(&mut info, squares, Color::White, weighing);
    linear -= pieces::weigh(&mut info, squares, Color::Black, weighing);
    let white = rest(&info, structure, Color::White, weighing);
    let black = rest(&info, structure, Color::Black, weighing);
    Sums {
        linear: linear + white.always - black.always,
        to_move: [white.to_move, -black.to_move],
        danger: [
            danger::weigh(&info, structure, Color::White, weighing),
            danger::weigh(&info, structure, Color::Black, weighing),
        ],
        complexity: structure.complexity + complexity::of_pieces(position, weighing),
        scale: endgame::scales(position, weighing),
        phase: phase(position),
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
) -> Linear {
    let threats = threats::weigh(info, color, weighing);
    let passed = passed::weigh(info, structure, color, weighing);
    let others = space::weigh(info, color, weighing)
        + endgame::lone_king(info.position, color, weighing)
        + weighing.weigh(Term::KingMoves.at(info.king_moves(color).count()), 1, color);
    Linear { always: threats.always + passed.always + others, to_move: threats.to_move + passed.to_move }
}

/// Whether the [`Sums`] depend on the side to move: only unstoppable passed pawns against a bare king with pawns make
/// them. A new term of this kind must be added here.
#[inline]
pub(super) fn depends_on_turn(position: &Position) -> bool {
    Color::ALL.into_iter().any(|color| !position.has_pieces(color))
}
