//! Validation of a [`Setup`]: the only way to a position.

use thiserror::Error;

use super::{NO_PIECE, Position};
use crate::attacks::{king_attacks, pawn_attacks};
use crate::bitboard::Bitboard;
use crate::piece::{Color, Piece, Role};
use crate::setup::{CastlingSide, Setup};
use crate::square::{Rank, Square};

/// Why a setup is not a legal position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// A side has no king.
    #[error("{0} has no king")]
    NoKing(Color),
    /// A side has more than one king.
    #[error("{0} has more than one king")]
    TooManyKings(Color),
    /// The kings are adjacent.
    #[error("the kings stand next to each other")]
    AdjacentKings,
    /// A pawn is on the first or last rank.
    #[error("there is a pawn on {0}, where none can stand")]
    PawnOnBackRank(Square),
    /// The side not to move is in check.
    #[error("{0} is in check, but it is not {0}'s turn")]
    OpponentInCheck(Color),
    /// A castling right without a king on the back rank or without its rook, or a second one on the same side.
    #[error("the castling right of the rook on {0} fits no king and rook there")]
    WrongCastlingRight(Square),
    /// An en passant square that no double push can have produced.
    #[error("{0} can't be an en-passant square here")]
    WrongEnPassant(Square),
}

impl Position {
    /// Validates a setup and converts it to a position.
    ///
    /// # Errors
    /// The first reason why the setup is not a legal position.
    pub fn new(setup: &Setup) -> Result<Position, PositionError> {
        let mut position = Position {
            roles: [Bitboard::EMPTY; 7],
            colors: [Bitboard::EMPTY; 2],
            key: 0,
            pawn_key: 0,
            checkers: Bitboard::EMPTY,
            orthogonal_pins: Bitboard::EMPTY,
            diagonal_pins: Bitboard::EMPTY,
            castling_rooks: setup.castling_rooks,
            board: [NO_PIECE as u8; 64],
            turn: setup.turn,
            en_passant: None,
            halfmove_clock: setup.halfmove_clock,
            fullmove_number: setup.fullmove_number,
        };
        for square in Square::all() {
            if let Some(piece) = setup.board[square.index()] {
                position.board[square.index()] = piece.index() as u8;
                position.roles[piece.role().index()].insert(square);
                position.colors[piece.color().index()].insert(square);
            }
        }
        position.check_kings()?;
        position.check_pawns()?;
        let us = position.turn;
        if (position.attackers(position.king(!us), position.occupied()) & position.color(us)).any() {
            return Err(PositionError::OpponentInCheck(!us));
        }
        position.check_castling()?;
        if let Some(square) = setup.en_passant {
            position.check_en_passant(square)?;
            let takers = pawn_attacks(!us, square) & position.pieces(us, Role::Pawn);
            position.en_passant = takers.any().then_some(square);
        }
        position.key = position.key_from_scratch();
        position.pawn_key = position.pieces_key(position.role(Role::Pawn));
        position.find_checkers_and_pins(us, position.king(us), position.color(!us));
        Ok(position)
    }

    fn check_kings(&self) -> Result<(), PositionError> {
        for color in Color::ALL {
            match self.pieces(color, Role::King).count() {
                0 => return Err(PositionError::NoKing(color)),
                1 => {}
                _ => return Err(PositionError::TooManyKings(color)),
            }
        }
        if king_attacks(self.king(Color::White)).contains(self.king(Color::Black)) {
            return Err(PositionError::AdjacentKings);
        }
        Ok(())
    }

    fn check_pawns(&self) -> Result<(), PositionError> {
        let back_ranks = Bitboard::from_rank(Rank::First) | Bitboard::from_rank(Rank::Eighth);
        match (self.role(Role::Pawn) & back_ranks).first() {
            Some(square) => Err(PositionError::PawnOnBackRank(square)),
            None => Ok(()),
        }
    }

    fn check_castling(&self) -> Result<(), PositionError> {
        let mut seen = [[false; 2]; 2];
        for rook in self.castling_rooks {
            let wrong = PositionError::WrongCastlingRight(rook);
            let color = self.piece_at(rook).map(Piece::color).ok_or(wrong)?;
            let king = self.king(color);
            let back_rank = color.rank(Rank::First);
            let fits = self.piece_at(rook) == Some(Piece::new(color, Role::Rook))
                && rook.rank() == back_rank
                && king.rank() == back_rank;
            let taken = &mut seen[color.index()][CastlingSide::of(king, rook) as usize];
            if !fits || std::mem::replace(taken, true) {
                return Err(wrong);
            }
        }
        Ok(())
    }

    fn check_en_passant(&self, square: Square) -> Result<(), PositionError> {
        let (us, them) = (self.turn, !self.turn);
        let pawn = Square::new(square.file(), us.rank(Rank::Fifth));
        let origin = Square::new(square.file(), us.rank(Rank::Seventh));
        let fits = square.rank() == us.rank(Rank::Sixth)
            && self.piece_at(square).is_none()
            && self.piece_at(origin).is_none()
            && self.piece_at(pawn) == Some(Piece::new(them, Role::Pawn));
        if fits { Ok(()) } else { Err(PositionError::WrongEnPassant(square)) }
    }
}
