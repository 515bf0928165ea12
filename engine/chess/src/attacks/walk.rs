//! Reference implementation of slider attacks: walks square by square to the first blocker. The fast tables are tested
//! against it.

use crate::bitboard::Bitboard;
use crate::square::Square;

/// The squares in one direction up to and including the first occupied one.
pub const fn ray(square: Square, files: i32, ranks: i32, occupied: Bitboard) -> Bitboard {
    let mut reached = Bitboard::EMPTY;
    let mut next = square.offset(files, ranks);
    while let Some(square) = next {
        reached.0 |= Bitboard::from_square(square).0;
        if occupied.contains(square) {
            break;
        }
        next = square.offset(files, ranks);
    }
    reached
}

/// The squares that a rook attacks.
pub const fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(
        ray(square, 0, 1, occupied).0
            | ray(square, 1, 0, occupied).0
            | ray(square, 0, -1, occupied).0
            | ray(square, -1, 0, occupied).0,
    )
}

/// The squares that a bishop attacks.
pub const fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(
        ray(square, 1, 1, occupied).0
            | ray(square, 1, -1, occupied).0
            | ray(square, -1, -1, occupied).0
            | ray(square, -1, 1, occupied).0,
    )
}
