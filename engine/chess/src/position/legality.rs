//! Properties of a legal move before it is played: moved and captured piece, and whether it gives check (direct and
//! discovered).

use super::Position;
use crate::attacks::{between, bishop_attacks, knight_attacks, line, pawn_attacks, rook_attacks};
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

    /// How the side to move can give check, found once for many moves.
    pub fn checks(&self) -> Checks {
        let king = self.king(!self.turn);
        let (own, enemies) = (self.color(self.turn), self.color(!self.turn));
        let occupied = own | enemies;
        let (diagonal, orthogonal) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
        let queens = self.role(Role::Queen);
        // Only pieces of the other side block this view, so that own pieces on the lines are the only blockers.
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

/// How the side to move of a position can give check.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    king: Square,
    /// By role, pawn to king: the squares from which a piece gives check itself; none for the king. Pieces stand as before
    /// the move: a slider that stays on its line to the king would already give check.
    squares: [Bitboard; 6],
    /// The pieces that alone stand between a slider of their side and the king.
    uncovering: Bitboard,
}

impl Checks {
    /// Whether a legal move gives check; `position` must be the one that these were found in.
    #[inline]
    pub fn include(&self, position: &Position, mv: Move) -> bool {
        // Castling, en passant and promotions are rare enough to be played.
        if mv.is_castle() || mv.is_en_passant() || mv.is_promotion() {
            return position.after(mv).is_check();
        }
        self.by_moves_of(position.moved_role(mv), mv.from()).contains(mv.to())
    }

    /// The squares where a piece of that role, which stands on `from`, would give check by going there, whether or not it
    /// can. Not for castling, en passant and promotions.
    #[inline]
    pub fn by_moves_of(&self, role: Role, from: Square) -> Bitboard {
        let own = self.squares[role.index()];
        if self.uncovering.contains(from) { own | !line(self.king, from) } else { own }
    }
}
