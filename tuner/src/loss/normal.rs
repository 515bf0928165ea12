//! The Gauss-Newton matrix, added up from sparse rows. A row touches the pairs of its features only; for each pair of
//! weights four numbers stand together, for middlegame and endgame of both.

use rayon::prelude::*;
use smalt::evaluation::schema::WEIGHTS;

use super::kernel::PackedWeights;
use super::share;
use crate::features::dual::INPUTS;
use crate::features::{BLOCK, Row, Rows};

/// Parts that are added up apart: more would take more memory, 5 MB each.
const PARTS: usize = 4;

/// A symmetric matrix over all parameters, and room to add it up.
pub struct NormalMatrix {
    /// Of each part, for weights a ≥ b at `a * WEIGHTS + b`: a's middlegame times b's middlegame and endgame, then a's
    /// endgame times both.
    parts: Vec<Vec<[f32; 4]>>,
    scale: f64,
}

/// Slopes of one row by the two numbers of a weight.
type Entry = (usize, [f32; 2]);

impl NormalMatrix {
    /// Room for a matrix.
    pub fn new() -> NormalMatrix {
        NormalMatrix { parts: vec![vec![[0.0; 4]; WEIGHTS * WEIGHTS]; PARTS], scale: 0.0 }
    }

    /// The element of two parameters.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (a.max(b), a.min(b));
        let (row, column) = (a / 2, b / 2);
        // On the diagonal only one order of a weight's two numbers is asked for, and both are there.
        let place = row * WEIGHTS + column;
        self.parts.iter().map(|part| f64::from(part[place][a % 2 * 2 + b % 2])).sum::<f64>() * self.scale
    }

    pub(super) fn fill(&mut self, rows: &Rows, leads: &[f32], weights: &PackedWeights) {
        self.scale = 2.0 / rows.len().max(1) as f64;
        self.parts.par_iter_mut().enumerate().for_each(|(index, part)| {
            part.fill([0.0; 4]);
            let mut entries = Vec::with_capacity(128);
            for block in share(0..rows.block_count(), index, PARTS) {
                for (number, row) in rows.block_rows(block).enumerate() {
                    let lead = leads.get(block * BLOCK + number).copied().unwrap_or(0.0);
                    collect(&row, weights.slopes(&row, lead), &mut entries);
                    add(&entries, part);
                }
            }
        });
    }
}

impl Default for NormalMatrix {
    fn default() -> NormalMatrix {
        NormalMatrix::new()
    }
}

/// The slopes of the expected result by each weight of the row, by ascending weight.
fn collect(row: &Row<'_>, slopes: [f32; INPUTS], entries: &mut Vec<Entry>) {
    entries.clear();
    let entry = |(weight, count): (usize, i16), input: usize| {
        (weight, [slopes[input] * f32::from(count), slopes[input + 1] * f32::from(count)])
    };
    entries.extend(row.linear().map(|feature| entry(feature, 0)));
    entries.extend(row.danger(0).map(|feature| entry(feature, 2)));
    entries.extend(row.danger(1).map(|feature| entry(feature, 4)));
    let complexity = row.complexity();
    entries.extend(complexity.map(|(weight, count)| (weight, [slopes[8] * f32::from(count), 0.0])));
    for (weight, slope) in row.scale().into_iter().zip([slopes[6], slopes[7]]) {
        entries.extend(weight.map(|weight| (weight, [slope, 0.0])));
    }
    entries.sort_unstable_by_key(|entry| entry.0);
    entries.dedup_by(|later, kept| {
        let is_same = later.0 == kept.0;
        if is_same {
            kept.1 = [kept.1[0] + later.1[0], kept.1[1] + later.1[1]];
        }
        is_same
    });
}

#[inline(always)]
fn add(entries: &[Entry], matrix: &mut [[f32; 4]]) {
    for (index, &(weight, [middlegame, endgame])) in entries.iter().enumerate() {
        let row = &mut matrix[weight * WEIGHTS..][..WEIGHTS];
        for &(column, other) in &entries[..=index] {
            let place = &mut row[column];
            place[0] += middlegame * other[0];
            place[1] += middlegame * other[1];
            place[2] += endgame * other[0];
            place[3] += endgame * other[1];
        }
    }
}
