//! Pawn structure: piece-square tables, pairs of pawns, isolated, doubled, backward, connected and candidate pawns.

use smalt_chess::attacks::pawn_attack_set;
use smalt_chess::{Bitboard, Color, Position, Rank, Role, Square};

use super::super::eval_info::{ahead, edge_distance, relative_rank};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::squares::KingBucket;
use super::super::trace::{Trace, Weighing};
use super::Structure;

/// Evaluates the pawns of a side, and records its passed pawns.
pub(super) fn weigh<T: Trace>(
    position: &Position,
    color: Color,
    structure: &mut Structure,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let pawns =
        Pawns { color, own: position.pieces(color, Role::Pawn), enemy: position.pieces(!color, Role::Pawn) };
    let attacked = pawn_attack_set(color, pawns.own);

    let mut score = pawns.contacts(weighing);
    score += pawns.weaknesses(weighing);
    score += pawns.connections(attacked, weighing);
    score += pawns.pairs(weighing);
    let kings = [color, !color].map(|owner| KingBucket::of(position.king(owner), owner));
    for square in pawns.own {
        score += weighing.weigh_square(Role::Pawn, square, color, kings);
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
        for pawn in self.own {
            others = others - Bitboard::from(pawn);
            for other in others {
                score += weighing.weigh(Term::PawnOwnPair.at(own_pair([pawn, other], color)), 1, color);
            }
            for enemy in self.enemy {
                score += weighing.weigh(Term::PawnEnemyPair.at(enemy_pair([pawn, enemy], color)), 1, color);
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

/// File, and rank without the first, of a pawn as its owner sees it.
#[inline]
fn coordinates(pawn: Square, color: Color) -> [usize; 2] {
    [pawn.file().index(), relative_rank(pawn, color) - 1]
}

/// Index of a pair of own pawns: by the squares of the first, mirrored to the files a to d, and of the other. The first is
/// the lower pawn, on one rank the one nearer to the edge.
#[inline]
fn own_pair(pawns: [Square; 2], color: Color) -> usize {
    let [a, b] = pawns.map(|pawn| coordinates(pawn, color));
    let order = |pawn: Square| (relative_rank(pawn, color), edge_distance(pawn.file()));
    let [[file, rank], [other_file, other_rank]] =
        if order(pawns[0]) <= order(pawns[1]) { [a, b] } else { [b, a] };
    let mirror = if file > 3 { 7 } else { 0 };
    // The squares from the first pawn's rank on, for pawns on lower ranks and on files before it.
    const STARTS: [usize; 6] = [0, 192, 352, 480, 576, 640];
    let row = (file ^ mirror) * (6 - rank) + other_rank - rank;
    STARTS[rank] + 8 * row + (other_file ^ mirror)
}

/// Index of a pair of an own and an enemy pawn: by the squares of the own one, mirrored to the files a to d, and of the
/// other.
#[inline]
fn enemy_pair([own, enemy]: [Square; 2], color: Color) -> usize {
    let [[file, rank], [enemy_file, enemy_rank]] = [own, enemy].map(|pawn| coordinates(pawn, color));
    let mirror = if file > 3 { 7 } else { 0 };
    (4 * rank + (file ^ mirror)) * 48 + 8 * enemy_rank + (enemy_file ^ mirror)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_pairs_share_a_weight_and_others_have_their_own() {
        let squares: Vec<Square> = (8..56).map(Square::from_index).collect();
        let mirrored = |square: Square| Square::from_index(square.index() ^ 7);
        let mut own = std::collections::BTreeSet::new();
        let mut enemy = own.clone();
        for &a in &squares {
            for &b in &squares {
                for color in Color::ALL {
                    let twins = [a, b].map(mirrored);
                    let flipped = [a, b].map(Square::flip_rank);
                    if a != b {
                        let index = own_pair([a, b], color);
                        assert_eq!(index, own_pair([b, a], color));
                        assert_eq!(index, own_pair(twins, color));
                        assert_eq!(index, own_pair(flipped, !color));
                        own.insert(index);
                    }
                    let index = enemy_pair([a, b], color);
                    assert_eq!(index, enemy_pair(twins, color));
                    assert_eq!(index, enemy_pair(flipped, !color));
                    enemy.insert(index);
                }
            }
        }
        // 24 pairs of own pawns are their own mirror images.
        assert_eq!((own.len(), own.last()), ((48 * 47 / 2 + 24) / 2, Some(&668)));
        assert_eq!((enemy.len(), enemy.last()), (24 * 48, Some(&(24 * 48 - 1))));
    }
}
