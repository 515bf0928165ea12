//! Test whether the results of one machine of a run differ from those of all others by more than chance.

use crate::counts::Wdl;

/// K. Pearson's test of homogeneity (1900).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Homogeneity {
    /// The sum of squared residuals, each over its expected count.
    pub chi_square: f64,
    /// Probability of a value this large by chance, in [0, 1].
    pub p: f64,
}

/// Compares the results of one source with those of the others, pairing by pairing: `(own, others)` each. `None` if
/// no pairing has games on both sides.
///
/// Games of a pair share their opening, so their counts vary less than independent ones: the test is conservative.
pub fn homogeneity(pairings: &[(Wdl, Wdl)]) -> Option<Homogeneity> {
    let (mut chi_square, mut freedom) = (0.0, 0_u32);
    for (own, others) in pairings {
        let sides =
            [own, others].map(|side| (side.by_points().map(|count| count as f64), side.games() as f64));
        let all = sides[0].1 + sides[1].1;
        let seen = (0..3).filter(|&result| sides[0].0[result] + sides[1].0[result] > 0.0);
        let seen: Vec<usize> = seen.collect();
        if sides.iter().any(|(_, games)| *games == 0.0) || seen.len() < 2 {
            continue;
        }
        freedom += seen.len() as u32 - 1;
        for &result in &seen {
            let share = (sides[0].0[result] + sides[1].0[result]) / all;
            chi_square += sides
                .iter()
                .map(|(counts, games)| (counts[result] - share * games).powi(2) / (share * games))
                .sum::<f64>();
        }
    }
    (freedom > 0).then(|| Homogeneity { chi_square, p: chi_square_tail(chi_square, freedom) })
}

/// Upper tail probability of the chi-square distribution with `freedom` degrees of freedom at `value`: the finite series for even
/// and for odd degrees (M. Abramowitz and I. Stegun, 26.4.4 and 26.4.5).
fn chi_square_tail(value: f64, freedom: u32) -> f64 {
    let half = 0.5 * value;
    let (mut sum, mut term, mut divisor) = if freedom.is_multiple_of(2) {
        (0.0, (-half).exp(), 1.0)
    } else {
        (libm::erfc(half.sqrt()), 2.0 * (half / std::f64::consts::PI).sqrt() * (-half).exp(), 1.5)
    };
    for _ in 0..freedom / 2 {
        sum += term;
        term *= half / divisor;
        divisor += 1.0;
    }
    sum.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5% and 0.1% quantiles from published tables.
    #[test]
    fn published_quantiles_have_their_tails() {
        for (freedom, at_5_percent, at_1_in_1000) in [
            (1, 3.841, 10.828),
            (2, 5.991, 13.816),
            (3, 7.815, 16.266),
            (4, 9.488, 18.467),
            (9, 16.919, 27.877),
        ] {
            assert!((chi_square_tail(at_5_percent, freedom) - 0.05).abs() < 1e-4, "{freedom}");
            assert!((chi_square_tail(at_1_in_1000, freedom) - 0.001).abs() < 1e-5, "{freedom}");
        }
    }

    #[test]
    fn a_source_like_the_others_is_inconspicuous_and_another_is_not() {
        let others = Wdl::new(300, 400, 300);
        let same = homogeneity(&[(Wdl::new(30, 40, 30), others)]).unwrap();
        assert!(same.chi_square < 1e-9 && same.p > 0.999);
        let weaker = homogeneity(&[(Wdl::new(15, 35, 50), others)]).unwrap();
        assert!(weaker.p < 0.001, "{weaker:?}");
        // Each opponent is compared separately.
        let weak = Wdl::new(90, 10, 0);
        let apart = homogeneity(&[(Wdl::new(30, 40, 30), others), (Wdl::new(9, 1, 0), weak)]).unwrap();
        assert!(apart.p > 0.99, "{apart:?}");
        assert_eq!(homogeneity(&[(Wdl::default(), others)]), None);
        assert_eq!(homogeneity(&[(Wdl::new(0, 5, 0), Wdl::new(0, 7, 0))]), None);
    }
}
