//! Piece-square tables of pawns, knights, bishops, rooks and queens. Three terms count for each: one of its square alone, one by
//! the bucket of the own king, and one by that of the enemy king. Their sums are kept for all buckets of both kings.

use smalt_chess::{Color, File, Role, Square};

use super::eval_info::{CENTER_FILES, board_index, relative_rank};
use super::schema::{Term, WEIGHTS};
use super::score::PackedScore;

/// Number of [`KingBucket`]s.
const BUCKETS: usize = 6;

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
    pub(super) const fn term(self) -> usize {
        self.0 / 2
    }

    /// The index in a table for a king on the files e to h: mirrored for a king on the other wing.
    #[inline]
    pub(super) const fn mirrored(self, index: usize) -> usize {
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
}

/// Terms of the pawn, knight, bishop, rook and queen.
pub(super) const SQUARE_TERMS: [SquareTerms; 5] = [
    SquareTerms {
        alone: Term::SquarePawn,
        own_king: [
            Term::SquarePawnOwnKingCastled,
            Term::SquarePawnOwnKingCenter,
            Term::SquarePawnOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquarePawnEnemyKingCastled,
            Term::SquarePawnEnemyKingCenter,
            Term::SquarePawnEnemyKingAdvanced,
        ],
    },
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
    },
];

/// The sums of the three terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SquareSums {
    /// By role, bucket of the own and of the enemy king, and square.
    sums: [[[[PackedScore; 64]; BUCKETS]; BUCKETS]; SQUARE_TERMS.len()],
}

impl SquareSums {
    pub(super) const fn new(values: &[PackedScore; WEIGHTS]) -> SquareSums {
        let mut sums = [[[[PackedScore::ZERO; 64]; BUCKETS]; BUCKETS]; SQUARE_TERMS.len()];
        let mut entry = 0;
        while entry < SQUARE_TERMS.len() * BUCKETS * BUCKETS * 64 {
            let (role, square) = (entry / (BUCKETS * BUCKETS * 64), entry % 64);
            let own = KingBucket(entry / (BUCKETS * 64) % BUCKETS);
            let enemy = KingBucket(entry / 64 % BUCKETS);
            let terms = &SQUARE_TERMS[role];
            let parts = [
                values[terms.alone.start() + square],
                values[terms.own_king[own.term()].start() + own.mirrored(square)],
                values[terms.enemy_king[enemy.term()].start() + enemy.mirrored(square)],
            ];
            let middlegame = parts[0].middlegame() + parts[1].middlegame() + parts[2].middlegame();
            let endgame = parts[0].endgame() + parts[1].endgame() + parts[2].endgame();
            sums[role][own.0][enemy.0][square] = PackedScore::new(middlegame, endgame);
            entry += 1;
        }
        SquareSums { sums }
    }

    /// Value of a pawn or piece (not a king) on a square, by the buckets of the own and the enemy king.
    #[inline(always)]
    pub(super) fn get(
        &self,
        role: Role,
        square: Square,
        owner: Color,
        kings: [KingBucket; 2],
    ) -> PackedScore {
        self.sums[role.index()][kings[0].0][kings[1].0][board_index(square, owner)]
    }
}
