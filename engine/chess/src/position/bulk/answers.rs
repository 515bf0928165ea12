//! Counts all legal moves of a side from bitboards.

use super::side::Side;
use super::tables::{DIAGONAL, ORTHOGONAL};
use crate::attacks::{
    SliderLookup, between, king_attacks, knight_attack_set, knight_attacks, pawn_attack_set, pawn_attacks,
};
use crate::bitboard::Bitboard;
use crate::piece::Color;
use crate::position::castling;
use crate::square::{Rank, Square};

/// The number of legal moves of `us`, White if `WHITE`. `CASTLING` says whether `us` may have castling rights.
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
    let diagonal_pins = pins(king, them.diagonal & DIAGONAL.rays[king.index()], occupied);
    let orthogonal_pins = pins(king, them.orthogonal & ORTHOGONAL.rays[king.index()], occupied);
    if CASTLING && checkers.is_empty() {
        for rook in castling_rooks & us.occupied {
            let is_legal = castling::is_legal(king, rook, occupied, danger, orthogonal_pins);
            count += usize::from(is_legal);
        }
    }
    let free = !(diagonal_pins | orthogonal_pins);
    for from in us.knights & free {
        count += (knight_attacks(from) & targets).count();
    }
    let sliders = [us.diagonal & free, us.orthogonal & free];
    count += count_sliders(lookup, sliders, occupied, [targets; 2]).0;
    if (us.occupied - free).any() {
        let pins = [diagonal_pins, orthogonal_pins];
        count += count_pinned_sliders(lookup, us, pins, occupied, targets);
        count += count_pinned_pawns(color, us.pawns, pins, targets, occupied, them.occupied);
    }
    count += count_free_pawns(color, us.pawns & free, targets, occupied, them.occupied);
    if en_passant.any() {
        count += count_en_passant(lookup, color, us, them, en_passant, king, checkers);
    }
    count as u64
}

/// The squares attacked by `them` near a king on `king`, which is not in `occupied`.
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
        (them.diagonal & DIAGONAL.zone[king.index()], them.orthogonal & ORTHOGONAL.zone[king.index()])
    };
    let leapers = pawn_attack_set(color, them.pawns)
        | knight_attack_set(them.knights)
        | king_attacks(them.king.lowest());
    leapers | count_sliders(lookup, [diagonal, orthogonal], occupied, [Bitboard::EMPTY; 2]).1
}

/// The lines from a king to sliders, including the sliders, with exactly one piece between. If that piece belongs to
/// the slider's side, the line pins nothing and contains no piece of the king's side.
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

/// The number of slider moves to the targets, and the squares that the sliders attack.
#[inline(always)]
pub(super) fn count_sliders<L: SliderLookup>(
    lookup: L,
    [diagonal, orthogonal]: [Bitboard; 2],
    occupied: Bitboard,
    [diagonal_targets, orthogonal_targets]: [Bitboard; 2],
) -> (usize, Bitboard) {
    let (mut count, mut attacked) = (0, Bitboard::EMPTY);
    for from in diagonal {
        let attacks = lookup.bishop(from, occupied);
        count += (attacks & diagonal_targets).count();
        attacked |= attacks;
    }
    for from in orthogonal {
        let attacks = lookup.rook(from, occupied);
        count += (attacks & orthogonal_targets).count();
        attacked |= attacks;
    }
    (count, attacked)
}

/// The number of moves of pinned sliders; `pins` has those on diagonals, then those on ranks and files.
#[inline(always)]
pub(super) fn count_pinned_sliders<L: SliderLookup>(
    lookup: L,
    us: &Side,
    pins: [Bitboard; 2],
    occupied: Bitboard,
    targets: Bitboard,
) -> usize {
    let sliders = [us.diagonal & pins[0], us.orthogonal & pins[1]];
    count_sliders(lookup, sliders, occupied, pins.map(|pins| pins & targets)).0
}

/// The number of moves of unpinned pawns, without en passant.
#[inline(always)]
pub(super) fn count_free_pawns(
    color: Color,
    pawns: Bitboard,
    targets: Bitboard,
    occupied: Bitboard,
    them: Bitboard,
) -> usize {
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

/// The number of moves of the pinned pawns among these, without en passant.
#[inline(always)]
pub(super) fn count_pinned_pawns(
    color: Color,
    pawns: Bitboard,
    [diagonal, orthogonal]: [Bitboard; 2],
    targets: Bitboard,
    occupied: Bitboard,
    them: Bitboard,
) -> usize {
    count_free_pawns(color, pawns & orthogonal, targets & orthogonal, occupied, Bitboard::EMPTY)
        + count_free_pawns(color, pawns & diagonal, targets & diagonal, Bitboard::FULL, them)
}

/// The number of en passant captures; each is tried on the board.
#[cold]
#[inline(never)]
fn count_en_passant<L: SliderLookup>(
    lookup: L,
    color: Color,
    us: &Side,
    them: &Side,
    en_passant: Bitboard,
    king: Square,
    checkers: Bitboard,
) -> usize {
    let taken = en_passant.forward(!color);
    if ((checkers & (them.pawns | them.knights)) - taken).any() {
        return 0;
    }
    let is_legal = |from: &Square| {
        let occupied = (us.occupied | them.occupied) ^ Bitboard::from(*from) ^ taken ^ en_passant;
        let diagonal = lookup.bishop(king, occupied) & them.diagonal;
        let orthogonal = lookup.rook(king, occupied) & them.orthogonal;
        (diagonal | orthogonal).is_empty()
    };
    (pawn_attacks(!color, en_passant.lowest()) & us.pawns).into_iter().filter(is_legal).count()
}
