//! Counts all legal moves of a side from sets of pieces.

use super::side::Side;
use super::tables::{DIAGONAL_RAYS, DIAGONAL_ZONE, ORTHOGONAL_RAYS, ORTHOGONAL_ZONE};
use crate::attacks::{
    SliderLookup, between, king_attacks, knight_attack_set, knight_attacks, pawn_attack_set, pawn_attacks,
};
use crate::bitboard::Bitboard;
use crate::piece::Color;
use crate::position::castling;
use crate::square::{Rank, Square};

/// The legal moves of `us`, White's if `WHITE`. `CASTLING` says whether `us` may still have a rook to castle with.
#[inline(always)]
pub(super) fn count<L: SliderLookup, const WHITE: bool, const CASTLING: bool>(
    lookup: L,
    us: &Side,
    them: &Side,
    en_passant: Bitboard,
    castling_rooks: Bitboard,
) -> u64 {
    let color = if WHITE { Color::White } else { Color::Black };
    let king = us.king.lowest();
    let occupied = us.occupied | them.occupied;
    let (diagonal_view, orthogonal_view) = (lookup.bishop(king, occupied), lookup.rook(king, occupied));
    let checkers = diagonal_view & them.diagonal
        | orthogonal_view & them.orthogonal
        | knight_attacks(king) & them.knights
        | pawn_attacks(color, king) & them.pawns;

    let danger = attacked::<L, CASTLING>(lookup, them, !color, king, occupied ^ us.king);
    let mut count = (king_attacks(king) - us.occupied - danger).count();
    let mut targets = !us.occupied;
    if checkers.any() {
        if checkers.more_than_one() {
            return count as u64;
        }
        targets &= between(king, checkers.lowest()) | checkers;
    }
    let diagonal_pins = pins(king, them.diagonal & DIAGONAL_RAYS[king.index()], occupied);
    let orthogonal_pins = pins(king, them.orthogonal & ORTHOGONAL_RAYS[king.index()], occupied);
    if CASTLING && checkers.is_empty() {
        count += count_castling(king, us, castling_rooks, occupied, danger, orthogonal_pins);
    }
    let free = !(diagonal_pins | orthogonal_pins);
    for from in us.knights & free {
        count += (knight_attacks(from) & targets).count();
    }
    for from in us.diagonal & free {
        count += (lookup.bishop(from, occupied) & targets).count();
    }
    for from in us.orthogonal & free {
        count += (lookup.rook(from, occupied) & targets).count();
    }
    if (us.occupied - free).any() {
        for from in us.diagonal & diagonal_pins {
            count += (lookup.bishop(from, occupied) & targets & diagonal_pins).count();
        }
        for from in us.orthogonal & orthogonal_pins {
            count += (lookup.rook(from, occupied) & targets & orthogonal_pins).count();
        }
        let pinned = us.pawns - free;
        count += count_pinned_pawns::<WHITE>(
            pinned,
            diagonal_pins,
            orthogonal_pins,
            targets,
            occupied,
            them.occupied,
        );
    }
    count += count_free_pawns::<WHITE>(us.pawns & free, targets, occupied, them.occupied);
    if en_passant.any() {
        count += count_en_passant::<L, WHITE>(lookup, us, them, en_passant, king, checkers);
    }
    count as u64
}

/// The squares that `them` attack as far as they matter to a king on `king`, who is not in `occupied`.
#[inline(always)]
fn attacked<L: SliderLookup, const ALL: bool>(
    lookup: L,
    them: &Side,
    color: Color,
    king: Square,
    occupied: Bitboard,
) -> Bitboard {
    let (diagonal, orthogonal) = if ALL {
        (them.diagonal, them.orthogonal)
    } else {
        (them.diagonal & DIAGONAL_ZONE[king.index()], them.orthogonal & ORTHOGONAL_ZONE[king.index()])
    };
    let mut attacked = pawn_attack_set(color, them.pawns)
        | knight_attack_set(them.knights)
        | king_attacks(them.king.lowest());
    for from in diagonal {
        attacked |= lookup.bishop(from, occupied);
    }
    for from in orthogonal {
        attacked |= lookup.rook(from, occupied);
    }
    attacked
}

/// The lines from a king to sliders, sliders included, on which exactly one piece stands between. If that piece is of
/// the slider's side, the line pins nothing and holds no piece of the king's side.
#[inline(always)]
fn pins(king: Square, sliders: Bitboard, occupied: Bitboard) -> Bitboard {
    let mut pins = Bitboard::EMPTY;
    for slider in sliders {
        let line = between(king, slider);
        if (line & occupied).count() == 1 {
            pins |= line | slider.into();
        }
    }
    pins
}

/// The castling moves of a king that is not in check.
#[inline(always)]
pub(super) fn count_castling(
    king: Square,
    us: &Side,
    rooks: Bitboard,
    occupied: Bitboard,
    danger: Bitboard,
    pins: Bitboard,
) -> usize {
    let mut count = 0;
    for rook in rooks & us.occupied {
        let (free, safe) = castling::paths(king, rook);
        let is_legal = !free.intersects(occupied) && !safe.intersects(danger) && !pins.contains(rook);
        count += usize::from(is_legal);
    }
    count
}

/// The moves of pawns that are not pinned, en passant aside.
#[inline(always)]
pub(super) fn count_free_pawns<const WHITE: bool>(
    pawns: Bitboard,
    targets: Bitboard,
    occupied: Bitboard,
    them: Bitboard,
) -> usize {
    let color = if WHITE { Color::White } else { Color::Black };
    let ahead = pawns.forward(color);
    let steps = ahead - occupied;
    let double_steps =
        ((steps & Bitboard::from_rank(color.rank(Rank::Third))).forward(color) - occupied) & targets;
    let prey = them & targets;
    let (steps, east, west) = (steps & targets, ahead.east() & prey, ahead.west() & prey);
    let mut count = (steps | double_steps).count() + east.count() + west.count();
    if (pawns & Bitboard::from_rank(color.rank(Rank::Seventh))).any() {
        let last = Bitboard::from_rank(color.rank(Rank::Eighth));
        count += 3 * ((steps & last).count() + (east & last).count() + (west & last).count());
    }
    count
}

/// The moves of pinned pawns, en passant aside.
#[inline(always)]
pub(super) fn count_pinned_pawns<const WHITE: bool>(
    pawns: Bitboard,
    diagonal_pins: Bitboard,
    orthogonal_pins: Bitboard,
    targets: Bitboard,
    occupied: Bitboard,
    them: Bitboard,
) -> usize {
    let steps = count_free_pawns::<WHITE>(
        pawns & orthogonal_pins,
        targets & orthogonal_pins,
        occupied,
        Bitboard::EMPTY,
    );
    let captures =
        count_free_pawns::<WHITE>(pawns & diagonal_pins, targets & diagonal_pins, Bitboard::FULL, them);
    steps + captures
}

/// The en-passant captures; each is tried on the board.
#[cold]
#[inline(never)]
fn count_en_passant<L: SliderLookup, const WHITE: bool>(
    lookup: L,
    us: &Side,
    them: &Side,
    en_passant: Bitboard,
    king: Square,
    checkers: Bitboard,
) -> usize {
    let color = if WHITE { Color::White } else { Color::Black };
    let to = en_passant.lowest();
    let taken = en_passant.forward(!color);
    let leapers = (checkers & (them.pawns | them.knights)) - taken;
    if leapers.any() {
        return 0;
    }
    let is_legal = |from: &Square| {
        let occupied = (us.occupied | them.occupied) ^ Bitboard::from(*from) ^ taken ^ en_passant;
        let diagonal = lookup.bishop(king, occupied) & them.diagonal;
        let orthogonal = lookup.rook(king, occupied) & them.orthogonal;
        (diagonal | orthogonal).is_empty()
    };
    (pawn_attacks(!color, to) & us.pawns).into_iter().filter(is_legal).count()
}
