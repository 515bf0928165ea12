//! Rounds the weights of a fit together: others that correlate with a weight make up for its rounding error.

use super::cholesky::factorize;
use crate::weights::schema::Bounds;

/// The share of itself that is added to each diagonal element, so that a matrix with exact dependences can be factorized.
const RIDGE: f64 = 1e-9;

/// Maximum number of passes of single steps; a few are enough.
const PASSES: usize = 100;

/// Bounds of a variable, given the others (`None`: not yet rounded).
pub(crate) type BoundsOf<'a> = dyn Fn(usize, &[Option<f64>]) -> Bounds + 'a;

/// The point of the grid with nearly the least (g − p)ᵀ·H·(g − p), for the symmetric matrix `hessian` (full rows, n by n) and the
/// variables p, `point`, which are within their bounds. `steps` are the distances between two values of each variable.
///
/// As in Babai's nearest plane (Combinatorica 6, 1986), one variable after the other is rounded, and those left move to where the
/// error is least; here a variable gets one of the two values next to it. Single steps then improve the result. `None` if the matrix is not
/// positive.
pub(crate) fn rounded_together(
    hessian: &[f64],
    point: &[f64],
    steps: &[f64],
    bounds: &BoundsOf<'_>,
) -> Option<Vec<f64>> {
    let n = point.len();
    // The weights with most influence are rounded first, while all others can make up for them.
    let mut order: Vec<usize> = (0..n).collect();
    let curvature = |index: usize| hessian[index * n + index] * steps[index] * steps[index];
    order.sort_by(|a, b| curvature(*a).total_cmp(&curvature(*b)));
    let floor = order.last().map_or(0.0, |last| curvature(*last)) * RIDGE * RIDGE;
    let mut factor = vec![0.0; n * n];
    for (row, &a) in order.iter().enumerate() {
        for (column, &b) in order[..=row].iter().enumerate() {
            factor[row * n + column] = hessian[a * n + b] * steps[a] * steps[b];
        }
        factor[row * n + row] += factor[row * n + row] * RIDGE + floor.max(f64::MIN_POSITIVE);
    }
    if !factorize(&mut factor, n) {
        return None;
    }
    let mut values = vec![None; n];
    let mut distances = vec![0.0; n];
    for row in (0..n).rev() {
        let (index, pivot) = (order[row], factor[row * n + row]);
        let moved: f64 = (row + 1..n).map(|later| factor[later * n + row] * distances[later]).sum();
        let scaled = point[index] / steps[index];
        let nearest = (scaled + moved / pivot).round().clamp(scaled.floor(), scaled.ceil());
        let Bounds { least, most } = bounds(index, &values);
        let [least, most] = [(least / steps[index]).ceil(), (most / steps[index]).floor()];
        let value = nearest.clamp(least, most.max(least)) * steps[index];
        values[index] = Some(value);
        distances[row] = (point[index] - value) / steps[index];
    }
    step_down(hessian, point, steps, bounds, &mut values);
    Some(values.into_iter().map(Option::unwrap_or_default).collect())
}

/// Changes single variables by a step while that makes the error less.
fn step_down(
    hessian: &[f64],
    point: &[f64],
    steps: &[f64],
    bounds: &BoundsOf<'_>,
    values: &mut [Option<f64>],
) {
    let n = point.len();
    let row = |index: usize| &hessian[index * n..][..n];
    let away: Vec<f64> =
        values.iter().zip(point).map(|(value, exact)| value.unwrap_or(*exact) - exact).collect();
    // Half the gradient.
    let mut slopes: Vec<f64> =
        (0..n).map(|index| row(index).iter().zip(&away).map(|(a, b)| a * b).sum()).collect();
    for _ in 0..PASSES {
        let mut has_moved = false;
        for index in 0..n {
            let step = -steps[index] * slopes[index].signum();
            let change = 2.0 * step * slopes[index] + step * step * row(index)[index];
            let Some(value) = values[index].filter(|_| change < 0.0).map(|value| value + step) else {
                continue;
            };
            let Bounds { least, most } = bounds(index, values);
            if value >= least && value <= most {
                values[index] = Some(value);
                slopes.iter_mut().zip(row(index)).for_each(|(slope, element)| *slope += step * element);
                has_moved = true;
            }
        }
        if !has_moved {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive matrix of correlated variables and a point, from well-mixed numbers.
    fn example(n: usize) -> (Vec<f64>, Vec<f64>) {
        let number = |index: usize| ((index * 7919 % 1009) as f64 / 1009.0) - 0.5;
        let columns: Vec<Vec<f64>> = (0..n)
            .map(|column| (0..3 * n).map(|row| number(column * 3 * n + row) + number(row + 77)).collect())
            .collect();
        let product = |a: usize, b: usize| columns[a].iter().zip(&columns[b]).map(|(a, b)| a * b).sum();
        let matrix = (0..n * n).map(|index| product(index / n, index % n)).collect();
        (matrix, (0..n).map(|index| 40.0 * number(index + 5)).collect())
    }

    fn error(matrix: &[f64], point: &[f64], rounded: &[f64]) -> f64 {
        let n = point.len();
        let away: Vec<f64> = rounded.iter().zip(point).map(|(a, b)| a - b).collect();
        (0..n * n).map(|index| matrix[index] * away[index / n] * away[index % n]).sum()
    }

    #[test]
    fn correlated_weights_make_up_for_each_other() {
        let (matrix, point) = example(40);
        let free = |_: usize, _: &[Option<f64>]| Bounds { least: -100.0, most: 100.0 };
        let together = rounded_together(&matrix, &point, &[1.0; 40], &free).unwrap();
        assert!(together.iter().all(|value| value.fract() == 0.0), "{together:?}");
        let apart: Vec<f64> = point.iter().map(|value| value.round()).collect();
        let errors = [&together, &apart].map(|rounded| error(&matrix, &point, rounded));
        assert!(errors[0] < 0.5 * errors[1], "{errors:?}");
    }

    #[test]
    fn bounds_order_and_steps_hold() {
        let (matrix, mut point) = example(12);
        point.sort_by(f64::total_cmp);
        let steps: Vec<f64> = (0..12).map(|index| if index % 2 == 0 { 1.0 } else { 0.25 }).collect();
        // The bounds are off the grid.
        let bounds = |index: usize, others: &[Option<f64>]| Bounds {
            least: others[..index].iter().flatten().fold(-8.6, |least: f64, other| least.max(*other)),
            most: others[index + 1..].iter().flatten().fold(8.6, |most: f64, other| most.min(*other)),
        };
        let rounded = rounded_together(&matrix, &point, &steps, &bounds).unwrap();
        assert!(rounded.is_sorted() && rounded[0] >= -8.6 && rounded[11] <= 8.6, "{rounded:?}");
        assert!(rounded.iter().zip(&steps).all(|(value, step)| (value / step).fract() == 0.0), "{rounded:?}");
    }

    #[test]
    fn a_weight_without_influence_is_rounded_alone() {
        let free = |_: usize, _: &[Option<f64>]| Bounds { least: -9.0, most: 9.0 };
        let rounded = rounded_together(&[2.0, 0.0, 0.0, 0.0], &[1.3, 2.7], &[1.0; 2], &free).unwrap();
        assert_eq!(rounded, [1.0, 3.0]);
    }
}
