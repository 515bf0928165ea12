//! Polyglot's 16-bit moves: destination, origin, promotion; castling as the king capturing its own rook.

use crate::moves::Move;
use crate::notation::uci_move::UciMove;
use crate::piece::Role;
use crate::position::Position;
use crate::square::Square;

/// A move in 16 bits; it is meaningful only with a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PolyglotMove(u16);

/// Roles by promotion field, from 1.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl PolyglotMove {
    /// Unpacks 16 bits: destination in bits 0 to 5, origin in 6 to 11, promotion in 12 to 14.
    pub const fn from_bits(bits: u16) -> PolyglotMove {
        PolyglotMove(bits)
    }

    /// The 16 bits of a book entry.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Packs a move into 16 bits; castling is the king capturing its own rook.
    pub fn from_move(mv: Move) -> PolyglotMove {
        let promotion = mv.promoted_to().map_or(0, |role| role.index() as u16);
        PolyglotMove(promotion << 12 | (mv.from().index() as u16) << 6 | mv.to().index() as u16)
    }

    /// The legal move in this position, if there is one. Castling as a king move of two squares is accepted, since some
    /// programs write it.
    pub fn to_move(self, position: &Position) -> Option<Move> {
        let promotion = match self.0 >> 12 & 7 {
            0 => None,
            number => Some(*PROMOTIONS.get(usize::from(number) - 1)?),
        };
        let from = Square::from_index(usize::from(self.0 >> 6 & 63));
        let to = Square::from_index(usize::from(self.0 & 63));
        UciMove::new(from, to, promotion).to_move(position).ok()
    }
}
