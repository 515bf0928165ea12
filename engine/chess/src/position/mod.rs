//! Legal positions: [`Position::new`] checks legality once, and the type guarantees it afterward.
//!
//! A position is a small flat value: play a move on a copy, and drop the copy to undo it. Earlier moves are in
//! [`crate::Game`].

mod bulk;
mod castling;
mod exchange;
mod generate;
mod legality;
mod play;
mod steps;
mod validate;
mod zobrist;

pub use exchange::ExchangeValues;
pub use generate::{MoveSink, Moves, PawnStep};
pub use legality::Checks;
pub use validate::PositionError;

use std::fmt;

use crate::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use crate::bitboard::Bitboard;
use crate::piece::{Color, Piece, Role};
use crate::setup::Setup;
use crate::square::Square;
use zobrist::NO_PIECE;

/// A legal position of standard chess or Chess960: each side has one king, the side not to move is not in check,
/// castling rights and en passant square fit the board. The number of other pieces is not limited.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Position {
    /// Squares by role; the slot after the king's is a dummy for moves that capture nothing.
    roles: [Bitboard; 7],
    colors: [Bitboard; 2],
    key: u64,
    pawn_key: u64,
    checkers: Bitboard,
    /// Between the king of the side to move and each rook or queen with exactly one blocker, including the attacker. A
    /// piece of the side to move on these squares is pinned along a rank or file.
    orthogonal_pins: Bitboard,
    /// The same for bishops and queens, on diagonals.
    diagonal_pins: Bitboard,
    castling_rooks: Bitboard,
    /// Piece index by square, or [`NO_PIECE`].
    board: [u8; 64],
    turn: Color,
    /// Set only if a pawn can pseudo-legally capture, as in Polyglot keys.
    en_passant: Option<Square>,
    halfmove_clock: u16,
    fullmove_number: u16,
}

impl Position {
    /// The start position of standard chess.
    pub fn start() -> Position {
        Position::new(&Setup::start()).expect("the start position is legal")
    }

    /// Converts to a setup. The en passant square is set only if a pawn can pseudo-legally capture.
    pub fn to_setup(&self) -> Setup {
        Setup {
            board: std::array::from_fn(|index| self.piece_at(Square::from_index(index))),
            turn: self.turn,
            castling_rooks: self.castling_rooks,
            en_passant: self.en_passant,
            halfmove_clock: self.halfmove_clock,
            fullmove_number: self.fullmove_number,
        }
    }

    /// Whose turn it is.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The squares of a role, both sides together.
    #[inline]
    pub fn role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    /// The squares of a side.
    #[inline]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The squares of a role of a side.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.color(color) & self.role(role)
    }

    /// Whether a side has a piece other than pawns and king.
    #[inline]
    pub fn has_pieces(&self, color: Color) -> bool {
        (self.color(color) - self.role(Role::Pawn) - self.role(Role::King)).any()
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_index(self.board[square.index()] as usize)
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).lowest()
    }

    /// The pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that are pinned to their king.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        (self.orthogonal_pins | self.diagonal_pins) & self.color(self.turn)
    }

    /// The rooks of both sides that have castling rights.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }

    /// The square behind a pawn that has just made a double push, if an enemy pawn stands beside it. The capture may be
    /// illegal; see [`Position::legal_en_passant`].
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move. Stops counting at 65,535.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// Number of the next full move.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The Zobrist key as defined by Polyglot: pieces, turn, castling rights, and the en passant file if a pawn can
    /// pseudo-legally capture.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The key without the turn: the same for either side to move. It includes castling rights and the en passant file,
    /// which a null move clears.
    #[inline]
    pub fn key_without_turn(&self) -> u64 {
        match self.turn {
            Color::White => self.key ^ zobrist::WHITE_TO_MOVE,
            Color::Black => self.key,
        }
    }

    /// The pawns' part of the key; 0 without pawns.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The key for repetition detection: as [`Position::key`], but with the en passant file only if a capture is legal.
    pub fn repetition_key(&self) -> u64 {
        match self.en_passant {
            Some(square) if self.legal_en_passant().is_none() => {
                self.key ^ zobrist::en_passant_key(square.file())
            }
            _ => self.key,
        }
    }

    /// The Zobrist key computed from scratch, to check [`Position::key`].
    pub fn key_from_scratch(&self) -> u64 {
        let mut key = self.pieces_key(Bitboard::FULL);
        for rook in self.castling_rooks {
            key ^= self.castling_key(rook);
        }
        if let Some(square) = self.en_passant {
            key ^= zobrist::en_passant_key(square.file());
        }
        if self.turn == Color::White { key ^ zobrist::WHITE_TO_MOVE } else { key }
    }

    /// The pieces' part of the key for the given squares.
    fn pieces_key(&self, squares: Bitboard) -> u64 {
        (squares & self.occupied()).into_iter().fold(0, |key, square| {
            key ^ self.piece_at(square).map_or(0, |piece| zobrist::piece_key(piece, square))
        })
    }

    /// The pieces of both sides that attack a square, given the occupied squares. Pieces outside `occupied` still count
    /// as attackers: mask them out to ignore them.
    #[inline]
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let pawns = pawn_attacks(Color::White, square) & self.color(Color::Black)
            | pawn_attacks(Color::Black, square) & self.color(Color::White);
        pawns & self.role(Role::Pawn)
            | knight_attacks(square) & self.role(Role::Knight)
            | king_attacks(square) & self.role(Role::King)
            | bishop_attacks(square, occupied) & (self.role(Role::Bishop) | self.role(Role::Queen))
            | rook_attacks(square, occupied) & (self.role(Role::Rook) | self.role(Role::Queen))
    }

    /// The position with colors exchanged and the board mirrored vertically. A correct evaluation from the side to
    /// move's point of view is the same.
    pub fn mirrored(&self) -> Position {
        let setup = self.to_setup();
        let mirror = Setup {
            board: std::array::from_fn(|index| {
                let piece = setup.board[Square::from_index(index).flip_rank().index()]?;
                Some(Piece::new(!piece.color(), piece.role()))
            }),
            turn: !setup.turn,
            castling_rooks: setup.castling_rooks.flip_ranks(),
            en_passant: setup.en_passant.map(Square::flip_rank),
            ..setup
        };
        Position::new(&mirror).expect("the mirror image of a legal position is legal")
    }
}

impl PartialEq for Position {
    /// Compares pieces, turn, castling rights, en passant square and counters.
    fn eq(&self, other: &Position) -> bool {
        self.colors == other.colors
            && self.board == other.board
            && self.turn == other.turn
            && self.castling_rooks == other.castling_rooks
            && self.en_passant == other.en_passant
            && self.halfmove_clock == other.halfmove_clock
            && self.fullmove_number == other.fullmove_number
    }
}

impl Eq for Position {}

impl Default for Position {
    fn default() -> Position {
        Position::start()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({})", self.to_fen())
    }
}
