//! Danger to a king, in units that the curve of the formula turns into centipawns.

use smalt_chess::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use smalt_chess::{Bitboard, Color, Role};

use super::super::scene::Scene;
use super::super::schema::Term;
use super::super::score::Score;
use super::super::trace::{Trace, Weighing};
use super::structure::Structure;

/// The roles of attackers and checkers, in the order of their weights.
const ROLES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Weighs the danger to the king of that color. The attacks of all pieces must be in the scene.
#[inline]
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
    for (index, checks) in safe_checks(scene, color, hardly_defended).into_iter().enumerate() {
        danger += weighing.weigh(Term::DangerSafeCheck.at(index), usize::from(checks.any()), color);
    }
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

/// The squares from which each role of the enemy's can check without being taken.
#[inline]
fn safe_checks(scene: &Scene<'_>, color: Color, hardly_defended: Bitboard) -> [Bitboard; 4] {
    let (own, enemy) = (scene.side(color), scene.side(!color));
    let king = scene.position.king(color);
    let safe = !scene.position.color(!color) & (!own.attacked | hardly_defended & enemy.attacked_twice);
    let diagonals = bishop_attacks(king, scene.occupied);
    let lines = rook_attacks(king, scene.occupied);
    let squares = [knight_attacks(king), diagonals, lines, diagonals | lines];
    std::array::from_fn(|index| squares[index] & enemy.attacked_by[ROLES[index].index()] & safe)
}
