//! The Gauss-Newton matrix of the mean squared error, added up from the sparse derivatives of each row.

use std::ops::Range;

use rayon::prelude::*;

use super::passes::{Derivative, share};

/// Parts that are added up apart, if memory allows.
const PARTS: usize = 4;

/// Memory for all parts, in numbers of 32 bits.
const MOST_NUMBERS: usize = 1 << 27;

/// A symmetric matrix over all parameters.
pub struct NormalMatrix {
    size: usize,
    /// The lower half of each part, in full rows.
    parts: Vec<Vec<f32>>,
    scale: f64,
}

impl NormalMatrix {
    /// A matrix over this number of parameters.
    pub fn new(size: usize) -> NormalMatrix {
        let parts = (MOST_NUMBERS / (size * size).max(1)).clamp(1, PARTS);
        NormalMatrix { size, parts: vec![vec![0.0; size * size]; parts], scale: 0.0 }
    }

    /// The element of two parameters.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        let place = a.max(b) * self.size + a.min(b);
        self.parts.iter().map(|part| f64::from(part[place])).sum::<f64>() * self.scale
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Sets the factor of all elements.
    pub(super) fn set_scale(&mut self, scale: f64) {
        self.scale = scale;
    }

    /// Adds up the outer products of the rows of all blocks; `derivatives` gives those of a block, row by row.
    pub(super) fn fill(
        &mut self,
        blocks: Range<usize>,
        derivatives: impl Fn(usize, &mut dyn FnMut(&[Derivative])) + Sync,
    ) {
        let (size, count) = (self.size, self.parts.len());
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.fill(0.0);
            for block in share(blocks.clone(), index, count) {
                derivatives(block, &mut |entries| {
                    for (number, &(row, slope)) in entries.iter().enumerate() {
                        let row = &mut part[row * size..][..size];
                        entries[..=number].iter().for_each(|&(column, other)| row[column] += slope * other);
                    }
                });
            }
        });
    }
}
