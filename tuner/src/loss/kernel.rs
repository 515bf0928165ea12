//! The innermost loops: a block of rows against the weights. Compiled twice, for any processor and for those with
//! AVX2 and FMA, and chosen at run time.

use smalt::evaluation::schema::WEIGHTS;

use crate::features::Row;
use crate::features::dual::{self, Dual, INPUTS, Sums, UNSCALED};
use crate::features::row::{COUNTS, SLOTS};

/// Weights as the loops want them: 32 bits, and a place for every index that a row can name.
pub(super) struct PackedWeights {
    slots: Box<[[f32; 2]; SLOTS]>,
    /// What turns centipawns into the exponent of the sigmoid.
    slope: f32,
}

impl PackedWeights {
    pub(super) fn new(parameters: &[f64], slope: f64) -> PackedWeights {
        assert_eq!(parameters.len(), 2 * WEIGHTS);
        let mut slots = Box::new([[0.0; 2]; SLOTS]);
        for (slot, pair) in slots.iter_mut().zip(parameters.as_chunks::<2>().0) {
            *slot = pair.map(|number| number as f32);
        }
        PackedWeights { slots, slope: slope as f32 }
    }

    #[inline(always)]
    fn sum(&self, words: &[u16]) -> [f32; 2] {
        let mut sums = [[0.0_f32; 2]; 4];
        let (chunks, rest) = words.as_chunks::<4>();
        let add = |sum: &mut [f32; 2], word: u16| {
            let weight = self.slots[usize::from(word >> 6)];
            let count = COUNTS[usize::from(word & 63)];
            sum[0] += weight[0] * count;
            sum[1] += weight[1] * count;
        };
        for chunk in chunks {
            for (sum, &word) in sums.iter_mut().zip(chunk) {
                add(sum, word);
            }
        }
        for (sum, &word) in sums.iter_mut().zip(rest) {
            add(sum, word);
        }
        std::array::from_fn(|half| (sums[0][half] + sums[1][half]) + (sums[2][half] + sums[3][half]))
    }

    /// What the row leaves to the formula.
    #[inline(always)]
    fn sums(&self, row: &Row<'_>) -> Sums {
        let [linear, white, black] = [row.linear, row.danger[0], row.danger[1]].map(|words| self.sum(words));
        let [own, other] =
            row.scale.map(|weight| weight.map_or(UNSCALED, |weight| self.slots[usize::from(weight)][0]));
        [linear[0], linear[1], white[0], white[1], black[0], black[1], own, other]
    }

    /// The expected result of a row, 0 to 1, and the evaluation with its slopes.
    #[inline(always)]
    fn expect(&self, row: &Row<'_>) -> (f32, Dual) {
        let evaluation = dual::evaluation(&self.sums(row), row.phase);
        (logistic(evaluation.value * self.slope), evaluation)
    }

    /// Expected result minus target.
    pub(super) fn residual(&self, row: &Row<'_>, target: f32) -> f32 {
        self.expect(row).0 - target
    }

    /// The slopes of the expected result by the sums that the formula starts from.
    #[inline(always)]
    pub(super) fn slopes(&self, row: &Row<'_>) -> [f32; INPUTS] {
        let (expected, evaluation) = self.expect(row);
        let outer = expected * (1.0 - expected) * self.slope;
        evaluation.slopes.map(|slope| slope * outer)
    }
}

/// 1/(1 + e⁻ˣ), to about 1e-7. The exponential is split into a power of two, put together from its bits, and a
/// polynomial on [−½, ½]: the Taylor series of 2ˣ.
#[inline(always)]
fn logistic(x: f32) -> f32 {
    const COEFFICIENTS: [f32; 7] =
        [1.0, std::f32::consts::LN_2, 0.240_226_5, 0.055_504_11, 0.009_618_13, 0.001_333_355, 0.000_154_035];
    let power = (-x * std::f32::consts::LOG2_E).clamp(-126.0, 126.0);
    // Adding and taking away 1.5·2²³ rounds to the nearest integer.
    let whole = (power + 12_582_912.0) - 12_582_912.0;
    let part = power - whole;
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| sum * part + coefficient);
    let exponential = polynomial * f32::from_bits(((whole as i32 + 127) as u32) << 23);
    1.0 / (1.0 + exponential)
}

/// Calls a function compiled for AVX2 and FMA where the processor has them, else its plain twin.
macro_rules! dispatch {
    ($plain:ident, $fast:ident, $($argument:expr),+) => {{
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            #[expect(unsafe_code, reason = "functions for certain processors can't be called safely")]
            // SAFETY: the processor was just found to have what the function is compiled for.
            return unsafe { $fast($($argument),+) };
        }
        $plain($($argument),+)
    }};
}

/// The sum of squared errors of a block.
pub(super) fn error(words: &[u16], targets: &[f32], weights: &PackedWeights) -> f64 {
    dispatch!(error_in, error_avx2, words, targets, weights)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn error_avx2(words: &[u16], targets: &[f32], weights: &PackedWeights) -> f64 {
    error_in(words, targets, weights)
}

#[inline(always)]
fn error_in(words: &[u16], targets: &[f32], weights: &PackedWeights) -> f64 {
    let mut rest = words;
    let mut sum = 0.0;
    for &target in targets {
        let Some((row, after)) = Row::split(rest) else { break };
        rest = after;
        let residual = weights.expect(&row).0 - target;
        sum += f64::from(residual * residual);
    }
    sum
}

/// The sum of squared errors of a block; the sum of their gradients is added to `gradient`.
pub(super) fn gradient(
    words: &[u16],
    targets: &[f32],
    weights: &PackedWeights,
    gradient: &mut [[f32; 2]; SLOTS],
) -> f64 {
    dispatch!(gradient_in, gradient_avx2, words, targets, weights, gradient)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn gradient_avx2(
    words: &[u16],
    targets: &[f32],
    weights: &PackedWeights,
    gradient: &mut [[f32; 2]; SLOTS],
) -> f64 {
    gradient_in(words, targets, weights, gradient)
}

#[inline(always)]
fn gradient_in(
    words: &[u16],
    targets: &[f32],
    weights: &PackedWeights,
    gradient: &mut [[f32; 2]; SLOTS],
) -> f64 {
    let mut rest = words;
    let mut sum = 0.0;
    for &target in targets {
        let Some((row, after)) = Row::split(rest) else { break };
        rest = after;
        let (expected, evaluation) = weights.expect(&row);
        let residual = expected - target;
        sum += f64::from(residual * residual);
        let outer = 2.0 * residual * expected * (1.0 - expected) * weights.slope;
        let slopes = evaluation.slopes.map(|slope| slope * outer);
        spread(row.linear, [slopes[0], slopes[1]], gradient);
        spread(row.danger[0], [slopes[2], slopes[3]], gradient);
        spread(row.danger[1], [slopes[4], slopes[5]], gradient);
        for (weight, slope) in row.scale.into_iter().zip([slopes[6], slopes[7]]) {
            if let Some(weight) = weight {
                gradient[usize::from(weight)][0] += slope;
            }
        }
    }
    sum
}

#[inline(always)]
fn spread(words: &[u16], slopes: [f32; 2], gradient: &mut [[f32; 2]; SLOTS]) {
    for &word in words {
        let count = COUNTS[usize::from(word & 63)];
        let slot = &mut gradient[usize::from(word >> 6)];
        slot[0] += slopes[0] * count;
        slot[1] += slopes[1] * count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_logistic_is_the_logistic() {
        for step in -4000..=4000 {
            let x = step as f32 / 100.0;
            let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
            assert!((f64::from(logistic(x)) - exact).abs() < 3e-7, "{x}");
        }
        assert_eq!(logistic(f32::MAX), 1.0);
        assert!(logistic(f32::MIN) < 1e-30);
    }
}
