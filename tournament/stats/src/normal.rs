//! The standard normal distribution.

use std::f64::consts::FRAC_1_SQRT_2;

/// The 97.5% quantile: an interval of this many standard errors to either side covers 95%.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Probability that a standard normal variable is below `z`; exact at both infinities.
///
/// Uses the complementary error function, so that the tails keep their relative precision.
pub(crate) fn cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// Inverse of the distribution function, for a probability in (0, 1).
pub fn quantile(probability: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if cdf(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_quantiles_have_their_probabilities() {
        for (z, probability) in [(0.0, 0.5), (Z_95, 0.975), (-Z_95, 0.025), (-6.0, 9.865_876_450_376_98e-10)]
        {
            assert!((cdf(z) / probability - 1.0).abs() < 1e-12, "cdf({z}) = {}", cdf(z));
            assert!((quantile(probability) - z).abs() < 1e-9, "{}", quantile(probability));
        }
        assert_eq!(cdf(f64::NEG_INFINITY), 0.0);
        assert_eq!(cdf(f64::INFINITY), 1.0);
    }
}
