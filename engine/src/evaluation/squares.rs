//! Piece-square tables of knights, bishops, rooks and queens. A piece counts by its square alone, with each king and with each
//! pawn. What it counts alone and with the pawns depends only on these, so that the pawn cache keeps the sums.

use smalt_chess::{Bitboard, Color, Position, Role, Square};

use super::eval_info::board_index;
use super::schema::{SQUARE_LIMIT, TENTHS, Term, WEIGHTS, Weight};
use super::score::PackedScore;

/// The terms of a role's squares.
struct SquareTerms {
    alone: Term,
    /// With the own and the enemy king.
    kings: [Term; 2],
    /// With each own and each enemy pawn.
    pawns: [Term; 2],
}

/// Terms of the knight, bishop, rook and queen.
const SQUARE_TERMS: [SquareTerms; 4] = [
    SquareTerms {
        alone: Term::SquareKnight,
        kings: [Term::SquareKnightOwnKing, Term::SquareKnightEnemyKing],
        pawns: [Term::SquareKnightOwnPawn, Term::SquareKnightEnemyPawn],
    },
    SquareTerms {
        alone: Term::SquareBishop,
        kings: [Term::SquareBishopOwnKing, Term::SquareBishopEnemyKing],
        pawns: [Term::SquareBishopOwnPawn, Term::SquareBishopEnemyPawn],
    },
    SquareTerms {
        alone: Term::SquareRook,
        kings: [Term::SquareRookOwnKing, Term::SquareRookEnemyKing],
        pawns: [Term::SquareRookOwnPawn, Term::SquareRookEnemyPawn],
    },
    SquareTerms {
        alone: Term::SquareQueen,
        kings: [Term::SquareQueenOwnKing, Term::SquareQueenEnemyKing],
        pawns: [Term::SquareQueenOwnPawn, Term::SquareQueenEnemyPawn],
    },
];

/// Squares on which a pawn can stand.
pub(super) const PAWN_SQUARES: usize = 48;

/// Relative square: 0 (a1) to 63 (h8) from the side's point of view.
#[inline(always)]
pub(super) fn relative_square(square: Square, color: Color) -> usize {
    board_index(square, color) ^ 56
}

/// Relative square of a pawn: 0 (a2) to 47 (h7) from the side's point of view.
#[inline]
pub(super) fn relative_pawn_square(pawn: Square, color: Color) -> usize {
    relative_square(pawn, color) - 8
}

/// Index of the weight of two squares, the second one of `count`. The first is mirrored to the files a to d, and the second
/// with it.
#[inline]
pub(super) fn pair_index(first: usize, second: usize, count: usize) -> usize {
    let mirror = if first % 8 > 3 { 7 } else { 0 };
    count * (4 * (first / 8) + ((first % 8) ^ mirror)) + (second ^ mirror)
}

/// Number of king buckets: the king's squares, with the ranks 5 and 6 as one, and 7 and 8 as one.
const KING_BUCKETS: usize = 48;

/// Bucket of a king from its owner's point of view: 0 (a1) to 47 (h7 and h8).
#[inline]
fn king_bucket(position: &Position, owner: Color) -> usize {
    let square = relative_square(position.king(owner), owner);
    8 * [0, 1, 2, 3, 4, 4, 5, 5][square / 8] + square % 8
}

/// First row of the own king's buckets; row 0 is that of the squares alone.
const OWN_KING: usize = 1;

/// First row of the enemy king's buckets.
const ENEMY_KING: usize = OWN_KING + KING_BUCKETS;

/// First row of the own pawn's squares.
const OWN_PAWNS: usize = ENEMY_KING + KING_BUCKETS;

/// First row of the enemy pawn's squares.
const ENEMY_PAWNS: usize = OWN_PAWNS + PAWN_SQUARES;

const ROWS: usize = ENEMY_PAWNS + PAWN_SQUARES;

/// Calls `call` with each row that counts for the pieces of a side.
pub(super) fn for_each_row(position: &Position, color: Color, mut call: impl FnMut(usize)) {
    call(0);
    king_rows(position, color).into_iter().for_each(&mut call);
    for owner in Color::ALL {
        position.pieces(owner, Role::Pawn).into_iter().for_each(|pawn| call(pawn_row(pawn, owner, color)));
    }
}

/// The rows of the own and the enemy king.
#[inline]
fn king_rows(position: &Position, color: Color) -> [usize; 2] {
    [OWN_KING + king_bucket(position, color), ENEMY_KING + king_bucket(position, !color)]
}

/// The row of a pawn for the pieces of a side.
#[inline]
fn pawn_row(pawn: Square, owner: Color, color: Color) -> usize {
    let start = if owner == color { OWN_PAWNS } else { ENEMY_PAWNS };
    start + relative_pawn_square(pawn, color)
}

/// The weight in a row of a knight (role 0), bishop, rook or queen (3) on a relative square.
pub(super) fn weight_of(row: usize, role: usize, square: usize) -> Weight {
    let terms = &SQUARE_TERMS[role];
    let with = |term: Term, other: usize| term.at(pair_index(other, square, 64));
    match row {
        ENEMY_PAWNS.. => with(terms.pawns[1], row - ENEMY_PAWNS),
        OWN_PAWNS.. => with(terms.pawns[0], row - OWN_PAWNS),
        ENEMY_KING.. => with(terms.kings[1], row - ENEMY_KING),
        OWN_KING.. => with(terms.kings[0], row - OWN_KING),
        0 => terms.alone.at(square ^ 56),
    }
}

/// Values in tenths for each role, knight to queen, and each relative square: middlegame, endgame.
type PieceSquareRow = [i16; SQUARE_TERMS.len() * 64 * 2];

const _: () =
    assert!(17 * SQUARE_LIMIT * TENTHS <= i16::MAX as i32, "16 bits hold a square alone and with 16 pawns");

/// The weights of all rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PieceSquareRows(Box<[PieceSquareRow; ROWS]>);

impl PieceSquareRows {
    pub(super) fn new(values: &[PackedScore; WEIGHTS]) -> PieceSquareRows {
        let row = |row| -> PieceSquareRow {
            std::array::from_fn(|index| {
                let value = values[weight_of(row, index / 128, index / 2 % 64).index()];
                (if index % 2 == 0 { value.middlegame() } else { value.endgame() }) as i16
            })
        };
        let rows: Box<[_]> = (0..ROWS).map(row).collect();
        PieceSquareRows(rows.try_into().expect("the length is that of the array"))
    }
}

/// The value of each piece on each square, alone and with the pawns of a position, updated incrementally. Sums wrap, which
/// takes more than 16 pawns, so that they do not depend on the order of updates.
#[derive(Clone, Copy)]
pub(super) struct PieceSquareTables {
    pawns: [Bitboard; 2],
    sums: [PieceSquareRow; 2],
}

impl PieceSquareTables {
    /// Without pawns.
    pub(super) fn new(rows: &PieceSquareRows) -> PieceSquareTables {
        PieceSquareTables { pawns: [Bitboard::EMPTY; 2], sums: [rows.0[0]; 2] }
    }

    /// Subtracts and adds the rows of the pawns that differ from those of a position.
    pub(super) fn update(&mut self, position: &Position, rows: &PieceSquareRows) {
        for owner in Color::ALL {
            let pawns = position.pieces(owner, Role::Pawn);
            let before = std::mem::replace(&mut self.pawns[owner.index()], pawns);
            for (color, sums) in Color::ALL.into_iter().zip(&mut self.sums) {
                let row = |pawn| &rows.0[pawn_row(pawn, owner, color)];
                for pawn in before - pawns {
                    sums.iter_mut().zip(row(pawn)).for_each(|(sum, value)| *sum = sum.wrapping_sub(*value));
                }
                for pawn in pawns - before {
                    sums.iter_mut().zip(row(pawn)).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
                }
            }
        }
    }
}

/// The value of each piece on each square of a position, as the sum of three rows for each side: those of the pawns, of the
/// own and of the enemy king.
pub(super) struct PieceSquares<'a>([[&'a PieceSquareRow; 3]; 2]);

impl<'a> PieceSquares<'a> {
    #[inline]
    pub(super) fn new(
        position: &Position,
        tables: &'a PieceSquareTables,
        rows: &'a PieceSquareRows,
    ) -> PieceSquares<'a> {
        PieceSquares(Color::ALL.map(|color| {
            let [own, enemy] = king_rows(position, color).map(|row| &rows.0[row]);
            [&tables.sums[color.index()], own, enemy]
        }))
    }

    #[inline(always)]
    pub(super) fn get(&self, role: Role, square: Square, owner: Color) -> PackedScore {
        let entry = 64 * (role.index() - 1) + relative_square(square, owner);
        let sum = |index: usize| self.0[owner.index()].iter().map(|row| i32::from(row[index])).sum();
        PackedScore::new(sum(2 * entry), sum(2 * entry + 1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_pair_and_its_mirror_image_share_a_weight_and_others_have_their_own() {
        for (firsts, seconds) in [(64, PAWN_SQUARES), (PAWN_SQUARES, 64)] {
            let mut indices = BTreeSet::new();
            for (first, second) in
                (0..firsts).flat_map(|first| (0..seconds).map(move |second| (first, second)))
            {
                let index = pair_index(first, second, seconds);
                assert_eq!(index, pair_index(first ^ 7, second ^ 7, seconds));
                indices.insert(index);
            }
            assert!(indices.into_iter().eq(0..firsts / 2 * seconds));
        }
        // b3 with g1, and its mirror image: the sixth square with the seventh.
        let [b3, g3] = [Square::from_index(17), Square::from_index(22)]
            .map(|square| relative_pawn_square(square, Color::White));
        assert_eq!([pair_index(b3, 6, 64), pair_index(g3, 1, 64)], [64 * 5 + 6; 2]);
    }
}
