//! Solves systems with a symmetric, positive definite matrix, by Cholesky's factors.

/// Lanes of a dot product: enough for the processor to work on several sums at once.
const LANES: usize = 16;

/// Replaces the lower half of an n by n matrix (full rows) by its factor L with L·Lᵀ. False if the matrix is not
/// positive definite; then it is spoiled.
pub(crate) fn factorize(matrix: &mut [f64], n: usize) -> bool {
    for row in 0..n {
        let (before, rest) = matrix.split_at_mut(row * n);
        let current = &mut rest[..n];
        for column in 0..row {
            let other = &before[column * n..][..n];
            let sum = current[column] - dot(&current[..column], &other[..column]);
            current[column] = sum / other[column];
        }
        let pivot = current[row] - dot(&current[..row], &current[..row]);
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        current[row] = pivot.sqrt();
    }
    true
}

/// Solves L·Lᵀ·x = b for a factor from [`factorize`]; `vector` is b before and x after.
pub(crate) fn solve(factor: &[f64], n: usize, vector: &mut [f64]) {
    for row in 0..n {
        let line = &factor[row * n..][..n];
        vector[row] = (vector[row] - dot(&line[..row], &vector[..row])) / line[row];
    }
    for row in (0..n).rev() {
        let line = &factor[row * n..][..n];
        let solved = vector[row] / line[row];
        vector[row] = solved;
        for (rest, element) in vector[..row].iter_mut().zip(line) {
            *rest -= element * solved;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[expect(unsafe_code, reason = "functions for certain processors can't be called safely")]
        // SAFETY: the processor was just found to have what the function is compiled for.
        return unsafe { dot_avx2(a, b) };
    }
    dot_in(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn dot_avx2(a: &[f64], b: &[f64]) -> f64 {
    dot_in(a, b)
}

#[inline(always)]
fn dot_in(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_solves_the_system() {
        let n = 40;
        // AᵀA + 1 for a matrix A of well-mixed numbers is positive definite.
        let a: Vec<f64> = (0..n * n).map(|index| ((index * 7919 % 1009) as f64 / 1009.0) - 0.5).collect();
        let element = |row: usize, column: usize| {
            let sum: f64 = (0..n).map(|k| a[k * n + row] * a[k * n + column]).sum();
            sum + f64::from(u8::from(row == column))
        };
        let matrix: Vec<f64> = (0..n * n).map(|index| element(index / n, index % n)).collect();
        let right: Vec<f64> = (0..n).map(|index| index as f64).collect();
        let (mut factor, mut solution) = (matrix.clone(), right.clone());
        assert!(factorize(&mut factor, n));
        solve(&factor, n, &mut solution);
        for row in 0..n {
            let sum: f64 = (0..n).map(|column| matrix[row * n + column] * solution[column]).sum();
            assert!((sum - right[row]).abs() < 1e-9, "{sum} is not {}", right[row]);
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        assert!(!factorize(&mut [1.0, 0.0, 2.0, 1.0], 2));
        assert!(!factorize(&mut [f64::NAN], 1));
    }
}
