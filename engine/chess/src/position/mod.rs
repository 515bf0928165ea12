//! Legal positions: legality is checked once, by [`Position::new`], and guaranteed by the type afterwards.
//!
//! A position is a small flat value: playing a move on a copy is how one goes forward, dropping it how one goes
//! back. It knows nothing of the moves before it; [`crate::Game`] does.

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

/// A legal position of standard chess or Chess960: each side has one king, the side that has just moved is not
/// in check, castling rights and the en-passant square fit the board. Any number of other pieces may stand there.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Position {
    /// Squares by role; the slot after the king's takes the changes of captures that take nothing.
    roles: [Bitboard; 7],
    colors: [Bitboard; 2],
    key: u64,
    pawn_key: u64,
    checkers: Bitboard,
    /// Between the king of the side to move and each rook or queen that one piece alone holds off, the
    /// attacker included. A piece of the side to move that stands here is pinned along ranks and files.
    orthogonal_pins: Bitboard,
    /// The same for bishops and queens on diagonals.
    diagonal_pins: Bitboard,
    castling_rooks: Bitboard,
    /// Piece index by square, or [`NO_PIECE`].
    board: [u8; 64],
    turn: Color,
    /// Set only where a pawn stands ready to take, as in Polyglot's keys; whether it may is not yet asked.
    en_passant: Option<Square>,
    halfmove_clock: u16,
    fullmove_number: u16,
}

impl Position {
    /// The start position of standard chess.
    pub fn start() -> Position {
        Position::new(&Setup::start()).expect("the start position is legal")
    }

    /// Takes the position apart. The en-passant square is there only where a pawn stands ready to take.
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

    /// Whether a side has more than pawns and its king.
    #[inline]
    pub fn has_pieces(&self, color: Color) -> bool {
        (self.color(color) - self.role(Role::Pawn) - self.role(Role::King)).any()
    }

    /// All squares with a piece.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// What stands on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_index(self.board[square.index()] as usize)
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).lowest()
    }

    /// The pieces that give check to the side to move.
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

    /// The rooks of both sides that may still castle.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }

    /// The square behind a pawn that has just made its double step, where a pawn stands beside it ready to
    /// take. The capture may still be illegal; see [`Position::legal_en_passant`].
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move. Stops counting at 65,535.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// Number of the next move, counted up after Black's.
    #[inline]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The Zobrist key that Polyglot defines: pieces, turn, castling rights, and the en-passant file where a
    /// pawn stands ready to take.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The key without its part for the turn: the same for either side to move. Castling rights and the en-passant file
    /// stay in it, and a null move ends the latter.
    #[inline]
    pub fn key_without_turn(&self) -> u64 {
        match self.turn {
            Color::White => self.key ^ zobrist::WHITE_TO_MOVE,
            Color::Black => self.key,
        }
    }

    /// The part of the key that comes from the pawns alone; 0 without pawns.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// The key by which two positions are the same for the rules of repetition: as [`Position::key`], but
    /// without an en-passant file on which no capture is legal.
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

    /// The pieces' part of the key, for those that stand on the given squares.
    fn pieces_key(&self, squares: Bitboard) -> u64 {
        (squares & self.occupied()).into_iter().fold(0, |key, square| {
            key ^ self.piece_at(square).map_or(0, |piece| zobrist::piece_key(piece, square))
        })
    }

    /// The pieces of both sides that attack a square, given the occupied squares. Pieces outside of
    /// `occupied` still count as attackers: mask them out where they are thought away.
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

    /// The position with the sides exchanged: everything of White's becomes Black's on the rank across. For the
    /// side to move nothing has changed, so an evaluation must not notice.
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
    /// Same pieces, turn, rights, en-passant square and counters.
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
