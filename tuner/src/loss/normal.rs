//! The Gauss-Newton matrix of the mean squared error, summed from the sparse derivatives of each row.

use std::ops::Range;

use rayon::prelude::*;

use super::{Derivative, share};

/// Parts summed separately, memory permitting.
const PARTS: usize = 4;

/// Maximum memory of all parts, in 64-bit numbers; a matrix larger than that is a single part.
const MOST_NUMBERS: usize = 1 << 26;

/// A symmetric matrix over all parameters.
pub struct NormalMatrix {
    size: usize,
    /// Lower half of each part, in full rows. 32-bit sums would hide exact dependences between parameters.
    parts: Vec<Vec<f64>>,
    scale: f64,
}

impl NormalMatrix {
    /// A matrix over this number of parameters.
    pub(crate) fn new(size: usize) -> NormalMatrix {
        let parts = (MOST_NUMBERS / (size * size).max(1)).clamp(1, PARTS);
        NormalMatrix { size, parts: vec![vec![0.0; size * size]; parts], scale: 0.0 }
    }

    /// Element of two parameters.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        let place = a.max(b) * self.size + a.min(b);
        self.parts.iter().map(|part| part[place]).sum::<f64>() * self.scale
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Sets the common factor of all elements.
    pub(super) fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    /// Sums the outer products of the rows of every `stride`-th block; `derivatives` yields weight
    /// and derivatives of a block, row by row.
    pub(super) fn fill(
        &mut self,
        blocks: Range<usize>,
        stride: usize,
        derivatives: impl Fn(usize, &mut dyn FnMut(f32, &[Derivative])) + Sync,
    ) {
        let (size, count) = (self.size, self.parts.len());
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.fill(0.0);
            for block in share(blocks.clone(), index, count).step_by(stride) {
                derivatives(block, &mut |weight, entries| {
                    for (number, &(row, slope)) in entries.iter().enumerate() {
                        let row = &mut part[row * size..][..size];
                        let slope = f64::from(weight) * f64::from(slope);
                        for &(column, other) in &entries[..=number] {
                            row[column] += slope * f64::from(other);
                        }
                    }
                });
            }
        });
    }
}
