//! Rook and bishop attacks by table lookup. The index comes from the relevant occupancy, by PEXT if the build target has
//! it and by magic bitboards otherwise; the choice is made at build time, so the lookup has no branch. With PEXT there are
//! two kinds of tables: small ones for searches, whose other tables compete for the cache, and for perft large ones,
//! which need fewer instructions.

use super::walk;
use crate::bitboard::Bitboard;
use crate::square::{File, Rank, Square};

/// The offset of a square's part of the table, and its relevant squares.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Pext {
    relevant: u64,
    offset: u32,
}

#[cfg(target_arch = "x86_64")]
impl Pext {
    const fn new(_rook: bool, _square: usize, relevant: u64, offset: u32) -> Pext {
        Pext { relevant, offset }
    }

    /// The index of the `count`-th subset of the relevant squares; subsets are in the order of their extracted bits.
    const fn subset_index(&self, _occupied: u64, count: usize) -> usize {
        self.offset as usize + count
    }

    /// # Safety
    /// The processor must have BMI2.
    #[inline(always)]
    #[expect(unsafe_code, reason = "the instruction is an intrinsic")]
    unsafe fn index(&self, occupied: Bitboard) -> usize {
        // SAFETY: the caller promises BMI2.
        let gathered = unsafe { std::arch::x86_64::_pext_u64(occupied.0, self.relevant) };
        self.offset as usize + gathered as usize
    }
}

/// As [`Pext`], with a magic number.
#[cfg(not(target_feature = "bmi2"))]
#[derive(Clone, Copy)]
struct Magic {
    relevant: u64,
    magic: u64,
    shift: u32,
    offset: u32,
}

#[cfg(not(target_feature = "bmi2"))]
impl Magic {
    const fn new(rook: bool, square: usize, relevant: u64, offset: u32) -> Magic {
        let magic = if rook { super::magics::ROOK[square] } else { super::magics::BISHOP[square] };
        Magic { relevant, magic, shift: 64 - relevant.count_ones(), offset }
    }

    const fn subset_index(&self, occupied: u64, _count: usize) -> usize {
        let gathered = (occupied & self.relevant).wrapping_mul(self.magic) >> self.shift;
        self.offset as usize + gathered as usize
    }

    /// # Safety
    /// No requirement; unsafe only to have the same signature as [`Pext::index`].
    #[inline(always)]
    #[expect(unsafe_code, reason = "the same form as with PEXT")]
    unsafe fn index(&self, occupied: Bitboard) -> usize {
        self.subset_index(occupied.0, 0)
    }
}

/// 64 parts for rooks (102,400 entries), then 64 for bishops (5,248).
const TABLE_SIZE: usize = 102_400 + 5_248;

/// The relevant squares of a slider: its rays without their last squares at the edge.
const fn relevant(square: Square, empty_board_attacks: Bitboard) -> u64 {
    let ranks = Bitboard::from_rank(Rank::First).0 | Bitboard::from_rank(Rank::Eighth).0;
    let files = Bitboard::from_file(File::A).0 | Bitboard::from_file(File::H).0;
    let edges = ranks & !Bitboard::from_rank(square.rank()).0 | files & !Bitboard::from_file(square.file()).0;
    empty_board_attacks.0 & !edges
}

/// The rays in eight directions: four with growing indices, then four with shrinking ones.
const fn rays(rook: bool) -> [[u64; 4]; 64] {
    let mut rays = [[0; 4]; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::from_index(index);
        let directions =
            if rook { [(0, 1), (1, 0), (0, -1), (-1, 0)] } else { [(1, 1), (-1, 1), (1, -1), (-1, -1)] };
        let mut direction = 0;
        while direction < 4 {
            let (files, ranks) = directions[direction];
            rays[index][direction] = walk::ray(square, files, ranks, Bitboard::EMPTY).0;
            direction += 1;
        }
        index += 1;
    }
    rays
}

/// Cuts two growing and two shrinking rays at their first blockers.
const fn cut(rays: &[u64; 4], occupied: u64) -> u64 {
    let mut attacks = 0;
    let mut direction = 0;
    while direction < 4 {
        let ray = rays[direction];
        let blockers = ray & occupied;
        attacks |= if blockers == 0 {
            ray
        } else if direction < 2 {
            ray & (blockers ^ (blockers - 1))
        } else {
            ray & (u64::MAX << (63 - blockers.leading_zeros()))
        };
        direction += 1;
    }
    attacks
}

macro_rules! tables {
    ($index:ident, $module:ident) => {
        mod $module {
            use super::*;

            const fn slots(rook: bool) -> [$index; 64] {
                let mut slots = [$index::new(rook, 0, 0, 0); 64];
                let mut offset = if rook { 0 } else { 102_400 };
                let mut index = 0;
                while index < 64 {
                    let square = Square::from_index(index);
                    let attacks = if rook {
                        walk::rook_attacks(square, Bitboard::EMPTY)
                    } else {
                        walk::bishop_attacks(square, Bitboard::EMPTY)
                    };
                    let relevant = relevant(square, attacks);
                    slots[index] = $index::new(rook, index, relevant, offset);
                    offset += 1 << relevant.count_ones();
                    index += 1;
                }
                slots
            }

            const fn fill(table: &mut [Bitboard; TABLE_SIZE], slots: &[$index; 64], rays: &[[u64; 4]; 64]) {
                let mut square = 0;
                while square < 64 {
                    let slot = slots[square];
                    let mut occupied = 0_u64;
                    let mut count = 0;
                    loop {
                        table[slot.subset_index(occupied, count)] = Bitboard(cut(&rays[square], occupied));
                        count += 1;
                        occupied = occupied.wrapping_sub(slot.relevant) & slot.relevant;
                        if occupied == 0 {
                            break;
                        }
                    }
                    assert!(count == 1 << slot.relevant.count_ones());
                    square += 1;
                }
            }

            pub(super) static ROOK: [$index; 64] = slots(true);
            pub(super) static BISHOP: [$index; 64] = slots(false);

            static TABLE: [Bitboard; TABLE_SIZE] = {
                let mut table = [Bitboard::EMPTY; TABLE_SIZE];
                fill(&mut table, &slots(true), &rays(true));
                fill(&mut table, &slots(false), &rays(false));
                table
            };

            /// # Safety
            /// The processor must support the index.
            #[inline(always)]
            #[expect(unsafe_code, reason = "the innermost lookup of everything that moves")]
            pub(super) unsafe fn look_up(slot: &$index, occupied: Bitboard) -> Bitboard {
                // SAFETY: the caller promises that the processor supports the index.
                let index = unsafe { slot.index(occupied) };
                debug_assert!(index < TABLE_SIZE);
                // SAFETY: the offsets and index widths tile the table exactly, which the const evaluation of `fill` has
                // checked from end to end.
                unsafe { *TABLE.get_unchecked(index) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
tables!(Pext, pext);
#[cfg(not(target_feature = "bmi2"))]
tables!(Magic, magic);
#[cfg(not(target_feature = "bmi2"))]
use magic as build;
#[cfg(target_feature = "bmi2")]
use pext as build;

/// Tables of 13 KB instead of 842: attacks are stored as the bits that PDEP spreads over the rays.
#[cfg(target_feature = "bmi2")]
#[expect(unsafe_code, reason = "the instructions are intrinsics")]
mod small {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    use super::*;

    /// By the place of a square on a line of eight and the occupancy of the six squares between the ends: the attacked
    /// squares of the line.
    static LINE: [[u8; 64]; 8] = {
        let mut table = [[0; 64]; 8];
        let mut index = 0;
        while index < 8 * 64 {
            let (place, inner) = (index / 64, index % 64);
            let (square, occupied) = (Square::from_index(place), Bitboard((inner as u64) << 1));
            let rank = walk::ray(square, 1, 0, occupied).0 | walk::ray(square, -1, 0, occupied).0;
            table[place][inner] = rank as u8;
            index += 1;
        }
        table
    };

    #[derive(Clone, Copy)]
    struct Slot {
        relevant: u64,
        rays: u64,
        offset: u32,
    }

    static SLOTS: [Slot; 64] = {
        let mut slots = [Slot { relevant: 0, rays: 0, offset: 0 }; 64];
        let (mut index, mut offset) = (0, 0);
        while index < 64 {
            let square = Square::from_index(index);
            let attacks = walk::bishop_attacks(square, Bitboard::EMPTY);
            slots[index] = Slot { relevant: relevant(square, attacks), rays: attacks.0, offset };
            offset += 1 << slots[index].relevant.count_ones();
            index += 1;
        }
        slots
    };

    const SIZE: usize = 5_248;

    static BISHOP: [u16; SIZE] = {
        let mut table = [0; SIZE];
        let rays = rays(false);
        let (mut index, mut square, mut occupied) = (0, 0, 0_u64);
        // The subsets of the relevant squares, in the order of their extracted bits.
        while index < SIZE {
            let slot = SLOTS[square];
            table[index] = extracted(cut(&rays[square], occupied), slot.rays);
            occupied = occupied.wrapping_sub(slot.relevant) & slot.relevant;
            square += (occupied == 0) as usize;
            index += 1;
        }
        assert!(square == 64);
        table
    };

    /// PEXT at compile time.
    const fn extracted(set: u64, mut mask: u64) -> u16 {
        let (mut bits, mut bit) = (0, 1);
        while mask != 0 {
            if set & mask & mask.wrapping_neg() != 0 {
                bits |= bit;
            }
            mask &= mask - 1;
            bit <<= 1;
        }
        bits
    }

    #[inline(always)]
    pub(super) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
        let (file, first) = (square.index() & 7, square.index() & 56);
        let rank_attacks = LINE[file][(occupied.0 >> (first + 1)) as usize & 63];
        // SAFETY: the build target has BMI2.
        let file_attacks = unsafe {
            let inner = _pext_u64(occupied.0, 0x0001_0101_0101_0100 << file);
            let attacks = LINE[first >> 3][inner as usize & 63];
            _pdep_u64(u64::from(attacks), Bitboard::from_file(square.file()).0)
        };
        Bitboard(u64::from(rank_attacks) << first | file_attacks)
    }

    #[inline(always)]
    pub(super) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
        let slot = &SLOTS[square.index()];
        // SAFETY: the build target has BMI2, and the offsets and index widths tile the table exactly, which its const
        // evaluation has checked from end to end.
        unsafe {
            let index = slot.offset as usize + _pext_u64(occupied.0, slot.relevant) as usize;
            debug_assert!(index < SIZE);
            Bitboard(_pdep_u64(u64::from(*BISHOP.get_unchecked(index)), slot.rays))
        }
    }
}

/// The squares that a rook attacks, given the occupied squares (which may include its own).
#[inline]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    #[cfg(target_feature = "bmi2")]
    return small::rook(square, occupied);
    #[cfg(not(target_feature = "bmi2"))]
    BuildLookup.rook(square, occupied)
}

/// The squares that a bishop attacks, given the occupied squares (which may include its own).
#[inline]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    #[cfg(target_feature = "bmi2")]
    return small::bishop(square, occupied);
    #[cfg(not(target_feature = "bmi2"))]
    BuildLookup.bishop(square, occupied)
}

/// A slider lookup. A value of the type proves that the processor supports it.
pub(crate) trait SliderLookup: Copy {
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard;
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard;
}

/// The lookup by large tables that every processor of the build target supports.
#[derive(Clone, Copy)]
pub(crate) struct BuildLookup;

#[expect(unsafe_code, reason = "see `look_up`")]
impl SliderLookup for BuildLookup {
    #[inline(always)]
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        // SAFETY: the index was chosen for the build target.
        unsafe { build::look_up(&build::BISHOP[square.index()], occupied) }
    }

    #[inline(always)]
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        // SAFETY: the index was chosen for the build target.
        unsafe { build::look_up(&build::ROOK[square.index()], occupied) }
    }
}

/// PEXT detected at run time, for builds whose target does not include it.
#[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
#[derive(Clone, Copy)]
pub(crate) struct PextLookup(());

#[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
impl PextLookup {
    /// The lookup, if the processor has BMI and BMI2, LZCNT and POPCNT.
    #[inline]
    pub(crate) fn detect() -> Option<PextLookup> {
        let is_there = is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        is_there.then_some(PextLookup(()))
    }
}

#[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
#[expect(unsafe_code, reason = "see `look_up`")]
impl SliderLookup for PextLookup {
    #[inline(always)]
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        // SAFETY: the value proves that the processor has BMI2.
        unsafe { pext::look_up(&pext::BISHOP[square.index()], occupied) }
    }

    #[inline(always)]
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        // SAFETY: the value proves that the processor has BMI2.
        unsafe { pext::look_up(&pext::ROOK[square.index()], occupied) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        fast: impl Fn(Square, Bitboard) -> Bitboard,
        slow: fn(Square, Bitboard) -> Bitboard,
        relevant: impl Fn(Square) -> u64,
    ) {
        for square in Square::all() {
            let relevant = relevant(square);
            let mut occupied = 0_u64;
            loop {
                for noise in [0, !relevant] {
                    let occupied = Bitboard(occupied | noise);
                    assert_eq!(fast(square, occupied), slow(square, occupied), "{square}\n{occupied:?}");
                }
                occupied = occupied.wrapping_sub(relevant) & relevant;
                if occupied == 0 {
                    break;
                }
            }
        }
    }

    #[test]
    fn every_entry_of_the_tables_agrees_with_the_slow_walk() {
        let [rook, bishop] =
            [&build::ROOK, &build::BISHOP].map(|slots| |square: Square| slots[square.index()].relevant);
        let large = BuildLookup;
        check(rook_attacks, walk::rook_attacks, rook);
        check(|square, occupied| large.rook(square, occupied), walk::rook_attacks, rook);
        check(bishop_attacks, walk::bishop_attacks, bishop);
        check(|square, occupied| large.bishop(square, occupied), walk::bishop_attacks, bishop);
    }
}
