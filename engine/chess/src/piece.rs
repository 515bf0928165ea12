//! Colors, roles (piece types) and pieces.

use std::fmt;
use std::ops::Not;

use crate::square::Rank;

/// A side of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names speak for themselves")]
pub enum Color {
    White,
    Black,
}

impl Color {
    /// White, then Black.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Black for White, and White for Black.
    #[inline]
    pub const fn opposite(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// `w` or `b`, as in FEN.
    pub const fn to_char(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }

    /// The rank relative to this side: Black's first is the eighth.
    #[inline]
    pub const fn rank(self, rank: Rank) -> Rank {
        match self {
            Color::White => rank,
            Color::Black => Rank::ALL[7 - rank as usize],
        }
    }
}

impl Not for Color {
    type Output = Color;

    #[inline]
    fn not(self) -> Color {
        self.opposite()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::White => "white",
            Color::Black => "black",
        })
    }
}

/// The type of a piece, of either color.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names speak for themselves")]
pub enum Role {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Role {
    /// All roles, from the pawn to the king.
    pub const ALL: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

    /// 0 for the pawn to 5 for the king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The role named by an English letter, in either case.
    pub const fn from_char(letter: char) -> Option<Role> {
        Some(match letter.to_ascii_lowercase() {
            'p' => Role::Pawn,
            'n' => Role::Knight,
            'b' => Role::Bishop,
            'r' => Role::Rook,
            'q' => Role::Queen,
            'k' => Role::King,
            _ => return None,
        })
    }

    /// The lower-case English letter of the role.
    pub const fn to_char(self) -> char {
        b"pnbrqk"[self as usize] as char
    }

    /// The upper-case English letter of the role, as in SAN.
    pub const fn to_upper_char(self) -> char {
        b"PNBRQK"[self as usize] as char
    }
}

/// A role with a color.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Piece(u8);

impl Piece {
    /// The piece of the given color and role.
    #[inline]
    pub const fn new(color: Color, role: Role) -> Piece {
        Piece((role as u8) << 1 | color as u8)
    }

    /// All twelve pieces: white pawn, black pawn, white knight, …, black king.
    pub fn all() -> impl Iterator<Item = Piece> {
        (0..12).map(Piece)
    }

    /// Color of the piece.
    #[inline]
    pub const fn color(self) -> Color {
        if self.0 & 1 == 0 { Color::White } else { Color::Black }
    }

    /// Role of the piece.
    #[inline]
    pub const fn role(self) -> Role {
        Role::ALL[(self.0 >> 1) as usize]
    }

    /// 0 (white pawn), 1 (black pawn) to 11 (black king): twice the role index plus the color index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The piece with an index of [`Piece::index`]; `None` above 11.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Piece> {
        if index < 12 { Some(Piece(index as u8)) } else { None }
    }

    /// The piece of a FEN letter: upper case is White.
    pub const fn from_char(letter: char) -> Option<Piece> {
        match Role::from_char(letter) {
            Some(role) if letter.is_ascii_uppercase() => Some(Piece::new(Color::White, role)),
            Some(role) => Some(Piece::new(Color::Black, role)),
            None => None,
        }
    }

    /// The FEN letter of the piece: upper case is White.
    pub const fn to_char(self) -> char {
        match self.color() {
            Color::White => self.role().to_upper_char(),
            Color::Black => self.role().to_char(),
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_char())
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_prints_as_it_parses() {
        for piece in Piece::all() {
            assert_eq!(Piece::from_char(piece.to_char()), Some(piece));
            assert_eq!(Piece::new(piece.color(), piece.role()), piece);
        }
        assert_eq!(Piece::from_char('x'), None);
    }
}
