//! Tables of the squares from which sliders matter to a king, computed by the compiler.

use crate::attacks::{between_table, walk};
use crate::bitboard::Bitboard;
use crate::square::Square;

/// The squares around a king, without his own.
const fn ring(king: Square) -> u64 {
    let king = Bitboard::from_square(king);
    let row = Bitboard(king.0 | king.east().0 | king.west().0);
    (row.0 | row.north().0 | row.south().0) & !king.0
}

const fn rays_table(diagonal: bool) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::from_index(index);
        table[index] = if diagonal {
            walk::bishop_attacks(square, Bitboard::EMPTY)
        } else {
            walk::rook_attacks(square, Bitboard::EMPTY)
        };
        index += 1;
    }
    table
}

/// By the king's square: from where a slider attacks a square around him on an empty board.
const fn zone_table(rays: &[Bitboard; 64]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut king = 0;
    while king < 64 {
        let mut rest = ring(Square::from_index(king));
        while rest != 0 {
            table[king].0 |= rays[rest.trailing_zeros() as usize].0;
            rest &= rest - 1;
        }
        king += 1;
    }
    table
}

/// By the squares of a king and a slider: what lies between the slider and each square around the king that it attacks
/// on an empty board.
const fn toward_table(rays: &[Bitboard; 64]) -> [[Bitboard; 64]; 64] {
    let between = between_table();
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut king = 0;
    while king < 64 {
        let mut slider = 0;
        while slider < 64 {
            let mut rest = ring(Square::from_index(king)) & rays[slider].0;
            while rest != 0 {
                table[king][slider].0 |= between[slider][rest.trailing_zeros() as usize].0;
                rest &= rest - 1;
            }
            slider += 1;
        }
        king += 1;
    }
    table
}

/// What a bishop attacks on an empty board.
pub(super) static DIAGONAL_RAYS: [Bitboard; 64] = rays_table(true);
/// What a rook attacks on an empty board.
pub(super) static ORTHOGONAL_RAYS: [Bitboard; 64] = rays_table(false);
pub(super) static DIAGONAL_ZONE: [Bitboard; 64] = zone_table(&rays_table(true));
pub(super) static ORTHOGONAL_ZONE: [Bitboard; 64] = zone_table(&rays_table(false));
pub(super) static DIAGONAL_TOWARD: [[Bitboard; 64]; 64] = toward_table(&rays_table(true));
pub(super) static ORTHOGONAL_TOWARD: [[Bitboard; 64]; 64] = toward_table(&rays_table(false));
