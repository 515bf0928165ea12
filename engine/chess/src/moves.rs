//! Moves in 16 bits, and move lists.

use std::fmt;
use std::ops::Deref;

use crate::bitboard::Bitboard;
use crate::piece::Role;
use crate::square::Square;

/// A move in 16 bits: origin, destination, kind. It is meaningful only with a position.
///
/// Castling is encoded as the king capturing its own rook, in standard chess and Chess960 alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Move(u16);

/// Kind of move: quiet, double push, castling, capture, en passant, promotion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MoveKind {
    /// Quiet move, except double push and castling.
    Quiet = 0,
    /// Double pawn push.
    DoublePush = 1,
    /// Castling, encoded as the king capturing its own rook.
    Castle = 2,
    /// Capture on the destination square.
    Capture = 4,
    /// En passant capture.
    EnPassant = 5,
    /// Promotion to a knight, without a capture.
    KnightPromotion = 8,
    /// Promotion to a bishop, without a capture.
    BishopPromotion = 9,
    /// Promotion to a rook, without a capture.
    RookPromotion = 10,
    /// Promotion to a queen, without a capture.
    QueenPromotion = 11,
    /// Capture with promotion to a knight.
    KnightPromotionCapture = 12,
    /// Capture with promotion to a bishop.
    BishopPromotionCapture = 13,
    /// Capture with promotion to a rook.
    RookPromotionCapture = 14,
    /// Capture with promotion to a queen.
    QueenPromotionCapture = 15,
}

const CAPTURE: u16 = 4 << 12;
const PROMOTION: u16 = 8 << 12;

impl Move {
    /// A move of the given kind. For castling the destination is the rook's square.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Move {
        Move(from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 12)
    }

    /// A promotion to a role, on an empty or occupied square.
    ///
    /// # Panics
    /// If a pawn cannot promote to that role.
    #[inline]
    pub const fn promotion(from: Square, to: Square, role: Role, capture: bool) -> Move {
        assert!(matches!(role, Role::Knight | Role::Bishop | Role::Rook | Role::Queen));
        let kind = PROMOTION | (role as u16 - 1) << 12 | if capture { CAPTURE } else { 0 };
        Move(from.index() as u16 | (to.index() as u16) << 6 | kind)
    }

    /// Origin square.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index((self.0 & 63) as usize)
    }

    /// Destination square; for castling the rook's square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 >> 6 & 63) as usize)
    }

    /// Kind of the move.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        use MoveKind::*;
        const KINDS: [MoveKind; 16] = [
            Quiet, DoublePush, Castle, Quiet, Capture, EnPassant, Capture, Capture, KnightPromotion,
            BishopPromotion, RookPromotion, QueenPromotion, KnightPromotionCapture, BishopPromotionCapture,
            RookPromotionCapture, QueenPromotionCapture,
        ];
        KINDS[(self.0 >> 12) as usize]
    }

    /// Whether the move is a capture, including en passant.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 & CAPTURE != 0
    }

    /// Whether the move is a promotion.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTION != 0
    }

    /// Whether the move is neither a capture nor a promotion.
    #[inline]
    pub const fn is_quiet(self) -> bool {
        self.0 & (CAPTURE | PROMOTION) == 0
    }

    /// Whether the move is castling.
    #[inline]
    pub const fn is_castle(self) -> bool {
        self.0 >> 12 == MoveKind::Castle as u16
    }

    /// Whether the move is an en passant capture.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0 >> 12 == MoveKind::EnPassant as u16
    }

    /// Whether the move is neither castling, en passant nor a promotion.
    #[inline]
    pub(crate) const fn is_normal(self) -> bool {
        const NORMAL: u32 =
            1 << MoveKind::Quiet as u32 | 1 << MoveKind::DoublePush as u32 | 1 << MoveKind::Capture as u32;
        NORMAL >> (self.0 >> 12) & 1 != 0
    }

    /// Whether the move is a double pawn push.
    #[inline]
    pub(crate) const fn is_double_push(self) -> bool {
        self.0 >> 12 == MoveKind::DoublePush as u16
    }

    /// Role of the promoted piece.
    #[inline]
    pub const fn promoted_to(self) -> Option<Role> {
        if self.is_promotion() { Some(Role::ALL[1 + (self.0 >> 12 & 3) as usize]) } else { None }
    }

    /// The move as an integer, for tables: origin in bits 0 to 5, destination in 6 to 11, kind above. 0 is not a legal
    /// move.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The inverse of [`Move::to_bits`]; `None` for 0. Other integers give a move that may be illegal in every
    /// position.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        if bits == 0 { None } else { Some(Move(bits)) }
    }
}

impl fmt::Debug for Move {
    /// Squares and promotion; castling as the king capturing its rook.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promoted_to() {
            Some(role) => write!(f, "{}", role.to_char()),
            None => Ok(()),
        }
    }
}

/// A move list of unlimited length: short lists are stored inline, longer ones on the heap.
#[derive(Clone)]
pub struct MoveList {
    /// Number of moves in `inline`; stays at [`MoveList::INLINE`] once the list is on the heap.
    len: usize,
    inline: [Move; MoveList::INLINE],
    heap: Vec<Move>,
}

impl MoveList {
    /// More than 218, the maximum in a reachable position.
    const INLINE: usize = 256;

    /// An empty list, with room for all legal moves of any position.
    #[inline]
    pub fn new() -> MoveList {
        MoveList { len: 0, inline: [Move(0); MoveList::INLINE], heap: Vec::new() }
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
        self.heap.clear();
    }

    /// Appends a move.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        if self.len < MoveList::INLINE {
            self.inline[self.len] = mv;
            self.len += 1;
        } else {
            self.push_on_heap(mv);
        }
    }

    /// Appends the moves from a square to all targets in order of index: captures on the squares of `captures`, quiet
    /// moves on the others.
    #[inline]
    pub(crate) fn extend_from(&mut self, from: Square, targets: Bitboard, captures: Bitboard) {
        let origin = from.index() as u16;
        self.extend(targets, |to| {
            let is_capture = (captures.0 >> (to & 63)) as u16 & 1;
            Move(origin | to << 6 | is_capture << CAPTURE.trailing_zeros())
        });
    }

    /// Appends moves of one kind to all targets in order of index, each from the square `step` below its target.
    #[inline]
    pub(crate) fn extend_by_step(&mut self, targets: Bitboard, step: i8, kind: MoveKind) {
        let to_a1 = ((kind as u16) << 12).wrapping_sub_signed(step.into());
        self.extend(targets, |to| Move(to.wrapping_mul(1 << 6 | 1).wrapping_add(to_a1)));
    }

    /// Appends the moves to all targets, in groups of constant size, since the processor cannot predict the end of a
    /// loop over the targets. `move_to` is therefore called with index 64 too.
    #[inline(always)]
    fn extend(&mut self, targets: Bitboard, move_to: impl Fn(u16) -> Move) {
        const GROUP: usize = 4;
        let mut rest = targets.0;
        let mut len = self.len;
        while rest != 0 {
            let Some(group) = self.inline.get_mut(len..).and_then(|free| free.first_chunk_mut::<GROUP>())
            else {
                return self.extend_one_by_one(targets, move_to);
            };
            for slot in group {
                *slot = move_to(rest.trailing_zeros() as u16);
                rest &= rest.wrapping_sub(1);
            }
            len += GROUP;
        }
        self.len += targets.count();
    }

    #[cold]
    #[inline(never)]
    fn extend_one_by_one(&mut self, targets: Bitboard, move_to: impl Fn(u16) -> Move) {
        targets.into_iter().for_each(|to| self.push(move_to(to.index() as u16)));
    }

    #[cold]
    fn push_on_heap(&mut self, mv: Move) {
        if self.heap.is_empty() {
            self.heap.extend_from_slice(&self.inline[..self.len]);
        }
        self.heap.push(mv);
    }

    /// The moves in the order of insertion.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        if self.heap.is_empty() { &self.inline[..self.len] } else { &self.heap }
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_keeps_its_parts() {
        let mv = Move::new(Square::E2, Square::E4, MoveKind::DoublePush);
        assert_eq!((mv.from(), mv.to(), mv.kind()), (Square::E2, Square::E4, MoveKind::DoublePush));
        assert!(mv.is_quiet() && !mv.is_capture());
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let mv = Move::promotion(Square::A7, Square::B8, role, true);
            assert_eq!(mv.promoted_to(), Some(role));
            assert!(mv.is_capture() && mv.is_promotion());
            assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
        }
    }

    #[test]
    fn a_list_grows_past_its_inline_part() {
        let mut list = MoveList::new();
        let moves: Vec<Move> =
            (1..400).map(|n| Move::new(Square::from_index(n), Square::A1, MoveKind::Quiet)).collect();
        for &mv in &moves {
            list.push(mv);
        }
        assert_eq!(list.as_slice(), moves);
        list.clear();
        assert!(list.is_empty());
    }

    #[test]
    fn moves_in_groups_are_those_that_come_one_by_one() {
        let (mut groups, mut single) = (MoveList::new(), MoveList::new());
        let captures = Bitboard(0x00ff_00ff_ff00_a5a5);
        let mut targets = Bitboard(0x8000_0000_0000_0001);
        // More than the inline capacity.
        for round in 0..40 {
            groups.extend_from(Square::E4, targets, captures);
            for to in targets {
                let kind = if captures.contains(to) { MoveKind::Capture } else { MoveKind::Quiet };
                single.push(Move::new(Square::E4, to, kind));
            }
            let ahead =
                targets - Bitboard::from_rank(crate::Rank::First) - Bitboard::from_rank(crate::Rank::Second);
            groups.extend_by_step(ahead, 16, MoveKind::DoublePush);
            for to in ahead {
                single.push(Move::new(Square::from_index(to.index() - 16), to, MoveKind::DoublePush));
            }
            assert_eq!(groups.as_slice(), single.as_slice(), "{round}");
            targets.0 = targets.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(11) & 0x0f0f_3c00_f00f_3c3c;
        }
        assert!(groups.len() > 2 * MoveList::INLINE);
    }
}
