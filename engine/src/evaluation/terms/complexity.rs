//! Complexity (initiative): features that make the endgame easier or harder to win for the leader.

use smalt_chess::{Bitboard, Color, Position, Role, Square};

use super::super::eval_info::{QUEEN_SIDE, relative_rank};
use super::super::schema::Term;
use super::super::trace::{Trace, Weighing};

/// Complexity by pawns and kings; `passed` are the passed pawns of both sides.
pub(super) fn of_structure<T: Trace>(
    position: &Position,
    passed: Bitboard,
    weighing: &mut Weighing<'_, T>,
) -> i32 {
    let pawns = position.role(Role::Pawn);
    let [white, black] = Color::ALL.map(|color| position.king(color));
    let is_beyond_middle = |&color: &Color| relative_rank(position.king(color), color) >= 4;
    let infiltrated = Color::ALL.into_iter().filter(is_beyond_middle).count();

    weighing.weigh_for_leader(Term::ComplexityConstant.first(), 1)
        + weighing.weigh_for_leader(Term::ComplexityPawns.first(), pawns.count() as i32)
        + weighing.weigh_for_leader(Term::ComplexityBothWings.first(), i32::from(on_both_wings(pawns)))
        + weighing.weigh_for_leader(Term::ComplexityPassed.first(), passed.count() as i32)
        + weighing.weigh_for_leader(Term::ComplexityOutflanking.first(), outflanking(white, black))
        + weighing.weigh_for_leader(Term::ComplexityInfiltration.first(), infiltrated as i32)
}

/// Adds the term of a pawn ending.
#[inline]
pub(super) fn of_pieces<T: Trace>(position: &Position, weighing: &mut Weighing<'_, T>) -> i32 {
    let rest = position.occupied() & !(position.role(Role::Pawn) | position.role(Role::King));
    weighing.weigh_for_leader(Term::ComplexityPawnEnding.first(), i32::from(rest.is_empty()))
}

/// Whether there are some on files a to d and some on files e to h.
fn on_both_wings(squares: Bitboard) -> bool {
    squares.intersects(QUEEN_SIDE) && !squares.is_subset(QUEEN_SIDE)
}

/// File distance of the kings minus their rank distance: above zero if one can outflank the other.
fn outflanking(white: Square, black: Square) -> i32 {
    let apart = |a: usize, b: usize| a.abs_diff(b) as i32;
    apart(white.file().index(), black.file().index()) - apart(white.rank().index(), black.rank().index())
}
