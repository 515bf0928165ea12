//! A middlegame and an endgame score in one word, so that both are added in one instruction. Knows no chess.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A pair of scores, in centipawns (or units of danger): middlegame in the lower half of the word, endgame in the
/// upper. Exact while each half stays within 32 bits, which the largest admitted weights cannot leave.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Score(i64);

impl Score {
    /// Nothing in either half.
    pub const ZERO: Score = Score(0);

    /// The pair of a middlegame and an endgame score.
    #[inline]
    pub const fn new(middlegame: i32, endgame: i32) -> Score {
        Score(((endgame as i64) << 32) + middlegame as i64)
    }

    /// The middlegame half.
    #[inline]
    pub const fn middlegame(self) -> i32 {
        self.0 as i32
    }

    /// The endgame half.
    #[inline]
    pub const fn endgame(self) -> i32 {
        // A negative lower half has borrowed one from the upper; half a word added gives it back.
        ((self.0 + 0x8000_0000) >> 32) as i32
    }
}

impl Add for Score {
    type Output = Score;

    #[inline]
    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Score;

    #[inline]
    fn sub(self, other: Score) -> Score {
        Score(self.0 - other.0)
    }
}

impl Neg for Score {
    type Output = Score;

    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Mul<i32> for Score {
    type Output = Score;

    #[inline]
    fn mul(self, count: i32) -> Score {
        Score(self.0 * count as i64)
    }
}

impl AddAssign for Score {
    #[inline]
    fn add_assign(&mut self, other: Score) {
        *self = *self + other;
    }
}

impl SubAssign for Score {
    #[inline]
    fn sub_assign(&mut self, other: Score) {
        *self = *self - other;
    }
}

impl std::fmt::Debug for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}, {}]", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::Score;

    #[test]
    fn halves_keep_their_signs_through_arithmetic() {
        for (a, b) in [(3, -5), (-7, 11), (-30_000, -30_000), (30_000, 30_000), (0, -1), (-1, 0)] {
            let score = Score::new(a, b);
            assert_eq!((score.middlegame(), score.endgame()), (a, b));
            let tenfold = score * -10 + Score::new(1, 2) - Score::new(2, 1);
            assert_eq!((tenfold.middlegame(), tenfold.endgame()), (-10 * a - 1, -10 * b + 1));
            assert_eq!(-(-score), score);
        }
    }
}
