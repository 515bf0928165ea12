//! Castling in standard chess and Chess960: rook, destinations, and the squares that must be empty or not attacked.

use super::{Position, zobrist};
use crate::attacks::between;
use crate::bitboard::Bitboard;
use crate::piece::{Color, Piece};
use crate::setup::CastlingSide;
use crate::square::Square;

/// Destinations of king and rook.
#[inline]
pub(super) fn destinations(king: Square, rook: Square) -> (Square, Square) {
    let side = CastlingSide::of(king, rook);
    (Square::new(side.king_file(), king.rank()), Square::new(side.rook_file(), king.rank()))
}

/// The squares that must be empty (except for king and rook) and those that must not be attacked (except the king's
/// own, since it is not in check).
#[inline]
pub(super) fn paths(king: Square, rook: Square) -> (Bitboard, Bitboard) {
    let (king_to, rook_to) = destinations(king, rook);
    let walk = between(king, king_to) | king_to.into();
    let free = walk | between(rook, rook_to) | rook_to.into();
    (free - (Bitboard::from(king) | rook.into()), walk - king.into())
}

/// Whether a king that is not in check may castle with this rook. `danger` is the set of squares that the opponent
/// attacks; the rook may be pinned along the rank.
#[inline(always)]
pub(super) fn is_legal(
    king: Square,
    rook: Square,
    occupied: Bitboard,
    danger: Bitboard,
    orthogonal_pins: Bitboard,
) -> bool {
    let (free, safe) = paths(king, rook);
    !free.intersects(occupied) && !safe.intersects(danger) && !orthogonal_pins.contains(rook)
}

impl Position {
    /// The castling rook of a side's right toward a wing.
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = self.king(color);
        let own = self.castling_rooks & self.color(color);
        own.into_iter().find(|&rook| CastlingSide::of(king, rook) == side)
    }

    /// The key of a castling right, for a rook on its square and the king on the same rank.
    pub(super) fn castling_key(&self, rook: Square) -> u64 {
        let color = self.piece_at(rook).map_or(Color::White, Piece::color);
        zobrist::castling_key(color, CastlingSide::of(self.king(color), rook))
    }
}
