//! Passed pawns: path, stop square, king distances, rook behind, unstoppable.

use smalt_chess::{Bitboard, Color, Rank, Role, Square};

use super::super::eval_info::{EvalInfo, ahead, relative_rank};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};
use super::{Linear, Structure};

/// Evaluates the path of each passed pawn of a side. The attacks of all pieces must be in the info.
#[inline]
pub(super) fn weigh<T: Trace>(
    info: &EvalInfo<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Linear {
    let [mut always, mut to_move] = [PackedScore::ZERO; 2];
    for square in structure.passed & info.position.color(color) {
        let pawn = passed(info, square, color, weighing);
        always += pawn.always;
        to_move += pawn.to_move;
    }
    Linear { always, to_move }
}

fn passed<T: Trace>(
    info: &EvalInfo<'_>,
    square: Square,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Linear {
    let position = info.position;
    let rank = relative_rank(square, color) - 1;
    let way = ahead(square.into(), color);
    let stop = Bitboard::from(square).forward(color);
    let (own, enemy) = (info.side(color), info.side(!color));
    let hostile = enemy.attacked | position.color(!color);
    let behind = ahead(square.into(), !color);
    let rooks = position.role(Role::Rook);
    let enemy_heavy = (rooks | position.role(Role::Queen)) & position.color(!color);
    let lost = enemy.attacked_twice & !own.attacked_twice;
    let is_free = !info.occupied.intersects(stop);
    let is_safe = !enemy.attacked.intersects(stop);

    let mut score = PackedScore::ZERO;
    let mut add = |weight, is_so: bool| score += weighing.weigh(weight, usize::from(is_so), color);
    add(Term::PassedFree.at(rank), is_free);
    add(Term::PassedSafePath.at(rank), !hostile.intersects(way));
    add(Term::PassedClearPath.at(rank), !info.occupied.intersects(way));
    add(Term::PassedDefendedPath.at(rank), way.is_subset(own.attacked));
    add(Term::PassedRookBehind.first(), behind.intersects(rooks & position.color(color)));
    add(Term::PassedEnemyBehind.first(), behind.intersects(enemy_heavy));
    add(Term::PassedStopLost.at(rank), lost.intersects(stop));
    add(Term::PassedSafeStop.at(rank), is_safe);
    add(Term::PassedDefendedStop.at(rank), own.attacked.intersects(stop));
    add(Term::PassedUnstoppable.first(), is_unstoppable(info, square, way, color));
    if let Some(stop) = stop.first() {
        let distance = |king: Color| usize::from(position.king(king).distance(stop));
        score += weighing.weigh(Term::PassedOwnKing.at(rank), distance(color), color);
        score += weighing.weigh(Term::PassedEnemyKing.at(rank), distance(!color), color);
        score += weighing.weigh(Term::PassedOwnKingTable.at(distance(color)), rank, color);
        score += weighing.weigh(Term::PassedEnemyKingTable.at(distance(!color)), rank, color);
    }
    let can_push = usize::from(is_free && is_safe);
    let to_move = weighing.weigh_to_move(Term::PassedPushToMove.at(rank), can_push, color);
    Linear { always: score, to_move }
}

/// Whether the enemy has only pawns and a king outside the square, and no own piece blocks the path.
#[inline]
fn is_unstoppable(info: &EvalInfo<'_>, pawn: Square, way: Bitboard, color: Color) -> bool {
    let position = info.position;
    if position.has_pieces(!color) || way.intersects(position.color(color)) {
        return false;
    }
    let steps = (7 - relative_rank(pawn, color)).min(5);
    let promotion = Square::new(pawn.file(), color.rank(Rank::Eighth));
    let king = usize::from(position.king(!color).distance(promotion));
    king > steps + usize::from(position.turn() != color)
}
