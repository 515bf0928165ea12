//! The structure of a side's pawns: what they are worth where they stand, and what they do to one another.

use smalt_chess::attacks::pawn_attack_set;
use smalt_chess::{Bitboard, Color, Position, Rank, Role, Square};

use super::super::scene::{ahead, board_index, relative_rank, toward_king_side};
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};
use super::structure::Structure;

/// Weighs the pawns of a side, and notes the passed ones and the reach of their attacks.
pub(super) fn weigh<T: Trace>(
    position: &Position,
    color: Color,
    structure: &mut Structure,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let pawns =
        Pawns { color, own: position.pieces(color, Role::Pawn), enemy: position.pieces(!color, Role::Pawn) };
    let attacked = pawn_attack_set(color, pawns.own);
    structure.attack_spans[color.index()] = attacked | ahead(attacked, color);

    let mut score = weighing.weigh(Term::MaterialPawn.first(), pawns.own.count(), color);
    score += pawns.contacts(weighing);
    let [own_king, enemy_king] = [position.king(color), position.king(!color)];
    for square in pawns.own {
        score += weighing.weigh(Term::SquarePawn.at(board_index(square, color)), 1, color);
        let by_own_king = board_index(toward_king_side(square, own_king), color);
        score += weighing.weigh(Term::SquarePawnOwnKing.at(by_own_king), 1, color);
        let by_enemy_king = board_index(toward_king_side(square, enemy_king), color);
        score += weighing.weigh(Term::SquarePawnEnemyKing.at(by_enemy_king), 1, color);
        score += pawns.weaknesses(square, weighing);
        score += pawns.connections(square, weighing);
        if pawns.is_passed(square) {
            structure.passed.insert(square);
            let rank = relative_rank(square, color) - 1;
            score += weighing.weigh(Term::PassedRank.at(rank), 1, color);
            if attacked.contains(square) {
                score += weighing.weigh(Term::PassedProtected.at(rank), 1, color);
            }
        } else if pawns.is_candidate(square) {
            score += weighing.weigh(Term::PawnCandidate.at(relative_rank(square, color) - 1), 1, color);
        }
    }
    score
}

/// The pawns of both sides, as one of them sees it.
struct Pawns {
    color: Color,
    own: Bitboard,
    enemy: Bitboard,
}

impl Pawns {
    fn is_passed(&self, square: Square) -> bool {
        let front = ahead(square.into(), self.color);
        !self.own.intersects(front) && !self.enemy.intersects(front | front.east() | front.west())
    }

    fn is_candidate(&self, square: Square) -> bool {
        let pawn = Bitboard::from(square);
        let front = ahead(pawn, self.color);
        let level_or_behind = pawn | ahead(pawn, !self.color);
        let helpers = self.own & (level_or_behind.east() | level_or_behind.west());
        let stoppers = self.enemy & (front.east() | front.west());
        !(self.own | self.enemy).intersects(front) && helpers.count() >= stoppers.count()
    }

    /// What all pawns of the side have to do with those of the enemy's.
    fn contacts<T: Trace>(&self, weighing: &mut Weighing<'_, T>) -> Score {
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

    fn weaknesses<T: Trace>(&self, square: Square, weighing: &mut Weighing<'_, T>) -> Score {
        let color = self.color;
        let pawn = Bitboard::from(square);
        let front = ahead(pawn, color);
        let level_or_behind = pawn | ahead(pawn, !color);
        let file = front | level_or_behind;
        let stop = pawn.forward(color);

        let isolated = !self.own.intersects(file.east() | file.west());
        let passed_by_neighbors = !self.own.intersects(level_or_behind.east() | level_or_behind.west());
        let stopped = (self.enemy | pawn_attack_set(!color, self.enemy)).intersects(stop);
        let backward = !isolated && passed_by_neighbors && stopped;

        let mut score = Score::ZERO;
        if self.own.intersects(front) {
            score += weighing.weigh(Term::PawnDoubled.first(), 1, color);
        }
        if isolated {
            score += weighing.weigh(Term::PawnIsolated.first(), 1, color);
        }
        if backward {
            score += weighing.weigh(Term::PawnBackward.first(), 1, color);
        }
        if (isolated || backward) && !self.enemy.intersects(front) {
            score += weighing.weigh(Term::PawnWeakOpen.first(), 1, color);
        }
        score
    }

    fn connections<T: Trace>(&self, square: Square, weighing: &mut Weighing<'_, T>) -> Score {
        let pawn = Bitboard::from(square);
        let rank = relative_rank(square, self.color) - 1;
        let mut score = Score::ZERO;
        if pawn_attack_set(self.color, self.own).contains(square) {
            score += weighing.weigh(Term::PawnSupported.at(rank), 1, self.color);
        }
        if self.own.intersects(pawn.east() | pawn.west()) {
            score += weighing.weigh(Term::PawnPhalanx.at(rank), 1, self.color);
        }
        score
    }
}
