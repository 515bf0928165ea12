//! How far static evaluations were off in positions that have something in common: the pawns, the minor pieces and
//! kings, the pieces of one side, or the moves that led there. Kept from move to move of a game, a set for each thread.

use smalt_chess::{Bitboard, Color, Position, Role};

use super::histories::{PLACES, Place, pull};
use super::params::PARAMETERS as P;
use crate::memory::prefetch;

/// No correction leaves the range from minus this to plus this, in its own unit.
const MOST: i32 = 1024;

/// Slots of a history whose index is a hash.
const SIZE: usize = 1 << 14;

/// Odd numbers without pattern, one for each role; from the fraction of the golden ratio, scrambled.
const MULTIPLIERS: [u64; 6] = [
    0x9e37_79b9_7f4a_7c15,
    0xbf58_476d_1ce4_e5b9,
    0x94d0_49bb_1331_11eb,
    0xd6e8_feb8_6659_fd93,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
];

/// What led to a position: the squares that the last move and the one before it brought their pieces to.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    pub(super) last: Place,
    pub(super) before: Place,
}

/// Where a position stands in the correction histories.
#[derive(Clone, Copy)]
pub(super) struct Spots {
    turn: Color,
    slots: [usize; 4],
    steps: Steps,
}

/// The correction histories of one thread; in the beginning all are zero.
pub(super) struct Corrections {
    /// By pawns, by minor pieces and kings, by White's pieces, by Black's; each by the side to move.
    hashed: [[[i16; 2]; SIZE]; 4],
    /// By the move before the last, then the last.
    continuation: [[i16; PLACES + 1]; PLACES + 1],
}

impl Corrections {
    /// Where to look for the corrections of a position; the memory is asked for them.
    #[inline]
    pub(super) fn find(&self, position: &Position, steps: Steps) -> Spots {
        let spots = Spots { turn: position.turn(), slots: slots(position), steps };
        for (history, slot) in self.hashed.iter().zip(spots.slots) {
            prefetch(&history[slot]);
        }
        prefetch(&self.continuation[steps.before.index()][steps.last.index()]);
        spots
    }

    /// What to add to the static evaluation, in centipawns for the side to move.
    #[inline]
    pub(super) fn of(&self, spots: Spots) -> i32 {
        let Spots { turn, slots, steps } = spots;
        let [pawns, minors, white, black] =
            std::array::from_fn(|kind| i32::from(self.hashed[kind][slots[kind]][turn.index()]));
        let continuation = i32::from(self.continuation[steps.before.index()][steps.last.index()]);
        let sum = pawns * P.correction_pawn()
            + minors * P.correction_minor()
            + (white + black) * P.correction_pieces()
            + continuation * P.correction_continuation();
        sum / MOST
    }

    /// Teaches by how much a search at some depth differed from the corrected evaluation, in centipawns.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn teach(&mut self, position: &Position, steps: Steps, depth: i32, difference: i32) {
        let by = (difference * depth / P.correction_depth()).clamp(-MOST / 4, MOST / 4);
        for (history, slot) in self.hashed.iter_mut().zip(slots(position)) {
            pull(&mut history[slot][position.turn().index()], by, MOST);
        }
        if steps.last != Place::NONE {
            pull(&mut self.continuation[steps.before.index()][steps.last.index()], by, MOST);
        }
    }
}

/// Where the position stands in each hashed history.
#[inline]
fn slots(position: &Position) -> [usize; 4] {
    let hash = |squares: Bitboard, role: Role| squares.0.wrapping_mul(MULTIPLIERS[role.index()]);
    let of = |color: Color, roles: &[Role]| {
        roles.iter().fold(0, |sum: u64, &role| sum ^ hash(position.pieces(color, role), role))
    };
    let [white, black] = Color::ALL.map(|color| {
        let minors = of(color, &[Role::Knight, Role::Bishop, Role::King]);
        (minors, minors ^ of(color, &[Role::Rook, Role::Queen]))
    });
    let minors = white.0 ^ black.0.rotate_left(32);
    let slot = |hash: u64| (hash ^ hash >> 32).wrapping_mul(MULTIPLIERS[0]) as usize >> 50;
    [position.pawn_key() as usize % SIZE, slot(minors), slot(white.1), slot(black.1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Experience;

    const NOWHERE: Steps = Steps { last: Place::NONE, before: Place::NONE };

    #[test]
    fn corrections_follow_what_searches_found() {
        let position = Position::start();
        let mut experience = Experience::new();
        let corrections = &mut experience.corrections;
        for _ in 0..200 {
            let left = 40 - corrections.of(corrections.find(&position, NOWHERE));
            corrections.teach(&position, NOWHERE, 12, left);
        }
        let correction = corrections.of(corrections.find(&position, NOWHERE));
        assert!((35..=45).contains(&correction), "{correction}");
    }

    #[test]
    fn what_two_positions_share_is_corrected_in_both() {
        let taught: Position = "4k3/pp4pp/8/3n4/3N4/8/PP4PP/R3K3 w - - 0 1".parse().unwrap();
        let similar: Position = "r3k3/pp4pp/8/3n4/3N4/8/PP4PP/R3K3 w - - 0 1".parse().unwrap();
        let other: Position = "4k3/p4ppp/3q4/8/8/1B6/P4PPP/4K2Q w - - 0 1".parse().unwrap();
        let mut experience = Experience::new();
        let corrections = &mut experience.corrections;
        for _ in 0..50 {
            corrections.teach(&taught, NOWHERE, 10, 60);
        }
        let of = |position| corrections.of(corrections.find(position, NOWHERE));
        assert!(of(&taught) > of(&similar) && of(&similar) > of(&other));
        assert_eq!(of(&other), 0);
    }
}
