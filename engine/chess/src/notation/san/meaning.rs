//! Conversion between SAN and moves in a position, with disambiguation.

use super::{CheckMark, San, SanAction, SanBody, SanMove};
use crate::attacks::{attacks, pawn_attacks};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind};
use crate::notation::uci_move::UciMove;
use crate::piece::Role;
use crate::position::Position;
use crate::setup::CastlingSide;
use crate::square::{Rank, Square};

/// Why a SAN move cannot be played in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SanError {
    /// A null move is never legal.
    #[error("-- is a null move, not a legal one")]
    Null,
    /// No legal move matches the text.
    #[error("{0} is not a legal move here")]
    Illegal(San),
    /// Several legal moves match the text.
    #[error("{0} could be more than one move here")]
    Ambiguous(San),
}

impl San {
    /// The legal move that the text denotes in a position. Check and capture marks are not verified; the origin may be
    /// given more fully than necessary, but must be correct.
    ///
    /// # Errors
    /// If no legal move matches, or several do.
    #[inline]
    pub fn to_move(&self, position: &Position) -> Result<Move, SanError> {
        match self.body {
            SanBody::Null => Err(SanError::Null),
            SanBody::Castle(side) => position.legal_castling(side).ok_or(SanError::Illegal(*self)),
            SanBody::Normal(normal) => match normal.find(position) {
                Matches::One(mv) => Ok(mv),
                Matches::None => Err(SanError::Illegal(*self)),
                Matches::Several => Err(SanError::Ambiguous(*self)),
            },
        }
    }

    /// The SAN of a legal move: with the minimal disambiguation, and a check or mate mark.
    pub fn from_move(mv: Move, position: &Position) -> San {
        let after = position.after(mv);
        let mark = match after.is_check() {
            false => CheckMark::None,
            true if after.has_legal_move() => CheckMark::Check,
            true => CheckMark::Checkmate,
        };
        San { body: SanBody::from_move(mv, position), mark }
    }
}

impl SanBody {
    /// The SAN of a legal move without a check mark.
    pub fn from_move(mv: Move, position: &Position) -> SanBody {
        if mv.is_castle() {
            return SanBody::Castle(CastlingSide::of(mv.from(), mv.to()));
        }
        let role = position.moved_role(mv);
        let action = if mv.is_capture() { SanAction::Capture } else { SanAction::Move };
        let written =
            SanMove { role, file: None, rank: None, action, to: mv.to(), promotion: mv.promoted_to() };
        SanBody::Normal(match role {
            Role::Pawn if mv.is_capture() => SanMove { file: Some(mv.from().file()), ..written },
            Role::Pawn | Role::King => written,
            _ => written.distinguished(mv, position),
        })
    }
}

/// The legal moves that match.
enum Matches {
    None,
    One(Move),
    Several,
}

impl SanMove {
    /// Adds the origin's file, else its rank, else both, if another piece of the role can go there too.
    fn distinguished(self, mv: Move, position: &Position) -> SanMove {
        let from = mv.from();
        let rivals: Bitboard = (origins(position, self.role, self.to) - from.into())
            .into_iter()
            .filter(|&rival| is_legal(position, Move::new(rival, self.to, mv.kind())))
            .collect();
        let (file, rank) = if rivals.is_empty() {
            (None, None)
        } else if !rivals.intersects(Bitboard::from_file(from.file())) {
            (Some(from.file()), None)
        } else if !rivals.intersects(Bitboard::from_rank(from.rank())) {
            (None, Some(from.rank()))
        } else {
            (Some(from.file()), Some(from.rank()))
        };
        SanMove { file, rank, ..self }
    }

    fn find(&self, position: &Position) -> Matches {
        match (self.role, self.file, self.rank) {
            (_, Some(file), Some(rank)) => self.find_from(position, Square::new(file, rank)),
            (Role::Pawn, _, _) => self.find_pawn_move(position),
            _ => self.find_piece_move(position),
        }
    }

    /// With both squares given, the move is like coordinate notation.
    fn find_from(&self, position: &Position, from: Square) -> Matches {
        let stands = position.piece_at(from).map(|piece| piece.role());
        let fits = self.role == Role::Pawn || stands == Some(self.role);
        let text = UciMove::new(from, self.to, self.promotion);
        match text.to_move(position) {
            Ok(mv) if fits => Matches::One(mv),
            _ => Matches::None,
        }
    }

    fn find_piece_move(&self, position: &Position) -> Matches {
        let enemies = position.color(!position.turn());
        if position.color(position.turn()).contains(self.to) {
            return Matches::None;
        }
        let kind = if enemies.contains(self.to) { MoveKind::Capture } else { MoveKind::Quiet };
        let candidates = origins(position, self.role, self.to) & self.origin_mask();
        only(position, candidates.into_iter().map(|from| Move::new(from, self.to, kind)))
    }

    fn find_pawn_move(&self, position: &Position) -> Matches {
        let us = position.turn();
        let pawns = position.pieces(us, Role::Pawn) & self.origin_mask();
        let to = Bitboard::from(self.to);
        if self.action == SanAction::Move && !to.intersects(position.occupied()) {
            let single = to.forward(!us);
            if single.intersects(pawns) {
                return self.pawn_step(position, single.lowest(), MoveKind::Quiet);
            }
            let double = (single - position.occupied()).forward(!us);
            if self.to.rank() == us.rank(Rank::Fourth) && double.intersects(pawns) {
                return self.pawn_step(position, double.lowest(), MoveKind::DoublePush);
            }
        }
        let takers = pawns & pawn_attacks(!us, self.to);
        // Without a file, `d5` is a push: a capture needs its origin file or an `x`.
        if self.file.is_none() && self.action == SanAction::Move {
            return Matches::None;
        }
        let kind = match position.en_passant() {
            _ if to.intersects(position.color(!us)) => MoveKind::Capture,
            Some(square) if square == self.to => MoveKind::EnPassant,
            _ => return Matches::None,
        };
        only(position, takers.into_iter().filter_map(|from| self.pawn_move(position, from, kind)))
    }

    fn pawn_step(&self, position: &Position, from: Square, kind: MoveKind) -> Matches {
        only(position, self.pawn_move(position, from, kind).into_iter())
    }

    /// The pawn's move from a square, if the text has a promotion exactly when the move is one.
    fn pawn_move(&self, position: &Position, from: Square, kind: MoveKind) -> Option<Move> {
        let promotes = self.to.rank() == position.turn().rank(Rank::Eighth);
        match self.promotion {
            Some(role) if promotes => Some(Move::promotion(from, self.to, role, kind == MoveKind::Capture)),
            None if !promotes => Some(Move::new(from, self.to, kind)),
            _ => None,
        }
    }

    /// The squares that match the given part of the origin.
    fn origin_mask(&self) -> Bitboard {
        let file = self.file.map_or(Bitboard::FULL, Bitboard::from_file);
        let rank = self.rank.map_or(Bitboard::FULL, Bitboard::from_rank);
        file & rank
    }
}

/// The pieces of the side to move that attack a square, except pawns.
fn origins(position: &Position, role: Role, to: Square) -> Bitboard {
    let us = position.turn();
    attacks(us, role, to, position.occupied()) & position.pieces(us, role)
}

fn only(position: &Position, candidates: impl Iterator<Item = Move>) -> Matches {
    let mut legal = candidates.filter(|&mv| is_legal(position, mv));
    match (legal.next(), legal.next()) {
        (None, _) => Matches::None,
        (Some(mv), None) => Matches::One(mv),
        _ => Matches::Several,
    }
}

/// Whether a pseudo-legal move is legal; fast if nothing threatens the king.
fn is_legal(position: &Position, mv: Move) -> bool {
    let is_free = !position.is_check()
        && !position.pinned().contains(mv.from())
        && !mv.is_en_passant()
        && position.king(position.turn()) != mv.from();
    is_free || position.is_legal(mv)
}
