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

use crate::features::{BLOCK, Rows};
use kernel::{Block, NearGradient, PackedWeights};
pub use normal::NormalMatrix;

/// All parameters: [middlegame, endgame] of each weight in turn. A single number uses only the first.
pub const PARAMETERS: usize = 2 * WEIGHTS;

/// Parts into which a pass is cut: the most threads that help. Each takes half a megabyte.
const PARTS: usize = 16;

/// Blocks whose gradients are added up in 32 bits.
const NEAR_BLOCKS: usize = 4;

/// The sigmoid of an evaluation in centipawns, White's view: the result to expect, 0 to 1. `k` is its steepness; 1
/// makes 400 centipawns ten to one (the logistic curve of Elo).
pub fn sigmoid(centipawns: f64, k: f64) -> f64 {
    1.0 / (1.0 + (-slope(k) * centipawns).exp())
}

/// What turns centipawns into the exponent of the sigmoid of that steepness.
pub fn slope(k: f64) -> f64 {
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

/// Rows with their targets, and room for passes over them: a pass takes no more memory.
pub struct Loss<'a> {
    rows: &'a Rows,
    targets: Cow<'a, [f32]>,
    /// By how much the players' strength moves each exponent; empty for nothing.
    leads: Vec<f32>,
    k: f64,
    weights: PackedWeights,
    parts: Vec<Part>,
}

/// What one part of a pass adds up.
struct Part {
    near: NearGradient,
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
        let part = || Part { near: NearGradient::new(), gradient: vec![[0.0; 2]; WEIGHTS], error: 0.0 };
        let parts = std::iter::repeat_with(part).take(PARTS.min(rows.block_count().max(1))).collect();
        Loss { rows, targets, leads: Vec::new(), k, weights: PackedWeights::new(), parts }
    }

    /// The same, with the players' strength taken into account; see [`crate::optimizer::Strengths`].
    ///
    /// # Panics
    /// If there is neither none nor one for each row.
    #[must_use]
    pub fn with_leads(mut self, leads: Vec<f32>) -> Loss<'a> {
        assert!(leads.is_empty() || leads.len() == self.rows.len());
        self.leads = leads;
        self
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Bytes that rows, labels, targets and leads take.
    pub fn memory(&self) -> usize {
        let targets = match &self.targets {
            Cow::Borrowed(_) => 0,
            Cow::Owned(targets) => targets.len(),
        };
        self.rows.memory() + 4 * (targets + self.leads.len())
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
        self.weights.set(parameters, slope(self.k));
        let (rows, targets, leads, weights) = (self.rows, &self.targets, &self.leads, &self.weights);
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.error = 0.0;
            for block in share(0..rows.block_count(), index, PARTS) {
                part.error += kernel::error(block_of(rows, targets, leads, block), weights);
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
        self.weights.set(parameters, slope(self.k));
        let (rows, targets, leads, weights) = (self.rows, &self.targets, &self.leads, &self.weights);
        let count: usize = blocks.clone().map(|block| block_range(block, rows).len()).sum();
        // A mini-batch has fewer blocks than there are parts: the others have nothing to do.
        let used = self.parts.len().min(blocks.len());
        let parts = &mut self.parts[..used];
        parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.error = 0.0;
            part.gradient.fill([0.0; 2]);
            for (number, block) in share(blocks.clone(), index, PARTS).enumerate() {
                part.error +=
                    kernel::gradient(block_of(rows, targets, leads, block), weights, &mut part.near);
                if number % NEAR_BLOCKS == NEAR_BLOCKS - 1 {
                    part.near.flush(&mut part.gradient);
                }
            }
            part.near.flush(&mut part.gradient);
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

    /// The evaluation of each row in centipawns, White's view, in their order.
    pub fn evaluations(&mut self, parameters: &[f64]) -> Vec<f32> {
        self.weights.set(parameters, slope(self.k));
        let (rows, weights) = (self.rows, &self.weights);
        let of_block = |block| rows.block_rows(block).map(|row| weights.evaluation(&row));
        (0..rows.block_count()).into_par_iter().flat_map_iter(of_block).collect()
    }

    /// The targets of all rows, in their order.
    pub fn targets(&self) -> &[f32] {
        &self.targets
    }

    /// The Gauss-Newton matrix of the mean squared error: twice the mean of the outer products of the slopes of the
    /// sigmoid by the parameters. It stands in for the second derivatives.
    pub fn normal_matrix(&mut self, parameters: &[f64], matrix: &mut NormalMatrix) {
        self.weights.set(parameters, slope(self.k));
        matrix.fill(self.rows, &self.leads, &self.weights);
    }
}

/// The rows of a block with their targets and leads.
fn block_of<'b>(rows: &'b Rows, targets: &'b [f32], leads: &'b [f32], block: usize) -> Block<'b> {
    let range = block_range(block, rows);
    let leads = if leads.is_empty() { leads } else { &leads[range.clone()] };
    Block { words: rows.block(block), targets: &targets[range], leads }
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
