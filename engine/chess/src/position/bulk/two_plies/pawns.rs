//! The sum of the opponent's answers over all pawn moves of a position.

use super::{Kernel, TwoPlies};
use crate::attacks::{pawn_attack_set, pawn_attacks};
use crate::bitboard::Bitboard;
use crate::piece::Role;
use crate::square::{Rank, Square};

impl<K: Kernel, const WHITE: bool, const CASTLING: bool> TwoPlies<'_, K, WHITE, CASTLING> {
    /// As `moves_of`: hard moves are played. After easy moves, the mobility of sliders and pawns is recounted for those
    /// in `changed`, and the king's moves for those in `near`.
    #[inline(always)]
    pub(super) fn moves_of_pawns(&self, targets: Bitboard) -> u64 {
        let position = self.position;
        let last = Bitboard::from_rank(Self::US.rank(Rank::Eighth));
        let third = Bitboard::from_rank(Self::US.rank(Rank::Third));
        let (orthogonal_pins, diagonal_pins) = (position.orthogonal_pins, position.diagonal_pins);
        let pawns = self.us.pawns;
        let free = pawns - (orthogonal_pins | diagonal_pins);
        let forward = |set: Bitboard| set.forward(Self::US);

        let steps = (forward(free) | forward(pawns & orthogonal_pins) & orthogonal_pins) - self.occupied;
        let double_steps = (forward(steps & third) - self.occupied) & targets;
        let steps = steps & targets;
        let prey = self.them.occupied & targets;
        let held = forward(pawns & diagonal_pins);
        let east = (forward(free).east() | held.east() & diagonal_pins) & prey;
        let west = (forward(free).west() | held.west() & diagonal_pins) & prey;

        // Squares where a pawn's departure or arrival changes more than the king's moves.
        let checks = pawn_attack_set(Self::THEM, self.them.king);
        let hard_arrivals = self.sensitive | checks | last;
        // Squares where a pawn's departure or arrival changes the king's moves.
        let departures = pawn_attack_set(Self::THEM, self.zone - self.attacked_twice);
        let arrivals = pawn_attack_set(Self::THEM, self.open - self.attacked);
        let touched = self.seen | self.pawn_squares;
        let theirs = self.them.occupied;
        let unchanged = self.fixed + self.knight_answers;
        let king_answers = self.king_answers(self.attacked, theirs);
        let attacked = |from: Square, to: Square| {
            let opened = pawn_attacks(Self::US, from) & (self.zone - self.attacked_twice);
            (self.attacked - opened) | pawn_attacks(Self::US, to)
        };
        let back = |to: Square, steps: i32| {
            let forward = if WHITE { 8 } else { -8 };
            Square::from_index((to.index() as i32 - steps * forward) as usize)
        };

        let mut nodes = 0;
        let mut count = 0;
        let hard = steps & (hard_arrivals | forward(self.sensitive));
        let easy = steps ^ hard;
        let changed = easy & (touched | forward(touched));
        let near = easy & (arrivals | forward(departures));
        count += easy.count() * unchanged;
        count += (easy ^ changed).count() * self.mobility + (easy ^ near).count() * king_answers;
        for to in changed {
            count += self.mobility_of(&self.them, self.occupied ^ Bitboard::from(to) ^ back(to, 1).into()).0;
        }
        for to in near {
            count += self.king_answers(attacked(back(to, 1), to), theirs);
        }
        for to in hard - last {
            nodes += self.answers_to(Role::Pawn, back(to, 1), to);
        }

        let allows_en_passant = forward(pawn_attack_set(Self::THEM, self.them.pawns));
        let hard = double_steps & (hard_arrivals | forward(forward(self.sensitive)) | allows_en_passant);
        let easy = double_steps ^ hard;
        let changed = easy & (touched | forward(forward(touched)));
        let near = easy & (arrivals | forward(forward(departures)));
        count += easy.count() * unchanged;
        count += (easy ^ changed).count() * self.mobility + (easy ^ near).count() * king_answers;
        for to in changed {
            count += self.mobility_of(&self.them, self.occupied ^ Bitboard::from(to) ^ back(to, 2).into()).0;
        }
        for to in near {
            count += self.king_answers(attacked(back(to, 2), to), theirs);
        }
        for to in hard {
            let mut us = self.us;
            us.toggle(Role::Pawn, Bitboard::from(to) | back(to, 2).into());
            let en_passant = Bitboard::from(back(to, 1)) & pawn_attack_set(Self::THEM, self.them.pawns);
            nodes += self.answers(&us, &self.them, en_passant);
        }

        for (captures, aside) in [(east, 1), (west, -1)] {
            let departures = forward(self.sensitive);
            let departures = if aside == 1 { departures.east() } else { departures.west() };
            let hard = captures & (hard_arrivals | departures);
            let origin = |to: Square| Square::from_index((back(to, 1).index() as i32 - aside) as usize);
            for to in captures ^ hard {
                let from = origin(to);
                count += self.answers_after_capture(Bitboard::from(from) | to.into(), to, attacked(from, to));
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
