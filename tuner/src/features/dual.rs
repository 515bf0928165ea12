//! Numbers that carry their slopes along: with them the engine's own formula gives its derivatives. Knows nothing of
//! what the formula says.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use smalt::evaluation::taper::{FULL_SCALE, Number, Pair, Parts};

/// The inputs of the formula: two linear sums, two for each king's danger, two scales.
pub const INPUTS: usize = 8;

/// A value and its slopes along each input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// The value.
    pub value: f32,
    /// Its derivative by each input.
    pub slopes: [f32; INPUTS],
}

impl Dual {
    /// The input of that index.
    #[inline(always)]
    fn input(index: usize, value: f32) -> Dual {
        let mut slopes = [0.0; INPUTS];
        slopes[index] = 1.0;
        Dual { value, slopes }
    }
}

impl PartialOrd for Dual {
    #[inline(always)]
    fn partial_cmp(&self, other: &Dual) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl Add for Dual {
    type Output = Dual;
    #[inline(always)]
    fn add(self, other: Dual) -> Dual {
        let slopes = std::array::from_fn(|index| self.slopes[index] + other.slopes[index]);
        Dual { value: self.value + other.value, slopes }
    }
}

impl Sub for Dual {
    type Output = Dual;
    #[inline(always)]
    fn sub(self, other: Dual) -> Dual {
        let slopes = std::array::from_fn(|index| self.slopes[index] - other.slopes[index]);
        Dual { value: self.value - other.value, slopes }
    }
}

#[expect(clippy::suspicious_arithmetic_impl, reason = "the rule of products is a sum")]
impl Mul for Dual {
    type Output = Dual;
    #[inline(always)]
    fn mul(self, other: Dual) -> Dual {
        let slope = |index| self.slopes[index] * other.value + self.value * other.slopes[index];
        Dual { value: self.value * other.value, slopes: std::array::from_fn(slope) }
    }
}

impl Number for Dual {
    #[inline(always)]
    fn from_integer(value: i32) -> Dual {
        Dual { value: value as f32, slopes: [0.0; INPUTS] }
    }

    #[inline(always)]
    fn divided_by(self, divisor: i32) -> Dual {
        let factor = 1.0 / divisor as f32;
        Dual { value: self.value * factor, slopes: self.slopes.map(|slope| slope * factor) }
    }
}

/// The sums that a row leaves to the formula, by input: linear [mg, eg], danger to White's king [mg, eg], to Black's
/// [mg, eg], scale of White and of Black.
pub type Sums = [f32; INPUTS];

/// The scale of a leader whom nothing holds back.
pub const UNSCALED: f32 = FULL_SCALE as f32;

/// The evaluation in centipawns, White's view, and its slope by each sum.
#[inline(always)]
pub fn evaluation(sums: &Sums, phase: i32) -> Dual {
    let input = |index: usize| Dual::input(index, sums[index]);
    let pair = |index: usize| Pair { middlegame: input(index), endgame: input(index + 1) };
    let parts = Parts { linear: pair(0), danger: [pair(2), pair(4)], scale: [input(6), input(7)], phase };
    parts.evaluation()
}
