//! The sequential probability ratio test: is the entrant better by `elo1`, or only by `elo0`?
//!
//! After each game or pair the log-likelihood ratio (LLR) of the two hypotheses is compared with two bounds; the test
//! stops when it crosses one (A. Wald, *Sequential Tests of Statistical Hypotheses*, 1945). Parameters that the
//! hypotheses leave open (draw rate, spread) are estimated under each: the generalized test of M. Van den Bergh's
//! notes for fishtest.

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

/// Largest absolute value of a hypothesis, in the model's Elo.
///
/// Beyond it the expected scores are practically 0 or 1.
pub const GREATEST_ELO: f64 = 1000.0;

/// Unit of the hypotheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Model {
    /// Elo of the expected score, as in rating lists.
    Logistic,
    /// Normalized Elo: the score in standard deviations of a game. The length of the test then does not depend on the
    /// draw rate.
    Normalized,
    /// BayesElo, with a draw rate estimated from the sample. Single games only.
    BayesElo,
}

/// A word other than `logistic`, `normalized` and `bayesian`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown SPRT model `{0}`: the models are logistic, normalized and bayesian")]
pub struct ParseModelError(String);

impl FromStr for Model {
    type Err = ParseModelError;

    /// Parses fastchess's words: `logistic`, `normalized`, `bayesian` (or `bayeselo`), in any case.
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
    /// Undecided: continue.
    Continue,
    /// The change fails: `elo0` is accepted.
    AcceptH0,
    /// The change passes: `elo1` is accepted.
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

/// LLR bounds: the test accepts H0 at or below `lower`, H1 at or above `upper`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// `ln(beta / (1 - alpha))`, negative.
    pub lower: f64,
    /// `ln((1 - beta) / alpha)`, positive.
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
    /// A test of `elo0` against `elo1`, in the Elo of `model`.
    ///
    /// `alpha` is the probability of accepting H1 if H0 is true, `beta` that of accepting H0 if H1 is true.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, one of them is beyond [`GREATEST_ELO`], or the error rates are not positive
    /// with a sum below 1.
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

    /// Probability of accepting H1 if H0 is true.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Probability of accepting H0 if H1 is true.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The unit of the hypotheses.
    pub fn model(&self) -> Model {
        self.model
    }

    /// LLR bounds (A. Wald).
    pub fn bounds(&self) -> Bounds {
        Bounds { lower: (self.beta / (1.0 - self.alpha)).ln(), upper: ((1.0 - self.beta) / self.alpha).ln() }
    }

    /// LLR of single games as independent; 0 without games.
    ///
    /// In the BayesElo model also 0 without a win or without a loss, since the draw rate is then unknown.
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

    /// LLR of pairs; 0 without pairs. `None` in the BayesElo model, which has single games only.
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

    /// LLR increment of a pair of each result, with the spread estimated from `pooled`. `None` in the BayesElo model,
    /// which has single games only.
    pub fn pair_increments(&self, pooled: &Pentanomial) -> Option<[f64; 5]> {
        let frequencies = Frequencies::new(&pooled.0);
        match self.model {
            Model::Logistic => Some(frequencies.logistic_ratios(self.elo0, self.elo1)),
            Model::Normalized => Some(frequencies.normalized_ratios(2.0, self.elo0, self.elo1)),
            Model::BayesElo => None,
        }
    }

    /// LLR of these counts; `None` for pairs in the BayesElo model.
    pub fn llr_of(&self, counts: &Counts) -> Option<f64> {
        match counts {
            Counts::Games(games) => Some(self.llr_of_games(games)),
            Counts::Pairs(pairs) => self.llr_of_pairs(pairs),
        }
    }

    /// Verdict at an LLR.
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
