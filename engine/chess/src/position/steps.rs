//! Upcoming repetition: which key differences are a single reversible move, so that a search sees a draw by repetition
//! one ply early.
//!
//! Idea: M. van Kervinck, "The design and implementation of the Rookie 2.0 chess program" (2010), section 4.4; there
//! with cuckoo hashing, here with open addressing.

use std::sync::LazyLock;

use super::{Position, zobrist};
use crate::attacks::{attacks, between};
use crate::bitboard::Bitboard;
use crate::piece::{Color, Piece, Role};
use crate::square::Square;

impl Position {
    /// Whether the side to move can reach, by one reversible piece move, a position whose repetition key XORed with
    /// this one's is `difference`. Whether the move leaves the king in check is not tested, since that position was
    /// legal before.
    #[inline]
    pub fn can_step_by(&self, difference: u64) -> bool {
        STEPS.find(difference).is_some_and(|[one, other]| {
            let blocked = between(one, other).intersects(self.occupied());
            let from = if self.color(self.turn()).contains(one) { one } else { other };
            !blocked && self.color(self.turn()).contains(from)
        })
    }
}

/// Number of slots, more than twice the number of moves.
const SIZE: usize = 8192;

/// Key differences of reversible moves, with the two squares of each.
struct Steps {
    /// 0 for an empty slot; no move has that difference.
    changes: Box<[u64]>,
    squares: Box<[[Square; 2]]>,
}

static STEPS: LazyLock<Steps> = LazyLock::new(|| {
    let mut steps = Steps {
        changes: vec![0; SIZE].into_boxed_slice(),
        squares: vec![[Square::A1; 2]; SIZE].into_boxed_slice(),
    };
    for (change, squares) in all_steps() {
        let slot = steps.slot(change);
        steps.changes[slot] = change;
        steps.squares[slot] = squares;
    }
    steps
});

impl Steps {
    /// The slot of a key difference, or the empty one where it would go.
    #[inline]
    fn slot(&self, change: u64) -> usize {
        let mut slot = change as usize % SIZE;
        while self.changes[slot] != change && self.changes[slot] != 0 {
            slot = (slot + 1) % SIZE;
        }
        slot
    }

    #[inline]
    fn find(&self, change: u64) -> Option<[Square; 2]> {
        let slot = self.slot(change);
        (change != 0 && self.changes[slot] == change).then(|| self.squares[slot])
    }
}

/// Every piece move on an empty board with its key difference; a move and its reversal count once.
fn all_steps() -> impl Iterator<Item = (u64, [Square; 2])> {
    let pieces = Color::ALL.into_iter().flat_map(|color| {
        let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
        roles.map(|role| (color, role))
    });
    pieces.flat_map(|(color, role)| {
        let piece = Piece::new(color, role);
        Square::all().flat_map(move |one| {
            let others = attacks(color, role, one, Bitboard::EMPTY).into_iter();
            others.filter(move |&other| one < other).map(move |other| {
                let keys = zobrist::piece_key(piece, one) ^ zobrist::piece_key(piece, other);
                (keys ^ zobrist::WHITE_TO_MOVE, [one, other])
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_steps_change_the_key_alike() {
        let mut changes: Vec<u64> = all_steps().map(|(change, _)| change).collect();
        // Pairs of squares connected by a piece, for both colors.
        assert_eq!(changes.len(), 2 * (168 + 280 + 448 + 728 + 210));
        changes.sort_unstable();
        changes.dedup();
        assert_eq!(changes.len(), 3668);
    }

    #[test]
    fn a_step_is_seen_from_both_ends_by_the_side_that_moved() {
        let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1";
        let start: Position = kiwipete.parse().unwrap();
        for &mv in &*start.legal_moves() {
            let next = start.after(mv);
            let change = start.repetition_key() ^ next.repetition_key();
            let is_step = mv.is_quiet() && start.moved_role(mv) != Role::Pawn;
            assert_eq!(start.can_step_by(change), is_step, "{mv:?}");
            // The other side can't reverse the move, but the same side can after a null move.
            assert!(!next.can_step_by(change), "{mv:?}");
            if !next.is_check() {
                assert_eq!(next.after_null_move().can_step_by(change), is_step, "{mv:?}");
            }
        }
    }

    #[test]
    fn a_piece_in_the_way_prevents_the_step() {
        let step = |from: &str, to: &str| {
            let [from, to] = [from, to].map(|fen| fen.parse::<Position>().unwrap());
            from.can_step_by(from.repetition_key() ^ to.repetition_key())
        };
        assert!(step("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "4k3/8/8/8/8/8/8/3RK3 b - - 0 1"));
        assert!(!step("4k3/8/8/8/8/8/8/RN2K3 w - - 0 1", "4k3/8/8/8/8/8/8/1N1RK3 b - - 0 1"));
    }
}
