//! Piece-square tables of pawns, knights, bishops, rooks and queens. Three terms count for each: one of its square alone, one by
//! the place of the own king, and one by that of the enemy king. Their sums are kept for all places of both kings.

use smalt_chess::{Color, File, Role, Square};

use super::eval_info::{CENTER_FILES, board_index, relative_rank};
use super::schema::{Term, WEIGHTS};
use super::score::PackedScore;

/// Number of [`KingPlace`]s.
const PLACES: usize = 6;

/// Where a king stands: castled, in the center or advanced, and on which wing.
#[derive(Clone, Copy)]
pub(super) struct KingPlace(usize);

impl KingPlace {
    #[inline]
    pub(super) fn of(king: Square, owner: Color) -> KingPlace {
        let zone = if relative_rank(king, owner) > 1 { 2 } else { usize::from(CENTER_FILES.contains(king)) };
        KingPlace(2 * zone + usize::from(king.file() < File::E))
    }

    /// Which of three terms counts: while the king is castled, in the center, or advanced.
    #[inline]
    pub(super) const fn zone(self) -> usize {
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
        own_king: [Term::SquarePawnOwnKing, Term::SquarePawnOwnKingCenter, Term::SquarePawnOwnKingAdvanced],
        enemy_king: [
            Term::SquarePawnEnemyKing,
            Term::SquarePawnEnemyKingCenter,
            Term::SquarePawnEnemyKingAdvanced,
        ],
    },
    SquareTerms {
        alone: Term::SquareKnight,
        own_king: [
            Term::SquareKnightOwnKing,
            Term::SquareKnightOwnKingCenter,
            Term::SquareKnightOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquareKnightEnemyKing,
            Term::SquareKnightEnemyKingCenter,
            Term::SquareKnightEnemyKingAdvanced,
        ],
    },
    SquareTerms {
        alone: Term::SquareBishop,
        own_king: [
            Term::SquareBishopOwnKing,
            Term::SquareBishopOwnKingCenter,
            Term::SquareBishopOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquareBishopEnemyKing,
            Term::SquareBishopEnemyKingCenter,
            Term::SquareBishopEnemyKingAdvanced,
        ],
    },
    SquareTerms {
        alone: Term::SquareRook,
        own_king: [Term::SquareRookOwnKing, Term::SquareRookOwnKingCenter, Term::SquareRookOwnKingAdvanced],
        enemy_king: [
            Term::SquareRookEnemyKing,
            Term::SquareRookEnemyKingCenter,
            Term::SquareRookEnemyKingAdvanced,
        ],
    },
    SquareTerms {
        alone: Term::SquareQueen,
        own_king: [
            Term::SquareQueenOwnKing,
            Term::SquareQueenOwnKingCenter,
            Term::SquareQueenOwnKingAdvanced,
        ],
        enemy_king: [
            Term::SquareQueenEnemyKing,
            Term::SquareQueenEnemyKingCenter,
            Term::SquareQueenEnemyKingAdvanced,
        ],
    },
];

/// The sums of the three terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SquareSums {
    /// By role, places of the own and of the enemy king, and square.
    sums: [[[[PackedScore; 64]; PLACES]; PLACES]; SQUARE_TERMS.len()],
}

impl SquareSums {
    pub(super) const fn new(values: &[PackedScore; WEIGHTS]) -> SquareSums {
        let mut sums = [[[[PackedScore::ZERO; 64]; PLACES]; PLACES]; SQUARE_TERMS.len()];
        let mut entry = 0;
        while entry < SQUARE_TERMS.len() * PLACES * PLACES * 64 {
            let (role, square) = (entry / (PLACES * PLACES * 64), entry % 64);
            let own = KingPlace(entry / (PLACES * 64) % PLACES);
            let enemy = KingPlace(entry / 64 % PLACES);
            let terms = &SQUARE_TERMS[role];
            let of = [
                values[terms.alone.start() + square],
                values[terms.own_king[own.zone()].start() + own.mirrored(square)],
                values[terms.enemy_king[enemy.zone()].start() + enemy.mirrored(square)],
            ];
            let middlegame = of[0].middlegame() + of[1].middlegame() + of[2].middlegame();
            let endgame = of[0].endgame() + of[1].endgame() + of[2].endgame();
            sums[role][own.0][enemy.0][square] = PackedScore::new(middlegame, endgame);
            entry += 1;
        }
        SquareSums { sums }
    }

    /// Value of a pawn or piece (not a king) on a square, by the places of the own and of the enemy king.
    #[inline(always)]
    pub(super) fn get(&self, role: Role, square: Square, owner: Color, kings: [KingPlace; 2]) -> PackedScore {
        self.sums[role.index()][kings[0].0][kings[1].0][board_index(square, owner)]
    }
}
