//! Always-valid intervals of the Elo difference: with 95% probability the true score lies within the interval at
//! every look, from the first game or pair to the last. Unlike with a fixed interval, a run may be stopped at any
//! look.
//!
//! Source: I. Waudby-Smith and A. Ramdas, *Estimating means of bounded random variables by betting*, Journal of the Royal
//! Statistical Society B 86 (2024), 1-27.

use std::sync::LazyLock;

use crate::counts::{Counts, Pentanomial, Wdl};
use crate::elo::{Elo, Interval};
use crate::moments::{Moments, scores};

/// Capital that rejects a mean: 2.5% on each side.
const REFUTED: f64 = 40.0;

/// Number of stakes.
const STAKES: usize = 24;

/// Stakes, each with the logarithm of its part of the capital.
static SHARES: LazyLock<[(f64, f64); STAKES]> = LazyLock::new(shares);

/// Distance of an end from the mean that is typical, in standard errors.
const TYPICAL_DISTANCE: f64 = 3.0;

/// Minimum number of won (lost) games for a one-sided bound.
const LEAST_ONE_SIDED: u64 = 10;

/// Smallest and largest stake.
const SHARE_RANGE: (f64, f64) = (0.003, 0.95);

/// Log-normal prior over the stakes: its median, which suits a few thousand pairs, and its deviation, which loses
/// little from 100 to 100,000 pairs.
const SHARE_SPREAD: (f64, f64) = (0.1, 1.1);

impl Wdl {
    /// Always-valid interval of the Elo difference, with single games as independent. Unbounded on a side where the
    /// games reject no score.
    pub fn always_valid_interval(&self) -> Interval {
        elo_interval(&self.by_points())
    }
}

impl Pentanomial {
    /// Always-valid interval of the Elo difference, with pairs as independent. Unbounded on a side where the pairs
    /// reject no score.
    pub fn always_valid_interval(&self) -> Interval {
        elo_interval(&self.0)
    }
}

impl Counts {
    /// Always-valid interval of the Elo difference.
    pub fn always_valid_interval(&self) -> Interval {
        match self {
            Counts::Games(games) => games.always_valid_interval(),
            Counts::Pairs(pairs) => pairs.always_valid_interval(),
        }
    }
}

fn elo_interval<const N: usize>(counts: &[u64; N]) -> Interval {
    let Some(moments @ Moments { mean, .. }) = Moments::from_counts(counts) else {
        return Interval::default();
    };
    let games = counts.iter().sum::<u64>() * (N as u64 / 2);
    if (mean <= 0.0 || mean >= 1.0) && games < LEAST_ONE_SIDED {
        return Interval::default();
    }
    let mut mirrored = *counts;
    mirrored.reverse();
    let elo = |score: f64| Elo::from_score(score).map(|elo| elo.0);
    let low = lower_end(counts, moments);
    let high = 1.0 - lower_end(&mirrored, Moments { mean: 1.0 - mean, ..moments });
    Interval { low: elo(low), high: elo(high) }
}

/// The lowest mean that is not rejected; 0 if none is.
///
/// For a supposed mean `m` a bettor starts with capital 1 and bets the share `c` of it on a score above `m` at each
/// result `x`, which multiplies the capital by `1 - c + c·x/m`. If the true mean is `m` or lower, the capital ever
/// exceeds 40 with a probability of at most 1/40 (J. Ville, *Étude critique de la notion de collectif*, 1939), so
/// such an `m` is rejected. The capital is split over many constant stakes `c` (a mixture, after H. Robbins, 1970),
/// so that the interval depends on the counts alone.
///
/// The logarithm of the capital falls with `ln m` and is convex in it. Newton's method therefore reaches the root from
/// every start: after the first step from below.
fn lower_end<const N: usize>(counts: &[u64; N], Moments { mean, variance }: Moments) -> f64 {
    const LEAST: f64 = 1e-10;
    if mean <= 0.0 {
        return 0.0;
    }
    let total = counts.iter().sum::<u64>() as f64;
    let start = mean - TYPICAL_DISTANCE * (variance / total).sqrt();
    let mut end = start.max(0.5 * mean).max(LEAST);
    for _ in 0..100 {
        let (log_capital, slope) = log_capital(counts, end);
        let step = (REFUTED.ln() - log_capital) / slope;
        if end <= LEAST && step <= 0.0 {
            return 0.0;
        }
        end = (end * step.exp()).max(LEAST);
        if step.abs() < 1e-10 {
            break;
        }
    }
    end
}

/// Logarithm of the capital after these results, for a supposed mean above 0, and its derivative by `ln mean`.
fn log_capital<const N: usize>(counts: &[u64; N], mean: f64) -> (f64, f64) {
    let scores = scores::<N>().map(|score| score / mean);
    let parts = SHARES.each_ref().map(|&(share, weight)| {
        let (mut log, mut slope) = (weight, 0.0);
        for (score, &count) in scores.into_iter().zip(counts).filter(|(_, count)| **count > 0) {
            let gain = gain(share, score);
            log += count as f64 * gain.ln();
            slope -= count as f64 * share * score / gain;
        }
        (log, slope)
    });
    let greatest = parts.iter().fold(f64::NEG_INFINITY, |greatest, part| greatest.max(part.0));
    let (mut capital, mut slopes) = (0.0, 0.0);
    for (log, slope) in parts {
        let part = (log - greatest).exp();
        capital += part;
        slopes += part * slope;
    }
    (greatest + capital.ln(), slopes / capital)
}

/// Factor by which a result multiplies the capital; `score` is in units of the supposed mean.
fn gain(share: f64, score: f64) -> f64 {
    1.0 + share * (score - 1.0)
}

fn shares() -> [(f64, f64); STAKES] {
    let (least, greatest) = SHARE_RANGE;
    let (center, deviation) = SHARE_SPREAD;
    let shares = std::array::from_fn(|index| {
        let share = least * (greatest / least).powf((index as f64 + 0.5) / STAKES as f64);
        (share, -0.5 * ((share / center).ln() / deviation).powi(2))
    });
    let sum: f64 = shares.iter().map(|(_, log): &(f64, f64)| log.exp()).sum();
    shares.map(|(share, log)| (share, log - sum.ln()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::Z_95;
    use crate::random::SplitMix;

    /// Pair distributions: equal players, a stronger and a weaker side, a much stronger side, few decided pairs.
    const PAIRS: [(&str, [f64; 5]); 5] = [
        ("balanced", [0.05, 0.22, 0.46, 0.22, 0.05]),
        ("biased", [0.02, 0.10, 0.33, 0.33, 0.22]),
        ("lopsided", [0.01, 0.04, 0.15, 0.30, 0.50]),
        ("94 % drawn", [0.0, 0.03, 0.94, 0.03, 0.0]),
        ("94 % drawn, biased", [0.0, 0.01, 0.94, 0.05, 0.0]),
    ];

    /// Share of runs that reject the true mean at any look, with a look after each pair. Tracks the capital of each
    /// stake, an independent way to the same numbers.
    fn misses(chances: &[f64; 5], pairs: u32, runs: u64, seed: u64) -> f64 {
        let mean = Moments::from_distribution(chances).mean;
        let gains = |mean: f64, score: f64| SHARES.map(|(share, _)| gain(share, score / mean));
        let up = scores::<5>().map(|score| gains(mean, score));
        let down = scores::<5>().map(|score| gains(1.0 - mean, 1.0 - score));
        let missed = |run: u64| {
            let mut random = SplitMix::stream(seed, run);
            let mut capitals = [SHARES.map(|(_, log)| log.exp()); 2];
            (0..pairs).any(|_| {
                let result = random.outcome(chances);
                for (capital, gains) in capitals.iter_mut().zip([&up[result], &down[result]]) {
                    capital.iter_mut().zip(gains).for_each(|(part, gain)| *part *= gain);
                }
                capitals.iter().any(|capital| capital.iter().sum::<f64>() > REFUTED)
            })
        };
        (0..runs).filter(|&run| missed(run)).count() as f64 / runs as f64
    }

    #[test]
    fn looked_at_after_every_pair_at_most_one_run_in_twenty_misses_the_truth() {
        for (name, chances) in PAIRS {
            let share = misses(&chances, 20_000, 200, 1);
            assert!(share <= 0.05, "{name}: {share}");
        }
    }

    /// Prints the table of docs/statistics.md: `cargo test -p smalt-stats --release -- --ignored --nocapture
    /// sequence`.
    #[test]
    #[ignore = "needs a minute for 10,000 runs"]
    fn coverage_at_all_looks_in_many_runs() {
        for (name, chances) in PAIRS {
            let share = misses(&chances, 20_000, 10_000, 7);
            println!("{name}: {:.2} % of 10,000 runs of 20,000 pairs miss the truth", 100.0 * share);
            assert!(share <= 0.05, "{name}: {share}");
        }
    }

    #[test]
    fn after_10_000_pairs_the_interval_is_at_most_1_7_times_as_wide_as_a_fixed_one() {
        for (name, chances) in PAIRS {
            let counts = chances.map(|chance| (10_000.0 * chance).round() as u64);
            let moments = Moments::from_counts(&counts).unwrap();
            let fixed = 2.0 * Z_95 * (moments.variance / 10_000.0).sqrt();
            let mut mirrored = counts;
            mirrored.reverse();
            let high = 1.0 - lower_end(&mirrored, Moments { mean: 1.0 - moments.mean, ..moments });
            let width = high - lower_end(&counts, moments);
            assert!(width > 1.4 * fixed && width <= 1.7 * fixed, "{name}: {}", width / fixed);
        }
    }

    #[test]
    fn the_capital_is_40_at_the_end_of_an_interval() {
        let mut random = SplitMix::stream(3, 0);
        let mut draw = |most: usize| random.below(most + 1) as u64;
        for size in [1, 3, 10, 100, 10_000, 1_000_000_000] {
            for _ in 0..300 {
                let counts: [u64; 5] = std::array::from_fn(|_| if draw(2) == 0 { 0 } else { draw(size) });
                let Some(moments) = Moments::from_counts(&counts) else { continue };
                let end = lower_end(&counts, moments);
                if end == 0.0 {
                    assert!(
                        moments.mean == 0.0 || log_capital(&counts, 1e-10).0 < REFUTED.ln(),
                        "{counts:?}"
                    );
                    continue;
                }
                assert!(end < moments.mean, "{counts:?}");
                let capital = |factor: f64| log_capital(&counts, end * factor).0;
                let (below, above) = (capital(1.0 - 1e-9), capital(1.0 + 1e-9));
                assert!(above < REFUTED.ln() && REFUTED.ln() < below, "{counts:?}: {above} {below}");
            }
        }
    }

    #[test]
    fn few_games_and_one_sided_results_leave_ends_open() {
        assert_eq!(Wdl::new(9, 0, 0).always_valid_interval(), Interval::default());
        let ten = Wdl::new(10, 0, 0).always_valid_interval();
        assert!(ten.high.is_none() && ten.low.unwrap() < 0.0, "{ten:?}");
        assert_eq!(Pentanomial::default().always_valid_interval(), Interval::default());
        let won = Pentanomial([0, 0, 0, 0, 20]).always_valid_interval();
        assert!(won.low.unwrap() > 100.0 && won.high.is_none(), "{won:?}");
        // Swapping sides swaps and negates the ends.
        let ours = Pentanomial([3, 10, 40, 30, 9]);
        let (a, b) = (ours.always_valid_interval(), ours.mirrored().always_valid_interval());
        assert!((a.low.unwrap() + b.high.unwrap()).abs() < 1e-6, "{a:?} {b:?}");
    }
}
