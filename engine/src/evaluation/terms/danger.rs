//! King danger (king safety), in units that the curve in [`super::super::taper`] turns into centipawns.

use smalt_chess::{Bitboard, Color, Role};

use super::super::eval_info::{EvalInfo, king_flank};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};
use super::Structure;

/// Roles of attackers and checkers, in the order of their weights.
const ROLES: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Danger to the king of that color. The attacks of all pieces must be in the info.
// Not inlined: one copy for both sides.
#[inline(never)]
pub(super) fn weigh<T: Trace>(
    info: &EvalInfo<'_>,
    structure: &Structure,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let (own, enemy) = (info.side(color), info.side(!color));
    let hardly_defended = held_by_king_or_queen(info, color);
    let weak = own.king_area & enemy.attacked & hardly_defended;
    let minors = info.position.role(Role::Knight) | info.position.role(Role::Bishop);
    let near = own.king_area | own.king_area.east() | own.king_area.west();
    let near = near | near.north() | near.south();
    let defenders = minors & info.position.color(color) & near;
    let enemy_queens = info.position.pieces(!color, Role::Queen);

    let mut danger = structure.danger[color.index()];
    for (index, role) in ROLES.into_iter().enumerate() {
        danger += weighing.weigh(Term::DangerAttacker.at(index), enemy.zone_attackers[index], color);
        danger += weighing.weigh(Term::DangerRingAttack.at(index), enemy.area_attacks[index], color);
        let count = info.position.pieces(!color, role).count();
        danger += weighing.weigh(Term::DangerMaterial.at(index), count, color);
    }
    let attacked_twice = own.attacked_by[Role::King.index()] & enemy.attacked_twice;
    danger += weighing.weigh(Term::DangerRingTwice.first(), attacked_twice.count(), color);
    let contact = attacked_twice & !own.attacked_twice & !info.position.color(!color);
    let by_queen = contact & enemy.attacked_by[Role::Queen.index()];
    danger += weighing.weigh(Term::DangerContactCheck.at(0), by_queen.count(), color);
    let by_rook = contact & enemy.attacked_by[Role::Rook.index()] & own.king_lines[1];
    danger += weighing.weigh(Term::DangerContactCheck.at(1), by_rook.count(), color);
    let king = info.position.king(color);
    danger += weighing.weigh(Term::DangerMoves.at(info.king_moves(color).count()), 1, color);
    danger += weighing.weigh(Term::DangerWeakSquare.first(), weak.count(), color);
    let checks = checks(info, color, hardly_defended);
    for (index, safe) in checks.safe.into_iter().enumerate() {
        danger += weighing.weigh(Term::DangerSafeCheck.at(index), usize::from(safe.any()), color);
        danger += weighing.weigh(Term::DangerSafeChecks.at(index), usize::from(safe.more_than_one()), color);
    }
    danger += weighing.weigh(Term::DangerUnsafeCheck.first(), checks.unsafe_squares.count().min(15), color);
    danger += weighing.weigh(Term::DangerBlocker.first(), own.snipers.count(), color);
    let camp = king_flank(king) & own_ranks(color);
    danger += weighing.weigh(Term::DangerWingAttack.first(), (camp & enemy.attacked).count(), color);
    let twice = camp & enemy.attacked_twice;
    danger += weighing.weigh(Term::DangerWingAttackTwice.first(), twice.count(), color);
    danger += weighing.weigh(Term::DangerWingDefense.first(), (camp & own.attacked).count(), color);
    let twice = camp & own.attacked_twice;
    danger += weighing.weigh(Term::DangerWingDefenseTwice.first(), twice.count(), color);
    danger += weighing.weigh(Term::DangerNoQueen.first(), usize::from(enemy_queens.is_empty()), color);
    danger + weighing.weigh(Term::DangerDefender.first(), defenders.count(), color)
}

/// Weak squares: undefended, or defended once, by king or queen.
#[inline]
fn held_by_king_or_queen(info: &EvalInfo<'_>, color: Color) -> Bitboard {
    let own = info.side(color);
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

/// Checks of the enemy: safe and unsafe.
struct Checks {
    /// Safe check squares by role.
    safe: [Bitboard; 4],
    unsafe_squares: Bitboard,
}

#[inline]
fn checks(info: &EvalInfo<'_>, color: Color, hardly_defended: Bitboard) -> Checks {
    let (own, enemy) = (info.side(color), info.side(!color));
    let safe = !own.attacked | hardly_defended & enemy.attacked_twice;
    let possible = info.checks(!color);
    Checks {
        safe: possible.map(|squares| squares & safe),
        unsafe_squares: possible.into_iter().fold(Bitboard::EMPTY, |all, squares| all | squares) & !safe,
    }
}
