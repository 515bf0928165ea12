//! How wrong the weights are: the mean squared error of the sigmoid of the evaluation against the targets, its
//! gradient, and its Gauss-Newton matrix, in passes over packed rows. Numbers only; knows no chess and no files.
//!
//! Every pass is cut in the same places whatever the number of threads, and its parts are added in order: the result
//! depends on the rows and the weights alone.

mod kernel;
mod normal;

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;
use smalt::evaluation::schema::WEIGHTS;

use crate::features::row::SLOTS;
use crate::features::{BLOCK, Rows};
use kernel::PackedWeights;
pub use normal::NormalMatrix;

/// All parameters: [middlegame, endgame] of each weight in turn. A weight that scales uses only the first.
pub const PARAMETERS: usize = 2 * WEIGHTS;

/// Parts into which a pass is cut.
const PARTS: usize = 64;

/// The sigmoid of an evaluation in centipawns, White's view: the result to expect, 0 to 1. `k` is its steepness; 1
/// makes 400 centipawns ten to one (the logistic curve of Elo).
pub fn sigmoid(centipawns: f64, k: f64) -> f64 {
    1.0 / (1.0 + (-slope(k) * centipawns).exp())
}

/// What turns centipawns into the exponent of the sigmoid.
fn slope(k: f64) -> f64 {
    k * std::f64::consts::LN_10 / 400.0
}

/// Targets of all rows: `share` of the result, and of the sigmoid of the score where there is one the rest.
pub fn targets(rows: &Rows, share: f64, k: f64) -> Cow<'_, [f32]> {
    if share >= 1.0 || !rows.has_scores() {
        return Cow::Borrowed(rows.results());
    }
    let target = |(index, &result): (usize, &f32)| match rows.score(index) {
        Some(score) => (share * f64::from(result) + (1.0 - share) * sigmoid(score.into(), k)) as f32,
        None => result,
    };
    Cow::Owned(rows.results().iter().enumerate().map(target).collect())
}

/// Rows with their targets, and room for passes over them.
pub struct Loss<'a> {
    rows: &'a Rows,
    targets: Cow<'a, [f32]>,
    k: f64,
    parts: Vec<Part>,
}

/// What one part of a pass adds up.
struct Part {
    /// Of the block at hand; never longer than a block, so that no digits are lost.
    near: Box<[[f32; 2]; SLOTS]>,
    gradient: Vec<[f64; 2]>,
    error: f64,
}

impl<'a> Loss<'a> {
    /// Of rows against their targets; see [`targets`].
    ///
    /// # Panics
    /// If there is not one target for each row.
    pub fn new(rows: &'a Rows, targets: Cow<'a, [f32]>, k: f64) -> Loss<'a> {
        assert_eq!(rows.len(), targets.len());
        let part =
            || Part { near: Box::new([[0.0; 2]; SLOTS]), gradient: vec![[0.0; 2]; WEIGHTS], error: 0.0 };
        let parts = std::iter::repeat_with(part).take(PARTS.min(rows.block_count().max(1))).collect();
        Loss { rows, targets, k, parts }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of blocks, of which [`Loss::gradient`] may take some.
    pub fn block_count(&self) -> usize {
        self.rows.block_count()
    }

    /// Sets the steepness of the sigmoid; the targets stay.
    pub fn set_k(&mut self, k: f64) {
        self.k = k;
    }

    /// The mean squared error; 0 without rows.
    pub fn error(&mut self, parameters: &[f64]) -> f64 {
        let weights = PackedWeights::new(parameters, slope(self.k));
        let (rows, targets) = (self.rows, &self.targets);
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.error = 0.0;
            for block in share(0..rows.block_count(), index, PARTS) {
                part.error += kernel::error(rows.block(block), &targets[block_range(block, rows)], &weights);
            }
        });
        let sum: f64 = self.parts.iter().map(|part| part.error).sum();
        sum / self.rows.len().max(1) as f64
    }

    /// The mean squared error over some blocks; its gradient by [`PARAMETERS`] is put into `gradient`.
    ///
    /// # Panics
    /// If `gradient` is not as long, or there are no such blocks.
    pub fn gradient(&mut self, blocks: Range<usize>, parameters: &[f64], gradient: &mut [f64]) -> f64 {
        assert_eq!(gradient.len(), PARAMETERS);
        let weights = PackedWeights::new(parameters, slope(self.k));
        let (rows, targets) = (self.rows, &self.targets);
        let count: usize = blocks.clone().map(|block| block_range(block, rows).len()).sum();
        // A mini-batch has fewer blocks than there are parts: the others have nothing to do.
        let used = self.parts.len().min(blocks.len());
        let parts = &mut self.parts[..used];
        parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.error = 0.0;
            part.gradient.fill([0.0; 2]);
            for block in share(blocks.clone(), index, PARTS) {
                let targets = &targets[block_range(block, rows)];
                part.error += kernel::gradient(rows.block(block), targets, &weights, &mut part.near);
                for (sum, near) in part.gradient.iter_mut().zip(part.near.iter_mut()) {
                    sum[0] += f64::from(near[0]);
                    sum[1] += f64::from(near[1]);
                    *near = [0.0; 2];
                }
            }
        });
        gradient.fill(0.0);
        let mut error = 0.0;
        let scale = 1.0 / count.max(1) as f64;
        for part in &self.parts[..used] {
            error += part.error * scale;
            for (total, sum) in gradient.iter_mut().zip(part.gradient.as_flattened()) {
                *total += sum * scale;
            }
        }
        error
    }

    /// The Gauss-Newton matrix of the mean squared error: twice the mean of the outer products of the slopes of the
    /// sigmoid by the parameters. It stands in for the second derivatives.
    pub fn normal_matrix(&self, parameters: &[f64], matrix: &mut NormalMatrix) {
        let weights = PackedWeights::new(parameters, slope(self.k));
        matrix.fill(self.rows, &weights);
    }

    /// The squared error of each row, in their order.
    pub fn errors(&self, parameters: &[f64]) -> Vec<f32> {
        let weights = PackedWeights::new(parameters, slope(self.k));
        let blocks = (0..self.rows.block_count()).flat_map(|block| self.rows.block_rows(block));
        blocks.zip(self.targets.iter()).map(|(row, target)| weights.residual(&row, *target).powi(2)).collect()
    }
}

/// The rows of a block.
fn block_range(block: usize, rows: &Rows) -> Range<usize> {
    block * BLOCK..rows.len().min((block + 1) * BLOCK)
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
