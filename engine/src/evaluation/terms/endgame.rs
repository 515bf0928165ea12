//! Endgame terms: mating a lone king, and scale factors of drawish material.

use smalt_chess::{Bitboard, Color, Position, Role, Square};

use super::super::schema::{TENTHS, Term, Weight};
use super::super::score::PackedScore;
use super::super::taper::FULL_SCALE;
use super::super::trace::{Trace, Weighing};

/// Piece values, in pawns, to determine which side is ahead in pieces; pawns and kings count nothing.
const PIECES: [(Role, usize); 4] = [(Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];

/// Value of a minor piece, in the same unit.
const MINOR: usize = 3;

/// Neutral scale, in tenths of 64ths.
const UNSCALED: i32 = FULL_SCALE * TENTHS;

/// Evaluates the position of a lone enemy king, if the side has a piece.
#[inline]
pub(super) fn lone_king<T: Trace>(
    position: &Position,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    if position.color(!color).more_than_one() || !position.has_pieces(color) {
        return PackedScore::ZERO;
    }
    let (own, enemy) = (position.king(color), position.king(!color));
    let near = 7 - usize::from(own.distance(enemy));
    weighing.weigh(Term::LoneKingEdge.first(), steps_from_center(enemy), color)
        + weighing.weigh(Term::LoneKingNear.first(), near, color)
}

/// Manhattan distance to the nearest of the four center squares, 0 to 6.
fn steps_from_center(square: Square) -> usize {
    let steps = |index: usize| if index < 4 { 3 - index } else { index - 4 };
    steps(square.file().index()) + steps(square.rank().index())
}

/// Endgame scale in tenths of 64ths when White or when Black is ahead.
#[inline(always)]
pub(super) fn scales<T: Trace>(position: &Position, weighing: &mut Weighing<'_, T>) -> [i32; 2] {
    let pawns = position.role(Role::Pawn);
    let [white_pawns, black_pawns] = Color::ALL.map(|color| (pawns & position.color(color)).more_than_one());
    let opposite = has_opposite_bishops(position);
    // The common case: both sides have two pawns or more, and nothing is scaled.
    if white_pawns & black_pawns & !opposite {
        return [UNSCALED; 2];
    }
    Color::ALL.map(|leader| scale(position, leader, opposite, weighing))
}

/// Endgame scale in tenths of 64ths when `leader` is ahead; `opposite` is [`has_opposite_bishops`].
#[inline]
fn scale<T: Trace>(
    position: &Position,
    leader: Color,
    opposite: bool,
    weighing: &mut Weighing<'_, T>,
) -> i32 {
    match scale_weight(position, leader, opposite) {
        Some(weight) => weighing.weigh(weight, 1, leader).middlegame(),
        None => UNSCALED,
    }
}

fn scale_weight(position: &Position, leader: Color, opposite: bool) -> Option<Weight> {
    let pawns = position.pieces(leader, Role::Pawn);
    let no_pawns = pawns.is_empty();
    let (own, enemy) = (pieces(position, leader), pieces(position, !leader));
    let knights_only = position.pieces(leader, Role::Knight).count() * MINOR == own;
    match (no_pawns, opposite) {
        (true, _) if own <= MINOR || knights_only && own == 2 * MINOR && enemy == 0 => {
            Some(Term::ScaleNoPawns.at(0))
        }
        (true, _) if own <= enemy + MINOR => Some(Term::ScaleNoPawns.at(1)),
        (_, true) if own == MINOR && enemy == MINOR => Some(Term::ScaleOppositeBishops.first()),
        (_, true) if own == enemy => Some(Term::ScaleOppositeBishopsPieces.first()),
        (false, _) if !pawns.more_than_one() => Some(Term::ScaleOnePawn.first()),
        _ => None,
    }
}

/// Whether each side has a single bishop, on squares of opposite colors.
#[inline(always)]
fn has_opposite_bishops(position: &Position) -> bool {
    let bishops = position.role(Role::Bishop);
    let white = bishops & position.color(Color::White);
    (bishops.count() == 2) & (white.count() == 1) & ((bishops & Bitboard::LIGHT).count() == 1)
}

#[inline]
fn pieces(position: &Position, color: Color) -> usize {
    PIECES.iter().map(|&(role, worth)| worth * position.pieces(color, role).count()).sum()
}
