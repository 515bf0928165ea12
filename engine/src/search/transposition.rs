//! Transposition table, shared by all threads without locks (R. Hyatt's XOR trick).
//!
//! An entry is two words: the position's key XORed with the data, and the data. An entry torn by two concurrent writers
//! matches no key. A key collision can return another position's move, so check that it is legal.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use smalt_chess::Move;
use smalt_protocol::Bound;

use super::huge_pages::{HUGE_PAGE, Zeroable, zeroed_slice};
use super::score::{from_table, is_decided, to_table};
use crate::memory::prefetch;

/// A transposition table entry. Scores are from the side to move's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Best move or refutation; from another position after a key collision.
    pub best: Option<Move>,
    /// Score, with mates counted from the root.
    pub score: i32,
    /// Bound of the score.
    pub bound: Bound,
    /// Uncorrected static evaluation, or [`NO_SCORE`](super::score::NO_SCORE).
    pub evaluation: i32,
    /// Depth searched, in plies; 0 for quiescence.
    pub depth: i32,
    /// Whether the node was ever on a principal variation.
    pub tt_pv: bool,
}

const GENERATIONS: u8 = 32;

impl Entry {
    /// Whether its bound causes a cutoff in this window.
    #[inline]
    pub(super) fn is_cutoff(&self, alpha: i32, beta: i32) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score <= alpha,
        }
    }

    /// Its score, if the bound makes it a better estimate than the static evaluation.
    #[inline]
    pub(super) fn better_estimate(&self, evaluation: i32) -> Option<i32> {
        let is_better = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > evaluation,
            Bound::Upper => self.score < evaluation,
        };
        (is_better && !is_decided(self.score)).then_some(self.score)
    }

    fn pack(&self, generation: u8, ply: usize) -> u64 {
        let best = self.best.map_or(0, Move::to_bits);
        let score = to_table(self.score, ply) as i16 as u16;
        let evaluation = self.evaluation as i16 as u16;
        let depth = self.depth.clamp(0, 255) as u8;
        // Never zero, which marks an empty slot.
        let bound = match self.bound {
            Bound::Upper => 1_u8,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        let flags = bound | u8::from(self.tt_pv) << 2 | generation << 3;
        u64::from(best)
            | u64::from(score) << 16
            | u64::from(evaluation) << 32
            | u64::from(depth) << 48
            | u64::from(flags) << 56
    }

    /// The entry of packed data other than zero.
    #[inline]
    fn unpack(data: u64, ply: usize) -> Entry {
        // A table instead of branches, which would often be mispredicted.
        const BOUNDS: [Bound; 4] = [Bound::Exact, Bound::Upper, Bound::Lower, Bound::Exact];
        Entry {
            best: Move::from_bits(data as u16),
            score: from_table(i32::from((data >> 16) as i16), ply),
            bound: BOUNDS[(data >> 56 & 3) as usize],
            evaluation: i32::from((data >> 32) as i16),
            depth: i32::from((data >> 48) as u8),
            tt_pv: data >> 58 & 1 != 0,
        }
    }
}

fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

#[repr(align(16))]
struct PackedEntry {
    mixed_key: AtomicU64,
    data: AtomicU64,
}

/// The slots of a key: one cache line.
type Bucket = [PackedEntry; SLOTS];

const SLOTS: usize = 4;

/// Bytes of a cache line.
const LINE: usize = 64;

const _: () = assert!(size_of::<Bucket>() == LINE);

/// A table of a fixed size.
pub(crate) struct TranspositionTable {
    /// The buckets, padded so that the first starts on a huge page.
    slots: Box<[PackedEntry]>,
    /// Slots before the first bucket.
    offset: usize,
    buckets: usize,
    generation: AtomicU8,
    /// Whether anything was stored since the last clear.
    is_used: AtomicBool,
}

impl TranspositionTable {
    /// An empty table of this many megabytes (2^20 bytes), at least one.
    pub(crate) fn new(megabytes: usize) -> TranspositionTable {
        TranspositionTable::try_new(megabytes).expect("not enough memory for the transposition table")
    }

    /// As [`TranspositionTable::new`]; `None` if there is not enough memory.
    pub(crate) fn try_new(megabytes: usize) -> Option<TranspositionTable> {
        let buckets = megabytes.max(1).checked_mul(1 << 20)? / size_of::<Bucket>();
        let slots: Box<[PackedEntry]> = zeroed_slice(buckets * SLOTS + HUGE_PAGE / size_of::<PackedEntry>())?;
        let offset = slots.as_ptr().align_offset(HUGE_PAGE);
        let (generation, is_used) = (AtomicU8::new(0), AtomicBool::new(false));
        Some(TranspositionTable { slots, offset, buckets, generation, is_used })
    }

    /// Clears the table, using this many threads.
    pub(crate) fn clear(&self, threads: usize) {
        if !self.is_used.swap(false, Relaxed) {
            return;
        }
        let slots = &self.slots[self.offset..][..self.buckets * SLOTS];
        let share = slots.len().div_ceil(threads.max(1));
        let (own, others) = slots.split_at(share);
        std::thread::scope(|scope| {
            for part in others.chunks(share) {
                let clear = || part.iter().for_each(PackedEntry::clear);
                // Without another thread, clearing takes longer.
                if std::thread::Builder::new().spawn_scoped(scope, clear).is_err() {
                    clear();
                }
            }
            own.iter().for_each(PackedEntry::clear);
        });
        self.generation.store(0, Relaxed);
    }

    /// Starts a new generation: entries of older searches are replaced first.
    pub(super) fn age(&self) {
        self.generation.store((self.generation() + 1) % GENERATIONS, Relaxed);
    }

    fn generation(&self) -> u8 {
        self.generation.load(Relaxed)
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets as u128) >> 64;
        let start = self.offset + index as usize * SLOTS;
        self.slots[start..].first_chunk().expect("every bucket lies within the table")
    }

    /// Prefetches the bucket of a key.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// Looks up a key, at this ply.
    #[inline]
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        let found = self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.mixed_key.load(Relaxed) ^ data == key && data != 0).then_some(data)
        });
        found.map(|data| Entry::unpack(data, ply))
    }

    /// Stores an entry at this ply, replacing the least valuable of the bucket by depth and age. A much deeper entry of
    /// the same position and search is kept; so is the move of an entry if the new one has none.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(crate) fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        if !self.is_used.load(Relaxed) {
            self.is_used.store(true, Relaxed);
        }
        let generation = self.generation();
        let slots = self.bucket(key);
        let mut place = &slots[0];
        let mut least = i32::MAX;
        for slot in slots {
            let data = slot.data.load(Relaxed);
            if slot.mixed_key.load(Relaxed) ^ data == key && data != 0 {
                let deeper = depth_of(data) > entry.depth + 3 + i32::from(entry.tt_pv);
                if deeper && entry.bound != Bound::Exact && generation_of(data) == generation {
                    return;
                }
                entry.best = entry.best.or(Move::from_bits(data as u16));
                place = slot;
                break;
            }
            let age = (generation + GENERATIONS - generation_of(data)) % GENERATIONS;
            let worth = if data == 0 { i32::MIN } else { depth_of(data) - 8 * i32::from(age) };
            if worth < least {
                (least, place) = (worth, slot);
            }
        }
        let data = entry.pack(generation, ply);
        place.mixed_key.store(key ^ data, Relaxed);
        place.data.store(data, Relaxed);
    }

    /// Permille of entries written by this search, from a sample of the first 1,000 slots.
    pub(crate) fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let slots = self.slots[self.offset..].iter().take(1000);
        let live = |slot: &&PackedEntry| {
            let data = slot.data.load(Relaxed);
            data != 0 && generation_of(data) == generation
        };
        slots.filter(live).count() as u32
    }
}

impl PackedEntry {
    fn clear(&self) {
        self.mixed_key.store(0, Relaxed);
        self.data.store(0, Relaxed);
    }
}

#[expect(unsafe_code, reason = "the type is all integers")]
// SAFETY: A slot consists of integers.
unsafe impl Zeroable for PackedEntry {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{NO_SCORE, mate_in};
    use smalt_chess::{MoveKind, Square};

    fn entry(depth: i32, bound: Bound) -> Entry {
        let best = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        Entry { best, score: -31, bound, evaluation: NO_SCORE, depth, tt_pv: true }
    }

    #[test]
    fn stored_entries_are_found() {
        let table = TranspositionTable::new(1);
        assert_eq!(table.probe(1 << 40, 3), None);
        for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
            let stored = entry(7, bound);
            table.store(1 << 40, 3, stored);
            assert_eq!(table.probe(1 << 40, 3), Some(stored));
        }
        table.clear(2);
        assert_eq!(table.probe(1 << 40, 3), None);
    }

    #[test]
    fn extreme_keys_work() {
        let table = TranspositionTable::new(1);
        for key in [0, 1, u64::MAX, 1 << 63] {
            assert_eq!(table.probe(key, 0), None);
            table.store(key, 0, entry(7, Bound::Exact));
            assert_eq!(table.probe(key, 0), Some(entry(7, Bound::Exact)));
        }
    }

    #[test]
    fn too_much_memory_is_refused() {
        for megabytes in [usize::MAX, usize::MAX >> 20, usize::MAX >> 22, usize::MAX >> 24] {
            assert!(TranspositionTable::try_new(megabytes).is_none(), "{megabytes}");
        }
    }

    #[test]
    fn mate_scores_are_relative_to_the_probing_ply() {
        let table = TranspositionTable::new(1);
        table.store(9, 4, Entry { score: mate_in(10), ..entry(3, Bound::Exact) });
        assert_eq!(table.probe(9, 0).map(|found| found.score), Some(mate_in(6)));
    }

    #[test]
    fn a_shallow_bound_does_not_replace_a_deep_entry_of_the_same_search() {
        let table = TranspositionTable::new(1);
        table.store(5, 0, entry(20, Bound::Lower));
        table.store(5, 0, entry(2, Bound::Upper));
        assert_eq!(table.probe(5, 0).map(|found| found.depth), Some(20));
        table.age();
        table.store(5, 0, entry(2, Bound::Upper));
        assert_eq!(table.probe(5, 0).map(|found| found.depth), Some(2));
    }

    #[test]
    fn replacement_prefers_old_and_shallow_entries() {
        let table = TranspositionTable::new(1);
        for key in 1..=4 {
            table.store(key, 0, entry(key as i32, Bound::Exact));
        }
        table.store(5, 0, entry(9, Bound::Exact));
        assert_eq!(table.probe(1, 0), None);
        table.age();
        table.store(6, 0, entry(1, Bound::Exact));
        assert_eq!(table.probe(2, 0), None);
        assert!((3..=6).all(|key| table.probe(key, 0).is_some()));
        assert_eq!(table.hashfull(), 1);
    }
}
