//! The Gauss-Newton matrix of the mean squared error, summed from the sparse derivatives of each row.

use std::ops::Range;

use rayon::prelude::*;

use super::{Derivative, share};

/// Parts summed separately, memory permitting.
const PARTS: usize = 4;

/// Maximum memory of all parts, in 64-bit numbers; a matrix larger than that is a single part.
const MOST_NUMBERS: usize = 1 << 26;

/// A symmetric matrix over some of the parameters.
pub struct NormalMatrix {
    size: usize,
    /// The row of each parameter, if it has one.
    rows: Vec<Option<usize>>,
    /// Lower half of each part, in full rows. 32-bit sums would hide exact dependences between parameters.
    parts: Vec<Vec<f64>>,
    scale: f64,
}

impl NormalMatrix {
    /// A matrix over the parameters below `count` that `is_chosen` accepts.
    pub(crate) fn new(count: usize, is_chosen: impl Fn(usize) -> bool) -> NormalMatrix {
        let mut size = 0;
        let row = |parameter| {
            is_chosen(parameter).then(|| {
                size += 1;
                size - 1
            })
        };
        let rows = (0..count).map(row).collect();
        let parts = (MOST_NUMBERS / (size * size).max(1)).clamp(1, PARTS);
        NormalMatrix { size, rows, parts: vec![vec![0.0; size * size]; parts], scale: 0.0 }
    }

    /// Element of two parameters; zero if one was not chosen.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        let (Some(a), Some(b)) = (self.rows[a], self.rows[b]) else { return 0.0 };
        let index = a.max(b) * self.size + a.min(b);
        self.parts.iter().map(|part| part[index]).sum::<f64>() * self.scale
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
        let (size, count, rows) = (self.size, self.parts.len(), &self.rows);
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.fill(0.0);
            let mut chosen: Vec<(usize, f64)> = Vec::new();
            for block in share(blocks.clone(), index, count).step_by(stride) {
                derivatives(block, &mut |weight, entries| {
                    let of_row =
                        |&(parameter, slope): &Derivative| rows[parameter].map(|row| (row, f64::from(slope)));
                    chosen.clear();
                    chosen.extend(entries.iter().filter_map(of_row));
                    for (number, &(row, slope)) in chosen.iter().enumerate() {
                        let row = &mut part[row * size..][..size];
                        let slope = f64::from(weight) * slope;
                        for &(column, other) in &chosen[..=number] {
                            row[column] += slope * other;
                        }
                    }
                });
            }
        });
    }
}
