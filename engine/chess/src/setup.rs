//! The parts of a position before anybody has judged them: who stands where, whose turn it is, what may still
//! castle. A [`Setup`] can hold nonsense; [`crate::Position::new`] decides.

use crate::bitboard::Bitboard;
use crate::piece::{Color, Piece, Role};
use crate::square::{File, Rank, Square};

/// Which way a king castles: toward the rook on his h-side or on his a-side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum CastlingSide {
    /// Toward the h-file; the king ends on the g-file, the rook on the f-file.
    King,
    /// Toward the a-file; the king ends on the c-file, the rook on the d-file.
    Queen,
}

impl CastlingSide {
    /// The king's side, then the queen's.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    /// The side on which a rook stands of its king, both on one rank.
    #[inline]
    pub const fn of(king: Square, rook: Square) -> CastlingSide {
        if rook.index() > king.index() { CastlingSide::King } else { CastlingSide::Queen }
    }

    /// The file on which the king ends.
    #[inline]
    pub const fn king_file(self) -> File {
        match self {
            CastlingSide::King => File::G,
            CastlingSide::Queen => File::C,
        }
    }

    /// The file on which the rook ends.
    #[inline]
    pub const fn rook_file(self) -> File {
        match self {
            CastlingSide::King => File::F,
            CastlingSide::Queen => File::D,
        }
    }
}

/// The parts of a position, unjudged.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// What stands on each square, by [`Square::index`].
    pub board: [Option<Piece>; 64],
    /// Whose turn it is.
    pub turn: Color,
    /// The rooks that may still castle, of both sides.
    pub castling_rooks: Bitboard,
    /// The square behind a pawn that has just made its double step, whether or not anything can take it.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// Number of the next move, from 1, counted up after Black's.
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

    /// The start position with the given pieces on both back ranks, from the a-file; all rooks may castle.
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

    /// The squares of a piece.
    pub fn squares_of(&self, piece: Piece) -> Bitboard {
        Square::all().filter(|square| self.board[square.index()] == Some(piece)).collect()
    }

    /// The square of a side's king with the lowest index, if there is one.
    pub fn king_of(&self, color: Color) -> Option<Square> {
        self.squares_of(Piece::new(color, Role::King)).first()
    }
}
