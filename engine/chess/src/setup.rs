//! The parts of a position before validation: pieces, side to move, castling rights and en passant square. A [`Setup`]
//! may be illegal; [`crate::Position::new`] validates it.

use crate::bitboard::Bitboard;
use crate::piece::{Color, Piece, Role};
use crate::square::{File, Rank, Square};

/// Castling side: kingside (h-side) or queenside (a-side).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum CastlingSide {
    /// Toward the h-file; the king ends on the g-file, the rook on the f-file.
    King,
    /// Toward the a-file; the king ends on the c-file, the rook on the d-file.
    Queen,
}

impl CastlingSide {
    /// King side, then queen side.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// The side of its king on which a rook is, both on one rank.
    #[inline]
    pub const fn of(king: Square, rook: Square) -> CastlingSide {
        if rook.index() > king.index() { CastlingSide::King } else { CastlingSide::Queen }
    }

    /// The king's file after castling.
    #[inline]
    pub const fn king_file(self) -> File {
        match self {
            CastlingSide::King => File::G,
            CastlingSide::Queen => File::C,
        }
    }

    /// The rook's file after castling.
    #[inline]
    pub const fn rook_file(self) -> File {
        match self {
            CastlingSide::King => File::F,
            CastlingSide::Queen => File::D,
        }
    }
}

/// The parts of a position, not validated.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// The piece on each square, by [`Square::index`].
    pub board: [Option<Piece>; 64],
    /// Side to move.
    pub turn: Color,
    /// The rooks of both sides that have castling rights.
    pub castling_rooks: Bitboard,
    /// The square behind a pawn that has just made a double push, whether or not a pawn can capture it.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// Number of the next full move, from 1.
    pub fullmove_number: u16,
}

impl Setup {
    /// An empty board, White to move.
    pub fn empty() -> Setup {
        Setup {
            board: [None; 64],
            turn: Color::White,
            castling_rooks: Bitboard::EMPTY,
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        }
    }

    /// The start position of standard chess.
    pub fn start() -> Setup {
        use Role::{Bishop, King, Knight, Queen, Rook};
        Setup::start_with([Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook])
    }

    /// The start position with these pieces on both back ranks, from the a-file; all rooks may castle.
    pub fn start_with(back_rank: [Role; 8]) -> Setup {
        let mut setup = Setup::empty();
        for (file, role) in File::ALL.into_iter().zip(back_rank) {
            for color in Color::ALL {
                let back = Square::new(file, color.rank(Rank::First));
                setup.board[back.index()] = Some(Piece::new(color, role));
                let front = Square::new(file, color.rank(Rank::Second));
                setup.board[front.index()] = Some(Piece::new(color, Role::Pawn));
                if role == Role::Rook {
                    setup.castling_rooks.insert(back);
                }
            }
        }
        setup
    }

    /// The Chess960 start position with this number, 0 to 959, in R. Scharnagl's numbering; 518 is standard chess.
    pub fn chess960(number: u16) -> Option<Setup> {
        use Role::{Bishop, King, Knight, Queen, Rook};
        if number >= 960 {
            return None;
        }
        let mut rank: [Option<Role>; 8] = [None; 8];
        let (rest, light) = (usize::from(number) / 4, usize::from(number) % 4);
        let (rest, dark) = (rest / 4, rest % 4);
        let (knights, queen) = (rest / 6, rest % 6);
        rank[2 * light + 1] = Some(Bishop);
        rank[2 * dark] = Some(Bishop);
        let mut place = |nth: usize, role: Role| {
            let free = (0..8).filter(|&file| rank[file].is_none()).nth(nth)?;
            rank[free] = Some(role);
            Some(())
        };
        place(queen, Queen)?;
        // The ten ways to put two knights on five squares; the second is placed first, so that it does not shift the
        // first.
        let (first, second) =
            (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second))).nth(knights)?;
        place(second, Knight)?;
        place(first, Knight)?;
        for role in [Rook, King, Rook] {
            place(0, role)?;
        }
        let mut back_rank = [Rook; 8];
        for (there, role) in back_rank.iter_mut().zip(rank) {
            *there = role?;
        }
        Some(Setup::start_with(back_rank))
    }

    /// The squares of a piece.
    pub fn squares_of(&self, piece: Piece) -> Bitboard {
        Square::all().filter(|square| self.board[square.index()] == Some(piece)).collect()
    }

    /// The king's square of a side, the lowest if there are several; `None` without a king.
    pub fn king_of(&self, color: Color) -> Option<Square> {
        self.squares_of(Piece::new(color, Role::King)).first()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::position::Position;

    #[test]
    fn the_960_start_positions_have_their_numbers() {
        let rank = |number| Setup::chess960(number).unwrap().to_fen(crate::FenStyle::XFen)[..8].to_owned();
        assert_eq!([0, 518, 534, 959].map(rank), ["bbqnnrkr", "rnbqkbnr", "rnbkqbnr", "rkrnnqbb"]);
        let all: HashSet<String> = (0..960).map(rank).collect();
        assert_eq!(all.len(), 960);
        assert!((0..960).all(|number| Position::new(&Setup::chess960(number).unwrap()).is_ok()));
        assert_eq!(Setup::chess960(960), None);
        assert_eq!(Setup::chess960(518), Some(Setup::start()));
    }
}
