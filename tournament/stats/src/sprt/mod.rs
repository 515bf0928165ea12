//! The sequential probability ratio test: is the entrant better by `elo1`, or only by `elo0`?
//!
//! After each game or pair the log-likelihood ratio (LLR) of the two hypotheses is compared with two bounds; the
//! test stops when it leaves them (A. Wald, *Sequential Tests of Statistical Hypotheses*, 1945). What the counts
//! do not fix (the draw rate, the spread) is estimated under each hypothesis: the generalized test of M. Van
//! den Bergh's notes for fishtest.

mod brownian;
mod estimate;
mod forecast;
mod likelihood;

use std::fmt;
use std::str::FromStr;

use crate::counts::{Counts, Pentanomial, Wdl};

pub use estimate::SequentialEstimate;
pub use forecast::{Forecast, SUPPOSED_DEVIATION};
use likelihood::Frequencies;
pub(crate) use likelihood::with_mean as distribution_with_mean;

/// Hypotheses farther from zero than this, in the model's Elo, are refused.
///
/// Beyond it the expected scores are 0 or 1 for all practical purposes, and nothing is left to test.
pub const GREATEST_ELO: f64 = 1000.0;

/// The unit in which the hypotheses are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Elo of the expected score; what a rating list shows.
    Logistic,
    /// Normalized Elo: the score in standard deviations of a game. The test's length then does not depend on
    /// how drawish the games are.
    Normalized,
    /// The scale of BayesElo, with a draw rate estimated from the sample. Single games only.
    BayesElo,
}

/// The word is none of `logistic`, `normalized` and `bayesian`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown SPRT model `{0}`: the models are logistic, normalized and bayesian")]
pub struct ParseModelError(String);

impl FromStr for Model {
    type Err = ParseModelError;

    /// Reads the words of fastchess: `logistic`, `normalized`, `bayesian` (or `bayeselo`), in any case.
    fn from_str(text: &str) -> Result<Model, ParseModelError> {
        match text.to_ascii_lowercase().as_str() {
            "logistic" => Ok(Model::Logistic),
            "normalized" => Ok(Model::Normalized),
            "bayesian" | "bayeselo" => Ok(Model::BayesElo),
            _ => Err(ParseModelError(text.to_owned())),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Model::Logistic => "logistic",
            Model::Normalized => "normalized",
            Model::BayesElo => "bayesian",
        })
    }
}

/// Verdict of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Not decided: play on.
    Continue,
    /// The difference is `elo0` rather than `elo1`: the change fails.
    AcceptH0,
    /// The difference is `elo1` rather than `elo0`: the change passes.
    AcceptH1,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Verdict::Continue => "continue",
            Verdict::AcceptH0 => "H0",
            Verdict::AcceptH1 => "H1",
        })
    }
}

/// The LLR at which the test ends, at or below `lower` for H0, at or above `upper` for H1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// `ln(beta / (1 - alpha))`, below zero.
    pub lower: f64,
    /// `ln((1 - beta) / alpha)`, above zero.
    pub upper: f64,
}

/// Why hypotheses or error rates are invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses are equal, or in the wrong order.
    #[error("elo0 must be less than elo1, but {elo0} is not less than {elo1}")]
    Order {
        /// The lower hypothesis as given.
        elo0: f64,
        /// The upper hypothesis as given.
        elo1: f64,
    },
    /// A hypothesis is not finite, or beyond [`GREATEST_ELO`].
    #[error("elo0 and elo1 must lie between -{GREATEST_ELO} and {GREATEST_ELO}, but one is {0}")]
    Range(f64),
    /// An error rate is not above 0, or both sum to 1 or more.
    #[error("alpha and beta must be above 0 and sum to less than 1, but they are {alpha} and {beta}")]
    ErrorRates {
        /// The rate as given.
        alpha: f64,
        /// The rate as given.
        beta: f64,
    },
}

/// A sequential test with valid hypotheses and error rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

impl Sprt {
    /// The test of `elo0` against `elo1`, in the Elo of `model`.
    ///
    /// `alpha` is the probability to accept H1 where H0 is true, `beta` that to accept H0 where H1 is true.
    ///
    /// # Errors
    /// Where `elo0` is not below `elo1`, one of them is beyond [`GREATEST_ELO`], or the error rates are not
    /// positive with a sum below 1.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: Model) -> Result<Sprt, SprtError> {
        for elo in [elo0, elo1] {
            if !(-GREATEST_ELO..=GREATEST_ELO).contains(&elo) {
                return Err(SprtError::Range(elo));
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        let rates_are_sound = alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0;
        if !rates_are_sound {
            return Err(SprtError::ErrorRates { alpha, beta });
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// The lower hypothesis, in the model's Elo.
    pub fn elo0(&self) -> f64 {
        self.elo0
    }

    /// The upper hypothesis, in the model's Elo.
    pub fn elo1(&self) -> f64 {
        self.elo1
    }

    /// The probability to accept H1 where H0 is true.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The probability to accept H0 where H1 is true.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The unit of the hypotheses.
    pub fn model(&self) -> Model {
        self.model
    }

    /// Bounds of the LLR (A. Wald).
    pub fn bounds(&self) -> Bounds {
        Bounds { lower: (self.beta / (1.0 - self.alpha)).ln(), upper: ((1.0 - self.beta) / self.alpha).ln() }
    }

    /// The LLR of single games, taken as independent; 0 without games.
    ///
    /// In the BayesElo model also 0 as long as there is no win or no loss, because its draw rate is unknown
    /// until then.
    pub fn llr_of_games(&self, games: &Wdl) -> f64 {
        if games.games() == 0 {
            return 0.0;
        }
        let counts = games.by_points();
        match self.model {
            Model::Logistic => likelihood::logistic(&counts, self.elo0, self.elo1),
            Model::Normalized => likelihood::normalized(&counts, 1.0, self.elo0, self.elo1),
            Model::BayesElo => likelihood::bayes_elo(games, self.elo0, self.elo1),
        }
    }

    /// The LLR of pairs; 0 without pairs. `None` in the BayesElo model, which knows only single games.
    pub fn llr_of_pairs(&self, pairs: &Pentanomial) -> Option<f64> {
        if self.model == Model::BayesElo {
            return None;
        }
        if pairs.pairs() == 0 {
            return Some(0.0);
        }
        Some(match self.model {
            Model::Normalized => likelihood::normalized(&pairs.0, 2.0, self.elo0, self.elo1),
            _ => likelihood::logistic(&pairs.0, self.elo0, self.elo1),
        })
    }

    /// What a pair of each result adds to the LLR, where `pooled` are all pairs from which the spread is estimated.
    /// `None` in the BayesElo model, which knows only single games.
    pub fn pair_increments(&self, pooled: &Pentanomial) -> Option<[f64; 5]> {
        let frequencies = Frequencies::new(&pooled.0);
        match self.model {
            Model::Logistic => Some(frequencies.logistic_ratios(self.elo0, self.elo1)),
            Model::Normalized => Some(frequencies.normalized_ratios(2.0, self.elo0, self.elo1)),
            Model::BayesElo => None,
        }
    }

    /// The LLR of these counts; `None` for pairs in the BayesElo model.
    pub fn llr_of(&self, counts: &Counts) -> Option<f64> {
        match counts {
            Counts::Games(games) => Some(self.llr_of_games(games)),
            Counts::Pairs(pairs) => self.llr_of_pairs(pairs),
        }
    }

    /// Verdict of an LLR.
    pub fn verdict(&self, llr: f64) -> Verdict {
        let Bounds { lower, upper } = self.bounds();
        if llr >= upper {
            Verdict::AcceptH1
        } else if llr <= lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }
}
