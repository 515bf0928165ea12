//! Counts the legal moves of the last two plies of perft together, without building the positions between them.
//!
//! Most moves change few of the opponent's answers. The count of answers is kept if a move affects no opposing slider
//! or pawn; only sliders and pawns are recounted if it does; all answers are counted ([`answers`]) if the move may
//! affect the opposing king. The plain generator is the reference.

mod answers;
mod side;
mod tables;
mod two_plies;

use super::Position;
use crate::attacks::{BuildLookup, SliderLookup};
use crate::bitboard::Bitboard;
use crate::piece::Color;
use side::Side;
use two_plies::TwoPlies;

/// Functions compiled once per kind of slider lookup. They are safe to call, since a lookup value proves that the
/// processor has the required features.
#[expect(unsafe_code, reason = "a trait can't declare safe functions with target features")]
trait Kernel: SliderLookup {
    unsafe fn count_two_plies<const WHITE: bool, const CASTLING: bool>(self, position: &Position) -> u64;

    unsafe fn count_answers<const WHITE: bool, const CASTLING: bool>(
        self,
        us: &Side,
        them: &Side,
        en_passant: Bitboard,
        castling_rooks: Bitboard,
    ) -> u64;
}

macro_rules! kernel {
    ($lookup:ty $(, $features:literal)?) => {
        #[expect(unsafe_code, reason = "see `Kernel`")]
        impl Kernel for $lookup {
            $(#[target_feature(enable = $features)])?
            unsafe fn count_two_plies<const WHITE: bool, const CASTLING: bool>(self, position: &Position) -> u64 {
                TwoPlies::<_, WHITE, CASTLING>::new(self, position).sum_answers()
            }

            $(#[target_feature(enable = $features)])?
            unsafe fn count_answers<const WHITE: bool, const CASTLING: bool>(
                self,
                us: &Side,
                them: &Side,
                en_passant: Bitboard,
                castling_rooks: Bitboard,
            ) -> u64 {
                answers::count::<_, WHITE, CASTLING>(self, us, them, en_passant, castling_rooks)
            }
        }
    };
}

kernel!(BuildLookup);
#[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
kernel!(crate::attacks::PextLookup, "bmi1,bmi2,lzcnt,popcnt");

impl Position {
    /// The number of sequences of two legal moves, specialized for the side to move.
    #[inline]
    pub(crate) fn count_two_plies_as<const WHITE: bool>(&self) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
        if let Some(lookup) = crate::attacks::PextLookup::detect() {
            return self.count_two_plies_with::<_, WHITE>(lookup);
        }
        self.count_two_plies_with::<_, WHITE>(BuildLookup)
    }

    #[inline]
    #[expect(unsafe_code, reason = "see `Kernel`")]
    fn count_two_plies_with<K: Kernel, const WHITE: bool>(&self, kernel: K) -> u64 {
        let them = if WHITE { Color::Black } else { Color::White };
        // SAFETY: the kernel proves that the processor has its features.
        unsafe {
            if self.castling_rooks.intersects(self.color(them)) {
                kernel.count_two_plies::<WHITE, true>(self)
            } else {
                kernel.count_two_plies::<WHITE, false>(self)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_lookup_counts_the_same() {
        let fens = [
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2039),
            ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 264),
        ];
        for (fen, expected) in fens {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(position.count_two_plies_as::<true>(), expected);
            assert_eq!(position.count_two_plies_with::<_, true>(BuildLookup), expected);
        }
    }
}
