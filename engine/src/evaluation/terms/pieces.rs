//! Knights, bishops, rooks and queens: material, squares, mobility, and how they stand to the pawns.

use smalt_chess::attacks::{bishop_attacks, knight_attacks, queen_attacks, rook_attacks};
use smalt_chess::{Bitboard, Color, Rank, Role, Square};

use super::super::scene::{Scene, board_index};
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};
use super::structure::Structure;

/// Weighs the pieces of a side, and notes their attacks in the scene.
#[inline]
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
        + rooks(scene, color, weighing)
}

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
    let mut score = Score::ZERO;
    if bishops.more_than_one() {
        score += weighing.weigh(Term::BishopPair.first(), 1, color);
    }
    for squares in [Bitboard::LIGHT, Bitboard::DARK] {
        let pairs = (bishops & squares).count() * (pawns & squares).count();
        score += weighing.weigh(Term::BishopOwnPawns.first(), pairs, color);
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
    let mut score = Score::ZERO;
    for (role, term) in [(Role::Knight, Term::KnightOutpost), (Role::Bishop, Term::BishopOutpost)] {
        let there = scene.position.pieces(color, role) & outposts;
        score += weighing.weigh(term.at(0), (there & !supported).count(), color);
        score += weighing.weigh(term.at(1), (there & supported).count(), color);
    }
    let minors = scene.position.role(Role::Knight) | scene.position.role(Role::Bishop);
    let behind = minors & scene.position.color(color) & scene.position.role(Role::Pawn).forward(!color);
    score + weighing.weigh(Term::MinorBehindPawn.first(), behind.count(), color)
}

#[inline]
fn rooks<T: Trace>(scene: &Scene<'_>, color: Color, weighing: &mut Weighing<'_, T>) -> Score {
    let own = scene.position.pieces(color, Role::Pawn);
    let enemy = scene.position.pieces(!color, Role::Pawn);
    let mut score = Score::ZERO;
    for square in scene.position.pieces(color, Role::Rook) {
        let file = Bitboard::from_file(square.file());
        if !own.intersects(file) {
            let open = usize::from(!enemy.intersects(file));
            score += weighing.weigh(Term::RookFile.at(open), 1, color);
        }
    }
    score
}
