//! The sum of the opponent's answers over all legal moves of a position.

mod pawns;

use super::side::Side;
use super::tables::{DIAGONAL, ORTHOGONAL, SliderTables};
use super::{Kernel, answers};
use crate::attacks::{between, king_attacks, knight_attack_set, knight_attacks, line, pawn_attack_set};
use crate::bitboard::Bitboard;
use crate::piece::{Color, Role};
use crate::position::{Position, castling};
use crate::square::{Rank, Square};

const KNIGHT: u8 = Role::Knight as u8;
const BISHOP: u8 = Role::Bishop as u8;
const ROOK: u8 = Role::Rook as u8;
const QUEEN: u8 = Role::Queen as u8;
const KING: u8 = Role::King as u8;

/// A position, with the part of the opponent's answers that its moves leave unchanged. Counts of answers are for the
/// opponent to move after a null move.
pub(super) struct TwoPlies<'a, K, const WHITE: bool, const CASTLING: bool> {
    kernel: K,
    position: &'a Position,
    us: Side,
    them: Side,
    occupied: Bitboard,
    their_king: Square,
    /// Squares where adding or removing a piece may change checks, pins, attacks around the opposing king, or castling.
    sensitive: Bitboard,
    /// Squares of their pinned pieces.
    pinned: Bitboard,
    /// The squares around their king and those that it crosses when castling.
    zone: Bitboard,
    /// The squares of the zone where our attack can remove an answer of their king.
    open: Bitboard,
    /// The squares that the king crosses in each castling move that only our attacks can prevent; otherwise all
    /// squares.
    castling_paths: [Bitboard; 2],
    /// The squares of the zone that we attack, and those that we attack at least twice.
    attacked: Bitboard,
    attacked_twice: Bitboard,
    /// The squares from which a slider gives check or pins.
    diagonal_checks: Bitboard,
    orthogonal_checks: Bitboard,
    /// The squares from which a slider attacks a safe square of their king.
    diagonal_arrivals: Bitboard,
    orthogonal_arrivals: Bitboard,
    /// Number of answers of pinned pieces.
    fixed: usize,
    knight_answers: usize,
    /// Number of answers of unpinned sliders and pawns.
    mobility: usize,
    /// Squares attacked by their sliders, and squares where our pieces affect their pawn moves.
    seen: Bitboard,
    pawn_squares: Bitboard,
}

impl<'a, K: Kernel, const WHITE: bool, const CASTLING: bool> TwoPlies<'a, K, WHITE, CASTLING> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };

    #[inline(always)]
    pub(super) fn new(kernel: K, position: &'a Position) -> Self {
        let (us, them) = (Side::of(position, Self::US), Side::of(position, Self::THEM));
        let occupied = us.occupied | them.occupied;
        let mut this = TwoPlies {
            kernel,
            position,
            us,
            them,
            occupied,
            their_king: them.king.lowest(),
            sensitive: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            zone: Bitboard::EMPTY,
            open: Bitboard::EMPTY,
            attacked: Bitboard::EMPTY,
            attacked_twice: Bitboard::EMPTY,
            castling_paths: [Bitboard::FULL; 2],
            diagonal_checks: Bitboard::EMPTY,
            orthogonal_checks: Bitboard::EMPTY,
            diagonal_arrivals: Bitboard::EMPTY,
            orthogonal_arrivals: Bitboard::EMPTY,
            fixed: 0,
            knight_answers: 0,
            mobility: 0,
            seen: Bitboard::EMPTY,
            pawn_squares: Bitboard::EMPTY,
        };
        this.find_attacks_around_their_king();
        this.count_their_moves();
        this
    }

    #[inline(always)]
    fn find_attacks_around_their_king(&mut self) {
        let king = self.their_king;
        let (kernel, color, occupied) = (self.kernel, Self::THEM, self.occupied);
        let (us, them) = (self.us, self.them);
        self.zone = king_attacks(king);
        let mut passed = Bitboard::EMPTY;
        if CASTLING {
            for rook in self.position.castling_rooks & them.occupied {
                let (free, safe) = castling::paths(king, rook);
                self.sensitive |= free | rook.into();
                passed |= safe;
            }
        }
        self.open = (self.zone - them.occupied) | passed;
        passed &= !self.zone;
        self.zone |= passed;
        let ahead = us.pawns.forward(Self::US);
        self.attacked = ahead.east();
        self.add_attacks(ahead.west());
        self.add_attacks(king_attacks(us.king.lowest()));
        for from in us.knights {
            self.add_attacks(knight_attacks(from));
        }
        let diagonal_pins = self.add_sliders::<BISHOP>(us.diagonal, &DIAGONAL, passed);
        let orthogonal_pins = self.add_sliders::<ROOK>(us.orthogonal, &ORTHOGONAL, passed);
        self.pinned = diagonal_pins | orthogonal_pins;
        if self.pinned.intersects(them.occupied) {
            let pins = [diagonal_pins, orthogonal_pins];
            let sliders = [them.diagonal & self.pinned, them.orthogonal & self.pinned];
            self.seen = answers::count_sliders(kernel, sliders, occupied, [Bitboard::EMPTY; 2]).1;
            self.fixed = answers::count_pinned_sliders(kernel, &them, pins, occupied, Bitboard::FULL)
                + answers::count_pinned_pawns(color, them.pawns, pins, Bitboard::FULL, occupied, us.occupied);
        }
        if CASTLING {
            for (path, rook) in
                self.castling_paths.iter_mut().zip(self.position.castling_rooks & them.occupied)
            {
                let (free, safe) = castling::paths(king, rook);
                if !free.intersects(self.occupied) && !orthogonal_pins.contains(rook) {
                    *path = safe;
                }
            }
        }
        let safe = self.open - self.attacked;
        if us.diagonal.any() {
            self.diagonal_checks = self.checks_from::<BISHOP>();
            self.diagonal_arrivals = self.attackers::<BISHOP>(safe, self.occupied);
        }
        if us.orthogonal.any() {
            self.orthogonal_checks = self.checks_from::<ROOK>();
            self.orthogonal_arrivals = self.attackers::<ROOK>(safe, self.occupied);
        }
    }

    /// Adds the attacks of our sliders of one kind on the zone; `passed` are its squares not adjacent to the king.
    /// Returns their pins.
    #[inline(always)]
    fn add_sliders<const ROLE: u8>(
        &mut self,
        sliders: Bitboard,
        tables: &SliderTables,
        passed: Bitboard,
    ) -> Bitboard {
        let king = self.their_king.index();
        let zone =
            passed.into_iter().fold(tables.zone[king], |zone, square| zone | tables.rays[square.index()]);
        for from in sliders & zone {
            let attacks = self.attacks::<ROLE>(from, self.occupied ^ self.them.king);
            self.add_attacks(attacks);
            let toward = tables.toward[king][from.index()];
            let toward = passed.into_iter().fold(toward, |toward, square| toward | between(from, square));
            self.sensitive |= attacks & toward;
        }
        self.find_pins(sliders & tables.rays[king])
    }

    /// The squares from which a slider gives check or pins.
    #[inline(always)]
    fn checks_from<const ROLE: u8>(&self) -> Bitboard {
        let view = self.attacks::<ROLE>(self.their_king, self.occupied);
        self.attacks::<ROLE>(self.their_king, self.occupied - (view & self.them.occupied))
    }

    #[inline(always)]
    fn add_attacks(&mut self, attacks: Bitboard) {
        self.attacked_twice |= self.attacked & attacks;
        self.attacked |= attacks;
    }

    /// Pins of our sliders on lines of their king; adds these lines to the sensitive squares.
    #[inline(always)]
    fn find_pins(&mut self, sliders: Bitboard) -> Bitboard {
        let mut pins = Bitboard::EMPTY;
        for slider in sliders {
            let line = between(self.their_king, slider);
            let blockers = line & self.occupied;
            match blockers.count() {
                0 | 1 => {
                    let line = line | slider.into();
                    self.sensitive |= line;
                    if blockers.intersects(self.them.occupied) {
                        pins |= line;
                    }
                }
                2 => self.sensitive |= blockers,
                _ => {}
            }
        }
        pins
    }

    #[inline(always)]
    fn count_their_moves(&mut self) {
        let them = self.them;
        self.knight_answers = self.knight_moves_of(&them);
        let (mobility, seen) = self.mobility_of(&them, self.occupied);
        self.mobility = mobility;
        self.seen |= seen;
        let ahead = them.pawns.forward(Self::THEM);
        let third = Bitboard::from_rank(Self::THEM.rank(Rank::Third));
        self.pawn_squares = ahead | (ahead & third).forward(Self::THEM) | ahead.east() | ahead.west();
    }

    /// The number of their king's moves when we attack these squares and their pieces occupy `theirs`.
    #[inline(always)]
    fn king_answers(&self, attacked: Bitboard, theirs: Bitboard) -> usize {
        let mut count = (king_attacks(self.their_king) - theirs - attacked).count();
        if CASTLING {
            for path in self.castling_paths {
                count += usize::from(!path.intersects(attacked));
            }
        }
        count
    }

    /// The squares from which a piece attacks one of these; their king does not block.
    #[inline(always)]
    fn attackers<const ROLE: u8>(&self, squares: Bitboard, occupied: Bitboard) -> Bitboard {
        let occupied = occupied ^ self.them.king;
        squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | self.attacks::<ROLE>(square, occupied))
    }

    /// The number of moves of their unpinned sliders and pawns, given the occupied squares, and the squares that these
    /// sliders attack.
    #[inline(always)]
    fn mobility_of(&self, them: &Side, occupied: Bitboard) -> (usize, Bitboard) {
        let free = !self.pinned;
        let sliders = [them.diagonal & free, them.orthogonal & free];
        let (count, seen) = answers::count_sliders(self.kernel, sliders, occupied, [!them.occupied; 2]);
        let (pawns, us) = (them.pawns & free, occupied - them.occupied);
        (count + answers::count_free_pawns(Self::THEM, pawns, Bitboard::FULL, occupied, us), seen)
    }

    /// The number of moves of their unpinned knights.
    #[inline(always)]
    fn knight_moves_of(&self, them: &Side) -> usize {
        let knights = them.knights - self.pinned;
        knights.into_iter().map(|from| (knight_attacks(from) - them.occupied).count()).sum()
    }

    /// The number of answers after we moved a piece by `path` to `to`, captured there, and attack these squares.
    #[inline(always)]
    fn answers_after_capture(&self, path: Bitboard, to: Square, attacked: Bitboard) -> usize {
        let them = self.them.without(to.into());
        let occupied = (self.us.occupied ^ path) | them.occupied;
        let count = self.fixed + self.mobility_of(&them, occupied).0 + self.knight_moves_of(&them);
        count + self.king_answers(attacked, them.occupied)
    }

    /// The sum of the answers over all moves.
    #[inline(always)]
    pub(super) fn sum_answers(&self) -> u64 {
        let position = self.position;
        let (us, occupied) = (self.us, self.occupied);
        let king = us.king.lowest();
        let king_moves = self.moves_of_king(king);
        let checkers = position.checkers;
        let mut targets = !us.occupied;
        if checkers.any() {
            if checkers.more_than_one() {
                return king_moves;
            }
            targets &= between(king, checkers.lowest()) | checkers;
        }
        let mut nodes = king_moves;
        let (orthogonal_pins, diagonal_pins) = (position.orthogonal_pins, position.diagonal_pins);
        let free = !(orthogonal_pins | diagonal_pins);
        for from in us.knights & free {
            nodes += self.moves_of::<KNIGHT>(from, knight_attacks(from), targets);
        }
        let queens = us.diagonal & us.orthogonal;
        for from in us.diagonal - queens - orthogonal_pins {
            let targets = if diagonal_pins.contains(from) { targets & diagonal_pins } else { targets };
            nodes += self.moves_of::<BISHOP>(from, self.kernel.bishop(from, occupied), targets);
        }
        for from in us.orthogonal - queens - diagonal_pins {
            let targets = if orthogonal_pins.contains(from) { targets & orthogonal_pins } else { targets };
            nodes += self.moves_of::<ROOK>(from, self.kernel.rook(from, occupied), targets);
        }
        for from in queens {
            let (diagonal, orthogonal) =
                (self.kernel.bishop(from, occupied), self.kernel.rook(from, occupied));
            let attacks = diagonal | orthogonal;
            let mut allowed = targets;
            if diagonal_pins.contains(from) {
                allowed &= diagonal & diagonal_pins;
            }
            if orthogonal_pins.contains(from) {
                allowed &= orthogonal & orthogonal_pins;
            }
            nodes += self.moves_of::<QUEEN>(from, attacks, allowed);
        }
        nodes + self.moves_of_pawns(targets)
    }

    #[inline(always)]
    fn moves_of_king(&self, king: Square) -> u64 {
        let them = &self.them;
        let mut danger = self.seen
            | pawn_attack_set(Self::THEM, them.pawns)
            | knight_attack_set(them.knights)
            | king_attacks(self.their_king);
        let checkers = self.position.checkers;
        // Checking sliders also attack the squares behind the king.
        for checker in checkers & (them.diagonal | them.orthogonal) {
            danger |= line(king, checker) ^ checker.into();
        }
        let attacks = king_attacks(king);
        let mut nodes = self.moves_of::<KING>(king, attacks, !self.us.occupied - danger);
        if checkers.is_empty() {
            for rook in self.position.castling_rooks & self.us.occupied {
                if castling::is_legal(king, rook, self.occupied, danger, self.position.orthogonal_pins) {
                    let (king_to, rook_to) = castling::destinations(king, rook);
                    let mut us = self.us;
                    us.toggle(Role::King, Bitboard::from(king) ^ king_to.into());
                    us.toggle(Role::Rook, Bitboard::from(rook) ^ rook_to.into());
                    nodes += self.answers(&us, &self.them, Bitboard::EMPTY);
                }
            }
        }
        nodes
    }

    /// Counts all answers after one of our moves.
    #[inline(always)]
    #[expect(unsafe_code, reason = "see `Kernel`")]
    fn answers(&self, us: &Side, them: &Side, en_passant: Bitboard) -> u64 {
        // A rook that is captured or castles loses its right; the others may keep theirs.
        let rooks = self.position.castling_rooks & them.orthogonal;
        // SAFETY: the kernel proves that the processor has its features.
        unsafe {
            if WHITE {
                self.kernel.count_answers::<false, CASTLING>(them, us, en_passant, rooks)
            } else {
                self.kernel.count_answers::<true, CASTLING>(them, us, en_passant, rooks)
            }
        }
    }

    /// Counts all answers to a piece move.
    #[inline(always)]
    fn answers_to(&self, role: Role, from: Square, to: Square) -> u64 {
        let mut us = self.us;
        us.toggle(role, Bitboard::from(from) | to.into());
        if self.them.occupied.contains(to) {
            self.answers(&us, &self.them.without(to.into()), Bitboard::EMPTY)
        } else {
            self.answers(&us, &self.them, Bitboard::EMPTY)
        }
    }

    /// The sum over a piece's moves to those attacked squares that are in `targets`. Hard moves (checks, and moves from
    /// or to sensitive squares) are played and their answers recounted. An easy move changes the king's answers if its
    /// origin or destination affects the zone, and those of sliders and pawns if it touches a square they see.
    #[inline(always)]
    fn moves_of<const ROLE: u8>(&self, from: Square, attacks: Bitboard, targets: Bitboard) -> u64 {
        let role = Role::ALL[ROLE as usize];
        let targets = attacks & targets;
        let mut nodes = 0;
        let mut hard = targets;
        if !self.sensitive.contains(from) {
            let theirs = self.them.occupied;
            let occupied = self.occupied ^ from.into();
            // Squares attacked only by this piece become safe for their king when it leaves.
            let opened = attacks & (self.zone - self.attacked_twice);
            let attacked = self.attacked - opened;
            let safe = self.open - attacked;
            let (checks, mut arrivals) = match ROLE {
                KNIGHT => (knight_attacks(self.their_king), knight_attack_set(safe)),
                BISHOP => (self.diagonal_checks, self.diagonal_arrivals),
                ROOK => (self.orthogonal_checks, self.orthogonal_arrivals),
                QUEEN => (
                    self.diagonal_checks | self.orthogonal_checks,
                    self.diagonal_arrivals | self.orthogonal_arrivals,
                ),
                _ => (Bitboard::EMPTY, king_attack_set(safe)),
            };
            if matches!(ROLE, BISHOP | ROOK | QUEEN) {
                arrivals |= self.attackers::<ROLE>(opened & self.open, occupied);
            }
            let unchanged = self.fixed + self.knight_answers;
            let king_answers = self.king_answers(attacked, theirs);
            hard = targets & (self.sensitive | checks);
            let mut touched = self.seen | self.pawn_squares;
            let mut mobility = self.mobility;
            if touched.contains(from) {
                let (without, seen) = self.mobility_of(&self.them, occupied);
                mobility = without;
                touched = seen | self.pawn_squares;
            }
            let easy = targets ^ hard;
            let quiet = easy - theirs;
            let mut count = quiet.count() * unchanged;
            count += (quiet - arrivals).count() * king_answers;
            count += (quiet - touched).count() * mobility;
            for to in quiet & touched {
                count += self.mobility_of(&self.them, occupied | to.into()).0;
            }
            let without_king = occupied ^ self.them.king;
            for to in quiet & arrivals {
                let attacks = self.attacks::<ROLE>(to, without_king);
                count += self.king_answers(attacked | attacks, theirs);
            }
            for to in easy & theirs {
                let attacks = self.attacks::<ROLE>(to, without_king);
                count += self.answers_after_capture(Bitboard::from(from) | to.into(), to, attacked | attacks);
            }
            nodes = count as u64;
        }
        for to in hard {
            nodes += self.answers_to(role, from, to);
        }
        nodes
    }

    #[inline(always)]
    fn attacks<const ROLE: u8>(&self, square: Square, occupied: Bitboard) -> Bitboard {
        match ROLE {
            KNIGHT => knight_attacks(square),
            BISHOP => self.kernel.bishop(square, occupied),
            ROOK => self.kernel.rook(square, occupied),
            QUEEN => self.kernel.bishop(square, occupied) | self.kernel.rook(square, occupied),
            _ => king_attacks(square),
        }
    }
}

/// The squares adjacent to these.
#[inline(always)]
fn king_attack_set(kings: Bitboard) -> Bitboard {
    let row = kings | kings.east() | kings.west();
    row | row.north() | row.south()
}
