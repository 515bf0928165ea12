//! Forecast of a test's length for a supposed true difference, before any game.

use super::brownian::Motion;
use super::likelihood::bayes_elo_distribution;
use super::{Bounds, Model, Sprt};
use crate::counts::Counts;
use crate::elo::{Elo, NORMALIZED_ELO_PER_DEVIATION};
use crate::moments::Moments;

/// Standard deviation of a game's score if half of the games are drawn.
pub const SUPPOSED_DEVIATION: f64 = 0.35;

/// Weight of the prior deviation, in games.
const SUPPOSED_GAMES: f64 = 20.0;

/// Forecast of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Mean number of games until the verdict.
    pub games: f64,
    /// Median number of games.
    pub median: f64,
    /// 90% quantile of the number of games.
    pub games_90: f64,
    /// Probability of accepting H1.
    pub accept_h1: f64,
}

impl Sprt {
    /// Forecast of this test if the true difference were `elo` (in the model's Elo) and a game's score had the
    /// standard deviation `deviation`.
    ///
    /// `deviation` is in (0, 1/√2]: ½ without draws, 0.35 with half of the games drawn; see
    /// [`Wdl::deviation`](crate::Wdl::deviation) and, for pairs,
    /// [`Pentanomial::deviation`](crate::Pentanomial::deviation). It hardly matters in the normalized model. `None`
    /// if `elo` or `deviation` is out of range.
    ///
    /// Wald's approximation: the LLR is modelled as a Brownian motion (A. Wald, *Sequential Tests of Statistical
    /// Hypotheses*, 1945; with drift and variance of the generalized test as in M. Van den Bergh's notes for
    /// fishtest) that stops when it exceeds a bound by the mean overshoot of a test that looks after each pair.
    pub fn forecast(&self, elo: f64, deviation: f64) -> Option<Forecast> {
        let deviation_is_sound = deviation > 0.0 && deviation <= std::f64::consts::FRAC_1_SQRT_2 + 1e-9;
        if !elo.is_finite() || !deviation_is_sound {
            return None;
        }
        let motion = self.motion(elo, deviation);
        let overshoot = self.overshoot(deviation);
        let walk = Motion { lower: motion.lower - overshoot, upper: motion.upper + overshoot, ..motion };
        Some(Forecast {
            games: walk.mean_time(),
            median: walk.quantile_of_time(0.5),
            games_90: walk.quantile_of_time(0.9),
            accept_h1: 1.0 - motion.stops_low(),
        })
    }

    /// Mean remaining games if H0 is true and if H1 is, for a test at `llr` after these counts; 0 once decided.
    ///
    /// The deviation of a game's score is estimated from the counts plus 20 prior games with half of them drawn.
    pub fn games_left(&self, counts: &Counts, llr: f64) -> [f64; 2] {
        let (found, games) = match counts {
            Counts::Games(games) => (games.deviation(), games.games()),
            Counts::Pairs(pairs) => (pairs.deviation(), pairs.games()),
        };
        let sum = found.unwrap_or(0.0).powi(2) * games as f64 + SUPPOSED_DEVIATION.powi(2) * SUPPOSED_GAMES;
        let deviation = (sum / (games as f64 + SUPPOSED_GAMES)).sqrt();
        let Bounds { lower, upper } = self.bounds();
        if llr <= lower || llr >= upper {
            return [0.0; 2];
        }
        [self.elo0, self.elo1].map(|elo| {
            let motion = self.motion(elo, deviation);
            Motion { lower: lower - llr, upper: upper - llr, ..motion }.mean_time()
        })
    }

    /// Mean overshoot of the LLR when the test stops after a pair: a quarter of an LLR step if most pairs are drawn
    /// and the others miss the mean by a quarter of their score, otherwise 0.3 standard deviations of a step. For
    /// steps of known variance D. Siegmund (*Sequential Analysis*, 1985) gives about twice as much; simulated tests,
    /// with an estimated variance, show half of it (tests/all/laws.rs, with 94% drawn pairs).
    fn overshoot(&self, deviation: f64) -> f64 {
        let [low, high] = [self.elo0, self.elo1].map(|elo| self.in_deviations(elo, deviation));
        let deviation_of_a_pair = deviation * std::f64::consts::FRAC_1_SQRT_2;
        let step = (0.0625_f64).max(0.3 * deviation_of_a_pair);
        (high - low) * deviation / deviation_of_a_pair.powi(2) * step
    }

    /// Motion of the LLR, one time unit per game.
    fn motion(&self, elo: f64, deviation: f64) -> Motion {
        let position = |elo: f64| self.in_deviations(elo, deviation);
        let (low, high, truth) = (position(self.elo0), position(self.elo1), position(elo));
        let Bounds { lower, upper } = self.bounds();
        Motion {
            lower,
            upper,
            drift: (high - low) * (truth - 0.5 * (low + high)),
            variance: (high - low).powi(2),
        }
    }

    /// Expected score at `elo`, in standard deviations of a game above an even score.
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

/// Draw parameter at which equal players' games have this standard deviation.
fn draw_elo(deviation: f64) -> f64 {
    let win = (2.0 * deviation * deviation).min(0.5);
    400.0 * ((1.0 - win) / win).log10()
}
