//! Plays moves. Keys are kept incrementally; checkers and pins of the side that is then to move are found in
//! one pass over the sliders that look at its king.

use super::{NO_PIECE, Position, castling, zobrist};
use crate::attacks::{between, bishop_attacks, knight_attacks, pawn_attacks, rook_attacks};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind};
use crate::piece::{Color, Piece, Role};
use crate::square::{Rank, Square};

impl Position {
    /// Plays a legal move and tells whether it gives check. What happens with an illegal move is unspecified, but
    /// it is no undefined behavior: ask [`Position::is_legal`] where in doubt.
    #[inline]
    pub fn play(&mut self, mv: Move) -> bool {
        match self.turn {
            Color::White => self.play_as::<true>(mv),
            Color::Black => self.play_as::<false>(mv),
        }
        self.checkers.any()
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Position {
        let mut next = *self;
        next.play(mv);
        next
    }

    /// The position after the side to move has passed.
    ///
    /// # Panics
    /// If it is in check, in debug builds.
    #[must_use]
    pub fn after_null_move(&self) -> Position {
        debug_assert!(self.checkers.is_empty());
        let mut next = *self;
        next.key ^= zobrist::WHITE_TO_MOVE;
        if let Some(square) = next.en_passant.take() {
            next.key ^= zobrist::en_passant_key(square.file());
        }
        next.count_ply(self.turn);
        next.halfmove_clock = next.halfmove_clock.saturating_add(1);
        next.turn = !self.turn;
        next.find_checkers_and_pins();
        next
    }

    #[inline]
    fn count_ply(&mut self, mover: Color) {
        self.fullmove_number = self.fullmove_number.saturating_add(mover.index() as u16);
    }

    /// As [`Position::play`] for the side that is known to move.
    #[inline]
    pub(crate) fn play_as<const WHITE: bool>(&mut self, mv: Move) {
        let us = if WHITE { Color::White } else { Color::Black };
        let (from, to) = (mv.from(), mv.to());
        self.key ^= zobrist::WHITE_TO_MOVE;
        if let Some(square) = self.en_passant.take() {
            self.key ^= zobrist::en_passant_key(square.file());
        }
        self.count_ply(us);
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);

        let moved = self.board[from.index()] as usize;
        let losing = Bitboard::from(from) | to.into();
        let back_rank = Bitboard::from_rank(us.rank(Rank::First));
        let is_king = moved >> 1 == Role::King as usize;
        let lost = self.castling_rooks & (losing | if is_king { back_rank } else { Bitboard::EMPTY });
        if lost.any() {
            self.lose_castling(lost);
        }
        if mv.is_castle() {
            self.castle(us, from, to);
        } else {
            self.move_piece(us, moved, mv);
        }
        self.turn = !us;
        if WHITE {
            self.find_checkers_and_pins_of::<false>();
        } else {
            self.find_checkers_and_pins_of::<true>();
        }
    }

    /// Everything but castling: the piece leaves its square, takes what stands on the other (perhaps nothing),
    /// and arrives there as itself or promoted.
    #[inline]
    fn move_piece(&mut self, us: Color, moved: usize, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        let taken = self.board[to.index()] as usize;
        let taken_square = if taken == NO_PIECE { Bitboard::EMPTY } else { to.into() };
        self.board[from.index()] = NO_PIECE as u8;
        self.board[to.index()] = moved as u8;
        self.roles[taken >> 1] ^= taken_square;
        self.colors[(!us).index()] ^= taken_square;
        let both = Bitboard::from(from) | to.into();
        self.roles[moved >> 1] ^= both;
        self.colors[us.index()] ^= both;
        let moved_key = zobrist::PIECES[moved][from.index()] ^ zobrist::PIECES[moved][to.index()];
        let taken_key = zobrist::PIECES[taken][to.index()];
        self.key ^= moved_key ^ taken_key;
        if taken >> 1 == Role::Pawn as usize {
            self.pawn_key ^= taken_key;
        }
        if taken != NO_PIECE {
            self.halfmove_clock = 0;
        }
        if moved >> 1 == Role::Pawn as usize {
            self.pawn_key ^= moved_key;
            self.halfmove_clock = 0;
            self.finish_pawn_move(us, mv);
        }
    }

    /// What pawns do besides moving and taking: step twice, take en passant, promote.
    #[inline]
    fn finish_pawn_move(&mut self, us: Color, mv: Move) {
        let to = mv.to();
        match mv.kind() {
            MoveKind::DoublePush => {
                let behind = Square::from_index(to.index() ^ 8);
                if (pawn_attacks(us, behind) & self.pieces(!us, Role::Pawn)).any() {
                    self.en_passant = Some(behind);
                    self.key ^= zobrist::en_passant_key(behind.file());
                }
            }
            MoveKind::EnPassant => {
                let taken = Square::from_index(to.index() ^ 8);
                let key = zobrist::piece_key(Piece::new(!us, Role::Pawn), taken);
                self.board[taken.index()] = NO_PIECE as u8;
                self.roles[Role::Pawn.index()] ^= taken.into();
                self.colors[(!us).index()] ^= taken.into();
                self.key ^= key;
                self.pawn_key ^= key;
            }
            _ => {
                if let Some(role) = mv.promoted_to() {
                    let pawn_key = zobrist::piece_key(Piece::new(us, Role::Pawn), to);
                    let promoted = Piece::new(us, role);
                    self.board[to.index()] = promoted.index() as u8;
                    self.roles[Role::Pawn.index()] ^= to.into();
                    self.roles[role.index()] ^= to.into();
                    self.key ^= pawn_key ^ zobrist::piece_key(promoted, to);
                    self.pawn_key ^= pawn_key;
                }
            }
        }
    }

    #[cold]
    fn castle(&mut self, us: Color, king_from: Square, rook_from: Square) {
        let (king_to, rook_to) = castling::destinations(king_from, rook_from);
        let (king, rook) = (Piece::new(us, Role::King), Piece::new(us, Role::Rook));
        let king_path = Bitboard::from(king_from) ^ king_to.into();
        let rook_path = Bitboard::from(rook_from) ^ rook_to.into();
        self.board[king_from.index()] = NO_PIECE as u8;
        self.board[rook_from.index()] = NO_PIECE as u8;
        self.board[king_to.index()] = king.index() as u8;
        self.board[rook_to.index()] = rook.index() as u8;
        self.roles[Role::King.index()] ^= king_path;
        self.roles[Role::Rook.index()] ^= rook_path;
        self.colors[us.index()] ^= king_path ^ rook_path;
        self.key ^= zobrist::piece_key(king, king_from) ^ zobrist::piece_key(king, king_to);
        self.key ^= zobrist::piece_key(rook, rook_from) ^ zobrist::piece_key(rook, rook_to);
    }

    /// Takes rights away, while kings and rooks still stand where they did.
    #[cold]
    fn lose_castling(&mut self, lost: Bitboard) {
        for rook in lost {
            self.key ^= self.castling_key(rook);
        }
        self.castling_rooks ^= lost;
    }

    pub(super) fn find_checkers_and_pins(&mut self) {
        match self.turn {
            Color::White => self.find_checkers_and_pins_of::<true>(),
            Color::Black => self.find_checkers_and_pins_of::<false>(),
        }
    }

    /// Finds who attacks the king of the side to move, and which lines to him one piece alone blocks.
    #[inline]
    fn find_checkers_and_pins_of<const WHITE: bool>(&mut self) {
        let us = if WHITE { Color::White } else { Color::Black };
        let king = self.king(us);
        let them = self.color(!us);
        let occupied = self.occupied();
        let mut checkers =
            knight_attacks(king) & self.role(Role::Knight) | pawn_attacks(us, king) & self.role(Role::Pawn);
        let queens = self.role(Role::Queen);
        let orthogonal = (self.role(Role::Rook) | queens) & them;
        let diagonal = (self.role(Role::Bishop) | queens) & them;
        let orthogonal_view = rook_attacks(king, them);
        let diagonal_view = bishop_attacks(king, them);
        checkers &= them;
        self.orthogonal_pins = Bitboard::EMPTY;
        self.diagonal_pins = Bitboard::EMPTY;
        for slider in orthogonal_view & orthogonal {
            let line = between(king, slider);
            let blockers = line & occupied;
            if blockers.is_empty() {
                checkers.insert(slider);
            } else if !blockers.more_than_one() {
                self.orthogonal_pins |= line | slider.into();
            }
        }
        for slider in diagonal_view & diagonal {
            let line = between(king, slider);
            let blockers = line & occupied;
            if blockers.is_empty() {
                checkers.insert(slider);
            } else if !blockers.more_than_one() {
                self.diagonal_pins |= line | slider.into();
            }
        }
        self.checkers = checkers;
    }
}
