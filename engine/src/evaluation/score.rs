//! Middlegame and endgame score packed into one word, added by one instruction. Independent of chess.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A pair of scores in tenths of centipawns (or of danger units): middlegame in the lower half of the word, endgame in
/// the upper. Exact while each half fits in 32 bits, which the largest allowed weights guarantee.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct PackedScore(i64);

impl PackedScore {
    /// Zero in both halves.
    pub const ZERO: PackedScore = PackedScore(0);

    /// Packs a middlegame and an endgame score.
    #[inline]
    pub(crate) const fn new(middlegame: i32, endgame: i32) -> PackedScore {
        PackedScore(((endgame as i64) << 32) + middlegame as i64)
    }

    #[inline]
    pub const fn middlegame(self) -> i32 {
        self.0 as i32
    }

    #[inline]
    pub const fn endgame(self) -> i32 {
        // A negative lower half borrows one from the upper half; adding half a word corrects it.
        ((self.0 + 0x8000_0000) >> 32) as i32
    }
}

impl Add for PackedScore {
    type Output = PackedScore;

    #[inline]
    fn add(self, other: PackedScore) -> PackedScore {
        PackedScore(self.0 + other.0)
    }
}

impl Sub for PackedScore {
    type Output = PackedScore;

    #[inline]
    fn sub(self, other: PackedScore) -> PackedScore {
        PackedScore(self.0 - other.0)
    }
}

impl Neg for PackedScore {
    type Output = PackedScore;

    #[inline]
    fn neg(self) -> PackedScore {
        PackedScore(-self.0)
    }
}

impl Mul<i32> for PackedScore {
    type Output = PackedScore;

    #[inline]
    fn mul(self, count: i32) -> PackedScore {
        PackedScore(self.0 * count as i64)
    }
}

impl AddAssign for PackedScore {
    #[inline]
    fn add_assign(&mut self, other: PackedScore) {
        *self = *self + other;
    }
}

impl SubAssign for PackedScore {
    #[inline]
    fn sub_assign(&mut self, other: PackedScore) {
        *self = *self - other;
    }
}

impl std::fmt::Debug for PackedScore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}, {}]", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::PackedScore;

    #[test]
    fn halves_keep_their_signs_through_arithmetic() {
        for (a, b) in [(3, -5), (-7, 11), (-30_000, -30_000), (30_000, 30_000), (0, -1), (-1, 0)] {
            let score = PackedScore::new(a, b);
            assert_eq!((score.middlegame(), score.endgame()), (a, b));
            let tenfold = score * -10 + PackedScore::new(1, 2) - PackedScore::new(2, 1);
            assert_eq!((tenfold.middlegame(), tenfold.endgame()), (-10 * a - 1, -10 * b + 1));
            assert_eq!(-(-score), score);
        }
    }
}
