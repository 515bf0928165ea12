//! Multiple correlation: how far each parameter is determined by all others together.

use super::cholesky::factorize;

/// The share of itself that is added to each diagonal element, so that a matrix with exact dependences can be solved.
const RIDGE: f64 = 1e-9;

/// For each row of a symmetric matrix of inner products (the lower half, in full rows of `n`), the share of it that a
/// combination of the others explains, 0 to 1: its squared multiple correlation. Rows with a zero on the diagonal get 0.
/// The matrix is spoiled. `None` if it is no such matrix.
pub(crate) fn explained(matrix: &mut [f64], n: usize) -> Option<Vec<f64>> {
    let diagonal: Vec<f64> = (0..n).map(|index| matrix[index * n + index]).collect();
    for (index, &element) in diagonal.iter().enumerate() {
        matrix[index * n + index] = if element > 0.0 { element * (1.0 + RIDGE) } else { 1.0 };
    }
    if !factorize(matrix, n) {
        return None;
    }
    // The diagonal of the inverse: sums of squares down the columns of the factor's inverse.
    let share = |index: usize| {
        if diagonal[index] <= 0.0 {
            return 0.0;
        }
        let mut column = vec![0.0; n];
        for row in index..n {
            let line = &matrix[row * n..][..n];
            let known: f64 = line[index..row].iter().zip(&column[index..row]).map(|(a, b)| a * b).sum();
            column[row] = (f64::from(u8::from(row == index)) - known) / line[row];
        }
        let inverse: f64 = column.iter().map(|element| element * element).sum();
        (1.0 - 1.0 / (diagonal[index] * inverse)).clamp(0.0, 1.0)
    };
    Some((0..n).map(share).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_explained_by_its_parts() {
        // Columns a, b, a + b, and an independent one.
        let columns =
            [[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 3.0, 0.0], [0.0, 0.0, 0.0, 5.0]];
        let product = |a: usize, b: usize| columns[a].iter().zip(columns[b]).map(|(a, b)| a * b).sum::<f64>();
        let mut matrix: Vec<f64> = (0..16).map(|index| product(index / 4, index % 4)).collect();
        let shares = explained(&mut matrix, 4).unwrap();
        assert!(shares[..3].iter().all(|&share| share > 0.999_999), "{shares:?}");
        assert!(shares[3] < 1e-6, "{shares:?}");
    }

    #[test]
    fn correlation_of_two_is_its_square() {
        let mut matrix = [2.0, 0.0, 1.0, 2.0];
        let shares = explained(&mut matrix, 2).unwrap();
        assert!(shares.iter().all(|share| (share - 0.25).abs() < 1e-6), "{shares:?}");
    }
}
