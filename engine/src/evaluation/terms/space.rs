//! Space behind own pawns, weighted by the number of pieces.

use smalt_chess::{Bitboard, Color, Role};

use super::super::eval_info::{CENTER_FILES, EvalInfo};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};

/// Subtracted from the number of pieces, pawns and blocked pawns.
const FEW: usize = 3;

/// Maximum number of blocked pawns that count, of both sides.
const MOST_BLOCKED: usize = 9;

/// Divisor of the feature count, so that weights are not too small.
const SHARE: usize = 128;

/// Evaluates the space of a side. The attacks of all pieces must be in the info.
#[inline]
pub(super) fn weigh<T: Trace>(
    info: &EvalInfo<'_>,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let position = info.position;
    let enemy = info.side(!color);
    let pawns = position.pieces(color, Role::Pawn);
    let home = match color {
        Color::White => Bitboard(0x0000_0000_ffff_ff00),
        Color::Black => Bitboard(0x00ff_ffff_0000_0000),
    };
    let safe = CENTER_FILES & home & !pawns & !enemy.attacked_by[Role::Pawn.index()];
    let behind = pawns | pawns.forward(!color);
    let behind = behind | behind.forward(!color).forward(!color);
    let room = safe.count() + (safe & behind & !enemy.attacked).count();

    let blocked = |color: Color| {
        let enemy = position.pieces(!color, Role::Pawn);
        (position.pieces(color, Role::Pawn) & enemy.forward(!color)).count()
    };
    let blocked = (blocked(Color::White) + blocked(Color::Black)).min(MOST_BLOCKED);
    let users = (position.color(color).count() + blocked).saturating_sub(FEW);
    weighing.weigh(Term::Space.first(), room * users * users / SHARE, color)
}
