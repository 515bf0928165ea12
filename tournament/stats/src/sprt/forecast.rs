//! How long a test will take: a forecast for a supposed true difference, before any game is played.

use super::likelihood::bayes_elo_distribution;
use super::{Bounds, Model, Sprt};
use crate::elo::{Elo, NORMALIZED_ELO_PER_DEVIATION};
use crate::moments::Moments;

/// What to expect of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Mean number of games until the verdict.
    pub games: f64,
    /// The probability that the verdict is H1.
    pub accept_h1: f64,
}

impl Sprt {
    /// The mean length of this test and the chance to pass it, if the true difference were `elo` (in the model's
    /// Elo) and a game's score had the standard deviation `deviation`.
    ///
    /// `deviation` is in (0, 1/√2]: ½ without draws, 0.35 where every second game is drawn; see
    /// [`Wdl::deviation`](crate::Wdl::deviation) and, for pairs,
    /// [`Pentanomial::deviation`](crate::Pentanomial::deviation). The normalized model does not use it.
    /// `None` where `elo` or `deviation` is outside its range.
    ///
    /// Wald's approximation: the LLR is taken for a Brownian motion that stops exactly on a bound (A. Wald,
    /// *Sequential Tests of Statistical Hypotheses*, 1945; with drift and variance of the generalized test as in
    /// M. Van den Bergh's notes for fishtest). Real tests last slightly longer, by the last step's overshoot.
    pub fn forecast(&self, elo: f64, deviation: f64) -> Option<Forecast> {
        let deviation_is_sound = deviation > 0.0 && deviation <= std::f64::consts::FRAC_1_SQRT_2 + 1e-9;
        if !elo.is_finite() || !deviation_is_sound {
            return None;
        }
        let position = |elo: f64| self.in_deviations(elo, deviation);
        let (low, high, truth) = (position(self.elo0), position(self.elo1), position(elo));
        let variance = (high - low).powi(2);
        let drift = (high - low) * (truth - 0.5 * (low + high));
        Some(walk(self.bounds(), drift, variance))
    }

    /// The expected score at `elo`, in standard deviations of a game above an even score.
    fn in_deviations(&self, elo: f64, deviation: f64) -> f64 {
        let score = match self.model {
            Model::Normalized => return elo / NORMALIZED_ELO_PER_DEVIATION,
            Model::Logistic => Elo(elo).to_score(),
            Model::BayesElo => {
                Moments::from_distribution(&bayes_elo_distribution(elo, draw_elo(deviation))).mean
            }
        };
        (score - 0.5) / deviation
    }
}

/// The draw parameter of the BayesElo model at which equal players' games have this standard deviation.
fn draw_elo(deviation: f64) -> f64 {
    let win = (2.0 * deviation * deviation).min(0.5);
    400.0 * ((1.0 - win) / win).log10()
}

/// Where, and after how many steps, a Brownian motion from 0 leaves the bounds.
fn walk(bounds: Bounds, drift: f64, variance: f64) -> Forecast {
    let Bounds { lower, upper } = bounds;
    let pull = 2.0 * drift / variance;
    // Near zero both formulas below lose all digits to cancellation; this is their limit.
    if pull.abs() < 1e-6 {
        return Forecast { games: -lower * upper / variance, accept_h1: -lower / (upper - lower) };
    }
    // Of (1 - e^(-pull·lower)) / (e^(-pull·upper) - e^(-pull·lower)), written so that nothing overflows.
    let accept_h1 = if pull > 0.0 {
        (pull * lower).exp_m1() / (pull * (lower - upper)).exp_m1()
    } else {
        (pull * upper).exp() * (-pull * lower).exp_m1() / (pull * (upper - lower)).exp_m1()
    };
    Forecast { games: (accept_h1 * upper + (1.0 - accept_h1) * lower) / drift, accept_h1 }
}
