//! King shelter and pawn storm: the king's square and the pawns of both sides on the three files around it.

use smalt_chess::{Bitboard, Color, File, Position, Role, Square};

use super::super::eval_info::{ahead, board_index, king_flank, relative_rank};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};

/// Evaluates the king's square, its shelter of own pawns and the storm of enemy pawns.
pub(super) fn weigh<T: Trace>(
    position: &Position,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let king = position.king(color);
    let rank = Bitboard::from_rank(king.rank());
    let before = rank | ahead(rank, color);
    let own = position.pieces(color, Role::Pawn) & before;
    let enemy = position.pieces(!color, Role::Pawn) & before;

    let mut score = weighing.weigh(Term::SquareKing.at(board_index(king, color)), 1, color);
    for file in files(king) {
        let squares = Bitboard::from_file(file);
        let shelter = if file == king.file() { Term::ShelterKingFile } else { Term::ShelterSideFile };
        score += weighing.weigh(shelter.at(steps(own & squares, king, color)), 1, color);

        let attackers = enemy & squares;
        let is_blocked = nearest(attackers, color).forward(!color).intersects(own);
        let storm = if is_blocked { Term::StormBlocked } else { Term::StormFree };
        score += weighing.weigh(storm.at(steps(attackers, king, color)), 1, color);
    }
    let pawns = position.role(Role::Pawn);
    let nearest = pawns.into_iter().map(|pawn| usize::from(king.distance(pawn))).min().unwrap_or(0);
    score += weighing.weigh(Term::KingPawnDistance.first(), nearest, color);
    let is_bare = usize::from(!pawns.intersects(king_flank(king)));
    score + weighing.weigh(Term::KingPawnlessWing.first(), is_bare, color)
}

/// Number of the three files without an own pawn.
pub(super) fn open_files(position: &Position, color: Color) -> u8 {
    let own = position.pieces(color, Role::Pawn);
    let open = |file: &File| !own.intersects(Bitboard::from_file(*file));
    files(position.king(color)).iter().filter(|file| open(file)).count() as u8
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
