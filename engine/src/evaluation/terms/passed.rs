//! Passed pawns among the pieces: what stands in their way, and who is near.

use smalt_chess::{Bitboard, Color, Rank, Role, Square};

use super::super::scene::{Scene, ahead, relative_rank};
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};
use super::structure::Structure;

/// Weighs the way of each passed pawn of a side. The attacks of all pieces must be in the scene.
#[inline]
pub(super) fn weigh<T: Trace>(
    scene: &Scene<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let mut score = Score::ZERO;
    for square in structure.passed & scene.position.color(color) {
        score += passed(scene, square, color, weighing);
    }
    score
}

fn passed<T: Trace>(
    scene: &Scene<'_>,
    square: Square,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let position = scene.position;
    let rank = relative_rank(square, color) - 1;
    let way = ahead(square.into(), color);
    let stop = Bitboard::from(square).forward(color);
    let (own, enemy) = (scene.side(color), scene.side(!color));
    let hostile = enemy.attacked | position.color(!color);
    let rooks = position.pieces(color, Role::Rook);

    let mut score = Score::ZERO;
    let mut add = |weight, is_so: bool| score += weighing.weigh(weight, usize::from(is_so), color);
    add(Term::PassedFree.at(rank), !scene.occupied.intersects(stop));
    add(Term::PassedSafePath.at(rank), !hostile.intersects(way));
    add(Term::PassedRookBehind.first(), ahead(square.into(), !color).intersects(rooks));
    add(Term::PassedSafeStop.at(rank), !enemy.attacked.intersects(stop));
    add(Term::PassedDefendedStop.at(rank), own.attacked.intersects(stop));
    add(Term::PassedUnstoppable.first(), is_unstoppable(scene, square, way, color));
    if let Some(stop) = stop.first() {
        let distance = |king: Color| usize::from(position.king(king).distance(stop));
        score += weighing.weigh(Term::PassedOwnKing.at(rank), distance(color), color);
        score += weighing.weigh(Term::PassedEnemyKing.at(rank), distance(!color), color);
    }
    score
}

/// Whether the enemy has only pawns and a king that comes too late, and nothing of the own stands in the way.
#[inline]
fn is_unstoppable(scene: &Scene<'_>, pawn: Square, way: Bitboard, color: Color) -> bool {
    let position = scene.position;
    if position.has_pieces(!color) || way.intersects(position.color(color)) {
        return false;
    }
    let steps = (7 - relative_rank(pawn, color)).min(5);
    let promotion = Square::new(pawn.file(), color.rank(Rank::Eighth));
    let king = usize::from(position.king(!color).distance(promotion));
    king > steps + usize::from(position.turn() != color)
}
