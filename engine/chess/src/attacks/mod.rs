//! Attack tables: leapers, lines and squares between are computed at compile time; sliders use magic bitboards or PEXT.
//! [`walk`] is the slow reference.

#[cfg(not(target_feature = "bmi2"))]
mod magics;
mod sliders;
pub mod walk;

#[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
pub(crate) use sliders::PextLookup;
pub(crate) use sliders::{BuildLookup, SliderLookup};
pub use sliders::{bishop_attacks, rook_attacks};

use crate::bitboard::Bitboard;
use crate::piece::{Color, Role};
use crate::square::Square;

const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

const KING_STEPS: [(i32, i32); 8] = [(1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)];

const fn step_table(steps: &[(i32, i32)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        let mut step = 0;
        while step < steps.len() {
            if let Some(square) = Square::from_index(index).offset(steps[step].0, steps[step].1) {
                table[index].0 |= Bitboard::from_square(square).0;
            }
            step += 1;
        }
        index += 1;
    }
    table
}

/// The attacks of a slider from each square of an empty board.
pub(crate) const fn ray_table(rook: bool) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::from_index(index);
        table[index] = if rook {
            walk::rook_attacks(square, Bitboard::EMPTY)
        } else {
            walk::bishop_attacks(square, Bitboard::EMPTY)
        };
        index += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] = step_table(&KNIGHT_STEPS);
static KING: [Bitboard; 64] = step_table(&KING_STEPS);
static BISHOP_RAYS: [Bitboard; 64] = ray_table(false);
static ROOK_RAYS: [Bitboard; 64] = ray_table(true);
static PAWN: [[Bitboard; 64]; 2] = [step_table(&[(-1, 1), (1, 1)]), step_table(&[(-1, -1), (1, -1)])];

/// The squares strictly between two squares on one rank, file or diagonal; otherwise empty.
const fn between_table() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let mut passed = 0;
            let mut square = Square::from_index(from).offset(files, ranks);
            while let Some(to) = square {
                table[from][to.index()] = Bitboard(passed);
                passed |= Bitboard::from_square(to).0;
                square = to.offset(files, ranks);
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

/// The whole rank, file or diagonal through two squares, from edge to edge, both included; otherwise empty.
const fn line_table() -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let origin = Square::from_index(from);
            let ahead = walk::ray(origin, files, ranks, Bitboard::EMPTY);
            let behind = walk::ray(origin, -files, -ranks, Bitboard::EMPTY);
            let line = Bitboard(ahead.0 | behind.0 | 1 << from);
            let mut rest = ahead.0;
            while rest != 0 {
                table[from][rest.trailing_zeros() as usize] = line;
                rest &= rest - 1;
            }
            direction += 1;
        }
        from += 1;
    }
    table
}

static BETWEEN: [[Bitboard; 64]; 64] = between_table();
static LINE: [[Bitboard; 64]; 64] = line_table();

/// The squares that a knight attacks.
#[inline]
pub fn knight_attacks(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares that a king attacks.
#[inline]
pub const fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares that a pawn of the given side attacks.
#[inline]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// The squares that a bishop attacks on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// The squares that a rook attacks on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// The squares that a queen attacks, given the occupied squares.
#[inline]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(square, occupied) | rook_attacks(square, occupied)
}

/// The squares that a piece of the given role and side attacks, given the occupied squares.
#[inline]
pub fn attacks(color: Color, role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn_attacks(color, square),
        Role::Knight => knight_attacks(square),
        Role::Bishop => bishop_attacks(square, occupied),
        Role::Rook => rook_attacks(square, occupied),
        Role::Queen => queen_attacks(square, occupied),
        Role::King => king_attacks(square),
    }
}

/// The squares strictly between two squares on one rank, file or diagonal; otherwise empty.
#[inline]
pub const fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two squares, from edge to edge; otherwise empty.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// All squares that these pawns attack.
#[inline]
pub const fn pawn_attack_set(color: Color, pawns: Bitboard) -> Bitboard {
    let forward = pawns.forward(color);
    Bitboard(forward.east().0 | forward.west().0)
}

/// All squares that these knights attack.
#[inline]
pub const fn knight_attack_set(knights: Bitboard) -> Bitboard {
    let (east, west) = (knights.east(), knights.west());
    let near = east.0 | west.0;
    let far = east.east().0 | west.west().0;
    Bitboard(near << 16 | near >> 16 | far << 8 | far >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leapers_attack_as_many_squares_as_known() {
        let total = |table: &[Bitboard; 64]| table.iter().map(|set| set.count()).sum::<usize>();
        assert_eq!(total(&KNIGHT), 336);
        assert_eq!(total(&KING), 420);
        assert_eq!(total(&PAWN[0]), 98);
        assert_eq!(total(&PAWN[1]), 98);
    }

    #[test]
    fn sets_of_attacks_are_unions_of_attacks() {
        let mut set = Bitboard(0x8100_2400_1842_0081);
        for _ in 0..1000 {
            set.0 = set.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) & 0x00ff_ffff_ffff_ff00;
            let knights = set.into_iter().fold(Bitboard::EMPTY, |all, sq| all | knight_attacks(sq));
            assert_eq!(knight_attack_set(set), knights);
            for color in Color::ALL {
                let pawns = set.into_iter().fold(Bitboard::EMPTY, |all, sq| all | pawn_attacks(color, sq));
                assert_eq!(pawn_attack_set(color, set), pawns);
            }
        }
    }

    #[test]
    fn lines_and_squares_between() {
        assert_eq!(between(Square::A1, Square::D4), [Square::B2, Square::C3].into_iter().collect());
        assert_eq!(between(Square::A1, Square::B3), Bitboard::EMPTY);
        assert_eq!(line(Square::B2, Square::C3).count(), 8);
        assert_eq!(line(Square::E4, Square::E5), Bitboard::from_file(crate::File::E));
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
                assert!(between(a, b).is_subset(line(a, b)));
            }
        }
    }
}
