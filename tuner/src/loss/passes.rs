//! Passes over rows of any kind: kernels process one block, threads share the blocks.

use std::ops::Range;

use rayon::prelude::*;

use super::{Derivative, NormalMatrix, share};
use crate::labels::{BLOCK, Labels};

/// Parts of a pass: the maximum number of useful threads.
const PARTS: usize = 16;

/// Blocks whose gradients are summed in 32 bits.
const NEAR_BLOCKS: usize = 4;

/// Labelled rows of a fit: from Smalt's evaluation or from another engine's traces.
pub trait LabelledRows: Sync {
    /// Labels, in row order.
    fn labels(&self) -> &Labels;
    /// Bytes of memory, labels included.
    fn memory(&self) -> usize;
    /// Bytes in a temporary file.
    fn file_size(&self) -> u64;
    /// Number of parameters: [middlegame, endgame] of each weight.
    fn parameter_count(&self) -> usize;
    /// Passes over these rows, with their buffers.
    fn passes(&self) -> Box<dyn Passes + '_>;
}

/// Sorts entries by index and sums those with the same one.
pub(crate) fn add_up<I: Ord + Copy>(entries: &mut Vec<(I, f32)>) {
    entries.sort_unstable_by_key(|entry| entry.0);
    entries.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            kept.1 += later.1;
        }
        is_same
    });
}

/// Targets of rows, with leads and weights.
#[derive(Clone, Copy, Debug)]
pub struct Targets<'a> {
    /// Targets, 0 to 1.
    pub targets: &'a [f32],
    /// White's lead by player strength, added to the sigmoid's exponent; empty for zeros.
    pub leads: &'a [f32],
    /// Weights in the mean squared error; empty if all are 1.
    pub weights: &'a [f32],
}

impl<'a> Targets<'a> {
    /// The part of a block.
    fn of_block(&self, block: usize) -> Targets<'a> {
        let range = block * BLOCK..self.targets.len().min((block + 1) * BLOCK);
        let part = |list: &'a [f32]| if list.is_empty() { list } else { &list[range.clone()] };
        Targets { targets: part(self.targets), leads: part(self.leads), weights: part(self.weights) }
    }
}

/// Computations on one block of rows.
pub(crate) trait Kernel: Sync + Send {
    /// Partial gradient in 32 bits.
    type Sum: Send;
    /// A sum of zeros.
    fn new_sum(&self) -> Self::Sum;
    /// Adds a sum to a gradient and clears it.
    fn flush(&self, sum: &mut Self::Sum, gradient: &mut [f64]);
    /// Sets the parameters; `slope` is the factor from centipawns to the sigmoid's exponent.
    fn set(&mut self, parameters: &[f64], slope: f64);
    /// Weighted sum of the squared errors of a block.
    fn error(&self, block: usize, targets: Targets<'_>) -> f64;
    /// Like `error`; adds the gradient to `sum`.
    fn gradient(&self, block: usize, targets: Targets<'_>, sum: &mut Self::Sum) -> f64;
    /// Evaluations of a block in centipawns, White's point of view.
    fn evaluations(&self, block: usize) -> Vec<f32>;
    /// Calls `each` per row of a block with the derivatives of the expected result, by ascending parameter.
    fn derivatives(&self, block: usize, targets: Targets<'_>, each: &mut dyn FnMut(&[Derivative]));
}

/// Passes over all rows or a range of blocks.
pub trait Passes: Send {
    /// Sets the parameters; see [`Kernel::set`].
    fn set(&mut self, parameters: &[f64], slope: f64);
    /// Weighted sum of all squared errors.
    fn error(&mut self, targets: Targets<'_>) -> f64;
    /// Weighted sum of the squared errors of some blocks; writes its gradient to `gradient`.
    fn gradient(&mut self, blocks: Range<usize>, targets: Targets<'_>, gradient: &mut [f64]) -> f64;
    /// Evaluations of all rows in centipawns, White's point of view.
    fn evaluations(&self, blocks: Range<usize>) -> Vec<f32>;
    /// Adds the outer products of the derivatives of the rows of every `stride`-th block to a matrix.
    fn fill(&self, matrix: &mut NormalMatrix, stride: usize, targets: Targets<'_>);
}

/// A kernel with the sums of each part of a pass.
pub(crate) struct Parts<K: Kernel> {
    kernel: K,
    parts: Vec<Part<K::Sum>>,
}

/// Sums of one part of a pass.
struct Part<S> {
    near: S,
    gradient: Vec<f64>,
    error: f64,
}

impl<K: Kernel> Parts<K> {
    /// A pass over this number of blocks and parameters.
    pub(crate) fn new(kernel: K, blocks: usize, parameters: usize) -> Parts<K> {
        let part = || Part { near: kernel.new_sum(), gradient: vec![0.0; parameters], error: 0.0 };
        let parts = std::iter::repeat_with(part).take(PARTS.min(blocks.max(1))).collect();
        Parts { kernel, parts }
    }
}

impl<K: Kernel> Passes for Parts<K> {
    fn set(&mut self, parameters: &[f64], slope: f64) {
        self.kernel.set(parameters, slope);
    }

    fn error(&mut self, targets: Targets<'_>) -> f64 {
        let (kernel, blocks) = (&self.kernel, targets.targets.len().div_ceil(BLOCK));
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.error = 0.0;
            for block in share(0..blocks, index, PARTS) {
                part.error += kernel.error(block, targets.of_block(block));
            }
        });
        self.parts.iter().map(|part| part.error).sum()
    }

    fn gradient(&mut self, blocks: Range<usize>, targets: Targets<'_>, gradient: &mut [f64]) -> f64 {
        let kernel = &self.kernel;
        // A mini-batch may have fewer blocks than there are parts.
        let used = self.parts.len().min(blocks.len());
        let parts = &mut self.parts[..used];
        parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.error = 0.0;
            part.gradient.fill(0.0);
            for (number, block) in share(blocks.clone(), index, PARTS).enumerate() {
                part.error += kernel.gradient(block, targets.of_block(block), &mut part.near);
                if number % NEAR_BLOCKS == NEAR_BLOCKS - 1 {
                    kernel.flush(&mut part.near, &mut part.gradient);
                }
            }
            kernel.flush(&mut part.near, &mut part.gradient);
        });
        gradient.fill(0.0);
        let mut error = 0.0;
        for part in &self.parts[..used] {
            error += part.error;
            gradient.iter_mut().zip(&part.gradient).for_each(|(total, sum)| *total += sum);
        }
        error
    }

    fn evaluations(&self, blocks: Range<usize>) -> Vec<f32> {
        let kernel = &self.kernel;
        blocks.into_par_iter().flat_map_iter(|block| kernel.evaluations(block)).collect()
    }

    fn fill(&self, matrix: &mut NormalMatrix, stride: usize, targets: Targets<'_>) {
        let (kernel, blocks) = (&self.kernel, 0..targets.targets.len().div_ceil(BLOCK));
        matrix.fill(blocks, stride, |block, each| {
            let targets = targets.of_block(block);
            let mut weights = targets.weights.iter();
            let mut weighted = |entries: &[Derivative]| each(weights.next().copied().unwrap_or(1.0), entries);
            kernel.derivatives(block, targets, &mut weighted);
        });
    }
}
