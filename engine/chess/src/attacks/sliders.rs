//! Attacks of rooks and bishops by one table lookup. The index into a square's part of the table is the
//! occupancy of the squares that matter, gathered by the processor's PEXT where the build may use it and by a
//! multiplication with a magic number otherwise; the choice is made at build time, so that the lookup has no branch.

use super::walk;
use crate::bitboard::Bitboard;
use crate::square::{File, Rank, Square};

/// Where a square's part of the table starts, and which squares its index is made of.
#[derive(Clone, Copy)]
struct Slot {
    relevant: u64,
    #[cfg(not(target_feature = "bmi2"))]
    magic: u64,
    #[cfg(not(target_feature = "bmi2"))]
    shift: u32,
    offset: u32,
}

impl Slot {
    #[cfg(target_feature = "bmi2")]
    #[inline]
    #[expect(unsafe_code, reason = "the instruction is an intrinsic")]
    fn index(&self, occupied: Bitboard) -> usize {
        // SAFETY: this code is built only where the target has BMI2.
        let gathered = unsafe { std::arch::x86_64::_pext_u64(occupied.0, self.relevant) };
        self.offset as usize + gathered as usize
    }

    #[cfg(not(target_feature = "bmi2"))]
    #[inline]
    const fn index(&self, occupied: Bitboard) -> usize {
        let gathered = (occupied.0 & self.relevant).wrapping_mul(self.magic) >> self.shift;
        self.offset as usize + gathered as usize
    }
}

/// 64 parts of the rooks (102,400 sets), then 64 of the bishops (5,248).
const TABLE_SIZE: usize = 102_400 + 5_248;

/// The squares whose occupancy changes what a slider attacks: the rays without the edges they run into.
const fn relevant(square: Square, empty_board_attacks: Bitboard) -> u64 {
    let ranks = Bitboard::from_rank(Rank::First).0 | Bitboard::from_rank(Rank::Eighth).0;
    let files = Bitboard::from_file(File::A).0 | Bitboard::from_file(File::H).0;
    let edges = ranks & !Bitboard::from_rank(square.rank()).0 | files & !Bitboard::from_file(square.file()).0;
    empty_board_attacks.0 & !edges
}

const fn slots(rook: bool) -> [Slot; 64] {
    let mut slots = [Slot {
        relevant: 0,
        #[cfg(not(target_feature = "bmi2"))]
        magic: 0,
        #[cfg(not(target_feature = "bmi2"))]
        shift: 0,
        offset: 0,
    }; 64];
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
        slots[index].relevant = relevant;
        slots[index].offset = offset;
        #[cfg(not(target_feature = "bmi2"))]
        {
            slots[index].magic = if rook { super::magics::ROOK[index] } else { super::magics::BISHOP[index] };
            slots[index].shift = 64 - relevant.count_ones();
        }
        offset += 1 << relevant.count_ones();
        index += 1;
    }
    slots
}

static ROOK: [Slot; 64] = slots(true);
static BISHOP: [Slot; 64] = slots(false);

/// The rays of the eight directions: four in which indices grow, then four in which they shrink.
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

const fn fill(table: &mut [Bitboard; TABLE_SIZE], slots: &[Slot; 64], rays: &[[u64; 4]; 64]) {
    let mut square = 0;
    while square < 64 {
        let slot = slots[square];
        let mut occupied = 0_u64;
        let mut count = 0;
        loop {
            // Subsets come in the order of their gathered bits, so the count is the PEXT index.
            #[cfg(target_feature = "bmi2")]
            let index = slot.offset as usize + count;
            #[cfg(not(target_feature = "bmi2"))]
            let index = slot.index(Bitboard(occupied));
            table[index] = Bitboard(cut(&rays[square], occupied));
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

static TABLE: [Bitboard; TABLE_SIZE] = {
    let mut table = [Bitboard::EMPTY; TABLE_SIZE];
    fill(&mut table, &slots(true), &rays(true));
    fill(&mut table, &slots(false), &rays(false));
    table
};

#[inline]
#[expect(unsafe_code, reason = "the innermost lookup of everything that moves")]
fn look_up(slot: &Slot, occupied: Bitboard) -> Bitboard {
    let index = slot.index(occupied);
    debug_assert!(index < TABLE_SIZE);
    // SAFETY: the offsets of the slots and the widths of their indices tile the table exactly, which the
    // const evaluation of `fill` has walked from end to end.
    unsafe { *TABLE.get_unchecked(index) }
}

/// The squares that a rook attacks, given the occupied squares (its own may be among them or not).
#[inline]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&ROOK[square.index()], occupied)
}

/// The squares that a bishop attacks, given the occupied squares (its own may be among them or not).
#[inline]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    look_up(&BISHOP[square.index()], occupied)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fast: fn(Square, Bitboard) -> Bitboard, slow: fn(Square, Bitboard) -> Bitboard, slots: &[Slot]) {
        for square in Square::all() {
            let relevant = slots[square.index()].relevant;
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
    fn every_entry_of_the_table_agrees_with_the_slow_walk() {
        check(rook_attacks, walk::rook_attacks, &ROOK);
        check(bishop_attacks, walk::bishop_attacks, &BISHOP);
    }
}
