//! The non-linear part of the evaluation: king danger curve, complexity, endgame scaling, and the taper between middlegame and
//! endgame. Generic over the number type, so that the tuner differentiates the formula that the engine computes.

use std::ops::{Add, Mul, Sub};

use super::schema::TENTHS;

/// Phase of a position with all pieces (middlegame); 0 is an endgame without pieces.
pub const FULL_PHASE: i32 = 24;

/// Neutral endgame scale.
pub const FULL_SCALE: i32 = 64;

/// Bound of evaluations in centipawns; mate and tablebase scores are larger.
pub const LARGEST_EVALUATION: i32 = 20_000;

/// King danger units at which the curve is capped.
const LARGEST_DANGER: i32 = 2_048;

/// Middlegame penalty in centipawns: danger squared divided by this.
const DANGER_SQUARE_DIVISOR: i32 = 1_024;

/// Endgame penalty in centipawns: danger divided by this, and by as much again for each [`DANGER_BEND`] units.
const DANGER_LINEAR_DIVISOR: i32 = 16;

/// King danger units at which the endgame penalty is twice the linear one.
const DANGER_BEND: i32 = 256;

/// Number type of the formula: `i64` in the engine, `f64` or a dual number in the tuner.
pub trait Number: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A centipawn, a unit of danger or a 64th, as the sums of the terms count it.
    const UNIT: i32 = 1;

    /// Conversion from an integer.
    fn from_integer(value: i32) -> Self;

    /// The quotient; integers round toward zero.
    fn divided_by(self, divisor: i32) -> Self;

    /// Clamps to the bounds. The derivative outside is zero.
    #[inline(always)]
    fn clamped(self, lower: i32, upper: i32) -> Self {
        let (lower, upper) = (Self::from_integer(lower), Self::from_integer(upper));
        if self < lower {
            lower
        } else if self > upper {
            upper
        } else {
            self
        }
    }

    /// The first number if this one is above zero, else the second.
    #[inline(always)]
    fn choose(self, above_zero: Self, otherwise: Self) -> Self {
        if self > Self::from_integer(0) { above_zero } else { otherwise }
    }
}

impl Number for i64 {
    const UNIT: i32 = TENTHS;

    #[inline]
    fn from_integer(value: i32) -> i64 {
        value.into()
    }

    #[inline]
    fn divided_by(self, divisor: i32) -> i64 {
        self / i64::from(divisor)
    }
}

impl Number for f64 {
    #[inline]
    fn from_integer(value: i32) -> f64 {
        f64::from(value)
    }

    #[inline]
    fn divided_by(self, divisor: i32) -> f64 {
        self / f64::from(divisor)
    }
}

/// Middlegame and endgame values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pair<N> {
    pub middlegame: N,
    pub endgame: N,
}

/// Sums of the terms, linear in the weights: the arguments of the formula. All but the phase count [`Number::UNIT`] for
/// one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parts<N> {
    /// Centipawns, White minus Black.
    pub linear: Pair<N>,
    /// King danger units of White and of Black.
    pub danger: [Pair<N>; 2],
    /// Complexity: endgame centipawns for the leader.
    pub complexity: N,
    /// Endgame scale in 64ths when White or when Black leads.
    pub scale: [N; 2],
    /// 0 (endgame) to [`FULL_PHASE`].
    pub phase: i32,
}

impl<N: Number> Parts<N> {
    /// The evaluation in centipawns from White's point of view, within ±[`LARGEST_EVALUATION`].
    ///
    /// Integers are divided once, at the end, and rounded toward zero, except for the bend of the endgame danger.
    #[inline(always)]
    pub fn evaluation(&self) -> N {
        let [white, black] = self.danger;
        let whole = N::from_integer;
        let limited_danger = |units: N| units.clamped(0, LARGEST_DANGER * N::UNIT);
        let square = |units: N| limited_danger(units) * limited_danger(units);
        let bent = |units: N| limited_danger(units) * whole(N::UNIT) + square(units).divided_by(DANGER_BEND);
        let limited = |score: N| score.clamped(-LARGEST_EVALUATION * N::UNIT, LARGEST_EVALUATION * N::UNIT);
        let linear_divisor = whole(DANGER_LINEAR_DIVISOR * N::UNIT);

        let middlegame = limited(self.linear.middlegame) * whole(DANGER_SQUARE_DIVISOR * N::UNIT)
            + (square(black.middlegame) - square(white.middlegame));
        let endgame =
            limited(self.linear.endgame) * linear_divisor + (bent(black.endgame) - bent(white.endgame));
        let endgame = widened(endgame, limited(self.complexity) * linear_divisor);
        let leader = endgame.choose(self.scale[0], self.scale[1]);
        let scaled = endgame * leader.clamped(0, FULL_SCALE * N::UNIT);

        const { assert!(DANGER_LINEAR_DIVISOR * FULL_SCALE == DANGER_SQUARE_DIVISOR) };
        let tapered = middlegame * whole(self.phase * N::UNIT) + scaled * whole(FULL_PHASE - self.phase);
        let evaluation = tapered.divided_by(DANGER_SQUARE_DIVISOR * FULL_PHASE * N::UNIT.pow(3));
        evaluation.clamped(-LARGEST_EVALUATION, LARGEST_EVALUATION)
    }
}

/// Moves the score away from zero by `complexity` (toward zero if negative), limited to between zero and twice the
/// score, so that the sign is kept and the result is continuous.
#[inline(always)]
fn widened<N: Number>(score: N, by: N) -> N {
    let zero = N::from_integer(0);
    let distance = score.choose(score, zero - score);
    let wide = distance + by;
    let wide = wide.choose(wide, zero);
    let rest = distance + distance - wide;
    let wide = rest.choose(wide, distance + distance);
    score.choose(wide, zero - wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts<N: Number>(
        linear: [i32; 2],
        danger: [[i32; 2]; 2],
        complexity: i32,
        scale: [i32; 2],
        phase: i32,
    ) -> Parts<N> {
        let whole = |number: i32| N::from_integer(number) * N::from_integer(N::UNIT);
        let pair =
            |[middlegame, endgame]: [i32; 2]| Pair { middlegame: whole(middlegame), endgame: whole(endgame) };
        Parts {
            linear: pair(linear),
            danger: danger.map(pair),
            complexity: whole(complexity),
            scale: scale.map(whole),
            phase,
        }
    }

    #[track_caller]
    fn check(input: ([i32; 2], [[i32; 2]; 2], [i32; 2], i32), expected: i32) {
        let (linear, danger, scale, phase) = input;
        check_complex((linear, danger, 0, scale, phase), expected);
    }

    #[track_caller]
    fn check_complex(input: ([i32; 2], [[i32; 2]; 2], i32, [i32; 2], i32), expected: i32) {
        let (linear, danger, complexity, scale, phase) = input;
        let whole = parts::<i64>(linear, danger, complexity, scale, phase).evaluation();
        assert_eq!(whole, i64::from(expected));
        let real = parts::<f64>(linear, danger, complexity, scale, phase).evaluation();
        assert!((real - f64::from(expected)).abs() < 1.0, "{real} is far from {expected}");
    }

    #[test]
    fn the_phase_weighs_middlegame_against_endgame() {
        let safe = [[0; 2]; 2];
        check(([100, 20], safe, [64, 64], 24), 100);
        check(([100, 20], safe, [64, 64], 0), 20);
        check(([100, 20], safe, [64, 64], 12), 60);
    }

    #[test]
    fn danger_counts_against_its_king_along_the_curve() {
        check(([0, 0], [[0, 0], [512, 0]], [64, 64], 24), 256);
        check(([0, 0], [[512, 160], [0, 0]], [64, 64], 24), -256);
        check(([0, 0], [[512, 160], [0, 0]], [64, 64], 0), -16);
        check(([0, 0], [[0, 0], [0, 512]], [64, 64], 0), 96);
        check(([0, 0], [[-512, -160], [0, 0]], [64, 64], 12), 0);
    }

    #[test]
    fn the_leader_alone_is_scaled() {
        let safe = [[0; 2]; 2];
        check(([0, 100], safe, [16, 64], 0), 25);
        check(([0, -100], safe, [16, 64], 0), -100);
        check(([100, 100], safe, [0, 64], 24), 100);
    }

    #[test]
    fn complexity_counts_in_the_endgame_for_the_leader() {
        let (safe, plain) = ([[0; 2]; 2], [64, 64]);
        check_complex(([0, 100], safe, 30, plain, 0), 130);
        check_complex(([0, -100], safe, 30, plain, 0), -130);
        check_complex(([0, 100], safe, -30, plain, 0), 70);
        check_complex(([0, -100], safe, -30, plain, 0), -70);
        check_complex(([0, 0], [[0, 512], [0, 0]], 30, plain, 0), -126);
        check_complex(([100, 100], safe, 30, plain, 12), 115);
        check_complex(([100, 100], safe, 30, plain, 24), 100);
        check_complex(([0, 100], safe, -20, [16, 64], 0), 20);
    }

    #[test]
    fn complexity_keeps_the_sign_and_is_continuous() {
        let (safe, plain) = ([[0; 2]; 2], [64, 64]);
        for (endgame, complexity, expected) in [
            (20, -30, 0),
            (-20, -30, 0),
            (20, 30, 40),
            (-20, 30, -40),
            (0, 30, 0),
            (0, -30, 0),
            (1, i32::MAX, 2),
        ] {
            check_complex(([0, endgame], safe, complexity, plain, 0), expected);
        }
        for complexity in [-50, 50] {
            let at = |endgame: f64| {
                let linear = Pair { middlegame: 0.0, endgame };
                let danger = [Pair { middlegame: 0.0, endgame: 0.0 }; 2];
                let complexity = f64::from(complexity);
                Parts { linear, danger, complexity, scale: [64.0; 2], phase: 0 }.evaluation()
            };
            for step in -1000..1000 {
                let (here, next) = (f64::from(step) / 8.0, f64::from(step + 1) / 8.0);
                assert!((0.0..=0.25).contains(&(at(next) - at(here))), "{here}: {}, {}", at(here), at(next));
                assert_eq!(at(here), -at(-here));
            }
        }
    }

    #[test]
    fn extremes_are_limited() {
        let most = [i32::MAX, i32::MAX];
        check((most, [[i32::MIN; 2], most], [i32::MAX; 2], 24), LARGEST_EVALUATION);
        check(([i32::MIN; 2], [most, [i32::MIN; 2]], [i32::MAX; 2], 0), -LARGEST_EVALUATION);
        check((most, [most, most], [i32::MIN; 2], 12), LARGEST_EVALUATION / 2);
        check_complex((most, [[0; 2], most], i32::MAX, [64; 2], 0), LARGEST_EVALUATION);
        check_complex((most, [[0; 2]; 2], i32::MIN, [64; 2], 0), 0);
    }
}
