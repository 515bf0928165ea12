//! The transposition table: what was found out about positions, shared by all threads without a lock.
//!
//! An entry is two words. The first is the position's key mixed with the second, so that an entry of which two
//! threads wrote a half each fits no key. It does not judge its moves: ask the position whether they are legal.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use smalt_chess::Move;
use smalt_protocol::Bound;

use super::pages::{LARGE_PAGE, Zeroable, zeroed_slice};
use super::score::{from_table, to_table};
use crate::memory::prefetch;

/// What the table knows about a position. Scores take the view of the side to move there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The best move or the one that refuted; from another position when keys collide.
    pub best: Option<Move>,
    /// The score, with mates counted from the root of the search that asks.
    pub score: i32,
    /// How the score is to be taken.
    pub bound: Bound,
    /// The static evaluation without corrections, or [`NO_SCORE`](super::score::NO_SCORE).
    pub evaluation: i32,
    /// Depth searched, in plies; 0 for quiescence.
    pub depth: i32,
    /// Whether the node has ever been on a principal variation.
    pub was_pv: bool,
}

const GENERATIONS: u8 = 32;

impl Entry {
    fn pack(&self, generation: u8, ply: usize) -> u64 {
        let best = self.best.map_or(0, Move::to_bits);
        let score = to_table(self.score, ply) as i16 as u16;
        let evaluation = self.evaluation as i16 as u16;
        let depth = self.depth.clamp(0, 255) as u8;
        // Never zero, which is an empty place.
        let bound = match self.bound {
            Bound::Upper => 1_u8,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        let flags = bound | u8::from(self.was_pv) << 2 | generation << 3;
        u64::from(best)
            | u64::from(score) << 16
            | u64::from(evaluation) << 32
            | u64::from(depth) << 48
            | u64::from(flags) << 56
    }

    fn unpack(data: u64, ply: usize) -> Option<Entry> {
        let bound = match data >> 56 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Entry {
            best: Move::from_bits(data as u16),
            score: from_table(i32::from((data >> 16) as i16), ply),
            bound,
            evaluation: i32::from((data >> 32) as i16),
            depth: i32::from((data >> 48) as u8),
            was_pv: data >> 58 & 1 != 0,
        })
    }
}

fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

#[repr(align(16))]
struct Slot {
    mixed_key: AtomicU64,
    data: AtomicU64,
}

/// The slots that a key may lie in: one cache line.
type Bucket = [Slot; SLOTS];

const SLOTS: usize = 4;

/// Bytes of a cache line.
const LINE: usize = 64;

const _: () = assert!(size_of::<Bucket>() == LINE);

/// A table of a fixed size.
pub struct TranspositionTable {
    /// The buckets, and room for the first of them to begin with a large page.
    slots: Box<[Slot]>,
    /// Slots before the first bucket.
    offset: usize,
    /// How many buckets there are.
    buckets: usize,
    generation: AtomicU8,
    /// Whether anything has been stored since it was last empty.
    is_used: AtomicBool,
}

impl TranspositionTable {
    /// An empty table of about so many megabytes (2^20 bytes), at least one.
    pub fn new(megabytes: usize) -> TranspositionTable {
        TranspositionTable::try_new(megabytes)
            .expect("a machine without the memory for its table can't search")
    }

    /// As [`TranspositionTable::new`]; `None` where the system has not so much memory.
    pub fn try_new(megabytes: usize) -> Option<TranspositionTable> {
        let buckets = megabytes.max(1).checked_mul(1 << 20)? / size_of::<Bucket>();
        let slots: Box<[Slot]> = zeroed_slice(buckets * SLOTS + LARGE_PAGE / size_of::<Slot>())?;
        let offset = slots.as_ptr().align_offset(LARGE_PAGE);
        let (generation, is_used) = (AtomicU8::new(0), AtomicBool::new(false));
        Some(TranspositionTable { slots, offset, buckets, generation, is_used })
    }

    /// Forgets everything; large tables are swept by so many threads.
    pub fn clear(&self, threads: usize) {
        if !self.is_used.swap(false, Relaxed) {
            return;
        }
        let slots = &self.slots[self.offset..][..self.buckets * SLOTS];
        let share = slots.len().div_ceil(threads.max(1));
        let (own, others) = slots.split_at(share);
        std::thread::scope(|scope| {
            for part in others.chunks(share) {
                scope.spawn(|| part.iter().for_each(Slot::clear));
            }
            own.iter().for_each(Slot::clear);
        });
        self.generation.store(0, Relaxed);
    }

    /// Tells that a new search begins: entries of older ones make way first.
    pub fn age(&self) {
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

    /// Asks the memory for the entries of a key that will soon be needed.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// What is known about the position of a key, met at this ply.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            if slot.mixed_key.load(Relaxed) ^ data == key { Entry::unpack(data, ply) } else { None }
        })
    }

    /// Keeps what was found at this ply, in the place of the least useful entry of the bucket. A position's own
    /// entry is kept where it is much deeper and of this search; and its move where the new one has none.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub fn store(&self, key: u64, ply: usize, mut entry: Entry) {
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
                let deeper = depth_of(data) > entry.depth + 3 + i32::from(entry.was_pv);
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

    /// How full the table is with entries of this search, in thousandths; a sample of its first part.
    pub fn fullness(&self) -> u32 {
        let generation = self.generation();
        let slots = self.slots[self.offset..].iter().take(1000);
        let live = |slot: &&Slot| {
            let data = slot.data.load(Relaxed);
            data != 0 && generation_of(data) == generation
        };
        slots.filter(live).count() as u32
    }
}

impl Slot {
    fn clear(&self) {
        self.mixed_key.store(0, Relaxed);
        self.data.store(0, Relaxed);
    }
}

#[expect(unsafe_code, reason = "a promise about the type")]
// SAFETY: A slot is made of integers.
unsafe impl Zeroable for Slot {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{NO_SCORE, mate_in};
    use smalt_chess::{MoveKind, Square};

    fn entry(depth: i32, bound: Bound) -> Entry {
        let best = Some(Move::new(Square::E2, Square::E4, MoveKind::DoublePush));
        Entry { best, score: -31, bound, evaluation: NO_SCORE, depth, was_pv: true }
    }

    #[test]
    fn what_was_stored_is_found_again() {
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
    fn every_key_is_as_good_as_another() {
        let table = TranspositionTable::new(1);
        for key in [0, 1, u64::MAX, 1 << 63] {
            assert_eq!(table.probe(key, 0), None);
            table.store(key, 0, entry(7, Bound::Exact));
            assert_eq!(table.probe(key, 0), Some(entry(7, Bound::Exact)));
        }
    }

    #[test]
    fn more_memory_than_there_is_is_refused() {
        for megabytes in [usize::MAX, usize::MAX >> 20, usize::MAX >> 22, usize::MAX >> 24] {
            assert!(TranspositionTable::try_new(megabytes).is_none(), "{megabytes}");
        }
    }

    #[test]
    fn mates_are_seen_from_the_ply_that_asks() {
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
    fn a_full_bucket_gives_up_its_oldest_and_shallowest_entry() {
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
        assert_eq!(table.fullness(), 1);
    }
}
