//! Properties of a legal move before it is played: moved and captured piece, and whether it gives check (direct and
//! discovered).

use super::Position;
use crate::attacks::{between, bishop_attacks, knight_attacks, line, pawn_attacks, rook_attacks};
use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::piece::Role;
use crate::square::Square;

impl Position {
    /// The role of the moving piece; the king for castling.
    #[inline]
    pub fn moved_role(&self, mv: Move) -> Role {
        self.piece_at(mv.from()).map_or(Role::Pawn, |piece| piece.role())
    }

    /// The role captured by a legal move.
    #[inline]
    pub fn captured_role(&self, mv: Move) -> Option<Role> {
        if !mv.is_capture() {
            None
        } else if mv.is_en_passant() {
            Some(Role::Pawn)
        } else {
            self.piece_at(mv.to()).map(|piece| piece.role())
        }
    }

    /// The squares from which the side to move gives check, computed once for many moves.
    pub fn checks(&self) -> Checks {
        let king = self.king(!self.turn);
        let (own, enemies) = (self.color(self.turn), self.color(!self.turn));
        let occupied = own | enemies;
        let (diagonal, orthogonal) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        let queens = self.role(Role::Queen);
        // Only enemy pieces block, so that the only blockers on these lines are own pieces.
        let diagonal_sliders = bishop_attacks(king, enemies) & (self.role(Role::Bishop) | queens);
        let orthogonal_sliders = rook_attacks(king, enemies) & (self.role(Role::Rook) | queens);
        let mut uncovering = Bitboard::EMPTY;
        for slider in (diagonal_sliders | orthogonal_sliders) & own {
            let blockers = between(king, slider) & own;
            if !blockers.more_than_one() {
                uncovering |= blockers;
            }
        }
        let squares = [
            pawn_attacks(!self.turn, king),
            knight_attacks(king),
            diagonal,
            orthogonal,
            diagonal | orthogonal,
            Bitboard::EMPTY,
        ];
        Checks { king, squares, uncovering }
    }
}

/// Direct and discovered checks available to the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    king: Square,
    /// By role, from pawn to king: the squares from which a piece gives direct check; none for the king. Occupancy is
    /// that before the move: a slider that stays on its line to the king would already give check.
    squares: [Bitboard; 6],
    /// Pieces that uncover a check by moving: the only blockers between an own slider and the king.
    uncovering: Bitboard,
}

impl Checks {
    /// Whether a legal move gives check; `position` must be the one these were computed from.
    #[inline]
    pub fn include(&self, position: &Position, mv: Move) -> bool {
        // Castling, en passant and promotions are rare, so they are played.
        if mv.is_castle() || mv.is_en_passant() || mv.is_promotion() {
            return position.after(mv).is_check();
        }
        self.by_moves_of(position.moved_role(mv), mv.from()).contains(mv.to())
    }

    /// The squares where a piece of this role from `from` would give check, whether or not it can move there. Not for
    /// castling, en passant and promotions.
    #[inline]
    pub fn by_moves_of(&self, role: Role, from: Square) -> Bitboard {
        let own = self.squares[role.index()];
        if self.uncovering.contains(from) { own | !line(self.king, from) } else { own }
    }
}
