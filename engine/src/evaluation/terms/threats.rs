//! Threats: attacks on enemy pawns and pieces, and own ones without a defender or defended by a pawn.

use smalt_chess::attacks::{bishop_rays, knight_attacks, pawn_attack_set, rook_rays};
use smalt_chess::{Bitboard, Color, Rank, Role};

use super::super::eval_info::EvalInfo;
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::trace::{Trace, Weighing};
use super::Linear;

/// Roles that can be threatened or loose, in the order of the weights.
const TARGETS: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Evaluates the threats of a side. The attacks of all pieces must be in the info.
#[inline(always)]
pub(super) fn weigh<T: Trace>(info: &EvalInfo<'_>, color: Color, weighing: &mut Weighing<'_, T>) -> Linear {
    let position = info.position;
    let (own, enemy) = (info.side(color), info.side(!color));
    let by = |role: Role| own.attacked_by[role.index()];
    let well_defended = enemy.attacked_by[Role::Pawn.index()] | enemy.attacked_twice & !own.attacked_twice;
    let enemies = position.color(!color) & !position.role(Role::King);
    let attacked = enemies & own.attacked;
    let weak = attacked & !well_defended;
    let queens = position.role(Role::Queen) & enemies;
    let rooks = position.role(Role::Rook) & enemies;

    let [mut score, mut to_move] = [PackedScore::ZERO; 2];
    let by_minor = (by(Role::Knight) | by(Role::Bishop)) & (weak | rooks | queens);
    let by_rook = by(Role::Rook) & (weak | queens);
    let strong = attacked & !weak;
    let minor_on_strong = (by(Role::Knight) | by(Role::Bishop)) & strong;
    let rook_on_strong = by(Role::Rook) & strong;
    let pieces = enemies & !position.role(Role::Pawn);
    let pushes = pawn_attack_set(color, safe_pushes(info, color)) & pieces & !by(Role::Pawn);
    let safe_pawns = position.pieces(color, Role::Pawn) & (own.attacked | !enemy.attacked);
    let by_safe_pawn = pawn_attack_set(color, safe_pawns) & pieces;
    for (index, role) in TARGETS.into_iter().enumerate() {
        let targets = position.role(role);
        let owned = targets & position.color(color);
        score += weighing.weigh(Term::Loose.at(index), (owned & !own.attacked).count(), color);
        if index > 0 {
            let defended = (owned & by(Role::Pawn)).count();
            score += weighing.weigh(Term::DefendedByPawn.at(index - 1), defended, color);
            let by_pawn = by(Role::Pawn) & enemies & targets;
            score += weighing.weigh(Term::ThreatByPawn.at(index - 1), by_pawn.count(), color);
            let by_push = (pushes & targets).count();
            score += weighing.weigh(Term::ThreatByPawnPush.at(index - 1), by_push, color);
            to_move += weighing.weigh_to_move(Term::PawnPushToMove.at(index - 1), by_push, color);
            score +=
                weighing.weigh(Term::ThreatBySafePawn.at(index - 1), (by_safe_pawn & targets).count(), color);
        }
        let hanging = (attacked & !enemy.attacked & targets).count();
        score += weighing.weigh(Term::ThreatHanging.at(index), hanging, color);
        score += weighing.weigh(Term::ThreatByMinor.at(index), (by_minor & targets).count(), color);
        score += weighing.weigh(Term::ThreatByRook.at(index), (by_rook & targets).count(), color);
        if index < 3 {
            let defended = (rook_on_strong & targets).count();
            score += weighing.weigh(Term::ThreatByRookDefended.at(index), defended, color);
        }
        if index == 1 || index == 2 {
            let defended = (minor_on_strong & targets).count();
            score += weighing.weigh(Term::ThreatByMinorDefended.at(index - 1), defended, color);
        }
    }
    let overloaded = weak & pieces & enemy.attacked & own.attacked_twice;
    score += weighing.weigh(Term::ThreatOverloaded.first(), overloaded.count(), color);
    score += weighing.weigh(Term::ThreatByKing.first(), (weak & by(Role::King)).count(), color);
    let restricted = own.attacked & enemy.attacked & !well_defended;
    score += weighing.weigh(Term::ThreatRestricted.first(), restricted.count(), color);
    let by_queen = attacked & enemy.attacked_by[Role::Queen.index()] & !enemy.attacked_twice;
    score += weighing.weigh(Term::ThreatQueenDefended.first(), by_queen.count(), color);
    let forks = knight_forks(info, color).count().min(2);
    score += weighing.weigh(Term::KnightFork.first(), forks, color);
    to_move += weighing.weigh_to_move(Term::KnightForkToMove.first(), forks, color);
    for (index, squares) in info.checks(color).into_iter().enumerate() {
        let can_check = (squares & !enemy.attacked).any();
        to_move += weighing.weigh_to_move(Term::CheckToMove.at(index), usize::from(can_check), color);
    }
    Linear { always: score + on_queen(info, well_defended, color, weighing), to_move }
}

/// The safe squares from which a knight attacks two of the enemy's king, queens, rooks and undefended bishops.
#[inline]
fn knight_forks(info: &EvalInfo<'_>, color: Color) -> Bitboard {
    let position = info.position;
    let (own, enemy) = (info.side(color), info.side(!color));
    let safe = !enemy.attacked | own.attacked_twice & !enemy.attacked_by[Role::Pawn.index()];
    let reached = own.attacked_by[Role::Knight.index()] & safe & !position.color(color);
    let loose_bishops = position.role(Role::Bishop) & !enemy.attacked;
    let valuable = position.role(Role::King) | position.role(Role::Queen) | position.role(Role::Rook);
    let mut once = Bitboard::EMPTY;
    let mut twice = Bitboard::EMPTY;
    for target in position.color(!color) & (valuable | loose_bishops) {
        let attackers = knight_attacks(target);
        twice |= once & attackers;
        once |= attackers;
    }
    reached & twice
}

/// Evaluates the squares from which the enemy's only queen can be attacked next.
#[inline]
fn on_queen<T: Trace>(
    info: &EvalInfo<'_>,
    well_defended: Bitboard,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let queens = info.position.pieces(!color, Role::Queen);
    let Some(queen) = queens.first().filter(|_| !queens.more_than_one()) else { return PackedScore::ZERO };
    let own = info.side(color);
    let by = |role: Role| own.attacked_by[role.index()];
    let safe = own.safe & !info.position.color(color) & !well_defended;
    let knights = by(Role::Knight) & knight_attacks(queen) & safe;
    // Of an only queen: a slider attacks it from a square if it attacks that square along the slider's rays.
    let seen = info.side(!color).attacked_by[Role::Queen.index()];
    let sliders = by(Role::Bishop) & bishop_rays(queen) | by(Role::Rook) & rook_rays(queen);
    let sliders = sliders & seen & safe & own.attacked_twice;
    weighing.weigh(Term::ThreatOnQueen.at(0), knights.count(), color)
        + weighing.weigh(Term::ThreatOnQueen.at(1), sliders.count(), color)
}

/// The squares to which own pawns can advance safely.
#[inline]
fn safe_pushes(info: &EvalInfo<'_>, color: Color) -> Bitboard {
    let (own, enemy) = (info.side(color), info.side(!color));
    let single = info.position.pieces(color, Role::Pawn).forward(color) & !info.occupied;
    let third = Bitboard::from_rank(color.rank(Rank::Third));
    let double = (single & third).forward(color) & !info.occupied;
    let guarded = own.attacked | !enemy.attacked;
    (single | double) & guarded & !enemy.attacked_by[Role::Pawn.index()]
}
