//! Piece-square tables of knights, bishops, rooks and queens. A piece counts by its square alone, by the bucket of each king,
//! and with each pawn. All this depends only on pawns and kings, so that the pawn cache keeps the sums.

use smalt_chess::{Color, File, Position, Role, Square};

use super::eval_info::{CENTER_FILES, board_index, relative_rank};
use super::schema::{Term, WEIGHTS};
use super::score::PackedScore;

/// Number of [`KingBucket`]s.
const BUCKETS: usize = 6;

/// Squares on which a pawn can stand.
pub(super) const PAWN_SQUARES: usize = 48;

/// Where a king stands, castled, in the center or advanced, and on which wing.
#[derive(Clone, Copy)]
pub(super) struct KingBucket(usize);

impl KingBucket {
    #[inline]
    pub(super) fn of(king: Square, owner: Color) -> KingBucket {
        let term = if relative_rank(king, owner) > 1 { 2 } else { usize::from(CENTER_FILES.contains(king)) };
        KingBucket(2 * term + usize::from(king.file() < File::E))
    }

    /// The index of the term that counts: 0 while the king is castled, 1 in the center, 2 advanced.
    #[inline]
    pub(super) fn term(self) -> usize {
        self.0 / 2
    }

    /// The index in a table for a king on the files e to h: mirrored for a king on the other wing.
    #[inline]
    pub(super) fn mirrored(self, index: usize) -> usize {
        if self.0 % 2 == 1 { index ^ 7 } else { index }
    }
}

/// The terms of a role's squares.
pub(super) struct SquareTerms {
    pub(super) alone: Term,
    /// While the own king is castled, in the center, or advanced.
    pub(super) own_king: [Term; 3],
    /// The same for the enemy king.
    pub(super) enemy_king: [Term; 3],
    /// With each own and each enemy pawn.
    pub(super) pawns: [Term; 2],
}

/// Terms of the knight, bishop, rook and queen.
const SQUARE_TERMS: [SquareTerms; 4] = [
    SquareTerms {
        alone: Term::SquareKnight,
        own_king: [
            Term::SquareKnightOwnKingCastled,
            Term::SquareKnightOwnKingCenter,
            Term::SquareKnightOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquareKnightEnemyKingCastled,
            Term::SquareKnightEnemyKingCenter,
            Term::SquareKnightEnemyKingAdvanced,
        ],
        pawns: [Term::SquareKnightOwnPawn, Term::SquareKnightEnemyPawn],
    },
    SquareTerms {
        alone: Term::SquareBishop,
        own_king: [
            Term::SquareBishopOwnKingCastled,
            Term::SquareBishopOwnKingCenter,
            Term::SquareBishopOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquareBishopEnemyKingCastled,
            Term::SquareBishopEnemyKingCenter,
            Term::SquareBishopEnemyKingAdvanced,
        ],
        pawns: [Term::SquareBishopOwnPawn, Term::SquareBishopEnemyPawn],
    },
    SquareTerms {
        alone: Term::SquareRook,
        own_king: [
            Term::SquareRookOwnKingCastled,
            Term::SquareRookOwnKingCenter,
            Term::SquareRookOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquareRookEnemyKingCastled,
            Term::SquareRookEnemyKingCenter,
            Term::SquareRookEnemyKingAdvanced,
        ],
        pawns: [Term::SquareRookOwnPawn, Term::SquareRookEnemyPawn],
    },
    SquareTerms {
        alone: Term::SquareQueen,
        own_king: [
            Term::SquareQueenOwnKingCastled,
            Term::SquareQueenOwnKingCenter,
            Term::SquareQueenOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquareQueenEnemyKingCastled,
            Term::SquareQueenEnemyKingCenter,
            Term::SquareQueenEnemyKingAdvanced,
        ],
        pawns: [Term::SquareQueenOwnPawn, Term::SquareQueenEnemyPawn],
    },
];

/// Index of a pawn's square as a side sees it: a2 to h2, a3 to h3, and so on.
#[inline]
pub(super) fn pawn_index(pawn: Square, color: Color) -> usize {
    square_index(pawn, color) - 8
}

/// Index of a square as a side sees it: a1 to h1, a2 to h2, and so on.
#[inline(always)]
pub(super) fn square_index(square: Square, color: Color) -> usize {
    board_index(square, color) ^ 56
}

/// Index of the weight of two squares, the second one of `count`. The first is mirrored to the files a to d, and the second
/// with it.
#[inline]
pub(super) fn pair_index(first: usize, second: usize, count: usize) -> usize {
    let mirror = if first % 8 > 3 { 7 } else { 0 };
    count * (4 * (first / 8) + ((first % 8) ^ mirror)) + (second ^ mirror)
}

/// Terms of a knight, bishop, rook or queen.
pub(super) const fn square_terms(role: Role) -> &'static SquareTerms {
    &SQUARE_TERMS[role.index() - 1]
}

/// Values in tenths for each role, knight to queen, and each square as its owner sees it: middlegame, endgame.
type Row = [i16; SQUARE_TERMS.len() * 64 * 2];

/// The weights of pieces' squares by what they depend on: for the bucket of the own king (with the squares alone), for that of
/// the enemy king, for each own pawn, and for each enemy pawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SquareRows(Box<[Row; ROWS]>);

/// First row of the enemy king.
const ENEMY_KING: usize = BUCKETS;

/// First row of an own pawn.
const OWN_PAWNS: usize = 2 * BUCKETS;

/// First row of an enemy pawn.
const ENEMY_PAWNS: usize = OWN_PAWNS + PAWN_SQUARES;

const ROWS: usize = ENEMY_PAWNS + PAWN_SQUARES;

impl SquareRows {
    pub(super) fn new(values: &[PackedScore; WEIGHTS]) -> SquareRows {
        let mut rows = vec![[0; _]; ROWS];
        let mut put = |row: usize, entry: usize, weights: &[usize]| {
            let value = weights.iter().fold(PackedScore::ZERO, |sum, &weight| sum + values[weight]);
            let limited = |number: i32| number.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
            rows[row][2 * entry] = limited(value.middlegame());
            rows[row][2 * entry + 1] = limited(value.endgame());
        };
        for entry in 0..SQUARE_TERMS.len() * 64 {
            let (terms, square) = (&SQUARE_TERMS[entry / 64], entry % 64);
            let board = square ^ 56;
            for bucket in (0..BUCKETS).map(KingBucket) {
                let [own, enemy] = [&terms.own_king, &terms.enemy_king]
                    .map(|terms| terms[bucket.term()].start() + bucket.mirrored(board));
                put(bucket.0, entry, &[terms.alone.start() + board, own]);
                put(ENEMY_KING + bucket.0, entry, &[enemy]);
            }
            for pawn in 0..PAWN_SQUARES {
                let [own, enemy] = terms.pawns.map(|term| term.start() + pair_index(pawn, square, 64));
                put(OWN_PAWNS + pawn, entry, &[own]);
                put(ENEMY_PAWNS + pawn, entry, &[enemy]);
            }
        }
        SquareRows(rows.try_into().expect("the length is that of the array"))
    }
}

/// The value of each piece on each square, with the pawns and kings of a position. Within ±3,276.7 centipawns.
#[derive(Clone, Copy)]
pub(super) struct PieceSquares([Row; 2]);

impl PieceSquares {
    pub(super) const ZERO: PieceSquares = PieceSquares([[0; _]; 2]);

    pub(super) fn new(position: &Position, rows: &SquareRows) -> PieceSquares {
        PieceSquares(Color::ALL.map(|color| {
            let [own, enemy] = [color, !color].map(|owner| KingBucket::of(position.king(owner), owner));
            let mut sums = rows.0[own.0];
            add(&mut sums, &rows.0[ENEMY_KING + enemy.0]);
            for (start, owner) in [(OWN_PAWNS, color), (ENEMY_PAWNS, !color)] {
                for pawn in position.pieces(owner, Role::Pawn) {
                    add(&mut sums, &rows.0[start + pawn_index(pawn, color)]);
                }
            }
            sums
        }))
    }

    /// The sum of all [`SquareTerms`].
    #[inline(always)]
    pub(super) fn get(&self, role: Role, square: Square, owner: Color) -> PackedScore {
        let entry = 64 * (role.index() - 1) + square_index(square, owner);
        let row = &self.0[owner.index()];
        PackedScore::new(row[2 * entry].into(), row[2 * entry + 1].into())
    }
}

#[inline(always)]
fn add(sums: &mut Row, row: &Row) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum = sum.saturating_add(*value);
    }
}
