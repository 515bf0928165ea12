//! Counts of the positions that legal moves lead to: the measure of a move generator's truth and speed.

use crate::moves::Move;
use crate::position::Position;

/// Whether the last ply is counted from the lists of moves or played out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// The moves of the last ply are counted without being played.
    Counted,
    /// Every move is played.
    Played,
}

/// How many sequences of so many legal moves there are.
pub fn perft(position: &Position, depth: u32, leaves: Leaves) -> u64 {
    match (depth, leaves) {
        (0, _) => 1,
        (1, Leaves::Counted) => position.count_legal_moves() as u64,
        _ => position.legal_moves().iter().map(|&mv| perft(&position.after(mv), depth - 1, leaves)).sum(),
    }
}

/// [`perft`] of each legal move, in the order of generation; `depth` counts that move.
pub fn divide(position: &Position, depth: u32, leaves: Leaves) -> Vec<(Move, u64)> {
    position
        .legal_moves()
        .iter()
        .map(|&mv| (mv, perft(&position.after(mv), depth.saturating_sub(1), leaves)))
        .collect()
}
