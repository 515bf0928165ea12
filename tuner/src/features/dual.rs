//! Dual numbers (forward-mode automatic differentiation): the engine's own formula, evaluated with them, yields its
//! gradient.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use smalt::evaluation::taper::{FULL_SCALE, Number, Pair, Parts};

/// Inputs of the formula: two linear sums, two for each king's danger, two scales, one complexity.
pub(crate) const INPUTS: usize = 9;

/// A value and its derivative by each input.
///
/// All operations are branchless, so that a loop over many positions vectorizes. Inputs a number cannot depend on are
/// known at compile time, and their derivatives cost nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dual {
    pub value: f32,
    /// Its derivative by each input.
    pub slopes: [f32; INPUTS],
    /// Bitmask of the inputs it may depend on; the other slopes are zero.
    inputs: u16,
}

impl Dual {
    /// The input with this index.
    #[inline(always)]
    fn input(index: usize, value: f32) -> Dual {
        let mut slopes = [0.0; INPUTS];
        slopes[index] = 1.0;
        Dual { value, slopes, inputs: 1 << index }
    }

    /// A value with slopes combined from two others.
    #[inline(always)]
    fn of_two(self, other: Dual, value: f32, slope: impl Fn(f32, f32) -> f32) -> Dual {
        let inputs = self.inputs | other.inputs;
        let slope = |index: usize| {
            let bit = 1 << index;
            if inputs & bit == 0 {
                return 0.0;
            }
            slope(self.slopes[index], other.slopes[index])
        };
        Dual { value, slopes: std::array::from_fn(slope), inputs }
    }

    /// A value with its slopes multiplied by a factor.
    #[inline(always)]
    fn of_one(self, value: f32, factor: f32) -> Dual {
        let slope =
            |index: usize| if self.inputs >> index & 1 == 0 { 0.0 } else { self.slopes[index] * factor };
        Dual { value, slopes: std::array::from_fn(slope), inputs: self.inputs }
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
        self.of_two(other, self.value + other.value, |own, other| own + other)
    }
}

impl Sub for Dual {
    type Output = Dual;
    #[inline(always)]
    fn sub(self, other: Dual) -> Dual {
        self.of_two(other, self.value - other.value, |own, other| own - other)
    }
}

impl Mul for Dual {
    type Output = Dual;
    #[inline(always)]
    fn mul(self, other: Dual) -> Dual {
        let value = self.value * other.value;
        if other.inputs == 0 {
            return self.of_one(value, other.value);
        }
        if self.inputs == 0 {
            return other.of_one(value, self.value);
        }
        self.of_two(other, value, |by_own, by_other| by_own * other.value + self.value * by_other)
    }
}

impl Number for Dual {
    #[inline(always)]
    fn from_integer(value: i32) -> Dual {
        Dual { value: value as f32, slopes: [0.0; INPUTS], inputs: 0 }
    }

    #[inline(always)]
    fn divided_by(self, divisor: i32) -> Dual {
        let factor = 1.0 / divisor as f32;
        self.of_one(self.value * factor, factor)
    }

    #[inline(always)]
    fn clamped(self, lower: i32, upper: i32) -> Dual {
        let (lower, upper) = (lower as f32, upper as f32);
        let value = if self.value < lower { lower } else { self.value };
        let value = if value > upper { upper } else { value };
        self.of_one(value, if value == self.value { 1.0 } else { 0.0 })
    }

    #[inline(always)]
    fn choose(self, above_zero: Dual, otherwise: Dual) -> Dual {
        let choice = |first: f32, second: f32| if self.value > 0.0 { first } else { second };
        above_zero.of_two(otherwise, choice(above_zero.value, otherwise.value), choice)
    }
}

/// Sums of a row that the formula takes, by input: linear [mg, eg], danger to White's king [mg, eg], to Black's [mg,
/// eg], scale of White and of Black, complexity.
pub(crate) type Sums = [f32; INPUTS];

/// Scale factor without a scaling weight.
pub(crate) const UNSCALED: f32 = FULL_SCALE as f32;

/// The evaluation in centipawns, White's view, and its derivative by each sum.
#[inline(always)]
pub(crate) fn evaluation(sums: &Sums, phase: i32) -> Dual {
    let input = |index: usize| Dual::input(index, sums[index]);
    let pair = |index: usize| Pair { middlegame: input(index), endgame: input(index + 1) };
    let parts = Parts {
        linear: pair(0),
        danger: [pair(2), pair(4)],
        scale: [input(6), input(7)],
        complexity: input(8),
        phase,
    };
    parts.evaluation()
}
