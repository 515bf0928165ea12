//! Diagnoses a data set: coverage of the weights, collinear and dependent parameters.

use crate::fit_data::FitData;
use crate::loss::{LabelledRows, Loss, NormalMatrix, targets};
use crate::optimizer::{OptimizeError, explained, fit_k};
use crate::weights::schema::Schema;

/// Minimum correlation that is reported.
const COLLINEAR: f64 = 0.98;

/// Minimum share at which a parameter counts as determined by the others.
const DOMINATED: f64 = 0.9999;

/// Maximum number of weights whose effects are compared: the matrices then take 1.1 GB.
const MOST_COMPARED: usize = 4096;

/// Two collinear parameters, which the data can't distinguish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CollinearPair {
    /// Index of the first parameter.
    pub first: usize,
    /// Index of the second parameter.
    pub second: usize,
    /// Cosine between their derivatives over all positions, −1 to 1.
    pub correlation: f64,
}

/// Diagnosis of a data set.
#[derive(Clone, Debug)]
pub(crate) struct Findings {
    /// Steepness of the sigmoid that fits the weights.
    pub k: f64,
    /// Mean squared error of the weights.
    pub error: f64,
    /// Weights that occur in no position.
    pub unseen: Vec<usize>,
    /// Number of weights that are rarer than [`MOST_COMPARED`] others; the fields below leave them out.
    pub not_compared: usize,
    /// Weights that occur but have a zero derivative at these values: the flat part of a curve.
    pub dead: Vec<usize>,
    /// Collinear pairs, highest correlation first.
    pub collinear: Vec<CollinearPair>,
    /// Parameters that are linear combinations of the others; `None` if the numbers are too imprecise to tell.
    pub dominated: Option<Vec<usize>>,
}

/// Diagnoses the training positions at these parameters.
pub(crate) fn check<R: LabelledRows>(
    table: &FitData<R>,
    schema: &Schema,
    parameters: &[f64],
) -> Result<Findings, OptimizeError> {
    let mut loss = Loss::new(&table.train, targets(&table.train, 1.0, 1.0), 1.0);
    let k = fit_k(&mut loss, parameters)?;
    let error = loss.error(parameters);
    let (unseen, mut seen): (Vec<usize>, Vec<usize>) =
        (0..schema.weights.len()).partition(|&weight| table.coverage[weight] == 0);
    seen.sort_by_key(|&weight| std::cmp::Reverse(table.coverage[weight]));
    let not_compared = seen.len().saturating_sub(MOST_COMPARED);
    seen.truncate(MOST_COMPARED);
    seen.sort_unstable();
    let matrix = loss.normal_matrix(parameters, usize::MAX, |index| seen.binary_search(&(index / 2)).is_ok());
    let lengths: Vec<f64> = (0..parameters.len()).map(|index| matrix.get(index, index).sqrt()).collect();
    let is_dead = |weight: &usize| lengths[2 * weight] == 0.0 && lengths[2 * weight + 1] == 0.0;
    let dead = seen.into_iter().filter(is_dead).collect();
    let collinear = collinear(&matrix, &lengths);
    Ok(Findings { k, error, unseen, not_compared, dead, collinear, dominated: dominated(&matrix, &lengths) })
}

fn dominated(matrix: &NormalMatrix, lengths: &[f64]) -> Option<Vec<usize>> {
    let seen: Vec<usize> = (0..lengths.len()).filter(|&index| lengths[index] > 0.0).collect();
    let mut products = vec![0.0; seen.len() * seen.len()];
    for (row, &a) in seen.iter().enumerate() {
        for (column, &b) in seen[..=row].iter().enumerate() {
            products[row * seen.len() + column] = matrix.get(a, b);
        }
    }
    let shares = explained(&mut products, seen.len())?;
    let dominated = seen.into_iter().zip(shares).filter(|(_, share)| *share >= DOMINATED);
    Some(dominated.map(|(index, _)| index).collect())
}

fn collinear(matrix: &NormalMatrix, lengths: &[f64]) -> Vec<CollinearPair> {
    let mut pairs = Vec::new();
    let seen: Vec<usize> = (0..lengths.len()).filter(|&index| lengths[index] > 0.0).collect();
    for (number, &first) in seen.iter().enumerate() {
        for &second in &seen[number + 1..] {
            // Middlegame and endgame of one weight always correlate to some degree; only the phase separates them.
            if second / 2 == first / 2 {
                continue;
            }
            let correlation = matrix.get(first, second) / (lengths[first] * lengths[second]);
            if correlation.abs() >= COLLINEAR {
                pairs.push(CollinearPair { first, second, correlation });
            }
        }
    }
    pairs.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
    pairs
}
