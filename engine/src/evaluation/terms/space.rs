//! Room behind the own pawns, which is worth the more the more pieces want to use it.

use smalt_chess::{Bitboard, Color, Role};

use super::super::scene::{CENTER_FILES, Scene};
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};

/// Pieces and pawns, blocked ones once more, up to this number need no room.
const FEW: usize = 3;

/// Blocked pawns, of both sides, beyond this number count no more.
const MOST_BLOCKED: usize = 9;

/// Keeps the count small enough for weights of a centipawn and more.
const SHARE: usize = 128;

/// Weighs the room of a side. The attacks of all pieces must be in the scene.
#[inline]
pub(super) fn weigh<T: Trace>(scene: &Scene<'_>, color: Color, weighing: &mut Weighing<'_, T>) -> Score {
    let position = scene.position;
    let enemy = scene.side(!color);
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
