//! Danger to a king, in units that the curve of the formula turns into centipawns.

use smalt_chess::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use smalt_chess::{Bitboard, Color, Role};

use super::super::scene::{Scene, behind_one, wing};
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};
use super::structure::Structure;

/// The roles of attackers and checkers, in the order of their weights.
const ROLES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Weighs the danger to the king of that color. The attacks of all pieces must be in the scene.
// Not inlined: one copy for both sides.
#[inline(never)]
pub(super) fn weigh<T: Trace>(
    scene: &Scene<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> Score {
    let (own, enemy) = (scene.side(color), scene.side(!color));
    let hardly_defended = held_by_king_or_queen(scene, color);
    let weak = own.king_area & enemy.attacked & hardly_defended;
    let minors = scene.position.role(Role::Knight) | scene.position.role(Role::Bishop);
    let near = own.king_area | own.king_area.east() | own.king_area.west();
    let near = near | near.north() | near.south();
    let defenders = minors & scene.position.color(color) & near;
    let enemy_queens = scene.position.pieces(!color, Role::Queen);

    let mut danger = weighing.weigh(Term::DangerBase.first(), 1, color);
    for (index, &attackers) in enemy.zone_attackers.iter().enumerate() {
        danger += weighing.weigh(Term::DangerAttacker.at(index), attackers, color);
    }
    danger += weighing.weigh(Term::DangerRingAttack.first(), enemy.area_attacks, color);
    danger += weighing.weigh(Term::DangerWeakSquare.first(), weak.count(), color);
    let checks = checks(scene, color, hardly_defended);
    for (index, safe) in checks.safe.into_iter().enumerate() {
        danger += weighing.weigh(Term::DangerSafeCheck.at(index), usize::from(safe.any()), color);
        danger += weighing.weigh(Term::DangerSafeChecks.at(index), usize::from(safe.more_than_one()), color);
    }
    danger += weighing.weigh(Term::DangerUnsafeCheck.first(), checks.unsafe_squares.count().min(15), color);
    danger += weighing.weigh(Term::DangerBlocker.first(), checks.kept_away, color);
    let camp = wing(scene.position.king(color)) & own_ranks(color);
    danger += weighing.weigh(Term::DangerWingAttack.first(), (camp & enemy.attacked).count(), color);
    let twice = camp & enemy.attacked_twice;
    danger += weighing.weigh(Term::DangerWingAttackTwice.first(), twice.count(), color);
    danger += weighing.weigh(Term::DangerWingDefense.first(), (camp & own.attacked).count(), color);
    danger += weighing.weigh(Term::DangerNoQueen.first(), usize::from(enemy_queens.is_empty()), color);
    let open_files = usize::from(structure.open_files[color.index()]);
    danger += weighing.weigh(Term::DangerOpenFile.first(), open_files, color);
    danger + weighing.weigh(Term::DangerDefender.first(), defenders.count(), color)
}

/// Squares that the side does not defend, or only once, and then with its king or queen.
#[inline]
fn held_by_king_or_queen(scene: &Scene<'_>, color: Color) -> Bitboard {
    let own = scene.side(color);
    let heavy = own.attacked_by[Role::King.index()] | own.attacked_by[Role::Queen.index()];
    !own.attacked_twice & (!own.attacked | heavy)
}

/// The first five ranks of a side.
#[inline]
fn own_ranks(color: Color) -> Bitboard {
    match color {
        Color::White => Bitboard(0x0000_00ff_ffff_ffff),
        Color::Black => Bitboard(0xffff_ffff_ff00_0000),
    }
}

/// How the enemy can give check, now or once a piece goes away.
struct Checks {
    /// The squares from which each role can check without being taken.
    safe: [Bitboard; 4],
    /// The squares from which any of them can, but not safely.
    unsafe_squares: Bitboard,
    /// Bishops, rooks and queens that a single piece keeps from checking.
    kept_away: usize,
}

#[inline]
fn checks(scene: &Scene<'_>, color: Color, hardly_defended: Bitboard) -> Checks {
    let (own, enemy) = (scene.side(color), scene.side(!color));
    let position = scene.position;
    let king = position.king(color);
    let free = !position.color(!color);
    let safe = free & (!own.attacked | hardly_defended & enemy.attacked_twice);
    let diagonals = bishop_attacks(king, scene.occupied);
    let lines = rook_attacks(king, scene.occupied);
    let squares = [knight_attacks(king), diagonals, lines, diagonals | lines];
    let possible: [Bitboard; 4] =
        std::array::from_fn(|index| squares[index] & enemy.attacked_by[ROLES[index].index()] & free);
    let pieces = |role| position.pieces(!color, role);
    let behind_diagonals = behind_one(king, scene.occupied, diagonals, bishop_attacks);
    let behind_lines = behind_one(king, scene.occupied, lines, rook_attacks);
    let queens = pieces(Role::Queen);
    let kept_away =
        behind_diagonals & (pieces(Role::Bishop) | queens) | behind_lines & (pieces(Role::Rook) | queens);
    Checks {
        safe: possible.map(|squares| squares & safe),
        unsafe_squares: possible.into_iter().fold(Bitboard::EMPTY, |all, squares| all | squares) & !safe,
        kept_away: kept_away.count(),
    }
}
