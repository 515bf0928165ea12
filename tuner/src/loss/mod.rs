//! The loss: mean squared error between the sigmoid of the evaluation and the targets, its gradient and its
//! Gauss-Newton matrix, computed in passes over packed rows of any kind ([`LabelledRows`]).
//!
//! Every pass is divided into the same parts for any number of threads, and parts are added in order: the result
//! depends on rows and weights alone.

mod kernel;
mod normal;
mod passes;

use std::borrow::Cow;
use std::ops::Range;

use smalt::evaluation::schema::WEIGHTS;

use crate::labels::BLOCK;
pub(crate) use normal::NormalMatrix;
pub(crate) use passes::{Kernel, LabelledRows, Parts, Passes, Targets, add_up};

/// Parameters of Smalt's evaluation: [middlegame, endgame] of each weight in turn. A single number uses only the
/// first.
pub const PARAMETERS: usize = 2 * WEIGHTS;

/// A parameter and the derivative of the expected result by it.
pub(crate) type Derivative = (usize, f32);

/// Expected result, 0 to 1, of an evaluation in centipawns, White's view. `k` is the steepness; at 1, 400 centipawns
/// are ten to one (Elo's logistic curve).
pub fn sigmoid(centipawns: f64, k: f64) -> f64 {
    1.0 / (1.0 + (-slope(k) * centipawns).exp())
}

/// Factor from centipawns to the exponent of a sigmoid with this steepness.
pub fn slope(k: f64) -> f64 {
    k * std::f64::consts::LN_10 / 400.0
}

/// 1/(1 + e⁻ˣ), to about 1e-7, branchless. The exponential is a power of two, assembled from its bits, times a
/// polynomial on [−½, ½]: the Taylor series of 2ˣ.
#[inline(always)]
pub(crate) fn logistic(x: f32) -> f32 {
    const COEFFICIENTS: [f32; 7] =
        [1.0, std::f32::consts::LN_2, 0.240_226_5, 0.055_504_11, 0.009_618_13, 0.001_333_355, 0.000_154_035];
    let power = -x * std::f32::consts::LOG2_E;
    let power = if power < -126.0 { -126.0 } else { power };
    let power = if power > 126.0 { 126.0 } else { power };
    // Adding and subtracting 1.5·2²³ rounds to the nearest integer.
    let shifted = power + 12_582_912.0;
    let part = power - (shifted - 12_582_912.0);
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| sum * part + coefficient);
    // The low bits of that sum are the integer; shifted to the exponent they are its power of two.
    let exponential = polynomial * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    1.0 / (1.0 + exponential)
}

/// One of `parts` nearly equal shares of consecutive blocks.
fn share(blocks: Range<usize>, part: usize, parts: usize) -> Range<usize> {
    let parts = parts.min(blocks.len().max(1));
    if part >= parts {
        return 0..0;
    }
    let cut = |index: usize| blocks.start + blocks.len() * index / parts;
    cut(part)..cut(part + 1)
}

/// Targets of all rows: a share of the result, the rest from the sigmoid of the score if there is one. The share is
/// that of the row's source, otherwise `share`.
pub fn targets(rows: &dyn LabelledRows, share: f64, k: f64) -> Cow<'_, [f32]> {
    let labels = rows.labels();
    if share >= 1.0 && !labels.has_result_shares() || !labels.has_scores() {
        return Cow::Borrowed(labels.results());
    }
    let target = |(row, &result): (usize, &f32)| {
        let share = labels.options(row).result_share.unwrap_or(share);
        match labels.score(row) {
            Some(score) if share < 1.0 => {
                (share * f64::from(result) + (1.0 - share) * sigmoid(score.into(), k)) as f32
            }
            _ => result,
        }
    };
    Cow::Owned(labels.results().iter().enumerate().map(target).collect())
}

/// Rows with their targets, and buffers for passes: a pass allocates nothing.
pub struct Loss<'a> {
    rows: &'a dyn LabelledRows,
    passes: Box<dyn Passes + 'a>,
    targets: Cow<'a, [f32]>,
    /// White's lead by player strength, in units of the exponent; empty for zeros.
    leads: Vec<f32>,
    /// Weights of the rows; empty if all are 1.
    weights: Vec<f32>,
    total_weight: f64,
    k: f64,
}

impl<'a> Loss<'a> {
    /// The loss of rows against their targets; see [`targets`].
    ///
    /// # Panics
    /// If there is not one target per row.
    pub fn new(rows: &'a dyn LabelledRows, targets: Cow<'a, [f32]>, k: f64) -> Loss<'a> {
        assert_eq!(rows.labels().len(), targets.len());
        let weights = rows.labels().weights();
        let total_weight = sum_of_weights(&weights, 0..targets.len());
        Loss { rows, passes: rows.passes(), targets, leads: Vec::new(), weights, total_weight, k }
    }

    /// The same loss with player strengths; see [`crate::optimizer::Strengths`].
    ///
    /// # Panics
    /// If there is not one lead per row, or none at all.
    #[must_use]
    pub(crate) fn with_leads(mut self, leads: Vec<f32>) -> Loss<'a> {
        assert!(leads.is_empty() || leads.len() == self.len());
        self.leads = leads;
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Sum of the weights of all rows.
    pub(crate) fn total_weight(&self) -> f64 {
        self.total_weight
    }

    pub(crate) fn parameter_count(&self) -> usize {
        self.rows.parameter_count()
    }

    /// Bytes of rows, labels, targets, weights and leads.
    pub(crate) fn memory(&self) -> usize {
        let targets = match &self.targets {
            Cow::Borrowed(_) => 0,
            Cow::Owned(targets) => targets.len(),
        };
        self.rows.memory() + 4 * (targets + self.leads.len() + self.weights.len())
    }

    /// Bytes of rows in a temporary file.
    pub(crate) fn file_size(&self) -> u64 {
        self.rows.file_size()
    }

    /// Number of blocks of [`BLOCK`] rows; [`Loss::gradient`] takes a range of them.
    pub fn block_count(&self) -> usize {
        self.len().div_ceil(BLOCK)
    }

    /// Sets the steepness of the sigmoid; the targets stay.
    pub(crate) fn set_k(&mut self, k: f64) {
        self.k = k;
    }

    /// Mean squared error; 0 without rows.
    pub fn error(&mut self, parameters: &[f64]) -> f64 {
        self.passes.set(parameters, slope(self.k));
        let (passes, targets) = self.split();
        passes.error(targets) / self.total_weight
    }

    /// Mean squared error over a range of blocks; writes its gradient to `gradient`.
    ///
    /// # Panics
    /// If `gradient` has not one number per parameter, or the blocks do not exist.
    pub fn gradient(&mut self, blocks: Range<usize>, parameters: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(gradient.len(), self.parameter_count());
        self.passes.set(parameters, slope(self.k));
        let rows = blocks.start * BLOCK..self.len().min(blocks.end * BLOCK);
        let scale = 1.0 / sum_of_weights(&self.weights, rows);
        let (passes, targets) = self.split();
        let error = passes.gradient(blocks, targets, gradient);
        gradient.iter_mut().for_each(|sum| *sum *= scale);
        error * scale
    }

    /// Evaluation of each row in centipawns, White's view, in row order.
    pub(crate) fn evaluations(&mut self, parameters: &[f64]) -> Vec<f32> {
        self.passes.set(parameters, slope(self.k));
        self.passes.evaluations(0..self.block_count())
    }

    /// Targets in row order.
    pub(crate) fn targets(&self) -> &[f32] {
        &self.targets
    }

    /// Weights in row order; empty if all are 1.
    pub(crate) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Gauss-Newton matrix of the mean squared error: twice the weighted mean of the outer products of the derivatives of
    /// the expected result by the parameters. Approximates the Hessian. It is that of all rows, or of some blocks with at most
    /// about `rows` of them, over the parameters that `is_chosen` accepts.
    pub fn normal_matrix(
        &mut self,
        parameters: &[f64],
        rows: usize,
        is_chosen: impl Fn(usize) -> bool,
    ) -> NormalMatrix {
        let mut matrix = NormalMatrix::new(self.parameter_count(), is_chosen);
        let stride = self.len().div_ceil(rows.max(1)).max(1);
        matrix.set_scale(2.0 * stride as f64 / self.total_weight);
        self.passes.set(parameters, slope(self.k));
        let (passes, targets) = self.split();
        passes.fill(&mut matrix, stride, targets);
        matrix
    }

    fn split(&mut self) -> (&mut (dyn Passes + 'a), Targets<'_>) {
        let targets = Targets { targets: &self.targets, leads: &self.leads, weights: &self.weights };
        (&mut *self.passes, targets)
    }
}

/// Sum of the weights of some rows; slightly above zero, so that a mean without rows is 0.
fn sum_of_weights(weights: &[f32], rows: Range<usize>) -> f64 {
    let sum = match weights.get(rows.clone()) {
        Some(weights) if !weights.is_empty() => weights.iter().map(|&weight| f64::from(weight)).sum(),
        _ => rows.len() as f64,
    };
    sum.max(f64::MIN_POSITIVE)
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
