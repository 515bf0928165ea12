//! A rating list of many players, numbered from 0, by maximum likelihood, with draws and White's advantage.
//!
//! The model ([`OutcomeModel`]) is Ordo's: the expected score is the logistic function of the rating difference plus
//! White's advantage, so 400 points are ten times the odds, as in match Elo. Draws follow Davidson's rule (in
//! proportion to the root of wins times losses). All parameters are fitted together by Fisher scoring, and the errors
//! come from the full covariance.

mod fit;
mod groups;
mod likelihood;
mod linked;
mod matrix;
mod outcome;
mod search;
mod simulation;

use crate::counts::Wdl;
use crate::elo::{Elo, Estimate};
use crate::normal::cdf;

pub use groups::groups;
use matrix::SymmetricMatrix;
pub use outcome::{OutcomeModel, Probabilities};
pub use simulation::{Replay, Simulation};

/// Games between two players with fixed colors. Several entries for the same players add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Player with White: an index below the number of players.
    pub white: usize,
    /// Player with Black: an index below the number of players.
    pub black: usize,
    /// Results from White's view.
    pub results: Wdl,
}

/// An anchor: a player with a known rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// An index below the number of players.
    pub player: usize,
    /// Known rating of the player.
    pub rating: Elo,
    /// Half-width of its 95% interval. 0 holds the rating fixed; otherwise the error is a prior.
    pub error: Elo,
}

/// Whether a parameter is fitted to the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter {
    /// Fitted together with the ratings.
    Fitted,
    /// Fixed at this value.
    Fixed(f64),
}

/// Source of a parameter that all games share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSource {
    /// Most likely value, fitted together with the ratings.
    Fitted,
    /// Given by the caller.
    Given,
    /// Not determined by the games; held as described at [`Ratings::fit`].
    Open,
}

/// Options of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingOptions {
    /// Known ratings. If empty, the ratings are centered on `average`.
    pub anchors: Vec<Anchor>,
    /// Mean of all ratings; ignored with anchors.
    pub average: Elo,
    /// White's advantage in Elo.
    pub white_advantage: Parameter,
    /// Share of draws between equal players, in (0, 1).
    pub draw_rate: Parameter,
}

impl Default for RatingOptions {
    /// No anchors, a mean of 0, White's advantage and the draw rate fitted.
    fn default() -> RatingOptions {
        RatingOptions {
            anchors: Vec::new(),
            average: Elo(0.0),
            white_advantage: Parameter::Fitted,
            draw_rate: Parameter::Fitted,
        }
    }
}

/// Why no list could be fitted.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RatingError {
    /// Unknown player in a pairing or anchor.
    #[error("player {player} does not exist: there are {players}, counted from 0")]
    UnknownPlayer {
        /// The index in the pairing or anchor.
        player: usize,
        /// The number of players.
        players: usize,
    },
    /// A pairing of a player with themselves.
    #[error("player {0} is paired with itself")]
    PlayedHimself(usize),
    /// Two anchors for one player.
    #[error("player {0} is anchored twice")]
    AnchoredTwice(usize),
    /// A rating, error or fixed parameter that is not finite or out of range.
    #[error("{value} is not a valid {what}")]
    BadNumber {
        /// Description of a valid value.
        what: &'static str,
        /// The invalid value.
        value: f64,
    },
    /// No two players took points from each other, directly or through others.
    #[error("no two players can be compared: each has taken all points from the others, or none")]
    NothingToCompare,
    /// The search found no maximum, even with White's advantage and the draw rate held.
    #[error(
        "the search for the most likely ratings came to no end: the games leave them open; anchor more players"
    )]
    NotConverged,
}

/// A player's place in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rating {
    /// A finite maximum of the likelihood; the error is relative to the anchors, or to the average.
    Rated(Estimate),
    /// The games allow no finite rating.
    Unrated(Unrated),
}

impl Rating {
    /// The rating; `None` if unrated.
    pub fn estimate(&self) -> Option<Estimate> {
        match self {
            Rating::Rated(estimate) => Some(*estimate),
            Rating::Unrated(_) => None,
        }
    }
}

/// Why a player has no rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unrated {
    /// Took points from the rated players and lost none to them, directly or through others.
    AboveAll,
    /// Lost points to the rated players and took none from them.
    BelowAll,
    /// No games connect the player with the rated ones.
    Unlinked,
}

/// A fitted rating list.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    players: Vec<Rating>,
    white_advantage: (Estimate, ParameterSource),
    draw_rate: (Estimate, ParameterSource),
    log_likelihood: f64,
    is_anchored: bool,
    /// Row of each player in `covariance`; `None` for held and unrated players.
    rows: Vec<Option<usize>>,
    /// Covariance of the ratings alone, in Elo².
    covariance: SymmetricMatrix,
}

impl Ratings {
    /// Rates players 0 to `players` - 1 by their games.
    ///
    /// Only players comparable with the anchors are rated (without anchors: the group with most games): each took
    /// points from the group and lost points to it. Games with other players carry no information about the group and
    /// are ignored. If no anchor is comparable with anyone, the list is fitted as without anchors, see
    /// [`Ratings::is_anchored`].
    ///
    /// The games may leave two parameters undetermined. If they cannot separate White's advantage from the ratings
    /// (or White made all points, or none), it is held at 0. If there are draws but the stronger side never lost, the
    /// draw rate between equals would go to 1, since losses that never happen are then most likely: it is held at the
    /// share of draws of all games (with draws alone, as if one more game had been decided). The ratings hardly
    /// change, since they balance scored and expected points at any rate of draws, but the errors of a lucky score
    /// would be too small. Without draws the rate is fitted as 0.
    ///
    /// Time grows with the cube of the number of players and with the number of pairings; 500 players and 100,000
    /// games take half a second.
    ///
    /// # Errors
    /// If the input is inconsistent, or no players are comparable.
    pub fn fit(
        players: usize,
        pairings: &[Pairing],
        options: &RatingOptions,
    ) -> Result<Ratings, RatingError> {
        fit::fit(players, pairings, options)
    }

    /// Rating of each player, in the order of their numbers.
    pub fn players(&self) -> &[Rating] {
        &self.players
    }

    /// White's advantage in Elo.
    pub fn white_advantage(&self) -> Estimate {
        self.white_advantage.0
    }

    /// Whether White's advantage was fitted, given, or left open.
    pub fn white_advantage_source(&self) -> ParameterSource {
        self.white_advantage.1
    }

    /// Share of draws between equal players, in [0, 1]. The error is `None` if it was held.
    pub fn draw_rate(&self) -> Estimate {
        self.draw_rate.0
    }

    /// Whether the draw rate was fitted, given, or left open.
    pub fn draw_rate_source(&self) -> ParameterSource {
        self.draw_rate.1
    }

    /// Whether anchors fix the scale. If no anchor is comparable with anyone (such as one that won all its games),
    /// the others are rated around the average.
    pub fn is_anchored(&self) -> bool {
        self.is_anchored
    }

    /// Log-likelihood of the games that were used.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The fitted model, for predictions.
    pub fn model(&self) -> OutcomeModel {
        OutcomeModel { white_advantage: Elo(self.white_advantage().value), draw_rate: self.draw_rate().value }
    }

    /// Elo difference of `first` over `second`, with the error of the difference (which is not the sum of both
    /// errors). `None` if one of them is unrated or does not exist.
    pub fn difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let (value, variance) = self.difference_and_variance(first, second)?;
        Some(Estimate { value, error: Some(crate::normal::Z_95 * variance.sqrt()) })
    }

    /// Likelihood of superiority: the probability, in [0, 1], that `first` is stronger than `second`. `None` if one
    /// of them is unrated or does not exist.
    pub fn los(&self, first: usize, second: usize) -> Option<f64> {
        let (value, variance) = self.difference_and_variance(first, second)?;
        Some(if value == 0.0 { 0.5 } else { cdf(value / variance.sqrt()) })
    }

    fn difference_and_variance(&self, first: usize, second: usize) -> Option<(f64, f64)> {
        let value = self.rating(first)? - self.rating(second)?;
        let (first, second) = (self.rows[first], self.rows[second]);
        let covariance = |row: Option<usize>, column: Option<usize>| match (row, column) {
            (Some(row), Some(column)) => self.covariance.get(row, column),
            _ => 0.0,
        };
        let variance =
            covariance(first, first) + covariance(second, second) - 2.0 * covariance(first, second);
        Some((value, variance.max(0.0)))
    }

    fn rating(&self, player: usize) -> Option<f64> {
        Some(self.players.get(player)?.estimate()?.value)
    }
}
