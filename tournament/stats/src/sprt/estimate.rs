//! Elo estimate after a sequential test, corrected for the stopping rule: the plain Elo of an accepted change is too
//! high on average, that of a rejected one too low.
//!
//! M. Van den Bergh's method for fishtest: the LLR is modelled as a Brownian motion between both bounds, with drift
//! and variance from the true score. Outcomes are ordered from the fastest failure to the fastest pass. The estimate
//! is the Elo at which worse and better outcomes than the observed one are equally probable (median-unbiased); at the
//! ends of the 95% interval a better (worse) one has 2.5%; LOS is the probability of a worse one at 0 Elo.

use super::brownian::Motion;
use super::likelihood::{Frequencies, bayes_elo_distribution, draw_elo};
use super::{Bounds, GREATEST_ELO, Model, Sprt};
use crate::counts::{Counts, Pentanomial, Wdl};
use crate::elo::{Elo, Interval, NORMALIZED_ELO_PER_DEVIATION};
use crate::moments::Moments;

/// Minimum scatter for an estimate: the sum of squared deviations from the mean score, in squared steps between two
/// scores, as after 25 decided games. With less, the variance is hardly known.
const LEAST_SCATTER: f64 = 25.0;

fn is_enough<const N: usize>(counts: &[u64; N]) -> bool {
    let count: u64 = counts.iter().sum();
    let squared_step = (1.0 / (N - 1) as f64).powi(2);
    Moments::from_counts(counts)
        .is_some_and(|moments| moments.variance * count as f64 >= LEAST_SCATTER * squared_step)
}

/// Elo estimate of a sequential test, in logistic Elo for every model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialEstimate {
    /// Median-unbiased estimate. `None` beyond ±1000.
    pub elo: Option<f64>,
    /// The 95% interval; unbounded on a side beyond ±1000.
    pub interval: Interval,
    /// Likelihood of superiority in [0, 1].
    pub los: f64,
}

impl Sprt {
    /// Estimate from these counts; `None` without any, and for pairs in the BayesElo model.
    pub fn estimate_of(&self, counts: &Counts) -> Option<SequentialEstimate> {
        match counts {
            Counts::Games(games) => self.estimate_of_games(games),
            Counts::Pairs(pairs) => self.estimate_of_pairs(pairs),
        }
    }

    /// Estimate from single games; `None` while they scatter less than 25 decided games.
    fn estimate_of_games(&self, games: &Wdl) -> Option<SequentialEstimate> {
        let counts = games.by_points();
        is_enough(&counts).then(|| self.estimate(&counts, 1.0))
    }

    /// Estimate from pairs; `None` while they scatter less than 25 decided games, and in the BayesElo model, which
    /// has single games only.
    pub fn estimate_of_pairs(&self, pairs: &Pentanomial) -> Option<SequentialEstimate> {
        (is_enough(&pairs.0) && self.model != Model::BayesElo).then(|| self.estimate(&pairs.0, 2.0))
    }

    fn estimate<const N: usize>(&self, counts: &[u64; N], games_each: f64) -> SequentialEstimate {
        let outcome = StoppedTest::new(self, counts, games_each);
        let (middle, width) = (0.5 * (self.elo0 + self.elo1), self.elo1 - self.elo0);
        let at = |share: f64| solve(|elo| outcome.share_of_worse(elo) - share, middle, width);
        SequentialEstimate {
            elo: at(0.5),
            interval: Interval { low: at(0.975), high: at(0.025) },
            los: outcome.share_of_worse(0.0),
        }
    }

    /// Expected score at `elo`, in the model's Elo, with the spread of this sample.
    fn score_at<const N: usize>(&self, elo: f64, sample: &Frequencies<N>, games_each: f64) -> f64 {
        let score = match self.model {
            Model::Logistic => Elo(elo).to_score(),
            Model::Normalized => {
                let deviation = (games_each * Moments::from_distribution(&sample.of_each).variance).sqrt();
                0.5 + elo / NORMALIZED_ELO_PER_DEVIATION * deviation
            }
            Model::BayesElo => {
                let (loss, win) = (sample.of_each[0], sample.of_each[N - 1]);
                Moments::from_distribution(&bayes_elo_distribution(elo, draw_elo(loss, win))).mean
            }
        };
        score.clamp(1e-6, 1.0 - 1e-6)
    }
}

/// State at which a test stopped, or its current state.
struct StoppedTest {
    bounds: Bounds,
    /// Scores of both hypotheses.
    scores: [f64; 2],
    /// Variance of a game's (pair's) score.
    variance: f64,
    time: f64,
    llr: f64,
}

impl StoppedTest {
    fn new<const N: usize>(sprt: &Sprt, counts: &[u64; N], games_each: f64) -> StoppedTest {
        let sample = Frequencies::new(counts);
        let Moments { mean, variance } = Moments::from_distribution(&sample.of_each);
        let scores = [sprt.elo0, sprt.elo1].map(|elo| sprt.score_at(elo, &sample, games_each));
        let bounds = sprt.bounds();
        let mut outcome = StoppedTest { bounds, scores, variance, time: sample.total, llr: 0.0 };
        let drift = outcome.drift(mean);
        // A test beyond its bound stopped at the bound, earlier by the time of the overshoot.
        outcome.llr = (sample.total * drift).clamp(bounds.lower, bounds.upper);
        outcome.time = if drift == 0.0 { sample.total } else { (outcome.llr / drift).min(sample.total) };
        outcome
    }

    /// Mean LLR increment of a game (pair) at this true score.
    fn drift(&self, score: f64) -> f64 {
        let [score0, score1] = self.scores;
        (score - 0.5 * (score0 + score1)) * (score1 - score0) / self.variance
    }

    /// Probability of a worse outcome at this true difference in logistic Elo; decreasing.
    fn share_of_worse(&self, elo: f64) -> f64 {
        let Bounds { lower, upper } = self.bounds;
        let [score0, score1] = self.scores;
        let drift = self.drift(Elo(elo).to_score());
        let variance = (score1 - score0).powi(2) / self.variance;
        Motion { lower, upper, drift, variance }.share_of_worse(self.time, self.llr)
    }
}

/// Root of a decreasing function, searched around `middle` in steps of `width`; `None` beyond [`GREATEST_ELO`].
fn solve(function: impl Fn(f64) -> f64, middle: f64, width: f64) -> Option<f64> {
    let mut reach = 30.0 * width;
    let (mut low, mut high) = loop {
        let (low, high) = ((middle - reach).max(-GREATEST_ELO), (middle + reach).min(GREATEST_ELO));
        if function(low) >= 0.0 && function(high) <= 0.0 {
            break (low, high);
        }
        if low <= -GREATEST_ELO && high >= GREATEST_ELO {
            return None;
        }
        reach *= 2.0;
    };
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if function(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}
