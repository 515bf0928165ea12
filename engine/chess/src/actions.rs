//! Moves as numbers below 4672 and masks of the legal ones, for policy networks.
//!
//! The 73 planes of 8×8 squares are those of AlphaZero (Silver et al. 2018, "A general reinforcement learning algorithm
//! that masters chess, shogi and Go through self-play"), channels first: action = 64 · plane + origin, so that a mask
//! is one bitboard of origins for each plane and reshapes to `(73, 8, 8)`. The board is seen from the side to move: for
//! Black ranks are flipped.
//!
//! | planes | move |
//! |---|---|
//! | 0 to 55 | 7 · direction + distance − 1; directions N, NE, E, SE, S, SW, W, NW; a promotion to a queen is here |
//! | 56 to 63 | knight moves, clockwise: (1, 2), (2, 1), (2, −1), (1, −2), (−1, −2), (−2, −1), (−2, 1), (−1, 2) files and ranks |
//! | 64 to 72 | promotions: 64 + 3 · role + way; knight, bishop, rook; capture toward the a-file, step, capture toward the h-file |
//!
//! Castling is the king's move to the square of its rook, as Leela Chess Zero encodes it, so that Chess960 needs no
//! other rule: White's short castling in standard chess is e1 to h1.
//!
//! ```
//! use smalt_chess::Position;
//! use smalt_chess::actions::{Action, MASK_WORDS, write_legal_masks};
//!
//! let positions = [Position::start(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?];
//! let mut masks = [[0; MASK_WORDS]; 2];
//! write_legal_masks(&positions, &mut masks);
//! let count = |mask: &[u64]| mask.iter().map(|word| word.count_ones()).sum::<u32>();
//! assert_eq!((count(&masks[0]), count(&masks[1])), (20, 15));
//!
//! let mv = positions[0].legal_moves()[0];
//! let action = Action::from_move(mv, positions[0].turn());
//! assert!(action.is_in(&masks[0]));
//! assert_eq!(action.to_move(&positions[0]), Some(mv));
//! # Ok::<(), smalt_chess::FenError>(())
//! ```

use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveKind};
use crate::piece::{Color, Role};
use crate::position::{MoveSink, Moves, PawnStep, Position};
use crate::square::Square;

/// Number of planes: 56 of queen moves, 8 of knight moves, 9 of promotions to other pieces than a queen.
pub const PLANES: usize = 73;
/// Number of actions.
pub const ACTIONS: usize = 64 * PLANES;
/// 64-bit words of a mask: bit `action % 64` of word `action / 64`.
pub const MASK_WORDS: usize = PLANES;

/// A move as a number below [`ACTIONS`], seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action(u16);

impl Action {
    /// The action of a move of this side.
    pub fn from_move(mv: Move, turn: Color) -> Action {
        let (from, to) = (seen_by(turn, mv.from()), seen_by(turn, mv.to()));
        let plane = match mv.promoted_to() {
            Some(role) if role != Role::Queen => promotion_plane(from, to, role),
            _ => plane(from, to),
        };
        Action((64 * plane + from.index()) as u16)
    }

    /// The legal move that has this number in a position, if there is one.
    pub fn to_move(self, position: &Position) -> Option<Move> {
        let turn = position.turn();
        position.legal_moves().iter().copied().find(|&mv| Action::from_move(mv, turn) == self)
    }

    /// The action with a number; `None` from [`ACTIONS`] on.
    pub const fn from_index(index: usize) -> Option<Action> {
        if index < ACTIONS { Some(Action(index as u16)) } else { None }
    }

    /// The number, below [`ACTIONS`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether the bit of this action is set.
    #[inline]
    pub const fn is_in(self, mask: &[u64; MASK_WORDS]) -> bool {
        mask[self.index() / 64] >> (self.index() % 64) & 1 != 0
    }
}

/// Overwrites each mask with the legal actions of the position at the same index.
///
/// # Panics
/// If there are not as many masks as positions.
pub fn write_legal_masks(positions: &[Position], masks: &mut [[u64; MASK_WORDS]]) {
    assert_eq!(positions.len(), masks.len(), "one mask for each position");
    for (position, mask) in positions.iter().zip(masks) {
        write_legal_mask(position, mask);
    }
}

/// Overwrites a mask with the legal actions of a position.
pub fn write_legal_mask(position: &Position, mask: &mut [u64; MASK_WORDS]) {
    *mask = [0; MASK_WORDS];
    position.generate(Moves::All, &mut MaskWriter { mask, turn: position.turn() });
}

/// Sets the bits of the moves that it receives.
struct MaskWriter<'a> {
    mask: &'a mut [u64; MASK_WORDS],
    turn: Color,
}

impl MaskWriter<'_> {
    #[inline]
    fn set(&mut self, plane: usize, origins: Bitboard) {
        self.mask[plane] |= origins.0;
    }

    /// Origin squares of pawns that reach `targets` by a step, with one of these pairs; all seen from the side to move.
    #[inline]
    fn origins(&self, targets: Bitboard, step: PawnStep) -> Option<(Bitboard, Square, Square)> {
        let to = targets.first()?;
        let (from, to) = (seen_by(self.turn, step.origin(to)), seen_by(self.turn, to));
        let seen = if self.turn == Color::White { targets } else { targets.flip_ranks() };
        // Seen from the side to move, pawns go up the board.
        Some((Bitboard(seen.0 >> (to.index() - from.index())), from, to))
    }
}

impl MoveSink for MaskWriter<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard, _: Bitboard) {
        let from = seen_by(self.turn, from);
        let planes = &PLANE[from.index()];
        for to in targets {
            let plane = planes[seen_by(self.turn, to).index()];
            self.set(plane.into(), from.into());
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: PawnStep, _: MoveKind) {
        if let Some((origins, from, to)) = self.origins(targets, step) {
            self.set(plane(from, to), origins);
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: PawnStep, _: MoveKind) {
        if let Some((origins, from, to)) = self.origins(targets, step) {
            self.set(plane(from, to), origins);
            for role in [Role::Knight, Role::Bishop, Role::Rook] {
                self.set(promotion_plane(from, to, role), origins);
            }
        }
    }

    #[inline]
    fn single(&mut self, mv: Move) {
        let action = Action::from_move(mv, self.turn).index();
        self.mask[action / 64] |= 1 << (action % 64);
    }
}

#[inline]
fn seen_by(turn: Color, square: Square) -> Square {
    match turn {
        Color::White => square,
        Color::Black => square.flip_rank(),
    }
}

#[inline]
fn plane(from: Square, to: Square) -> usize {
    PLANE[from.index()][to.index()].into()
}

fn promotion_plane(from: Square, to: Square, role: Role) -> usize {
    let way = 1 + to.file().index() - from.file().index();
    64 + 3 * (role.index() - Role::Knight.index()) + way
}

/// Files and ranks of a step in each direction, clockwise from the north.
const DIRECTIONS: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
const KNIGHT_MOVES: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Plane by origin and destination; 0 for pairs that no piece connects.
static PLANE: [[u8; 64]; 64] = {
    let mut planes = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut index = 0;
        while index < 64 {
            // The first 56 are queen moves.
            let (files, ranks) = if index < 56 {
                let (files, ranks) = DIRECTIONS[index / 7];
                let distance = (index % 7 + 1) as i32;
                (files * distance, ranks * distance)
            } else {
                KNIGHT_MOVES[index - 56]
            };
            if let Some(to) = Square::from_index(from).offset(files, ranks) {
                planes[from][to.index()] = index as u8;
            }
            index += 1;
        }
        from += 1;
    }
    planes
};
