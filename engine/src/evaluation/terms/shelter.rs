//! King shelter and pawn storm: the king's square and the pawns of both sides on the three files around it.

use smalt_chess::attacks::{king_attacks, pawn_attack_set};
use smalt_chess::{Bitboard, Color, File, Position, Role, Square};

use super::super::eval_info::{ahead, board_index, edge_distance, king_flank, relative_rank};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};
use super::Structure;

/// Evaluates the king's square, its shelter of own pawns and the storm of enemy pawns, and records the danger by them.
pub(super) fn weigh<T: Trace>(
    position: &Position,
    color: Color,
    structure: &mut Structure,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let king = position.king(color);
    let rank = Bitboard::from_rank(king.rank());
    let before = rank | ahead(rank, color);
    let own = position.pieces(color, Role::Pawn) & before;
    let enemy = position.pieces(!color, Role::Pawn) & before;
    let hit = pawn_attack_set(!color, position.pieces(!color, Role::Pawn)) & king_attacks(king);

    let mut danger = weighing.weigh(Term::DangerBase.first(), 1, color)
        + weighing.weigh(Term::DangerPawnAttack.first(), hit.count(), color);
    let mut score = weighing.weigh(Term::SquareKing.at(board_index(king, color)), 1, color);
    for file in files(king) {
        let squares = Bitboard::from_file(file);
        let (shelter, risk) = if file == king.file() {
            (Term::ShelterKingFile, Term::DangerShelterKing)
        } else {
            (Term::ShelterSideFile, Term::DangerShelterSide)
        };
        let near = steps(own & squares, king, color);
        score += weighing.weigh(shelter.at(near), 1, color);
        let by_file = 8 * edge_distance(file);
        score += weighing.weigh(Term::ShelterByFile.at(by_file + near), 1, color);
        danger += weighing.weigh(risk.at(near), 1, color);
        let is_open = !position.pieces(color, Role::Pawn).intersects(squares);
        danger += weighing.weigh(Term::DangerOpenFile.first(), usize::from(is_open), color);

        let attackers = enemy & squares;
        let is_blocked = nearest(attackers, color).forward(!color).intersects(own);
        let storm = if is_blocked { Term::StormBlocked } else { Term::StormFree };
        let near = steps(attackers, king, color);
        score += weighing.weigh(storm.at(near), 1, color);
        score += weighing.weigh(Term::StormByFile.at(by_file + near), usize::from(!is_blocked), color);
        danger += weighing.weigh(Term::DangerStormFree.at(near), usize::from(!is_blocked), color);
    }
    structure.danger[color.index()] = danger;
    let pawns = position.role(Role::Pawn);
    let nearest = pawns.into_iter().map(|pawn| usize::from(king.distance(pawn))).min().unwrap_or(0);
    score += weighing.weigh(Term::KingPawnDistance.first(), nearest, color);
    let is_bare = usize::from(!pawns.intersects(king_flank(king)));
    score + weighing.weigh(Term::KingPawnlessWing.first(), is_bare, color)
}

/// The king's file and the adjacent ones; for a king at the edge the three files there.
fn files(king: Square) -> [File; 3] {
    let center = king.file().index().clamp(1, 6);
    [center - 1, center, center + 1].map(File::from_index)
}

/// The pawn on a file nearest to the side's first rank; empty without a pawn.
fn nearest(pawns: Bitboard, color: Color) -> Bitboard {
    pawns & !ahead(pawns, color)
}

/// Ranks from the king to the nearest pawn ahead, where 1 is a pawn beside it; 0 without a pawn.
fn steps(pawns: Bitboard, king: Square, color: Color) -> usize {
    let nearest = nearest(pawns, color).first();
    nearest.map_or(0, |pawn| relative_rank(pawn, color) - relative_rank(king, color) + 1)
}
