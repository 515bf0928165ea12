//! Perft: the number of leaf nodes of the tree of legal moves, to test a move generator's correctness and speed.
//!
//! ```
//! use smalt_chess::Position;
//! use smalt_chess::perft::{Leaves, PerftTable, perft};
//!
//! let start = Position::start();
//! assert_eq!(perft(&start, 4, Leaves::Counted), 197_281);
//! // With a table, transpositions are counted once; threads may share it.
//! let table = PerftTable::new(16);
//! assert_eq!(table.perft(&start, 5), 4_865_609);
//! ```

mod table;

pub use table::PerftTable;

use std::hint::black_box;

use crate::moves::MoveList;
use crate::piece::Color;
use crate::position::Position;

/// Whether the last ply is counted without playing its moves (bulk counting).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaves {
    /// The last ply is counted without playing its moves.
    Counted,
    /// Every move is played.
    Played,
}

/// The number of leaf nodes at `depth`.
pub fn perft(position: &Position, depth: u32, leaves: Leaves) -> u64 {
    match (position.turn(), leaves) {
        (Color::White, Leaves::Counted) => count::<true, true>(position, depth),
        (Color::White, Leaves::Played) => count::<true, false>(position, depth),
        (Color::Black, Leaves::Counted) => count::<false, true>(position, depth),
        (Color::Black, Leaves::Played) => count::<false, false>(position, depth),
    }
}

/// Maximum depth.
pub const DEEPEST: u32 = 64;

/// [`perft`] with bulk counting that can be stopped: `None` once `is_stopped` returns true. It is called every few
/// million nodes.
pub fn perft_until(position: &Position, depth: u32, is_stopped: &impl Fn() -> bool) -> Option<u64> {
    if depth <= 4 {
        return Some(perft(position, depth, Leaves::Counted));
    }
    let mut nodes = 0;
    for &mv in &position.legal_moves() {
        if is_stopped() {
            return None;
        }
        nodes += perft_until(&position.after(mv), depth - 1, is_stopped)?;
    }
    Some(nodes)
}

/// [`perft`], specialized for the side to move.
fn count<const WHITE: bool, const BULK: bool>(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if BULK && depth == 1 {
        return position.count_legal_moves_as::<WHITE>() as u64;
    }
    if BULK && depth == 2 {
        return position.count_two_plies_as::<WHITE>();
    }
    let mut list = MoveList::new();
    position.list_legal_moves_as::<WHITE>(&mut list);
    let view = position.king_view::<WHITE>();
    let mut next = *position;
    if depth == 1 {
        for &mv in &list {
            next.set_after_seen::<WHITE>(position, mv, &view);
            // The result is unused; `black_box` keeps the optimizer from removing the move.
            black_box(&next);
        }
        return list.len() as u64;
    }
    let mut nodes = 0;
    for &mv in &list {
        next.set_after_seen::<WHITE>(position, mv, &view);
        nodes += if WHITE {
            count::<false, BULK>(&next, depth - 1)
        } else {
            count::<true, BULK>(&next, depth - 1)
        };
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unstopped_count_is_complete() {
        assert_eq!(perft_until(&Position::start(), 5, &|| false), Some(4_865_609));
        assert_eq!(perft_until(&Position::start(), DEEPEST, &|| true), None);
    }
}
