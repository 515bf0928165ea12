//! All that depends on pawns and kings alone, and may be remembered.

use smalt_chess::{Bitboard, Color, Position, Role};

use super::super::scene::board_index;
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};

/// What the structure of pawns and kings is worth, and what other terms want to know of it.
#[derive(Clone, Copy, Default)]
pub(in super::super) struct Structure {
    /// White's minus Black's.
    pub(in super::super) score: Score,
    /// The passed pawns of both sides.
    pub(in super::super) passed: Bitboard,
}

/// Weighs pawns and kings.
pub(in super::super) fn weigh<T: Trace>(position: &Position, weighing: &mut Weighing<'_, T>) -> Structure {
    let score = side(position, Color::White, weighing) - side(position, Color::Black, weighing);
    Structure { score, passed: Bitboard::EMPTY }
}

fn side<T: Trace>(position: &Position, color: Color, weighing: &mut Weighing<'_, T>) -> Score {
    let pawns = position.pieces(color, Role::Pawn);
    let mut score = weighing.weigh(Term::MaterialPawn.first(), pawns.count(), color);
    for square in pawns {
        score += weighing.weigh(Term::SquarePawn.at(board_index(square, color)), 1, color);
    }
    score + weighing.weigh(Term::SquareKing.at(board_index(position.king(color), color)), 1, color)
}
