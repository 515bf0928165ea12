//! Correction history: the average difference between search score and static evaluation, by pawn structure, minor
//! pieces, pieces of each color, and the last two moves. Kept between the moves of a game, one set per thread.

use smalt_chess::{Bitboard, Color, Position, Role};

use super::histories::{PIECE_TO_COUNT, PieceTo, apply_gravity};
use super::params::PARAMETERS as P;
use crate::memory::prefetch;

/// Bound of an entry, either way.
const MAX_CORRECTION: i32 = 1024;

/// Entries of each hashed table.
const SIZE: usize = 1 << 14;

/// Odd hash multipliers, one per role (golden ratio, SplitMix and wyhash constants).
const MULTIPLIERS: [u64; 6] = [
    0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93,
    0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db,
];

/// The last two moves, as piece and destination.
#[derive(Clone, Copy)]
pub(super) struct PreviousMoves {
    pub(super) last: PieceTo,
    pub(super) before: PieceTo,
}

/// Indices of a position into the correction histories.
#[derive(Clone, Copy)]
pub(super) struct CorrectionIndices {
    turn: Color,
    slots: [usize; 4],
    previous_moves: PreviousMoves,
}

/// The correction histories of one thread, zero at the start.
pub(super) struct CorrectionHistory {
    /// Pawn, minor piece (with kings), White's non-pawn and Black's non-pawn tables, each by side to move.
    hashed: [[[i16; 2]; SIZE]; 4],
    /// Continuation correction history: by the last move but one, then the last.
    continuation: [[i16; PIECE_TO_COUNT + 1]; PIECE_TO_COUNT + 1],
}

impl CorrectionHistory {
    /// Computes the indices of a position and prefetches the entries.
    #[inline]
    pub(super) fn indices(&self, position: &Position, previous_moves: PreviousMoves) -> CorrectionIndices {
        let indices = CorrectionIndices { turn: position.turn(), slots: slots(position), previous_moves };
        for (history, slot) in self.hashed.iter().zip(indices.slots) {
            prefetch(&history[slot]);
        }
        prefetch(&self.continuation[previous_moves.before.index()][previous_moves.last.index()]);
        indices
    }

    /// The correction to add to the static evaluation, in centipawns for the side to move.
    #[inline]
    pub(super) fn correction(&self, indices: CorrectionIndices) -> i32 {
        let CorrectionIndices { turn, slots, previous_moves } = indices;
        let [pawns, minors, white, black] =
            std::array::from_fn(|kind| i32::from(self.hashed[kind][slots[kind]][turn.index()]));
        let continuation =
            i32::from(self.continuation[previous_moves.before.index()][previous_moves.last.index()]);
        let sum = pawns * P.correction_pawn()
            + minors * P.correction_minor()
            + (white + black) * P.correction_non_pawn()
            + continuation * P.correction_continuation();
        sum / MAX_CORRECTION
    }

    /// Updates the entries with the difference between a search score and the corrected evaluation, in centipawns.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn update(
        &mut self,
        position: &Position,
        previous_moves: PreviousMoves,
        depth: i32,
        difference: i32,
    ) {
        let by = (difference * depth / P.correction_depth()).clamp(-MAX_CORRECTION / 4, MAX_CORRECTION / 4);
        for (history, slot) in self.hashed.iter_mut().zip(slots(position)) {
            apply_gravity(&mut history[slot][position.turn().index()], by, MAX_CORRECTION);
        }
        if previous_moves.last != PieceTo::NONE {
            apply_gravity(
                &mut self.continuation[previous_moves.before.index()][previous_moves.last.index()],
                by,
                MAX_CORRECTION,
            );
        }
    }
}

/// Index into each hashed table.
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
    use crate::search::ThreadHistories;

    const NOWHERE: PreviousMoves = PreviousMoves { last: PieceTo::NONE, before: PieceTo::NONE };

    #[test]
    fn corrections_converge_to_the_difference() {
        let position = Position::start();
        let mut tables = ThreadHistories::new().unwrap();
        let corrections = &mut tables.corrections;
        for _ in 0..200 {
            let left = 40 - corrections.correction(corrections.indices(&position, NOWHERE));
            corrections.update(&position, NOWHERE, 12, left);
        }
        let correction = corrections.correction(corrections.indices(&position, NOWHERE));
        assert!((35..=45).contains(&correction), "{correction}");
    }

    #[test]
    fn positions_with_common_features_share_corrections() {
        let taught: Position = "4k3/pp4pp/8/3n4/3N4/8/PP4PP/R3K3 w - - 0 1".parse().unwrap();
        let similar: Position = "r3k3/pp4pp/8/3n4/3N4/8/PP4PP/R3K3 w - - 0 1".parse().unwrap();
        let other: Position = "4k3/p4ppp/3q4/8/8/1B6/P4PPP/4K2Q w - - 0 1".parse().unwrap();
        let mut tables = ThreadHistories::new().unwrap();
        let corrections = &mut tables.corrections;
        for _ in 0..50 {
            corrections.update(&taught, NOWHERE, 10, 60);
        }
        let of = |position| corrections.correction(corrections.indices(position, NOWHERE));
        assert!(of(&taught) > of(&similar) && of(&similar) > of(&other));
        assert_eq!(of(&other), 0);
    }
}
