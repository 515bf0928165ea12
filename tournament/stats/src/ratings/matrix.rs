//! Dense symmetric positive definite matrices: factor, solve, invert.

/// A symmetric matrix; only its lower triangle is stored, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SymmetricMatrix {
    rows: Vec<Vec<f64>>,
}

impl SymmetricMatrix {
    pub(super) fn zeros(size: usize) -> SymmetricMatrix {
        SymmetricMatrix { rows: (0..size).map(|row| vec![0.0; row + 1]).collect() }
    }

    pub(super) fn get(&self, row: usize, column: usize) -> f64 {
        self.rows[row.max(column)][row.min(column)]
    }

    /// Adds to an element (and so to its mirror image).
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row.max(column)][row.min(column)] += value;
    }

    /// The Cholesky factor. `None` if the matrix is not positive definite up to rounding errors.
    pub(super) fn factor(&self) -> Option<CholeskyFactor> {
        let mut rows = self.rows.clone();
        for row in 0..rows.len() {
            let (done, rest) = rows.split_at_mut(row);
            let current = &mut rest[0];
            for column in 0..row {
                let above = &done[column];
                current[column] =
                    (current[column] - dot(&current[..column], &above[..column])) / above[column];
            }
            let scale = current[row];
            let pivot = scale - dot(&current[..row], &current[..row]);
            let is_definite = pivot > scale.abs() * 1e-12;
            if !is_definite {
                return None;
            }
            current[row] = pivot.sqrt();
        }
        Some(CholeskyFactor { rows })
    }
}

/// The lower triangle L of a matrix L·Lᵀ.
pub(super) struct CholeskyFactor {
    rows: Vec<Vec<f64>>,
}

impl CholeskyFactor {
    /// Solves L·Lᵀ·x = `right`.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        for (index, row) in self.rows.iter().enumerate() {
            solution[index] = (solution[index] - dot(&row[..index], &solution[..index])) / row[index];
        }
        for (index, row) in self.rows.iter().enumerate().rev() {
            let value = solution[index] / row[index];
            solution[index] = value;
            for (earlier, factor) in solution[..index].iter_mut().zip(row) {
                *earlier -= factor * value;
            }
        }
        solution
    }

    /// The inverse of L·Lᵀ.
    pub(super) fn inverse(&self) -> SymmetricMatrix {
        let mut inverse = SymmetricMatrix::zeros(self.rows.len());
        for column in 0..self.rows.len() {
            let mut unit = vec![0.0; self.rows.len()];
            unit[column] = 1.0;
            let solution = self.solve(&unit);
            for (row, value) in inverse.rows.iter_mut().zip(solution).skip(column) {
                row[column] = value;
            }
        }
        inverse
    }
}

/// Eight independent sums, so that the processor adds them in parallel: nearly all time is spent here.
fn dot(left: &[f64], right: &[f64]) -> f64 {
    const LANES: usize = 8;
    let length = left.len().min(right.len());
    let (left, right) = (left[..length].chunks_exact(LANES), right[..length].chunks_exact(LANES));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; LANES];
    for (left, right) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_the_unit() {
        let mut matrix = SymmetricMatrix::zeros(4);
        for row in 0..4 {
            for column in 0..=row {
                matrix.add(row, column, 1.0 / (1 + row + column) as f64);
            }
        }
        let inverse = matrix.factor().unwrap().inverse();
        for row in 0..4 {
            for column in 0..4 {
                let product: f64 = (0..4).map(|k| matrix.get(row, k) * inverse.get(k, column)).sum();
                assert!((product - f64::from(u8::from(row == column))).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factor() {
        let mut matrix = SymmetricMatrix::zeros(2);
        for (row, column, value) in [(0, 0, 1.0), (1, 0, -1.0), (1, 1, 1.0)] {
            matrix.add(row, column, value);
        }
        assert!(matrix.factor().is_none());
    }
}
