//! Knights, bishops, rooks and queens: material, squares, mobility, and how they stand to the pawns.

use smalt_chess::attacks::{bishop_attacks, knight_attacks, queen_attacks, rook_attacks};
use smalt_chess::{Bitboard, Color, File, Rank, Role, Square};

use super::super::scene::{CENTER_FILES, Scene, behind_one, board_index};
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};
use super::structure::Structure;

/// Weighs the pieces of a side, and notes their attacks in the scene.
#[inline(always)]
pub(super) fn weigh<T: Trace>(
    scene: &mut Scene<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let own_queens = scene.position.pieces(color, Role::Queen);
    let own_rooks = scene.position.pieces(color, Role::Rook);
    let queens_away = scene.occupied & !scene.position.role(Role::Queen);
    let lines_away = scene.occupied & !(own_queens | own_rooks);
    let occupied = scene.occupied;

    role(scene, color, &KNIGHT, knight_attacks, weighing)
        + role(scene, color, &BISHOP, |square| bishop_attacks(square, queens_away), weighing)
        + role(scene, color, &ROOK, |square| rook_attacks(square, lines_away), weighing)
        + role(scene, color, &QUEEN, |square| queen_attacks(square, occupied), weighing)
        + bishops(scene, color, weighing)
        + minors(scene, structure, color, weighing)
        + rooks(scene, lines_away, color, weighing)
        + queens(scene, color, weighing)
}

/// The squares d4, e4, d5 and e5.
const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// A rook with more moves than these is not trapped.
const TRAPPED_MOVES: usize = 3;

/// The terms that every piece of a role has.
struct Terms {
    role: Role,
    material: Term,
    square: Term,
    mobility: Term,
}

const KNIGHT: Terms = Terms {
    role: Role::Knight,
    material: Term::MaterialKnight,
    square: Term::SquareKnight,
    mobility: Term::MobilityKnight,
};

const BISHOP: Terms = Terms {
    role: Role::Bishop,
    material: Term::MaterialBishop,
    square: Term::SquareBishop,
    mobility: Term::MobilityBishop,
};

const ROOK: Terms = Terms {
    role: Role::Rook,
    material: Term::MaterialRook,
    square: Term::SquareRook,
    mobility: Term::MobilityRook,
};

const QUEEN: Terms = Terms {
    role: Role::Queen,
    material: Term::MaterialQueen,
    square: Term::SquareQueen,
    mobility: Term::MobilityQueen,
};

#[inline(always)]
fn role<T: Trace>(
    scene: &mut Scene<'_>,
    color: Color,
    terms: &Terms,
    attacks: impl Fn(Square) -> Bitboard,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let squares = scene.position.pieces(color, terms.role);
    let (king_zone, king_area) = (scene.side(!color).king_zone, scene.side(!color).king_area);
    let side = &mut scene.sides[color.index()];
    let mut score = weighing.weigh(terms.material.first(), squares.count(), color);
    for square in squares {
        let attacked = attacks(square);
        side.attack(terms.role, attacked);
        score += weighing.weigh(terms.square.at(board_index(square, color)), 1, color);
        score += weighing.weigh(terms.mobility.at((attacked & side.safe).count()), 1, color);
        if attacked.intersects(king_zone) {
            side.zone_attackers[terms.role.index() - 1] += 1;
            side.area_attacks += (attacked & king_area).count();
        }
    }
    score
}

#[inline]
fn bishops<T: Trace>(scene: &Scene<'_>, color: Color, weighing: &mut Weighing<'_, T>) -> Score {
    let bishops = scene.position.pieces(color, Role::Bishop);
    let pawns = scene.position.pieces(color, Role::Pawn);
    let enemy_pawns = scene.position.pieces(!color, Role::Pawn);
    let blocked = (pawns & CENTER_FILES & scene.occupied.forward(!color)).count();
    let mut score = Score::ZERO;
    if bishops.more_than_one() {
        score += weighing.weigh(Term::BishopPair.first(), 1, color);
    }
    for square in bishops {
        let same = if Bitboard::LIGHT.contains(square) { Bitboard::LIGHT } else { Bitboard::DARK };
        let own = (pawns & same).count();
        let lined = (bishop_attacks(square, Bitboard::EMPTY) & enemy_pawns).count();
        let seen = bishop_attacks(square, pawns | enemy_pawns) & CENTER;
        score += weighing.weigh(Term::BishopOwnPawns.first(), own, color);
        score += weighing.weigh(Term::BishopBlockedCenter.first(), own * blocked, color);
        score += weighing.weigh(Term::BishopLinedPawns.first(), lined, color);
        score += weighing.weigh(Term::BishopLongDiagonal.first(), usize::from(seen.more_than_one()), color);
    }
    score
}

#[inline]
fn minors<T: Trace>(
    scene: &Scene<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let ranks = [Rank::Fourth, Rank::Fifth, Rank::Sixth];
    let middle =
        ranks.into_iter().fold(Bitboard::EMPTY, |set, rank| set | Bitboard::from_rank(color.rank(rank)));
    let outposts = middle & !structure.attack_spans[(!color).index()];
    let supported = scene.side(color).attacked_by[Role::Pawn.index()];
    let king = scene.position.king(color);
    let mut score = Score::ZERO;
    for (index, role, term) in
        [(0, Role::Knight, Term::KnightOutpost), (1, Role::Bishop, Term::BishopOutpost)]
    {
        let pieces = scene.position.pieces(color, role);
        let there = pieces & outposts;
        score += weighing.weigh(term.at(0), (there & !supported).count(), color);
        score += weighing.weigh(term.at(1), (there & supported).count(), color);
        let distances = pieces.into_iter().map(|square| usize::from(king.distance(square))).sum();
        score += weighing.weigh(Term::MinorKingDistance.at(index), distances, color);
    }
    let reached = scene.side(color).attacked_by[Role::Knight.index()];
    let near = reached & outposts & supported & !scene.position.color(color);
    score += weighing.weigh(Term::KnightNearOutpost.first(), usize::from(near.any()), color);
    let own_pawns = scene.position.pieces(color, Role::Pawn).count();
    for (index, role) in [Role::Knight, Role::Rook].into_iter().enumerate() {
        let pieces = scene.position.pieces(color, role).count();
        score += weighing.weigh(Term::PiecesWithPawns.at(index), pieces * own_pawns, color);
    }
    let minors = scene.position.role(Role::Knight) | scene.position.role(Role::Bishop);
    let behind = minors & scene.position.color(color) & scene.position.role(Role::Pawn).forward(!color);
    score + weighing.weigh(Term::MinorBehindPawn.first(), behind.count(), color)
}

#[inline]
fn rooks<T: Trace>(
    scene: &Scene<'_>,
    lines_away: Bitboard,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let own = scene.position.pieces(color, Role::Pawn);
    let enemy = scene.position.pieces(!color, Role::Pawn);
    let queens = scene.position.role(Role::Queen);
    let seventh = Bitboard::from_rank(color.rank(Rank::Seventh));
    let eighth = Bitboard::from_rank(color.rank(Rank::Eighth));
    let has_prey = eighth.contains(scene.position.king(!color)) || enemy.intersects(seventh);
    let mut score = Score::ZERO;
    for square in scene.position.pieces(color, Role::Rook) {
        let file = Bitboard::from_file(square.file());
        if !own.intersects(file) {
            let open = usize::from(!enemy.intersects(file));
            score += weighing.weigh(Term::RookFile.at(open), 1, color);
        } else if is_beside_king(scene, square, color) {
            let reached = rook_attacks(square, lines_away) & scene.side(color).safe;
            let is_trapped = usize::from(reached.count() <= TRAPPED_MOVES);
            let first = Bitboard::from_rank(color.rank(Rank::First));
            let is_stuck = usize::from(!scene.position.castling_rooks().intersects(first));
            score += weighing.weigh(Term::RookTrapped.at(is_stuck), is_trapped, color);
        }
        score += weighing.weigh(Term::RookQueenFile.first(), usize::from(queens.intersects(file)), color);
        let is_deep = has_prey && seventh.contains(square);
        score += weighing.weigh(Term::RookSeventh.first(), usize::from(is_deep), color);
    }
    score
}

/// Whether the own king stands between the rook and the center.
#[inline]
fn is_beside_king(scene: &Scene<'_>, rook: Square, color: Color) -> bool {
    let king = scene.position.king(color).file();
    if king < File::E { rook.file() < king } else { rook.file() > king }
}

#[inline]
fn queens<T: Trace>(scene: &Scene<'_>, color: Color, weighing: &mut Weighing<'_, T>) -> Score {
    let bishops = scene.position.pieces(!color, Role::Bishop);
    let rooks = scene.position.pieces(!color, Role::Rook);
    let mut score = Score::ZERO;
    for square in scene.position.pieces(color, Role::Queen) {
        let is_aimed_at = is_behind_one(scene, square, bishops, bishop_attacks)
            || is_behind_one(scene, square, rooks, rook_attacks);
        score += weighing.weigh(Term::QueenOnLine.first(), usize::from(is_aimed_at), color);
    }
    score
}

/// Whether one of the sliders would attack the square if a single piece went away.
#[inline(always)]
fn is_behind_one(
    scene: &Scene<'_>,
    square: Square,
    sliders: Bitboard,
    attacks: impl Fn(Square, Bitboard) -> Bitboard,
) -> bool {
    if !attacks(square, Bitboard::EMPTY).intersects(sliders) {
        return false;
    }
    let near = attacks(square, scene.occupied);
    behind_one(square, scene.occupied, near, attacks).intersects(sliders)
}
