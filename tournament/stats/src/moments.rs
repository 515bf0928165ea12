//! Mean and variance of a distribution over equidistant scores from 0 to 1: three for games, five for pairs.

/// The mean and the population variance of a score in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

impl Moments {
    /// Moments of a distribution; `probabilities` sum to 1.
    pub(crate) fn from_distribution<const N: usize>(probabilities: &[f64; N]) -> Moments {
        let scores = scores::<N>();
        let sum = |term: &dyn Fn(f64) -> f64| -> f64 {
            scores.iter().zip(probabilities).map(|(&score, probability)| probability * term(score)).sum()
        };
        let mean = sum(&|score| score);
        Moments { mean, variance: sum(&|score| (score - mean).powi(2)) }
    }

    /// Moments of a sample; `None` if it is empty.
    ///
    /// Computed from integer sums, so that an even score is exactly ½.
    pub(crate) fn from_counts<const N: usize>(counts: &[u64; N]) -> Option<Moments> {
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return None;
        }
        let steps = (N - 1) as f64;
        let scaled_sum: u64 = counts.iter().zip(0..).map(|(&count, index): (_, u64)| count * index).sum();
        let mean = scaled_sum as f64 / total as f64 / steps;
        let deviations = scores::<N>();
        let variance =
            counts.iter().zip(deviations).map(|(&count, score)| count as f64 * (score - mean).powi(2));
        Some(Moments { mean, variance: variance.sum::<f64>() / total as f64 })
    }
}

/// The `N` equidistant scores from 0 to 1.
pub(crate) fn scores<const N: usize>() -> [f64; N] {
    std::array::from_fn(|index| index as f64 / (N - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_their_frequencies_have_the_same_moments() {
        let counts = [34, 54, 63, 64, 75];
        let frequencies = counts.map(|count| count as f64 / 290.0);
        let from_counts = Moments::from_counts(&counts).unwrap();
        let from_frequencies = Moments::from_distribution(&frequencies);
        assert!((from_counts.mean - from_frequencies.mean).abs() < 1e-15);
        assert!((from_counts.variance - from_frequencies.variance).abs() < 1e-15);
        assert!((from_counts.mean - 0.5793).abs() < 5e-5);
    }

    #[test]
    fn an_empty_sample_has_none() {
        assert_eq!(Moments::from_counts(&[0; 3]), None);
    }
}
