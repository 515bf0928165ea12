//! Student's t distribution: replaces the normal distribution for few observations.

use libm::lgamma;

/// Probability that a t variable with `freedom` degrees of freedom, above 0, is below `t`.
///
/// Uses the incomplete beta function, so that the tails keep their relative precision.
pub(crate) fn cdf(t: f64, freedom: f64) -> f64 {
    let tail = 0.5 * incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// Inverse of the distribution function, for a probability in (0, 1).
///
/// Newton's method inside a bracket.
pub(crate) fn quantile(probability: f64, freedom: f64) -> f64 {
    if probability < 0.5 {
        return -quantile(1.0 - probability, freedom);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while cdf(high, freedom) < probability {
        (low, high) = (high, 2.0 * high);
    }
    let mut t = 0.5 * (low + high);
    let log_scale =
        lgamma(0.5 * (freedom + 1.0)) - lgamma(0.5 * freedom) - 0.5 * (freedom * std::f64::consts::PI).ln();
    for _ in 0..100 {
        let excess = cdf(t, freedom) - probability;
        if excess > 0.0 {
            high = t;
        } else {
            low = t;
        }
        let density = (log_scale - 0.5 * (freedom + 1.0) * (t * t / freedom).ln_1p()).exp();
        let newton = t - excess / density;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let step = (next - t).abs();
        t = next;
        if step <= 1e-12 * t.max(1.0) {
            break;
        }
    }
    t
}

/// The regularized incomplete beta function, by Lentz's method for its continued fraction (W. Press et al., *Numerical
/// Recipes*, section 6.4).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (lgamma(a + b) - lgamma(a) - lgamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(a, b, x) / a
    } else {
        1.0 - front * continued_fraction(b, a, 1.0 - x) / b
    }
}

fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for round in 1..1000 {
        let m = f64::from(round);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + numerator * d);
            c = away_from_zero(1.0 + numerator / c);
            factor = d * c;
            fraction *= factor;
        }
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles from published tables.
    #[test]
    fn published_quantiles() {
        for (freedom, expected) in
            [(1.0, 12.706_205), (3.0, 3.182_446), (9.0, 2.262_157), (30.0, 2.042_272), (1000.0, 1.962_339)]
        {
            let found = quantile(0.975, freedom);
            assert!((found - expected).abs() < 1e-6, "{freedom}: {found}");
            assert!((cdf(found, freedom) - 0.975).abs() < 1e-12);
            assert!((quantile(0.025, freedom) + found).abs() < 1e-9);
        }
    }

    /// With one degree of freedom it is the Cauchy distribution.
    #[test]
    fn one_degree_of_freedom_is_cauchys_distribution() {
        for t in [-1e6_f64, -3.0, 0.0, 0.5, 40.0] {
            let expected = 0.5 + t.atan() / std::f64::consts::PI;
            assert!((cdf(t, 1.0) - expected).abs() < 1e-12, "{t}");
        }
    }
}
