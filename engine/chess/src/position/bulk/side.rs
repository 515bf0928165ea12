//! The pieces of one side, with sliders by direction: a queen is in both sets.

use crate::bitboard::Bitboard;
use crate::piece::{Color, Role};
use crate::position::Position;

#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) pawns: Bitboard,
    pub(super) knights: Bitboard,
    /// Diagonal sliders: bishops and queens.
    pub(super) diagonal: Bitboard,
    /// Orthogonal sliders: rooks and queens.
    pub(super) orthogonal: Bitboard,
    pub(super) king: Bitboard,
    pub(super) occupied: Bitboard,
}

impl Side {
    #[inline(always)]
    pub(super) fn of(position: &Position, color: Color) -> Side {
        let own = position.color(color);
        let queens = position.role(Role::Queen);
        Side {
            pawns: position.role(Role::Pawn) & own,
            knights: position.role(Role::Knight) & own,
            diagonal: (position.role(Role::Bishop) | queens) & own,
            orthogonal: (position.role(Role::Rook) | queens) & own,
            king: position.role(Role::King) & own,
            occupied: own,
        }
    }

    /// The side after losing the pieces on these squares; never the king.
    #[inline(always)]
    pub(super) fn without(&self, squares: Bitboard) -> Side {
        Side {
            pawns: self.pawns - squares,
            knights: self.knights - squares,
            diagonal: self.diagonal - squares,
            orthogonal: self.orthogonal - squares,
            king: self.king,
            occupied: self.occupied - squares,
        }
    }

    /// The side after pieces of a role were added or removed on these squares.
    #[inline(always)]
    pub(super) fn toggle(&mut self, role: Role, squares: Bitboard) {
        self.occupied ^= squares;
        match role {
            Role::Pawn => self.pawns ^= squares,
            Role::Knight => self.knights ^= squares,
            Role::Bishop => self.diagonal ^= squares,
            Role::Rook => self.orthogonal ^= squares,
            Role::Queen => {
                self.diagonal ^= squares;
                self.orthogonal ^= squares;
            }
            Role::King => self.king ^= squares,
        }
    }
}
