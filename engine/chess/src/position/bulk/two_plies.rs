//! The sum of the opponent's answers over all legal moves of a position.

use super::side::Side;
use super::tables::{
    DIAGONAL_RAYS, DIAGONAL_TOWARD, DIAGONAL_ZONE, ORTHOGONAL_RAYS, ORTHOGONAL_TOWARD, ORTHOGONAL_ZONE,
};
use super::{Kernel, answers};
use crate::attacks::{
    between, king_attacks, knight_attack_set, knight_attacks, line, pawn_attack_set, pawn_attacks,
};
use crate::bitboard::Bitboard;
use crate::piece::{Color, Role};
use crate::position::{Position, castling};
use crate::square::{Rank, Square};

const KNIGHT: u8 = Role::Knight as u8;
const BISHOP: u8 = Role::Bishop as u8;
const ROOK: u8 = Role::Rook as u8;
const QUEEN: u8 = Role::Queen as u8;
const KING: u8 = Role::King as u8;

/// A position, with what its moves leave unchanged in the answers of the opponent. Counts of answers are those that the
/// opponent would have if the side to move passed.
pub(super) struct TwoPlies<'a, K, const WHITE: bool, const CASTLING: bool> {
    kernel: K,
    position: &'a Position,
    us: Side,
    them: Side,
    occupied: Bitboard,
    their_king: Square,
    /// Squares on which a piece that appears or vanishes can change checks, pins, attacks around the opposing king, or
    /// castling.
    sensitive: Bitboard,
    /// Pieces of theirs that are pinned stand here.
    pinned: Bitboard,
    /// Where their king would go, safe or not, and what he must pass to castle.
    zone: Bitboard,
    /// The squares of the zone that we attack, and those that we attack twice or more.
    attacked: Bitboard,
    attacked_twice: Bitboard,
    /// The squares of sliders that attack a square of the zone that is safe, or that give check or pin.
    diagonal_arrivals: Bitboard,
    orthogonal_arrivals: Bitboard,
    /// The answers of pinned pieces.
    fixed: usize,
    knight_answers: usize,
    /// The answers of the sliders and pawns that are not pinned.
    mobility: usize,
    /// What their sliders attack, and where a piece of ours changes the moves of their pawns.
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
            attacked: Bitboard::EMPTY,
            attacked_twice: Bitboard::EMPTY,
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
        let k = king.index();
        let (kernel, us, them) = (self.kernel, self.us, self.them);
        self.zone = king_attacks(king) - them.occupied;
        let mut passed = Bitboard::EMPTY;
        if CASTLING {
            for rook in self.position.castling_rooks & them.occupied {
                let (free, safe) = castling::paths(king, rook);
                self.sensitive |= free | rook.into();
                passed |= safe;
            }
            self.zone |= passed;
            passed = passed - king_attacks(king);
        }
        let ahead = us.pawns.forward(Self::US);
        self.attacked = ahead.east();
        self.add_attacks(ahead.west());
        self.add_attacks(king_attacks(us.king.lowest()));
        for from in us.knights {
            self.add_attacks(knight_attacks(from));
        }
        let (mut diagonal, mut orthogonal) = (us.diagonal, us.orthogonal);
        if !CASTLING {
            diagonal &= DIAGONAL_ZONE[k];
            orthogonal &= ORTHOGONAL_ZONE[k];
        }
        let without_king = self.occupied ^ them.king;
        for from in diagonal {
            let attacks = kernel.bishop(from, without_king);
            self.add_attacks(attacks);
            let mut toward = DIAGONAL_TOWARD[k][from.index()];
            for square in passed {
                toward |= between(from, square);
            }
            self.sensitive |= attacks & toward;
        }
        for from in orthogonal {
            let attacks = kernel.rook(from, without_king);
            self.add_attacks(attacks);
            let mut toward = ORTHOGONAL_TOWARD[k][from.index()];
            for square in passed {
                toward |= between(from, square);
            }
            self.sensitive |= attacks & toward;
        }
        let diagonal_pins = self.find_pins(us.diagonal & DIAGONAL_RAYS[k]);
        let orthogonal_pins = self.find_pins(us.orthogonal & ORTHOGONAL_RAYS[k]);
        self.pinned = diagonal_pins | orthogonal_pins;
        if self.pinned.intersects(them.occupied) {
            self.count_pinned(diagonal_pins, orthogonal_pins);
        }
        let safe = self.zone - self.attacked;
        self.fixed += self.king_answers(self.attacked);
        if CASTLING {
            self.fixed += self.castling_answers(self.attacked, orthogonal_pins);
        }
        self.diagonal_arrivals = self.diagonal_attackers(safe, self.occupied) | {
            let view = kernel.bishop(king, self.occupied);
            kernel.bishop(king, self.occupied - (view & them.occupied))
        };
        self.orthogonal_arrivals = self.orthogonal_attackers(safe, self.occupied) | {
            let view = kernel.rook(king, self.occupied);
            kernel.rook(king, self.occupied - (view & them.occupied))
        };
    }

    #[inline(always)]
    fn add_attacks(&mut self, attacks: Bitboard) {
        self.attacked_twice |= self.attacked & attacks;
        self.attacked |= attacks;
    }

    /// The pins against their king by sliders of ours that are on his lines; these lines are sensitive.
    #[inline(always)]
    fn find_pins(&mut self, sliders: Bitboard) -> Bitboard {
        let mut pins = Bitboard::EMPTY;
        for slider in sliders {
            let line = between(self.their_king, slider);
            let blockers = line & self.occupied;
            if blockers.more_than_one() {
                self.sensitive |= blockers;
            } else {
                let line = line | slider.into();
                self.sensitive |= line;
                if blockers.intersects(self.them.occupied) {
                    pins |= line;
                }
            }
        }
        pins
    }

    #[inline(always)]
    fn count_pinned(&mut self, diagonal_pins: Bitboard, orthogonal_pins: Bitboard) {
        let (kernel, them) = (self.kernel, self.them);
        for from in them.diagonal & self.pinned {
            let attacks = kernel.bishop(from, self.occupied);
            self.seen |= attacks;
            if diagonal_pins.contains(from) {
                self.fixed += (attacks & diagonal_pins).count();
            }
        }
        for from in them.orthogonal & self.pinned {
            let attacks = kernel.rook(from, self.occupied);
            self.seen |= attacks;
            if orthogonal_pins.contains(from) {
                self.fixed += (attacks & orthogonal_pins).count();
            }
        }
        let pawns = them.pawns & self.pinned;
        // The rule of the generic parameter is about the side that moves: theirs.
        self.fixed += if WHITE {
            answers::count_pinned_pawns::<false>(
                pawns,
                diagonal_pins,
                orthogonal_pins,
                Bitboard::FULL,
                self.occupied,
                self.us.occupied,
            )
        } else {
            answers::count_pinned_pawns::<true>(
                pawns,
                diagonal_pins,
                orthogonal_pins,
                Bitboard::FULL,
                self.occupied,
                self.us.occupied,
            )
        };
    }

    #[inline(always)]
    fn count_their_moves(&mut self) {
        let them = self.them;
        for from in them.knights - self.pinned {
            self.knight_answers += (knight_attacks(from) - them.occupied).count();
        }
        let (mobility, seen) = self.mobility_on(self.occupied);
        self.mobility = mobility;
        self.seen |= seen;
        let ahead = them.pawns.forward(Self::THEM);
        let third = Bitboard::from_rank(Self::THEM.rank(Rank::Third));
        self.pawn_squares = ahead | (ahead & third).forward(Self::THEM) | ahead.east() | ahead.west();
    }

    /// Where their king can go when we attack some squares; castling aside.
    #[inline(always)]
    fn king_answers(&self, attacked: Bitboard) -> usize {
        (king_attacks(self.their_king) - self.them.occupied - attacked).count()
    }

    #[inline(always)]
    fn castling_answers(&self, attacked: Bitboard, pins: Bitboard) -> usize {
        let rooks = self.position.castling_rooks;
        answers::count_castling(self.their_king, &self.them, rooks, self.occupied, attacked, pins)
    }

    /// From where a bishop or queen attacks one of the squares; their king does not stand in the way.
    #[inline(always)]
    fn diagonal_attackers(&self, squares: Bitboard, occupied: Bitboard) -> Bitboard {
        let occupied = occupied ^ self.them.king;
        squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | self.kernel.bishop(square, occupied))
    }

    /// From where a rook or queen attacks one of the squares; their king does not stand in the way.
    #[inline(always)]
    fn orthogonal_attackers(&self, squares: Bitboard, occupied: Bitboard) -> Bitboard {
        let occupied = occupied ^ self.them.king;
        squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | self.kernel.rook(square, occupied))
    }

    /// The moves of their sliders and pawns that are not pinned, given the occupied squares, and what these sliders
    /// attack.
    #[inline(always)]
    fn mobility_on(&self, occupied: Bitboard) -> (usize, Bitboard) {
        let theirs = self.them.occupied;
        self.mobility_of(&self.them, occupied, occupied - theirs)
    }

    #[inline(always)]
    fn mobility_of(&self, them: &Side, occupied: Bitboard, us: Bitboard) -> (usize, Bitboard) {
        let free = !self.pinned;
        let (mut count, mut seen) = (0, Bitboard::EMPTY);
        for from in them.diagonal & free {
            let attacks = self.kernel.bishop(from, occupied);
            count += (attacks - them.occupied).count();
            seen |= attacks;
        }
        for from in them.orthogonal & free {
            let attacks = self.kernel.rook(from, occupied);
            count += (attacks - them.occupied).count();
            seen |= attacks;
        }
        let pawns = them.pawns & free;
        count += if WHITE {
            answers::count_free_pawns::<false>(pawns, Bitboard::FULL, occupied, us)
        } else {
            answers::count_free_pawns::<true>(pawns, Bitboard::FULL, occupied, us)
        };
        (count, seen)
    }

    /// The answers of sliders, pawns and knights that are not pinned, after we have moved a piece by `path` to `to`
    /// and captured what stood there.
    #[inline(always)]
    fn answers_after_capture(&self, path: Bitboard, to: Square) -> usize {
        let them = self.them.without(to.into());
        let us = self.us.occupied ^ path;
        let mut count = self.mobility_of(&them, us | them.occupied, us).0;
        for from in them.knights - self.pinned {
            count += (knight_attacks(from) - them.occupied).count();
        }
        count
    }

    pub(super) fn count(&self) -> u64 {
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
        // Sliders that give check attack the squares behind the king, too.
        for checker in checkers & (them.diagonal | them.orthogonal) {
            danger |= line(king, checker) ^ checker.into();
        }
        let attacks = king_attacks(king);
        let mut nodes = self.moves_of::<KING>(king, attacks, !self.us.occupied - danger);
        if checkers.is_empty() {
            for rook in self.position.castling_rooks & self.us.occupied {
                let (free, safe) = castling::paths(king, rook);
                let is_legal = !free.intersects(self.occupied)
                    && !safe.intersects(danger)
                    && !self.position.orthogonal_pins.contains(rook);
                if is_legal {
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

    /// Counts all answers in a position after one of our moves.
    #[inline(always)]
    fn answers(&self, us: &Side, them: &Side, en_passant: Bitboard) -> u64 {
        // Rooks that are captured or castle lose their rights; the rights of others may stay.
        let rooks = self.position.castling_rooks & them.orthogonal;
        if WHITE {
            self.kernel.count_answers::<false, CASTLING>(them, us, en_passant, rooks)
        } else {
            self.kernel.count_answers::<true, CASTLING>(them, us, en_passant, rooks)
        }
    }

    /// Counts all answers to a move of a piece.
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

    /// The sum over the moves of a piece to those of the squares it attacks that are among `targets`.
    #[inline(always)]
    fn moves_of<const ROLE: u8>(&self, from: Square, attacks: Bitboard, targets: Bitboard) -> u64 {
        let role = Role::ALL[ROLE as usize];
        let targets = attacks & targets;
        let mut nodes = 0;
        let mut hard = targets;
        if !self.sensitive.contains(from) {
            // The squares that nothing but this piece attacks become safe for their king when it leaves.
            let opened = attacks & self.zone - self.attacked_twice;
            let occupied = self.occupied ^ from.into();
            let mut arrivals = match ROLE {
                KNIGHT => {
                    knight_attack_set(self.zone - self.attacked | opened) | knight_attacks(self.their_king)
                }
                BISHOP => self.diagonal_arrivals,
                ROOK => self.orthogonal_arrivals,
                QUEEN => self.diagonal_arrivals | self.orthogonal_arrivals,
                _ => king_attack_set(self.zone - self.attacked | opened),
            };
            let mut unchanged = self.fixed + self.knight_answers;
            if opened.any() {
                unchanged += (opened & king_attacks(self.their_king) - self.them.occupied).count();
                if CASTLING {
                    let pins = self.pinned;
                    unchanged -= self.castling_answers(self.attacked, pins);
                    unchanged += self.castling_answers(self.attacked - opened, pins);
                }
                if matches!(ROLE, BISHOP | QUEEN) {
                    arrivals |= self.diagonal_attackers(opened, occupied);
                }
                if matches!(ROLE, ROOK | QUEEN) {
                    arrivals |= self.orthogonal_attackers(opened, occupied);
                }
            }
            hard = targets & (self.sensitive | arrivals);
            hard |= targets & self.them.occupied & king_attacks(self.their_king);
            let mut touched = self.seen | self.pawn_squares;
            let mut mobility = self.mobility;
            if touched.contains(from) {
                let (without, seen) = self.mobility_on(occupied);
                mobility = without;
                touched = seen | self.pawn_squares;
            }
            let easy = targets ^ hard;
            let quiet = easy - self.them.occupied;
            let mut count = (quiet - touched).count() * (unchanged + mobility);
            count += (quiet & touched).count() * unchanged;
            for to in quiet & touched {
                count += self.mobility_on(occupied | to.into()).0;
            }
            let captures = easy & self.them.occupied;
            count += captures.count() * (unchanged - self.knight_answers);
            for to in captures {
                count += self.answers_after_capture(Bitboard::from(from) | to.into(), to);
            }
            nodes = count as u64;
        }
        for to in hard {
            nodes += self.answers_to(role, from, to);
        }
        nodes
    }

    #[inline(always)]
    fn moves_of_pawns(&self, targets: Bitboard) -> u64 {
        let position = self.position;
        let last = Bitboard::from_rank(Self::US.rank(Rank::Eighth));
        let third = Bitboard::from_rank(Self::US.rank(Rank::Third));
        let (orthogonal_pins, diagonal_pins) = (position.orthogonal_pins, position.diagonal_pins);
        let pawns = self.us.pawns;
        let free = pawns - (orthogonal_pins | diagonal_pins);
        let forward = |set: Bitboard| set.forward(Self::US);

        let steps = (forward(free) | forward(pawns & orthogonal_pins) & orthogonal_pins) - self.occupied;
        let double_steps = forward(steps & third) - self.occupied & targets;
        let steps = steps & targets;
        let prey = self.them.occupied & targets;
        let held = forward(pawns & diagonal_pins);
        let east = (forward(free).east() | held.east() & diagonal_pins) & prey;
        let west = (forward(free).west() | held.west() & diagonal_pins) & prey;

        // Pawns whose departure could matter to their king, and squares where their arrival could.
        let departures = self.sensitive | pawn_attack_set(Self::THEM, self.zone - self.attacked_twice);
        let arrivals = self.sensitive
            | pawn_attack_set(Self::THEM, self.zone - self.attacked)
            | pawn_attack_set(Self::THEM, self.them.king)
            | last;
        let touched = self.seen | self.pawn_squares;
        let unchanged = self.fixed + self.knight_answers;
        let back = |to: Square, steps: i32| {
            let forward = if WHITE { 8 } else { -8 };
            Square::from_index((to.index() as i32 - steps * forward) as usize)
        };

        let mut nodes = 0;
        let mut count = 0;
        let hard = steps & (arrivals | forward(departures));
        let easy = steps ^ hard;
        let mid = easy & (touched | forward(touched));
        count += (easy ^ mid).count() * (unchanged + self.mobility) + mid.count() * unchanged;
        for to in mid {
            count += self.mobility_on(self.occupied ^ Bitboard::from(to) ^ back(to, 1).into()).0;
        }
        for to in hard - last {
            nodes += self.answers_to(Role::Pawn, back(to, 1), to);
        }

        let allows_en_passant = forward(pawn_attack_set(Self::THEM, self.them.pawns));
        let hard = double_steps & (arrivals | forward(forward(departures)) | allows_en_passant);
        let easy = double_steps ^ hard;
        let mid = easy & (touched | forward(forward(touched)));
        count += (easy ^ mid).count() * (unchanged + self.mobility) + mid.count() * unchanged;
        for to in mid {
            count += self.mobility_on(self.occupied ^ Bitboard::from(to) ^ back(to, 2).into()).0;
        }
        for to in hard {
            let mut us = self.us;
            us.toggle(Role::Pawn, Bitboard::from(to) | back(to, 2).into());
            let en_passant = Bitboard::from(back(to, 1)) & pawn_attack_set(Self::THEM, self.them.pawns);
            nodes += self.answers(&us, &self.them, en_passant);
        }

        let arrivals = arrivals | king_attacks(self.their_king);
        for (captures, aside) in [(east, 1), (west, -1)] {
            let departures = forward(departures);
            let departures = if aside == 1 { departures.east() } else { departures.west() };
            let hard = captures & (arrivals | departures);
            let easy = captures ^ hard;
            let origin = |to: Square| Square::from_index((back(to, 1).index() as i32 - aside) as usize);
            count += easy.count() * self.fixed;
            for to in easy {
                count += self.answers_after_capture(Bitboard::from(origin(to)) | to.into(), to);
            }
            for to in hard - last {
                nodes += self.answers_to(Role::Pawn, origin(to), to);
            }
            if (hard & last).any() {
                nodes += self.promotions(hard & last, &origin);
            }
        }
        if (steps & last).any() {
            nodes += self.promotions(steps & last, &|to| back(to, 1));
        }
        if let Some(to) = position.en_passant {
            nodes += self.en_passant_captures(to);
        }
        nodes + count as u64
    }

    #[inline(never)]
    fn promotions(&self, targets: Bitboard, origin: &dyn Fn(Square) -> Square) -> u64 {
        let mut nodes = 0;
        for to in targets {
            let them = self.them.without(to.into());
            for role in [Role::Queen, Role::Knight, Role::Rook, Role::Bishop] {
                let mut us = self.us;
                us.toggle(Role::Pawn, origin(to).into());
                us.toggle(role, to.into());
                nodes += self.answers(&us, &them, Bitboard::EMPTY);
            }
        }
        nodes
    }

    #[inline(never)]
    fn en_passant_captures(&self, to: Square) -> u64 {
        let mut nodes = 0;
        for from in pawn_attacks(Self::THEM, to) & self.us.pawns {
            if self.position.is_en_passant_safe(from, to) {
                let mut us = self.us;
                us.toggle(Role::Pawn, Bitboard::from(from) | to.into());
                let taken = Bitboard::from(to).forward(Self::THEM);
                nodes += self.answers(&us, &self.them.without(taken), Bitboard::EMPTY);
            }
        }
        nodes
    }
}

/// All squares around these squares.
#[inline(always)]
fn king_attack_set(kings: Bitboard) -> Bitboard {
    let row = kings | kings.east() | kings.west();
    row | row.north() | row.south()
}
