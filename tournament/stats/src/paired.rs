//! Significance of the difference between two runs over the same questions: McNemar's test on solved questions,
//! bootstrap and central limit theorem on points.
//!
//! McNemar's test ignores questions that both solved or both failed; points count every question.

use libm::lgamma;

use crate::elo::Estimate;
use crate::normal::Z_95;
use crate::random::SplitMix;

/// Two-sided exact p-value of McNemar's test (Q. McNemar, 1947): the probability that a fair coin splits the changed
/// questions at least this unevenly. 1 if nothing changed.
///
/// `gained`: solved only in the second run; `lost`: solved only in the first.
pub fn mcnemar(gained: u64, lost: u64) -> f64 {
    let changed = gained + lost;
    let log_choose = |k: u64| {
        let (n, k) = (changed as f64, k as f64);
        lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)
    };
    let log_all = changed as f64 * std::f64::consts::LN_2;
    let tail: f64 = (0..=gained.min(lost)).map(|k| (log_choose(k) - log_all).exp()).sum();
    (2.0 * tail).min(1.0)
}

/// An interval that covers the true value with 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapInterval {
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// 95% bootstrap interval of the sum of paired differences: the questions are resampled with replacement `resamples`
/// times, and 2.5% of the sums are cut at each end (B. Efron, 1979). The same seed gives the same interval. `None`
/// without differences or resamples, or if a difference is not finite.
pub fn bootstrap_sum(differences: &[f64], resamples: usize, seed: u64) -> Option<BootstrapInterval> {
    if differences.is_empty() || resamples == 0 || !differences.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut random = SplitMix::new(seed);
    let mut sums: Vec<f64> = (0..resamples)
        .map(|_| differences.iter().map(|_| differences[random.below(differences.len())]).sum())
        .collect();
    sums.sort_by(f64::total_cmp);
    let at = |share: f64| sums[((resamples - 1) as f64 * share).round() as usize];
    Some(BootstrapInterval { low: at(0.025), high: at(0.975) })
}

/// The sum of paired differences and the half-width of its 95 % interval by the central limit theorem. `None` for
/// fewer than two.
pub fn normal_sum(differences: &[f64]) -> Option<Estimate> {
    if differences.len() < 2 {
        return None;
    }
    let count = differences.len() as f64;
    let sum: f64 = differences.iter().sum();
    let squares: f64 = differences.iter().map(|value| (value - sum / count).powi(2)).sum();
    let error = Z_95 * (squares * count / (count - 1.0)).sqrt();
    (sum.is_finite() && error.is_finite()).then_some(Estimate { value: sum, error: Some(error) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_test_is_the_binomial_tail() {
        // 2·(1 + 12 + 66)/2^12, 2·(1 + 5)/2^5 and the textbook's 59 against 5.
        for (gained, lost, probability) in
            [(0, 0, 1.0), (3, 3, 1.0), (10, 2, 0.038_574_218_75), (1, 4, 0.375), (2, 10, 0.038_574_218_75)]
        {
            let found = mcnemar(gained, lost);
            assert!((found - probability).abs() < 1e-12, "{gained} {lost}: {found}");
        }
        assert!(mcnemar(59, 5) < 1e-11 && mcnemar(5_000, 5_400) < 1e-3);
    }

    #[test]
    fn the_bootstrap_agrees_with_the_normal_interval_on_many_questions() {
        let differences: Vec<f64> = (0..1500).map(|index| f64::from(index % 7) - 2.5).collect();
        let normal = normal_sum(&differences).unwrap();
        let error = normal.error.unwrap();
        let interval = bootstrap_sum(&differences, 4_000, 1).unwrap();
        assert!((interval.low - (normal.value - error)).abs() < 0.05 * error);
        assert!((interval.high - (normal.value + error)).abs() < 0.05 * error);
        assert_eq!(bootstrap_sum(&differences, 4_000, 1), Some(interval));
    }

    #[test]
    fn what_says_nothing_has_no_interval() {
        assert_eq!(bootstrap_sum(&[], 10, 1), None);
        assert_eq!(bootstrap_sum(&[1.0], 0, 1), None);
        assert_eq!(bootstrap_sum(&[f64::NAN], 10, 1), None);
        assert_eq!(bootstrap_sum(&[2.0, 2.0], 10, 1), Some(BootstrapInterval { low: 4.0, high: 4.0 }));
        assert_eq!(normal_sum(&[1.0]), None);
    }
}
