//! One rating list for many players, numbered from 0, by maximum likelihood, with draws and White's advantage.
//!
//! The model ([`OutcomeModel`]) is Ordo's: the expected score is the logistic function of the difference in
//! rating plus White's advantage, so that 400 points are ten times the odds, as in a match's Elo; Davidson's rule
//! (draws in proportion to the root of wins times losses) gives the draws. All parameters are fitted together by
//! Fisher scoring, and the errors come from the full covariance.
//!
//! Ordo itself only equates expected and scored points, and stretches its scale so that 202 points are 76%
//! (`-z 202`), 0.9% more than here; apart from that scale both agree to a few hundredths of a point. BayesElo's
//! model (Rao and Kupper's) has another curve far from equality, hence other ratings for lopsided results.

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

/// Games between two players with fixed colors. Several entries for the same players simply add up.
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
    /// Half-width of its 95% interval. At 0 the rating is held; else it may move as far as its error lets it.
    pub error: Elo,
}

/// Whether a parameter is learned from the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter {
    /// Fitted together with the ratings.
    Fitted,
    /// Held at this value.
    Fixed(f64),
}

/// Where the value of a parameter that all games share comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterSource {
    /// It is the most likely one, fitted together with the ratings.
    Fitted,
    /// The caller held it.
    Given,
    /// The games leave it open, and it is held where [`Ratings::fit`] says.
    Open,
}

/// Options of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingOptions {
    /// Known ratings. With none, the ratings are centered on `average`.
    pub anchors: Vec<Anchor>,
    /// The mean of all ratings; not used when there are anchors.
    pub average: Elo,
    /// White's advantage in Elo.
    pub white_advantage: Parameter,
    /// The share of draws between equal players, in (0, 1).
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

/// Why no list can be fitted.
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
    /// A pairing of a player with himself.
    #[error("player {0} cannot have played himself")]
    PlayedHimself(usize),
    /// Two anchors for one player.
    #[error("player {0} is anchored twice")]
    AnchoredTwice(usize),
    /// A rating, error or fixed parameter that is not finite or outside its range.
    #[error("{value} is no {what}")]
    BadNumber {
        /// What the number should have been.
        what: &'static str,
        /// The number that is invalid.
        value: f64,
    },
    /// No two players have each taken points from the other, directly or through others.
    #[error("no two players can be compared: each has taken all points from the others, or none")]
    NothingToCompare,
    /// The likelihood has no maximum that the search could find, even with White's advantage and the draw rate held.
    #[error(
        "the search for the most likely ratings came to no end: the games leave them open; anchor more players"
    )]
    NotConverged,
}

/// A player's place in the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rating {
    /// A finite maximum of the likelihood; the error is that against the anchors, or against the average.
    Rated(Estimate),
    /// The games admit no finite rating.
    Unrated(Unrated),
}

impl Rating {
    /// The rating, where there is one.
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
    /// Took points from the rated players, and they took none back, even by way of others: above them all.
    AboveAll,
    /// The rated players took points from this one, who took none back: below them all.
    BelowAll,
    /// No games connect this player with the rated ones.
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
    /// In Elo², of ratings only.
    covariance: SymmetricMatrix,
}

impl Ratings {
    /// Rates `players` players, counted from 0, by their games.
    ///
    /// Rated are those who can be compared with the anchors (without anchors: the group with most games): each
    /// has taken points from the group and lost points to it. Games with others say nothing about the group
    /// and are left out. Where no anchor can be compared with anybody it is as if there were none, see
    /// [`Ratings::is_anchored`].
    ///
    /// Two parameters may be left open by the games. Where these cannot tell White's advantage from the ratings (or
    /// White made all points, or none) it is held at 0. Where there are draws, but the stronger side never lost, the
    /// draw rate between equals would go to 1, as losses that never happen are then most likely: it is held at the
    /// share of draws of all games (with draws alone, as if one more game had been decided), which hardly touches the
    /// ratings, since they balance scored and expected points at any rate of draws, but keeps a lucky sheet from
    /// looking surer than it is. Without draws the rate is fitted as 0.
    ///
    /// The work grows with the cube of the number of players and with the number of pairings; 500 players and 100,000
    /// games take half a second.
    ///
    /// # Errors
    /// Where the input is inconsistent, or nobody can be compared with anybody.
    pub fn fit(
        players: usize,
        pairings: &[Pairing],
        options: &RatingOptions,
    ) -> Result<Ratings, RatingError> {
        fit::fit(players, pairings, options)
    }

    /// Each player's place, in the order of their numbers.
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

    /// The share of draws between equal players, in [0, 1]. The error is `None` where it was held.
    pub fn draw_rate(&self) -> Estimate {
        self.draw_rate.0
    }

    /// Whether the draw rate was fitted, given, or left open.
    pub fn draw_rate_source(&self) -> ParameterSource {
        self.draw_rate.1
    }

    /// Whether anchors hold the scale. Where no anchor can be compared with anybody (as one that won all its games) the
    /// others are rated around the average.
    pub fn is_anchored(&self) -> bool {
        self.is_anchored
    }

    /// The logarithm of the probability of the games that were used.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// The fitted model, to predict games with.
    pub fn model(&self) -> OutcomeModel {
        OutcomeModel { white_advantage: Elo(self.white_advantage().value), draw_rate: self.draw_rate().value }
    }

    /// How much stronger `first` is than `second`, in Elo, with the error of the difference (which is not the
    /// sum of both errors). `None` where one of them is unrated or does not exist.
    pub fn difference(&self, first: usize, second: usize) -> Option<Estimate> {
        let (value, variance) = self.difference_and_variance(first, second)?;
        Some(Estimate { value, error: Some(crate::normal::Z_95 * variance.sqrt()) })
    }

    /// Likelihood of superiority: how probable it is, in [0, 1], that `first` is stronger than `second`.
    /// `None` where one of them is unrated or does not exist.
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
