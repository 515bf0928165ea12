//! Knights, bishops, rooks and queens: piece-square tables, mobility, outposts, rooks on files, pins.

use smalt_chess::attacks::{
    between, bishop_attacks, bishop_rays, knight_attacks, rook_attacks, rook_rays, walk,
};
use smalt_chess::{Bitboard, Color, File, Position, Rank, Role, Square};

use super::super::eval_info::{CENTER_FILES, EvalInfo, ahead, x_ray_attacks};
use super::super::schema::Term;
use super::super::score::PackedScore;
use super::super::squares::{PieceSquares, for_each_row, relative_square, weight_of};
use super::super::trace::{Trace, Weighing};

/// Evaluates the pieces of a side, and records their attacks in the info.
// Not inlined: one copy for both sides.
#[inline(never)]
pub(super) fn weigh<T: Trace>(
    info: &mut EvalInfo<'_>,
    squares: &PieceSquares<'_>,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let (position, occupied, safe) = (info.position, info.occupied, info.side(color).safe);
    let pawns = position.pieces(color, Role::Pawn);
    let own_queens = position.pieces(color, Role::Queen);
    let own_rooks = position.pieces(color, Role::Rook);
    let queens_away = occupied & !position.role(Role::Queen);
    let lines_away = occupied & !(own_queens | own_rooks);
    let blocked = (pawns & CENTER_FILES & occupied.forward(!color)).count();
    let king = position.king(color);
    let from_king = |index, square, weighing: &mut Weighing<'_, T>| {
        weighing.weigh(Term::MinorKingDistance.at(index), usize::from(king.distance(square)), color)
    };

    let knight =
        |square, weighing: &mut Weighing<'_, T>| (knight_attacks(square), from_king(0, square, weighing));
    let bishop = |square, weighing: &mut Weighing<'_, T>| {
        let score = from_king(1, square, weighing) + bishop_terms(position, square, blocked, color, weighing);
        (bishop_attacks(square, queens_away), score)
    };
    let rook = |square, weighing: &mut Weighing<'_, T>| {
        let attacked = rook_attacks(square, lines_away);
        (attacked, rook_terms(position, square, (attacked & safe).count(), color, weighing))
    };
    let queen = |square, weighing: &mut Weighing<'_, T>| {
        let (diagonals, lines) = (bishop_attacks(square, occupied), rook_attacks(square, occupied));
        let snipers = |role, rays: Bitboard, near, attacks: fn(Square, Bitboard) -> Bitboard| {
            let sliders = position.pieces(!color, role);
            if !rays.intersects(sliders) {
                return Bitboard::EMPTY;
            }
            x_ray_attacks(square, occupied, near, attacks) & sliders
        };
        let snipers = snipers(Role::Bishop, bishop_rays(square), diagonals, bishop_attacks)
            | snipers(Role::Rook, rook_rays(square), lines, rook_attacks);
        let mut score = weighing.weigh(Term::QueenOnLine.first(), usize::from(snipers.any()), color);
        for sniper in snipers {
            let own = position.color(color) & !position.role(Role::King);
            for pinned in between(square, sniper) & own {
                score += weighing.weigh(Term::PinnedToQueen.at(role_index(position, pinned)), 1, color);
            }
        }
        (diagonals | lines, score)
    };
    role(info, color, (Role::Knight, Term::MobilityKnight), squares, knight, weighing)
        + role(info, color, (Role::Bishop, Term::MobilityBishop), squares, bishop, weighing)
        + role(info, color, (Role::Rook, Term::MobilityRook), squares, rook, weighing)
        + role(info, color, (Role::Queen, Term::MobilityQueen), squares, queen, weighing)
        + by_sets(info, color, weighing)
        + pins(info, color, weighing)
}

/// Evaluates the pieces pinned to the king, and the enemy pieces that keep their own sliders from it.
#[inline]
fn pins<T: Trace>(info: &EvalInfo<'_>, color: Color, weighing: &mut Weighing<'_, T>) -> PackedScore {
    let position = info.position;
    let mut score = PackedScore::ZERO;
    for sniper in info.side(color).snipers {
        let slider = role_index(position, sniper) - Role::Bishop.index();
        for blocker in between(position.king(color), sniper) & info.occupied {
            let role = role_index(position, blocker);
            if position.color(color).contains(blocker) {
                score += weighing.weigh(Term::Pinned.at(3 * role + slider), 1, color);
            } else {
                score -= weighing.weigh(Term::Discoverer.at(role), 1, !color);
            }
        }
    }
    score
}

/// Index of the role of the piece on an occupied square.
#[inline]
fn role_index(position: &Position, square: Square) -> usize {
    position.piece_at(square).map_or(0, |piece| piece.role().index())
}

/// The squares d4, e4, d5 and e5.
const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// By square: the squares that must be free of pawns for a bishop to attack two center squares. Where it never attacks two,
/// the square itself, which counts as blocked.
static CENTER_PATHS: [Bitboard; 64] = {
    let mut paths = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        let square = Square::from_index(index);
        let mut seen = walk::bishop_attacks(square, Bitboard::EMPTY).0 & CENTER.0;
        paths[index] = Bitboard::from_square(square);
        if seen.count_ones() > 1 {
            paths[index] = Bitboard::EMPTY;
            while seen != 0 {
                paths[index].0 |= between(square, Square::from_index(seen.trailing_zeros() as usize)).0;
                seen &= seen - 1;
            }
        }
        index += 1;
    }
    paths
};

/// A rook with more moves is not trapped.
const TRAPPED_MOVES: usize = 3;

/// Evaluates the pieces of one role. `look` returns the attacks of a piece and the value of its role's own terms.
#[inline(always)]
fn role<T: Trace>(
    info: &mut EvalInfo<'_>,
    color: Color,
    (role, mobility): (Role, Term),
    values: &PieceSquares<'_>,
    look: impl Fn(Square, &mut Weighing<'_, T>) -> (Bitboard, PackedScore),
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let squares = info.position.pieces(color, role);
    let (king_zone, king_area) = (info.side(!color).king_zone, info.side(!color).king_area);
    let safe = info.side(color).safe;
    // Local sums: what is written to memory would have to be read again for each piece.
    let (mut by_role, mut twice, mut zone_attackers, mut area_attacks) =
        (Bitboard::EMPTY, Bitboard::EMPTY, 0, 0);
    let attacked_before = info.side(color).attacked;
    let mut score = PackedScore::ZERO;
    for square in squares {
        let (attacked, own_terms) = look(square, weighing);
        twice |= (attacked_before | by_role) & attacked;
        by_role |= attacked;
        score += own_terms;
        score += if T::RECORDS {
            recorded_square(info.position, role, square, color, weighing)
        } else {
            values.get(role, square, color)
        };
        score += weighing.weigh(mobility.at((attacked & safe).count()), 1, color);
        zone_attackers += usize::from(attacked.intersects(king_zone));
        area_attacks += (attacked & king_area).count();
    }
    let side = &mut info.sides[color.index()];
    side.attacked |= by_role;
    side.attacked_twice |= twice;
    side.attacked_by[role.index()] = by_role;
    side.zone_attackers[role.index() - 1] = zone_attackers;
    side.area_attacks[role.index() - 1] = area_attacks;
    score
}

/// The value of a piece's square, with each term recorded.
fn recorded_square<T: Trace>(
    position: &Position,
    role: Role,
    square: Square,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let mut score = PackedScore::ZERO;
    for_each_row(position, color, |row| {
        let weight = weight_of(row, role.index() - 1, relative_square(square, color));
        score += weighing.weigh(weight, 1, color);
    });
    score
}

/// `blocked` is the number of blocked own pawns on the center files.
#[inline(always)]
fn bishop_terms<T: Trace>(
    position: &Position,
    square: Square,
    blocked: usize,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let pawns = position.role(Role::Pawn);
    let same = if Bitboard::LIGHT.contains(square) { Bitboard::LIGHT } else { Bitboard::DARK };
    let own = (pawns & position.color(color) & same).count();
    let lined = bishop_rays(square) & pawns & position.color(!color);
    let is_blocked = (pawns | square.into()).intersects(CENTER_PATHS[square.index()]);
    weighing.weigh(Term::BishopOwnPawns.first(), own, color)
        + weighing.weigh(Term::BishopBlockedCenter.first(), own * blocked, color)
        + weighing.weigh(Term::BishopLinedPawns.first(), lined.count(), color)
        + weighing.weigh(Term::BishopLongDiagonal.first(), usize::from(!is_blocked), color)
}

/// `moves` are the safe squares that the rook reaches, as counted for mobility.
#[inline(always)]
fn rook_terms<T: Trace>(
    position: &Position,
    square: Square,
    moves: usize,
    color: Color,
    weighing: &mut Weighing<'_, T>,
) -> PackedScore {
    let enemy = position.pieces(!color, Role::Pawn);
    let seventh = Bitboard::from_rank(color.rank(Rank::Seventh));
    let eighth = Bitboard::from_rank(color.rank(Rank::Eighth));
    let has_prey = eighth.contains(position.king(!color)) | enemy.intersects(seventh);
    let first = Bitboard::from_rank(color.rank(Rank::First));
    let is_stuck = usize::from(!position.castling_rooks().intersects(first));

    // Branch-free: these conditions are unpredictable.
    let file = Bitboard::from_file(square.file());
    let has_own_pawn = position.pieces(color, Role::Pawn).intersects(file);
    let open = usize::from(!enemy.intersects(file));
    let is_trapped = has_own_pawn & is_beside_king(position, square, color) & (moves <= TRAPPED_MOVES);
    let faces_queen = position.role(Role::Queen).intersects(file);
    let is_deep = has_prey & seventh.contains(square);
    weighing.weigh(Term::RookFile.at(open), usize::from(!has_own_pawn), color)
        + weighing.weigh(Term::RookTrapped.at(is_stuck), usize::from(is_trapped), color)
        + weighing.weigh(Term::RookQueenFile.first(), usize::from(faces_queen), color)
        + weighing.weigh(Term::RookSeventh.first(), usize::from(is_deep), color)
}

/// Whether the own king is between the rook and the center.
#[inline(always)]
fn is_beside_king(position: &Position, rook: Square, color: Color) -> bool {
    let king = position.king(color).file();
    if king < File::E { rook.file() < king } else { rook.file() > king }
}

/// Evaluates the terms that need no loop over the pieces.
#[inline]
fn by_sets<T: Trace>(info: &EvalInfo<'_>, color: Color, weighing: &mut Weighing<'_, T>) -> PackedScore {
    let position = info.position;
    let pieces = |role| position.pieces(color, role);
    let ranks = [Rank::Fourth, Rank::Fifth, Rank::Sixth];
    let middle =
        ranks.into_iter().fold(Bitboard::EMPTY, |set, rank| set | Bitboard::from_rank(color.rank(rank)));
    let hostile = info.side(!color).attacked_by[Role::Pawn.index()];
    let outposts = middle & !(hostile | ahead(hostile, !color));
    let supported = info.side(color).attacked_by[Role::Pawn.index()];

    let mut score = PackedScore::ZERO;
    for (role, term) in [(Role::Knight, Term::KnightOutpost), (Role::Bishop, Term::BishopOutpost)] {
        let there = pieces(role) & outposts;
        score += weighing.weigh(term.at(0), (there & !supported).count(), color);
        score += weighing.weigh(term.at(1), (there & supported).count(), color);
    }
    let reached = info.side(color).attacked_by[Role::Knight.index()];
    let near = reached & outposts & supported & !position.color(color);
    score += weighing.weigh(Term::KnightNearOutpost.first(), usize::from(near.any()), color);
    let minors = pieces(Role::Knight) | pieces(Role::Bishop);
    let behind = minors & position.role(Role::Pawn).forward(!color);
    score + weighing.weigh(Term::MinorBehindPawn.first(), behind.count(), color)
}
