//! Coverage of fixed intervals with few pairs and games, summed over every possible outcome, without simulation.

use smalt_stats::{Elo, MatchStatistics, Pentanomial, Wdl};

const PAIRS: [(&str, [f64; 5]); 12] = [
    ("balanced", [0.08, 0.22, 0.40, 0.22, 0.08]),
    ("all results alike", [0.20, 0.20, 0.20, 0.20, 0.20]),
    ("no drawn game", [0.25, 0.0, 0.5, 0.0, 0.25]),
    ("60 % drawn", [0.02, 0.18, 0.60, 0.18, 0.02]),
    ("80 % drawn", [0.005, 0.095, 0.80, 0.095, 0.005]),
    ("94 % drawn", [0.0, 0.03, 0.94, 0.03, 0.0]),
    ("drawish and biased", [0.0, 0.02, 0.85, 0.12, 0.01]),
    ("biased", [0.03, 0.12, 0.35, 0.30, 0.20]),
    ("never lost", [0.0, 0.05, 0.30, 0.45, 0.20]),
    ("strong", [0.01, 0.04, 0.15, 0.30, 0.50]),
    ("weak", [0.50, 0.30, 0.15, 0.04, 0.01]),
    ("one-sided", [0.01, 0.0, 0.04, 0.10, 0.85]),
];

const GAMES: [(&str, [f64; 3]); 6] = [
    ("balanced", [0.25, 0.5, 0.25]),
    ("no draws", [0.5, 0.0, 0.5]),
    ("94 % drawn", [0.03, 0.94, 0.03]),
    ("biased", [0.15, 0.45, 0.40]),
    ("strong", [0.05, 0.20, 0.75]),
    ("one-sided", [0.01, 0.04, 0.95]),
];

/// Calls `each` with all possible counts of `left` results, from place `from` on.
fn for_each_count<const N: usize>(
    counts: &mut [u64; N],
    from: usize,
    left: u64,
    each: &mut dyn FnMut(&[u64; N]),
) {
    if from == N - 1 {
        counts[from] = left;
        return each(counts);
    }
    for count in 0..=left {
        counts[from] = count;
        for_each_count(counts, from + 1, left - count, each);
    }
}

/// Probability that the interval of `count` results covers the true score, and that LOS is above 99% or below 1%.
fn sums<const N: usize>(
    chances: &[f64; N],
    count: u64,
    statistics: impl Fn([u64; N]) -> MatchStatistics,
) -> (f64, f64) {
    let score: f64 = chances.iter().zip(0..).map(|(chance, i)| chance * f64::from(i) / (N - 1) as f64).sum();
    let truth = Elo::from_score(score).unwrap().0;
    let log_factorial: Vec<f64> = (0..=count).map(|n| (1..=n).map(|k| (k as f64).ln()).sum()).collect();
    let (mut covered, mut certain) = (0.0, 0.0);
    for_each_count(&mut [0; N], 0, count, &mut |counts| {
        let mut log = log_factorial[count as usize];
        for (&n, &chance) in counts.iter().zip(chances) {
            if n > 0 {
                log += n as f64 * chance.ln() - log_factorial[n as usize];
            }
        }
        if log == f64::NEG_INFINITY {
            return;
        }
        let found = statistics(*counts);
        let ends = found.elo_interval;
        if ends.low.is_none_or(|low| low <= truth + 1e-9) && ends.high.is_none_or(|high| high >= truth - 1e-9)
        {
            covered += log.exp();
        }
        if !(0.01..=0.99).contains(&found.los) {
            certain += log.exp();
        }
    });
    (covered, certain)
}

#[test]
fn intervals_of_few_pairs_cover_the_truth_with_93_percent() {
    for (name, chances) in PAIRS {
        for pairs in [2, 3, 4, 5, 6, 8, 11, 15] {
            let (covered, _) = sums(&chances, pairs, |counts| Pentanomial(counts).statistics().unwrap());
            assert!(covered >= 0.93, "{name}, {pairs} pairs: {covered}");
        }
    }
}

#[test]
fn intervals_of_few_games_cover_the_truth_with_93_percent() {
    for (name, chances) in GAMES {
        for games in [2, 4, 8, 12, 20, 50] {
            let (covered, _) = sums(&chances, games, |[l, d, w]| Wdl::new(w, d, l).statistics().unwrap());
            assert!(covered >= 0.93, "{name}, {games} games: {covered}");
        }
    }
}

/// Between equal players over 2 to 6 pairs, a LOS from the normal distribution was beyond 99% or 1% in 8 to 18% of
/// matches.
#[test]
fn los_of_equals_is_beyond_99_percent_in_two_of_a_hundred_short_matches_at_most() {
    for (name, chances) in &PAIRS[..6] {
        for pairs in 1..=12 {
            let (_, certain) = sums(chances, pairs, |counts| Pentanomial(counts).statistics().unwrap());
            assert!(certain <= 0.025, "{name}, {pairs} pairs: {certain}");
        }
    }
}
