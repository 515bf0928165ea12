//! Pawn structure: squares of pawns, alone and with kings, pairs of pawns, isolated, doubled, backward, connected and
//! candidate pawns.

use smalt_chess::attacks::pawn_attack_set;
use smalt_chess::{Bitboard, Color, Position, Rank, Role, Square};

use super::super::eval_info::{ahead, board_index, edge_distance, relative_rank};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::squares::{PAWN_SQUARES, pair_index, relative_pawn_square, relative_square};
use super::super::trace::{Trace, Weighing};
use super::PawnStructure;

/// Evaluates the pawns of a side, and records its passed pawns.
// Not inlined: one copy for both sides.
#[inline(never)]
pub(super) fn weigh<T: Trace>(
    position: &Position,
    color: Color,
    structure: &mut PawnStructure,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let pawns =
        Pawns { color, own: position.pieces(color, Role::Pawn), enemy: position.pieces(!color, Role::Pawn) };
    let attacked = pawn_attack_set(color, pawns.own);

    let mut score = pawns.contacts(weighing);
    score += pawns.weaknesses(weighing);
    score += pawns.connections(attacked, weighing);
    score += pawns.pairs(weighing);
    for square in pawns.own {
        score += weighing.weigh(Term::SquarePawn.at(board_index(square, color)), 1, color);
    }
    let passed = pawns.passed();
    structure.passed |= passed;
    let connected = passed.east() | passed.west();
    let connected = passed & (connected | connected.north() | connected.south());
    for square in passed {
        let rank = relative_rank(square, color) - 1;
        score += weighing.weigh(Term::PassedRank.at(rank), 1, color);
        score +=
            weighing.weigh(Term::PassedConnected.at(rank), usize::from(connected.contains(square)), color);
        score += weighing.weigh(Term::PassedFile.at(edge_distance(square.file())), 1, color);
        let is_protected = usize::from(attacked.contains(square));
        score += weighing.weigh(Term::PassedProtected.at(rank), is_protected, color);
    }
    for square in pawns.unobstructed() - passed {
        let is_candidate = usize::from(pawns.is_candidate(square));
        score +=
            weighing.weigh(Term::PawnCandidate.at(relative_rank(square, color) - 1), is_candidate, color);
    }
    score
}

/// Evaluates the squares of a side's pawns with those of both kings.
pub(super) fn weigh_with_kings<T: Trace>(
    position: &Position,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let mut score = PackedScore::ZERO;
    for (term, owner) in [(Term::SquarePawnOwnKing, color), (Term::SquarePawnEnemyKing, !color)] {
        let king = relative_square(position.king(owner), color);
        for square in position.pieces(color, Role::Pawn) {
            let index = pair_index(king, relative_pawn_square(square, color), PAWN_SQUARES);
            score += weighing.weigh(term.at(index), 1, color);
        }
    }
    score
}

/// The pawns of both sides from one side's point of view. Most terms are computed for all pawns at once, without
/// branches.
struct Pawns {
    color: Color,
    own: Bitboard,
    enemy: Bitboard,
}

impl Pawns {
    /// The squares with an enemy pawn ahead on their file.
    fn opposed(&self) -> Bitboard {
        ahead(self.enemy, !self.color)
    }

    /// Own pawns without a pawn ahead on their file.
    fn unobstructed(&self) -> Bitboard {
        self.own & !(self.opposed() | ahead(self.own, !self.color))
    }

    fn passed(&self) -> Bitboard {
        let opposed = self.opposed();
        self.unobstructed() & !(opposed.east() | opposed.west())
    }

    /// Whether an unobstructed pawn has at least as many helpers as enemy pawns that can capture it on its way.
    fn is_candidate(&self, square: Square) -> bool {
        let pawn = Bitboard::from(square);
        let front = ahead(pawn, self.color);
        let level_or_behind = pawn | ahead(pawn, !self.color);
        let helpers = self.own & (level_or_behind.east() | level_or_behind.west());
        let stoppers = self.enemy & (front.east() | front.west());
        helpers.count() >= stoppers.count()
    }

    /// The terms of own pawns in contact with enemy pawns.
    fn contacts<T: Trace>(&self, weighing: &mut Weighing<'_, T>) -> PackedScore {
        let color = self.color;
        let hostile = self.enemy.forward(!color);
        let twice = hostile.east() & hostile.west() & self.own & !pawn_attack_set(color, self.own);
        let mut score = weighing.weigh(Term::PawnTwiceAttacked.first(), twice.count(), color);
        for (index, rank) in [Rank::Fifth, Rank::Sixth].into_iter().enumerate() {
            let blocked = self.own & Bitboard::from_rank(color.rank(rank)) & hostile;
            score += weighing.weigh(Term::PawnBlockedFar.at(index), blocked.count(), color);
        }
        score
    }

    fn weaknesses<T: Trace>(&self, weighing: &mut Weighing<'_, T>) -> PackedScore {
        let (color, own) = (self.color, self.own);
        let behind = ahead(own, !color);
        let level_or_ahead = own | ahead(own, color);
        let helped = level_or_ahead.east() | level_or_ahead.west();
        let stopped = (self.enemy | pawn_attack_set(!color, self.enemy)).forward(!color);

        let doubled = own & behind;
        let isolated = own & !(helped | behind.east() | behind.west());
        let backward = own & !(isolated | helped) & stopped;
        let open = (isolated | backward) & !self.opposed();
        weighing.weigh(Term::PawnDoubled.first(), doubled.count(), color)
            + weighing.weigh(Term::PawnIsolated.first(), isolated.count(), color)
            + weighing.weigh(Term::PawnBackward.first(), backward.count(), color)
            + weighing.weigh(Term::PawnWeakOpen.first(), open.count(), color)
    }

    /// The terms of two own pawns, and of an own and an enemy pawn, wherever they stand.
    fn pairs<T: Trace>(&self, weighing: &mut Weighing<'_, T>) -> PackedScore {
        let color = self.color;
        let mut score = PackedScore::ZERO;
        let mut others = self.own;
        for square in self.own {
            let pawn = PairedPawn::of(square, color);
            others = others - Bitboard::from(square);
            for other in others {
                let other = PairedPawn::of(other, color);
                let [first, second] =
                    if pawn.order() <= other.order() { [pawn, other] } else { [other, pawn] };
                score += weighing.weigh(Term::PawnOwnPair.at(pair(first, second)), 1, color);
            }
            for enemy in self.enemy {
                let enemy = PairedPawn::of(enemy, !color);
                // Else the pair is the enemy's, or the same for both sides.
                if pawn.order() < enemy.order() {
                    score += weighing.weigh(Term::PawnEnemyPair.at(pair(pawn, enemy)), 1, color);
                }
            }
        }
        score
    }

    /// The terms of connected pawns; `attacked` are the squares that own pawns attack.
    fn connections<T: Trace>(&self, attacked: Bitboard, weighing: &mut Weighing<'_, T>) -> PackedScore {
        let color = self.color;
        let supported = self.own & attacked;
        let phalanx = self.own & (self.own.east() | self.own.west());
        let forward = self.own.forward(color);
        let twice = self.own & forward.east() & forward.west();
        let mut score = weighing.weigh(Term::PawnSupportedTwice.first(), twice.count(), color);
        let open = (supported | phalanx) & !self.opposed();
        for (index, &rank) in Rank::ALL[1..7].iter().enumerate() {
            let there = Bitboard::from_rank(color.rank(rank));
            score += weighing.weigh(Term::PawnSupported.at(index), (supported & there).count(), color);
            score += weighing.weigh(Term::PawnConnectedUnopposed.at(index), (open & there).count(), color);
            score += weighing.weigh(Term::PawnPhalanx.at(index), (phalanx & there).count(), color);
        }
        score
    }
}

/// A pawn of a pair as its owner sees it.
#[derive(Clone, Copy)]
struct PairedPawn {
    /// 0 to 7.
    file: usize,
    /// 0 on its second rank, 5 on its seventh.
    rank: usize,
}

impl PairedPawn {
    #[inline]
    fn of(pawn: Square, owner: Color) -> PairedPawn {
        PairedPawn { file: pawn.file().index(), rank: relative_rank(pawn, owner) - 1 }
    }

    /// The first pawn of a pair has less of it: it is less advanced, or as much and nearer to the edge.
    #[inline]
    fn order(self) -> (usize, usize) {
        (self.rank, self.file.min(7 - self.file))
    }
}

/// Index of a pair, mirrored so that its first pawn is on the files a to d: by the square of that pawn, then by that of the
/// second from the first one's rank on.
#[inline]
fn pair(first: PairedPawn, second: PairedPawn) -> usize {
    // For each rank of the first pawn: 4 files of the lower ones by 8 files of each rank from theirs on.
    const STARTS: [usize; 6] = [0, 192, 352, 480, 576, 640];
    let mirror = if first.file > 3 { 7 } else { 0 };
    let ranks = (first.file ^ mirror) * (6 - first.rank) + second.rank - first.rank;
    STARTS[first.rank] + 8 * ranks + (second.file ^ mirror)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_pair_and_its_mirror_image_share_a_weight_and_others_have_their_own() {
        let pawns: Vec<PairedPawn> =
            (8..56).map(|square| PairedPawn::of(Square::from_index(square), Color::White)).collect();
        let mirrored = |pawn: PairedPawn| PairedPawn { file: 7 - pawn.file, ..pawn };
        let mut indices = BTreeSet::new();
        for &first in &pawns {
            for &second in pawns.iter().filter(|second| first.order() <= second.order()) {
                if (first.file, first.rank) != (second.file, second.rank) {
                    assert_eq!(pair(first, second), pair(mirrored(first), mirrored(second)));
                    indices.insert(pair(first, second));
                }
            }
        }
        // 24 pairs are their own mirror images.
        assert_eq!((indices.len(), indices.last()), ((48 * 47 / 2 + 24) / 2, Some(&668)));
    }
}
