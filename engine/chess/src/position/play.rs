//! Plays moves. Zobrist keys are updated incrementally; checkers and pins of the new side to move are computed in one
//! pass over its king's x-rays.

use super::{NO_PIECE, Position, castling, zobrist};
use crate::attacks::{between, bishop_attacks, knight_attacks, pawn_attacks, rook_attacks};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind};
use crate::piece::{Color, Piece, Role};
use crate::square::{Rank, Square};

/// The view of the king of the side not to move; valid for all moves that touch none of its lines.
pub(crate) struct KingView {
    /// The king's lines up to and including the first piece of the side to move on each.
    lines: Bitboard,
    orthogonal_pins: Bitboard,
    diagonal_pins: Bitboard,
}

/// The checkers after a normal move of `us`, except sliders: the moved pawn or knight, if it attacks the king.
#[inline(always)]
fn leaper_check(us: Color, king: Square, moved: usize, to: Square) -> Bitboard {
    const PAWN: usize = Role::Pawn as usize;
    const KNIGHT: usize = Role::Knight as usize;
    let attackers = match moved >> 1 {
        PAWN => pawn_attacks(!us, king),
        KNIGHT => knight_attacks(king),
        _ => Bitboard::EMPTY,
    };
    attackers & to.into()
}

impl Position {
    /// Plays a legal move and returns whether it gives check. An illegal move has an unspecified result, but is not
    /// undefined behavior: use [`Position::is_legal`] if in doubt.
    #[inline]
    pub fn play(&mut self, mv: Move) -> bool {
        let before = *self;
        self.set_after(&before, mv)
    }

    /// The position after a legal move; [`Position::is_check`] then says whether it gave check.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Position {
        let mut next = *self;
        next.play_from(self, mv);
        next
    }

    /// Overwrites this position with the one after a legal move from `before`, and returns whether the move gave check.
    /// This is the fastest way to play if the new position has its own memory, as on a search stack.
    #[inline]
    pub fn set_after(&mut self, before: &Position, mv: Move) -> bool {
        *self = *before;
        self.play_from(before, mv);
        self.checkers.any()
    }

    /// As [`Position::set_after`], for a position that is already a copy of `before`.
    #[inline]
    fn play_from(&mut self, before: &Position, mv: Move) {
        match before.turn {
            Color::White => self.play_from_as::<true>(before, mv, None),
            Color::Black => self.play_from_as::<false>(before, mv, None),
        }
    }

    /// The position after a null move.
    ///
    /// # Panics
    /// In debug builds, if the side to move is in check.
    #[must_use]
    pub fn after_null_move(&self) -> Position {
        debug_assert!(self.checkers.is_empty());
        let mut next = *self;
        next.turn = !self.turn;
        next.en_passant = None;
        next.fullmove_number = self.fullmove_number.saturating_add(self.turn.index() as u16);
        next.halfmove_clock = self.halfmove_clock.saturating_add(1);
        next.key = self.key_after_null_move();
        next.find_checkers_and_pins(!self.turn, self.king(!self.turn), self.color(self.turn));
        next
    }

    /// The key after most legal moves, computed before playing them, to prefetch the transposition table entry. It is
    /// wrong for castling, lost castling rights, en passant, promotions, and double pushes that allow en passant.
    #[inline]
    pub fn likely_key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from().index(), mv.to().index());
        let [moved, taken] = [from, to].map(|square| self.board[square] as usize);
        let piece = zobrist::PIECES[moved][from] ^ zobrist::PIECES[moved][to] ^ zobrist::PIECES[taken][to];
        self.key ^ self.turn_key() ^ piece
    }

    /// The exact key of [`Position::after_null_move`], computed before playing it.
    #[inline]
    pub fn key_after_null_move(&self) -> u64 {
        self.key ^ self.turn_key()
    }

    /// The part of the key that changes with every move: the turn, and the cleared en passant file.
    #[inline]
    fn turn_key(&self) -> u64 {
        let en_passant = self.en_passant.map_or(0, |square| zobrist::en_passant_key(square.file()));
        zobrist::WHITE_TO_MOVE ^ en_passant
    }

    /// [`Position::set_after`], specialized for the side to move, with the other king's view in `before`.
    #[inline(always)]
    pub(crate) fn set_after_seen<const WHITE: bool>(&mut self, before: &Position, mv: Move, view: &KingView) {
        *self = *before;
        self.play_from_as::<WHITE>(before, mv, Some(view));
    }

    /// Computes the view of the king of the side not to move.
    #[inline(always)]
    pub(crate) fn king_view<const WHITE: bool>(&self) -> KingView {
        let us = if WHITE { Color::White } else { Color::Black };
        let (king, them) = (self.king(!us), self.color(us));
        let mut seen = *self;
        seen.find_checkers_and_pins(!us, king, them);
        let lines = rook_attacks(king, them) | bishop_attacks(king, them);
        KingView { lines, orthogonal_pins: seen.orthogonal_pins, diagonal_pins: seen.diagonal_pins }
    }

    /// Plays on a copy of `before`. Values are read from `before`, since reading the fresh copy would stall the
    /// processor.
    #[inline(always)]
    fn play_from_as<const WHITE: bool>(&mut self, before: &Position, mv: Move, view: Option<&KingView>) {
        let us = if WHITE { Color::White } else { Color::Black };
        self.turn = !us;
        self.en_passant = None;
        self.fullmove_number = before.fullmove_number.saturating_add(us.index() as u16);
        self.halfmove_clock = before.halfmove_clock.saturating_add(1);
        self.key = before.key ^ before.turn_key();
        let moved = before.board[mv.from().index()] as usize;
        let touched = Bitboard::from(mv.from()) | mv.to().into();
        let is_king = moved >> 1 == Role::King as usize;
        let king_rank = if is_king { Bitboard::from_rank(us.rank(Rank::First)) } else { Bitboard::EMPTY };
        let lost = before.castling_rooks & (touched | king_rank);
        if lost.any() {
            self.lose_castling(before, lost);
        }
        let king = before.king(!us);
        if !mv.is_normal() {
            self.play_special(before, us, moved, mv);
            return self.find_checkers_and_pins(!us, king, self.colors[us.index()]);
        }
        self.move_piece(before, us, moved, mv);
        if mv.is_double_push() {
            self.allow_en_passant(us, mv.to());
        }
        self.checkers = leaper_check(us, king, moved, mv.to());
        match view {
            // The king's lines are unchanged.
            Some(view) if !view.lines.intersects(touched) => {
                (self.orthogonal_pins, self.diagonal_pins) = (view.orthogonal_pins, view.diagonal_pins);
            }
            _ => self.find_slider_checks_and_pins_after(before, us, king, mv),
        }
    }

    /// Moves the piece and captures what is on the destination, if anything; no promotion.
    #[inline(always)]
    fn move_piece(&mut self, before: &Position, us: Color, moved: usize, mv: Move) {
        let (from, to) = (mv.from(), mv.to());
        let taken = before.board[to.index()] as usize;
        let both = Bitboard::from(from) | to.into();
        self.board[from.index()] = NO_PIECE as u8;
        self.board[to.index()] = moved as u8;
        self.colors[us.index()] = before.colors[us.index()] ^ both;
        self.roles[moved >> 1] = before.roles[moved >> 1] ^ both;
        let moved_key = zobrist::PIECES[moved][from.index()] ^ zobrist::PIECES[moved][to.index()];
        self.key ^= moved_key;
        if taken != NO_PIECE {
            let key = zobrist::PIECES[taken][to.index()];
            self.roles[taken >> 1] ^= to.into();
            self.colors[(!us).index()] = before.colors[(!us).index()] ^ to.into();
            self.key ^= key;
            self.halfmove_clock = 0;
            if taken >> 1 == Role::Pawn as usize {
                self.pawn_key ^= key;
            }
        }
        if moved >> 1 == Role::Pawn as usize {
            self.pawn_key ^= moved_key;
            self.halfmove_clock = 0;
        }
    }

    /// Sets the en passant square after a double push if an enemy pawn can pseudo-legally capture.
    #[inline(always)]
    fn allow_en_passant(&mut self, us: Color, to: Square) {
        let behind = Square::from_index(to.index() ^ 8);
        if (pawn_attacks(us, behind) & self.pieces(!us, Role::Pawn)).any() {
            self.en_passant = Some(behind);
            self.key ^= zobrist::en_passant_key(behind.file());
        }
    }

    /// Castling, en passant and promotions.
    #[inline(never)]
    fn play_special(&mut self, before: &Position, us: Color, moved: usize, mv: Move) {
        if mv.is_castle() {
            return self.castle(us, mv);
        }
        self.move_piece(before, us, moved, mv);
        let to = mv.to();
        match mv.kind() {
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

    fn castle(&mut self, us: Color, mv: Move) {
        let (king_from, rook_from) = (mv.from(), mv.to());
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

    /// Removes castling rights that the previous position still had.
    #[cold]
    fn lose_castling(&mut self, before: &Position, lost: Bitboard) {
        for rook in lost {
            self.key ^= before.castling_key(rook);
        }
        self.castling_rooks ^= lost;
    }

    /// Adds the sliders that give check after a normal move of `us`, and computes the pins. It does not read `self`,
    /// which would stall until the move is written.
    #[inline(always)]
    fn find_slider_checks_and_pins_after(&mut self, before: &Position, us: Color, king: Square, mv: Move) {
        let touched = Bitboard::from(mv.from()) | mv.to().into();
        let movers = before.colors[us.index()];
        let queens = before.role(Role::Queen);
        let after = |sliders: Bitboard| {
            let sliders = sliders & movers;
            sliders ^ if sliders.contains(mv.from()) { touched } else { Bitboard::EMPTY }
        };
        let orthogonal = after(before.role(Role::Rook) | queens);
        let diagonal = after(before.role(Role::Bishop) | queens);
        let own = before.colors[(!us).index()] - mv.to().into();
        self.add_slider_checks_and_pins(king, own, movers ^ touched, orthogonal, diagonal);
    }

    /// Computes the checkers and pinned pieces of the side to move.
    #[inline(always)]
    pub(super) fn find_checkers_and_pins(&mut self, us: Color, king: Square, them: Bitboard) {
        let queens = self.role(Role::Queen);
        let orthogonal = (self.role(Role::Rook) | queens) & them;
        let diagonal = (self.role(Role::Bishop) | queens) & them;
        let leapers =
            knight_attacks(king) & self.role(Role::Knight) | pawn_attacks(us, king) & self.role(Role::Pawn);
        self.checkers = leapers & them;
        self.add_slider_checks_and_pins(king, self.colors[us.index()], them, orthogonal, diagonal);
    }

    /// Adds the sliders of `them` that attack the king to the checkers, and computes the pins of `own` pieces.
    #[inline(always)]
    fn add_slider_checks_and_pins(
        &mut self,
        king: Square,
        own: Bitboard,
        them: Bitboard,
        orthogonal: Bitboard,
        diagonal: Bitboard,
    ) {
        // Only enemy pieces block, so that the only blockers on these lines are own pieces.
        let (ranks_and_files, diagonals) = (rook_attacks(king, them), bishop_attacks(king, them));
        let mut checkers = self.checkers;
        let mut pins = Bitboard::EMPTY;
        for slider in ranks_and_files & orthogonal | diagonals & diagonal {
            let line = between(king, slider) | slider.into();
            let blockers = line & own;
            if blockers.is_empty() {
                checkers.insert(slider);
            } else if !blockers.more_than_one() {
                pins |= line;
            }
        }
        self.checkers = checkers;
        self.orthogonal_pins = pins & ranks_and_files;
        self.diagonal_pins = pins & diagonals;
    }
}
