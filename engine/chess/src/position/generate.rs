//! Legal move generation. Checkers, pins and attacked squares are computed first, so that every generated move is
//! legal; only en passant is tried on the board.
//!
//! The compiler specializes the generator for the side to move, the kind of moves (all, captures, quiets) and the
//! consumer ([`MoveSink`]: a list, a count, a search for one move).

use super::{Position, castling};
use crate::attacks::{
    between, bishop_attacks, king_attacks, knight_attack_set, knight_attacks, pawn_attack_set, pawn_attacks,
    queen_attacks, rook_attacks,
};
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind, MoveList};
use crate::piece::{Color, Role};
use crate::setup::CastlingSide;
use crate::square::{Rank, Square};

/// Which legal moves to generate. Captures and quiets together are all moves, without duplicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moves {
    /// Every legal move.
    All,
    /// Captures, including en passant, and all promotions.
    Captures,
    /// Moves that neither capture nor promote, including castling.
    Quiets,
}

const ALL: u8 = Moves::All as u8;
const CAPTURES: u8 = Moves::Captures as u8;
const QUIETS: u8 = Moves::Quiets as u8;

/// Consumer of legal moves: a [`MoveList`] appends them; others may not need a list. Moves come in sets without
/// duplicates: the destinations of a piece (for a queen in two parts), or of all pawns with the same step. A set may be
/// empty.
pub trait MoveSink {
    /// A knight, bishop, rook, queen or king on `from` can move to each of `targets`, capturing on those in `captures`,
    /// which may contain other squares too.
    fn piece(&mut self, from: Square, targets: Bitboard, captures: Bitboard);
    /// A pawn can reach each of `targets` by this step; the kind is a quiet move, a double push or a capture.
    fn pawns(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind);
    /// A single move: castling, en passant, and promotions unless [`MoveSink::promotions`] is overridden.
    fn single(&mut self, mv: Move);

    /// A pawn can promote on each of `targets` by this step, to four roles; the kind is a quiet move or a capture.
    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        for to in targets {
            for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                self.single(Move::promotion(step.origin(to), to, role, kind == MoveKind::Capture));
            }
        }
    }
}

/// Direction of a pawn move: one or two squares forward, or diagonally.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PawnStep(i8);

impl PawnStep {
    /// The origin of a pawn move to `target`; meaningless if no pawn can come from there.
    #[inline]
    pub const fn origin(self, to: Square) -> Square {
        Square::from_index(to.index().wrapping_sub(self.0 as usize))
    }
}

struct Counter(usize);

impl MoveSink for Counter {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard, _: Bitboard) {
        self.0 += targets.count();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: PawnStep, _: MoveKind) {
        self.0 += targets.count();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: PawnStep, _: MoveKind) {
        self.0 += 4 * targets.count();
    }

    #[inline]
    fn single(&mut self, _: Move) {
        self.0 += 1;
    }
}

impl MoveSink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard, captures: Bitboard) {
        self.extend_from(from, targets, captures);
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        self.extend_by_step(targets, step.0, kind);
    }

    #[inline]
    fn single(&mut self, mv: Move) {
        self.push(mv);
    }
}

/// Searches for one move. The promotion role is not compared, since all four are legal.
struct Finder {
    wanted: Move,
    found: bool,
}

impl MoveSink for Finder {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard, captures: Bitboard) {
        let kind = if captures.contains(self.wanted.to()) { MoveKind::Capture } else { MoveKind::Quiet };
        self.found |=
            targets.contains(self.wanted.to()) && Move::new(from, self.wanted.to(), kind) == self.wanted;
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        let to = self.wanted.to();
        self.found |= targets.contains(to) && Move::new(step.origin(to), to, kind) == self.wanted;
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: PawnStep, kind: MoveKind) {
        let to = self.wanted.to();
        self.found |= targets.contains(to)
            && step.origin(to) == self.wanted.from()
            && self.wanted.is_promotion()
            && self.wanted.is_capture() == (kind == MoveKind::Capture);
    }

    #[inline]
    fn single(&mut self, mv: Move) {
        self.found |= mv == self.wanted;
    }
}

impl Position {
    /// Generates all legal moves of this kind. In check these are the evasions.
    #[inline]
    pub fn generate(&self, wanted: Moves, sink: &mut impl MoveSink) {
        match wanted {
            Moves::All => self.generate_into::<ALL, _>(Bitboard::FULL, sink),
            Moves::Captures => self.generate_into::<CAPTURES, _>(Bitboard::FULL, sink),
            Moves::Quiets => self.generate_into::<QUIETS, _>(Bitboard::FULL, sink),
        }
    }

    /// All legal moves.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(Moves::All, &mut list);
        list
    }

    /// Number of legal moves, without listing them.
    #[inline]
    pub fn count_legal_moves(&self) -> usize {
        let mut counter = Counter(0);
        self.generate_into::<ALL, _>(Bitboard::FULL, &mut counter);
        counter.0
    }

    /// [`Position::count_legal_moves`], specialized for the side to move.
    #[inline]
    pub(crate) fn count_legal_moves_as<const WHITE: bool>(&self) -> usize {
        let mut counter = Counter(0);
        self.generate_as::<WHITE, ALL, _>(Bitboard::FULL, &mut counter);
        counter.0
    }

    /// [`Position::generate`] of all moves, specialized for the side to move.
    #[inline]
    pub(crate) fn list_legal_moves_as<const WHITE: bool>(&self, list: &mut MoveList) {
        self.generate_as::<WHITE, ALL, _>(Bitboard::FULL, list);
    }

    /// Whether there is a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() > 0
    }

    /// Whether any move, possibly from another position, is legal here, including its kind.
    pub fn is_legal(&self, mv: Move) -> bool {
        let mut finder = Finder { wanted: mv, found: false };
        if mv.is_capture() || mv.is_promotion() {
            self.generate_into::<CAPTURES, _>(mv.from().into(), &mut finder);
        } else {
            self.generate_into::<QUIETS, _>(mv.from().into(), &mut finder);
        }
        finder.found
    }

    /// A legal en passant capture, if there is one; of two the one from the lower file.
    pub fn legal_en_passant(&self) -> Option<Move> {
        let square = self.en_passant?;
        let takers = pawn_attacks(!self.turn, square) & self.pieces(self.turn, Role::Pawn);
        takers
            .into_iter()
            .find(|&from| self.is_en_passant_safe(from, square))
            .map(|from| Move::new(from, square, MoveKind::EnPassant))
    }

    #[inline]
    fn generate_into<const WANTED: u8, S: MoveSink>(&self, movable: Bitboard, sink: &mut S) {
        match self.turn {
            Color::White => self.generate_as::<true, WANTED, S>(movable, sink),
            Color::Black => self.generate_as::<false, WANTED, S>(movable, sink),
        }
    }

    /// Moves of the pieces on `movable` squares, specialized for the side to move.
    #[inline]
    pub(crate) fn generate_as<const WHITE: bool, const WANTED: u8, S: MoveSink>(
        &self,
        movable: Bitboard,
        sink: &mut S,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let king = self.king(us);
        let answers = if self.checkers.is_empty() {
            Bitboard::FULL
        } else if self.checkers.more_than_one() {
            Bitboard::EMPTY
        } else {
            between(king, self.checkers.lowest()) | self.checkers
        };
        if answers.any() {
            self.pawn_moves::<WHITE, WANTED, S>(movable, answers, sink);
            self.piece_moves::<WHITE, WANTED, S>(movable, answers & self.wanted_targets::<WANTED>(us), sink);
        }
        if movable.contains(king) {
            self.king_moves::<WHITE, WANTED, S>(sink);
        }
    }

    #[inline]
    fn wanted_targets<const WANTED: u8>(&self, us: Color) -> Bitboard {
        match WANTED {
            CAPTURES => self.color(!us),
            QUIETS => !self.occupied(),
            _ => !self.color(us),
        }
    }

    /// Whether the moves are captures, decided at compile time if all or none are.
    #[inline]
    fn captures<const WANTED: u8>(&self, us: Color) -> Bitboard {
        match WANTED {
            CAPTURES => Bitboard::FULL,
            QUIETS => Bitboard::EMPTY,
            _ => self.color(!us),
        }
    }

    #[inline]
    fn piece_moves<const WHITE: bool, const WANTED: u8, S: MoveSink>(
        &self,
        movable: Bitboard,
        targets: Bitboard,
        sink: &mut S,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let own = self.color(us) & movable;
        let captures = self.captures::<WANTED>(us);
        let occupied = self.occupied();
        let (orthogonal_pins, diagonal_pins) = (self.orthogonal_pins, self.diagonal_pins);
        let free = !(orthogonal_pins | diagonal_pins);
        for from in self.role(Role::Knight) & own & free {
            sink.piece(from, knight_attacks(from) & targets, captures);
        }
        let diagonal = (self.role(Role::Bishop) | self.role(Role::Queen)) & own & !orthogonal_pins;
        for from in diagonal & !diagonal_pins {
            sink.piece(from, bishop_attacks(from, occupied) & targets, captures);
        }
        for from in diagonal & diagonal_pins {
            sink.piece(from, bishop_attacks(from, occupied) & targets & diagonal_pins, captures);
        }
        let orthogonal = (self.role(Role::Rook) | self.role(Role::Queen)) & own & !diagonal_pins;
        for from in orthogonal & !orthogonal_pins {
            sink.piece(from, rook_attacks(from, occupied) & targets, captures);
        }
        for from in orthogonal & orthogonal_pins {
            sink.piece(from, rook_attacks(from, occupied) & targets & orthogonal_pins, captures);
        }
    }

    #[inline]
    fn pawn_moves<const WHITE: bool, const WANTED: u8, S: MoveSink>(
        &self,
        movable: Bitboard,
        answers: Bitboard,
        sink: &mut S,
    ) {
        let us = if WHITE { Color::White } else { Color::Black };
        let forward: i8 = if WHITE { 8 } else { -8 };
        let pawns = self.pieces(us, Role::Pawn) & movable;
        let enemies = self.color(!us);
        let empty = !self.occupied();
        let last_rank = Bitboard::from_rank(us.rank(Rank::Eighth));
        let third_rank = Bitboard::from_rank(us.rank(Rank::Third));
        let (orthogonal_pins, diagonal_pins) = (self.orthogonal_pins, self.diagonal_pins);
        let free = pawns & !(orthogonal_pins | diagonal_pins);

        // A pawn pinned along its file may move along it; the pin mask contains only squares of that line.
        let held = (pawns & orthogonal_pins).forward(us) & orthogonal_pins;
        let steps = (free.forward(us) | held) & empty;
        if WANTED != CAPTURES {
            let double_steps = (steps & third_rank).forward(us) & empty & answers;
            sink.pawns(steps & answers & !last_rank, PawnStep(forward), MoveKind::Quiet);
            sink.pawns(double_steps, PawnStep(2 * forward), MoveKind::DoublePush);
        }
        if WANTED == QUIETS {
            return;
        }
        let held = (pawns & diagonal_pins).forward(us);
        let free = free.forward(us);
        let prey = enemies & answers;
        let east = (free.east() | held.east() & diagonal_pins) & prey;
        let west = (free.west() | held.west() & diagonal_pins) & prey;
        sink.pawns(east & !last_rank, PawnStep(forward + 1), MoveKind::Capture);
        sink.pawns(west & !last_rank, PawnStep(forward - 1), MoveKind::Capture);
        if (pawns & Bitboard::from_rank(us.rank(Rank::Seventh))).any() {
            sink.promotions(east & last_rank, PawnStep(forward + 1), MoveKind::Capture);
            sink.promotions(west & last_rank, PawnStep(forward - 1), MoveKind::Capture);
            sink.promotions(steps & answers & last_rank, PawnStep(forward), MoveKind::Quiet);
        }
        if let Some(square) = self.en_passant {
            for from in pawn_attacks(!us, square) & pawns {
                if self.is_en_passant_safe(from, square) {
                    sink.single(Move::new(from, square, MoveKind::EnPassant));
                }
            }
        }
    }

    /// Whether the king is safe after an en passant capture. Two pawns leave the rank at once, so this move is tried on
    /// the board.
    pub(super) fn is_en_passant_safe(&self, from: Square, to: Square) -> bool {
        let taken = Square::from_index(to.index() ^ 8);
        let king = self.king(self.turn);
        let occupied = (self.occupied() ^ from.into() ^ taken.into()) | to.into();
        let enemies = self.color(!self.turn) - taken.into();
        let queens = self.role(Role::Queen);
        let leapers = self.checkers & (self.role(Role::Pawn) | self.role(Role::Knight));
        let leapers = leapers - taken.into();
        let diagonal = bishop_attacks(king, occupied) & (self.role(Role::Bishop) | queens);
        let orthogonal = rook_attacks(king, occupied) & (self.role(Role::Rook) | queens);
        (leapers | (diagonal | orthogonal) & enemies).is_empty()
    }

    #[inline]
    fn king_moves<const WHITE: bool, const WANTED: u8, S: MoveSink>(&self, sink: &mut S) {
        let us = if WHITE { Color::White } else { Color::Black };
        let king = self.king(us);
        let targets = king_attacks(king) & self.wanted_targets::<WANTED>(us);
        let may_castle = WANTED != CAPTURES
            && self.checkers.is_empty()
            && (self.castling_rooks & Bitboard::from_rank(us.rank(Rank::First))).any();
        if targets.is_empty() && !may_castle {
            return;
        }
        let danger = self.attacked_by_opponent::<WHITE>(king);
        sink.piece(king, targets & !danger, self.captures::<WANTED>(us));
        if may_castle {
            self.castling_moves(us, king, danger, sink);
        }
    }

    #[inline]
    fn castling_moves<S: MoveSink>(&self, us: Color, king: Square, danger: Bitboard, sink: &mut S) {
        for rook in self.castling_rooks & self.color(us) {
            if castling::is_legal(king, rook, self.occupied(), danger, self.orthogonal_pins) {
                sink.single(Move::new(king, rook, MoveKind::Castle));
            }
        }
    }

    /// The squares that the opponent attacks if the king does not block.
    #[inline]
    fn attacked_by_opponent<const WHITE: bool>(&self, king: Square) -> Bitboard {
        let us = if WHITE { Color::White } else { Color::Black };
        let them = self.color(!us);
        let occupied = self.occupied() ^ king.into();
        let queens = self.role(Role::Queen);
        let mut attacked = pawn_attack_set(!us, self.role(Role::Pawn) & them)
            | knight_attack_set(self.role(Role::Knight) & them)
            | king_attacks(self.king(!us));
        for from in (self.role(Role::Bishop) | queens) & them {
            attacked |= bishop_attacks(from, occupied);
        }
        for from in (self.role(Role::Rook) | queens) & them {
            attacked |= rook_attacks(from, occupied);
        }
        attacked
    }

    /// All squares that a side attacks or defends.
    pub fn attacked_by(&self, color: Color) -> Bitboard {
        let own = self.color(color);
        let occupied = self.occupied();
        let mut attacked = pawn_attack_set(color, self.role(Role::Pawn) & own)
            | knight_attack_set(self.role(Role::Knight) & own)
            | king_attacks(self.king(color));
        for from in self.role(Role::Bishop) & own {
            attacked |= bishop_attacks(from, occupied);
        }
        for from in self.role(Role::Rook) & own {
            attacked |= rook_attacks(from, occupied);
        }
        for from in self.role(Role::Queen) & own {
            attacked |= queen_attacks(from, occupied);
        }
        attacked
    }

    /// The castling move of the side to move toward a wing, if it is legal.
    pub fn legal_castling(&self, side: CastlingSide) -> Option<Move> {
        let rook = self.castling_rook(self.turn, side)?;
        let mv = Move::new(self.king(self.turn), rook, MoveKind::Castle);
        self.is_legal(mv).then_some(mv)
    }
}
