//! Questions about a legal move before it is played: what it moves, what it takes, whether it gives check.

use super::Position;
use crate::attacks::{attacks, bishop_attacks, rook_attacks};
use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::piece::Role;
use crate::square::Square;

impl Position {
    /// The role that a legal move moves; for castling the king.
    #[inline]
    pub fn moved_role(&self, mv: Move) -> Role {
        self.piece_at(mv.from()).map_or(Role::Pawn, |piece| piece.role())
    }

    /// The role that a legal move takes.
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

    /// Whether a legal move gives check, found without playing it.
    pub fn gives_check(&self, mv: Move) -> bool {
        if mv.is_castle() || mv.is_en_passant() {
            return self.after(mv).is_check();
        }
        let king = self.king(!self.turn);
        let (from, to) = (mv.from(), mv.to());
        let occupied = (self.occupied() - from.into()) | to.into();
        let role = mv.promoted_to().unwrap_or(self.moved_role(mv));
        attacks(self.turn, role, to, occupied).contains(king) || self.uncovers(king, from, occupied)
    }

    /// Whether a slider of the side to move looks at `king` once its piece on `from` has gone.
    fn uncovers(&self, king: Square, from: Square, occupied: Bitboard) -> bool {
        let own = self.color(self.turn) - from.into();
        let queens = self.role(Role::Queen);
        let diagonal = bishop_attacks(king, occupied) & (self.role(Role::Bishop) | queens);
        let orthogonal = rook_attacks(king, occupied) & (self.role(Role::Rook) | queens);
        ((diagonal | orthogonal) & own).any()
    }
}
