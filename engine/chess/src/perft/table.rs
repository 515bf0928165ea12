//! Perft with a hash table.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{DEEPEST, count};
use crate::moves::MoveList;
use crate::piece::Color;
use crate::position::Position;

/// A hash table of leaf counts, which threads may share. Positions are identified by their 64-bit Zobrist key.
pub struct PerftTable {
    buckets: Box<[Bucket]>,
}

/// A bucket has two slots: one is depth-preferred by count, the other always replaced.
#[derive(Default)]
#[repr(align(32))]
struct Bucket([Slot; 2]);

/// The key is stored XORed with the value, so that a slot torn by two concurrent writes matches no position.
#[derive(Default)]
struct Slot {
    key: AtomicU64,
    value: AtomicU64,
}

/// Bits for the depth in a value; the count is above them.
const DEPTH_BITS: u32 = 7;
const _: () = assert!(DEEPEST < 1 << DEPTH_BITS);

/// Smaller depths are counted faster than looked up.
const LEAST_DEPTH: u32 = 3;

impl PerftTable {
    /// An empty table of this size in MiB, at least one.
    ///
    /// # Panics
    /// If there is not enough memory.
    pub fn new(megabytes: usize) -> PerftTable {
        PerftTable::try_new(megabytes).expect("not enough memory for the perft table")
    }

    /// As [`PerftTable::new`]; `None` if there is not enough memory.
    pub fn try_new(megabytes: usize) -> Option<PerftTable> {
        let count = megabytes.max(1).checked_mul(1 << 20)? / size_of::<Bucket>();
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        buckets.resize_with(count, Bucket::default);
        Some(PerftTable { buckets: buckets.into_boxed_slice() })
    }

    /// The number of leaf nodes at `depth`, with bulk counting.
    pub fn perft(&self, position: &Position, depth: u32) -> u64 {
        // Keys name castling rights by side; the castling rooks distinguish Chess960 positions that differ only in the
        // rook's file. Rooks in the corners, as in standard chess, add nothing, so searches of different children share
        // their counts.
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let salt = (position.castling_rooks().0 & !CORNERS).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match position.turn() {
            Color::White => self.count::<true>(position, depth, salt),
            Color::Black => self.count::<false>(position, depth, salt),
        }
    }

    fn count<const WHITE: bool>(&self, position: &Position, depth: u32, salt: u64) -> u64 {
        if depth < LEAST_DEPTH {
            return count::<WHITE, true>(position, depth);
        }
        let key = (position.key() ^ salt).wrapping_add(u64::from(depth).wrapping_mul(0xd6e8_feb8_6659_fd93));
        let bucket = &self.buckets[((u128::from(key) * self.buckets.len() as u128) >> 64) as usize];
        if let Some(nodes) = bucket.get(key, depth) {
            return nodes;
        }
        let mut list = MoveList::new();
        position.list_legal_moves_as::<WHITE>(&mut list);
        let view = position.king_view::<WHITE>();
        let mut next = *position;
        let mut nodes = 0;
        for &mv in &list {
            next.set_after_seen::<WHITE>(position, mv, &view);
            nodes += if WHITE {
                self.count::<false>(&next, depth - 1, salt)
            } else {
                self.count::<true>(&next, depth - 1, salt)
            };
        }
        bucket.put(key, depth, nodes);
        nodes
    }
}

impl Bucket {
    fn get(&self, key: u64, depth: u32) -> Option<u64> {
        self.0.iter().find_map(|slot| {
            let value = slot.value.load(Ordering::Relaxed);
            let fits = slot.key.load(Ordering::Relaxed) ^ value == key
                && value % (1 << DEPTH_BITS) == u64::from(depth);
            fits.then_some(value >> DEPTH_BITS)
        })
    }

    fn put(&self, key: u64, depth: u32, nodes: u64) {
        if nodes >> (u64::BITS - DEPTH_BITS) != 0 {
            return;
        }
        let [larger, last] = &self.0;
        let is_larger = nodes >= larger.value.load(Ordering::Relaxed) >> DEPTH_BITS;
        let slot = if is_larger { larger } else { last };
        let value = nodes << DEPTH_BITS | u64::from(depth);
        slot.key.store(key ^ value, Ordering::Relaxed);
        slot.value.store(value, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for PerftTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PerftTable").field("buckets", &self.buckets.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perft::{Leaves, perft};

    #[test]
    fn a_table_shared_by_threads_counts_the_same_even_when_it_is_full() {
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let positions = [Position::start(), Position::from_fen(kiwipete).unwrap()];
        let table = PerftTable { buckets: (0..64).map(|_| Bucket::default()).collect() };
        std::thread::scope(|scope| {
            for position in positions.iter().cycle().take(4) {
                let table = &table;
                scope.spawn(move || {
                    for depth in (0..=4).rev() {
                        let expected = perft(position, depth, Leaves::Counted);
                        assert_eq!(table.perft(position, depth), expected);
                    }
                });
            }
        });
    }

    #[test]
    fn rooks_of_the_same_wing_are_distinguished() {
        let table = PerftTable::new(1);
        for rights in ["G", "H"] {
            let position = Position::from_fen(&format!("4k3/8/8/8/8/8/8/4K1RR w {rights} - 0 1")).unwrap();
            assert_eq!(table.perft(&position, 3), perft(&position, 3, Leaves::Counted), "{rights}");
        }
    }
}
