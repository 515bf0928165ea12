//! The search for the most likely ratings: Fisher scoring over ratings, White's advantage and draw rate at once.
//!
//! Works in log-odds around the mean of the anchors (or the requested average), where all parameters are of order
//! one. A diverging parameter shows that there is no maximum.

use super::likelihood::{Direction, Likelihood};
use super::matrix::SymmetricMatrix;
use super::outcome::{DrawOdds, LOG_ODDS_PER_ELO, Slopes};
use super::{Anchor, Pairing, Parameter, RatingOptions, Ratings};
use crate::counts::Wdl;
use crate::elo::Estimate;
use crate::normal::Z_95;

/// Maximum number of steps.
const STEPS: usize = 200;

/// The search has converged when no parameter moves by more than this (in log-odds; a millionth of an Elo).
const REST: f64 = 1e-9;

/// Largest change of a parameter in one step.
const LONGEST_STEP: f64 = 2.0;

/// Log-odds beyond which a parameter counts as diverging: over 10,000 Elo.
const AWAY: f64 = 60.0;

/// How a rating is determined.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RatingSource {
    /// A parameter of the search.
    Free(usize),
    /// Held at this value, in log-odds.
    Held(f64),
    /// Unrated.
    Out,
}

/// A parameter that all games share.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SharedParameter {
    Free(usize),
    Held(f64),
}

impl SharedParameter {
    fn value(self, parameters: &[f64]) -> f64 {
        match self {
            SharedParameter::Free(index) => parameters[index],
            SharedParameter::Held(value) => value,
        }
    }

    fn index(self) -> Option<usize> {
        match self {
            SharedParameter::Free(index) => Some(index),
            SharedParameter::Held(_) => None,
        }
    }
}

/// Parameters that all games share: fitted or held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SharedParameters {
    /// White's advantage, in Elo.
    pub(super) white_advantage: Parameter,
    /// Draw rate between equals, in (0, 1).
    pub(super) draw_rate: Parameter,
}

/// A prior from an anchor with an error: `(parameter, value, 1 / variance)`.
type Pull = (usize, f64, f64);

pub(super) struct LikelihoodProblem<'games> {
    pairings: &'games [Pairing],
    places: Vec<RatingSource>,
    ratings: usize,
    white_advantage: SharedParameter,
    draw_odds: SharedParameter,
    pulls: Vec<Pull>,
    /// Zero of the log-odds, in Elo.
    origin: f64,
    start: Vec<f64>,
}

/// Where the likelihood has its maximum.
pub(super) struct Maximum {
    parameters: Vec<f64>,
    state: Likelihood,
}

/// Most likely values without errors; ratings and advantage in Elo, the draw rate in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParameterValues {
    pub(super) players: Vec<Option<f64>>,
    pub(super) white_advantage: f64,
    pub(super) draw_rate: f64,
}

pub(super) struct Solution {
    places: Vec<RatingSource>,
    origin: f64,
    parameters: Vec<f64>,
    pub(super) rows: Vec<Option<usize>>,
    pub(super) covariance: SymmetricMatrix,
    pub(super) white_advantage: Estimate,
    pub(super) draw_rate: Estimate,
    pub(super) log_likelihood: f64,
}

impl<'games> LikelihoodProblem<'games> {
    pub(super) fn new(
        rated: &[bool],
        pairings: &'games [Pairing],
        options: &RatingOptions,
        shared: SharedParameters,
    ) -> LikelihoodProblem<'games> {
        let anchors = &options.anchors;
        let origin = if anchors.is_empty() {
            options.average.0
        } else {
            anchors.iter().map(|anchor| anchor.rating.0).sum::<f64>() / anchors.len() as f64
        };
        let in_log_odds = |anchor: &Anchor| (anchor.rating.0 - origin) * LOG_ODDS_PER_ELO;
        let mut places = vec![RatingSource::Out; rated.len()];
        for anchor in anchors.iter().filter(|anchor| anchor.error.0 == 0.0) {
            places[anchor.player] = RatingSource::Held(in_log_odds(anchor));
        }
        let mut ratings = 0;
        for (place, _) in
            places.iter_mut().zip(rated).filter(|(place, rated)| **rated && **place == RatingSource::Out)
        {
            *place = RatingSource::Free(ratings);
            ratings += 1;
        }
        let pulls = anchors.iter().filter_map(|anchor| match places[anchor.player] {
            RatingSource::Free(row) => {
                let deviation = anchor.error.0 / Z_95 * LOG_ODDS_PER_ELO;
                Some((row, in_log_odds(anchor), deviation.powi(-2)))
            }
            _ => None,
        });
        let pulls: Vec<Pull> = pulls.collect();
        let mut start = vec![0.0; ratings];
        for &(row, value, _) in &pulls {
            start[row] = value;
        }
        let white_advantage = match shared.white_advantage {
            Parameter::Fixed(elo) => SharedParameter::Held(elo * LOG_ODDS_PER_ELO),
            Parameter::Fitted => push(&mut start, 0.0),
        };
        let draw_odds = draw_odds(shared.draw_rate, pairings, &mut start);
        LikelihoodProblem { pairings, places, ratings, white_advantage, draw_odds, pulls, origin, start }
    }

    /// Without an anchor the likelihood does not change when all ratings shift together.
    fn floats(&self) -> bool {
        self.pulls.is_empty() && !self.places.iter().any(|place| matches!(place, RatingSource::Held(_)))
    }

    /// Starts the search from these ratings.
    pub(super) fn begin_at(&mut self, guess: &Ratings) {
        for (player, place) in self.places.iter().enumerate() {
            if let (RatingSource::Free(row), Some(elo)) = (*place, guess.rating(player)) {
                self.start[row] = (elo - self.origin) * LOG_ODDS_PER_ELO;
            }
        }
        if let SharedParameter::Free(index) = self.white_advantage {
            self.start[index] = guess.white_advantage().value * LOG_ODDS_PER_ELO;
        }
        let rate = guess.draw_rate().value;
        if let SharedParameter::Free(index) = self.draw_odds
            && 0.0 < rate
            && rate < 1.0
        {
            self.start[index] = DrawOdds::from_rate(rate).0;
        }
    }

    /// Finds the maximum; `None` if there is none.
    pub(super) fn solve(&self) -> Option<Maximum> {
        let mut parameters = self.start.clone();
        let mut state = self.evaluate(&parameters);
        for _ in 0..STEPS {
            let step = state.information.factor()?.solve(&state.gradient);
            let longest = step.iter().fold(0.0, |longest: f64, part| longest.max(part.abs()));
            let mut scale = (LONGEST_STEP / longest).min(1.0);
            let (next, next_state) = loop {
                let next: Vec<f64> =
                    parameters.iter().zip(&step).map(|(old, part)| old + scale * part).collect();
                let next_state = self.evaluate(&next);
                let is_no_worse = next_state.objective >= state.objective - 1e-12 * state.objective.abs();
                if is_no_worse || scale * longest < REST {
                    break (next, next_state);
                }
                scale *= 0.5;
            };
            (parameters, state) = (next, next_state);
            if parameters.iter().any(|value| value.is_nan() || value.abs() > AWAY) {
                return None;
            }
            if longest < REST {
                return Some(Maximum { parameters, state });
            }
        }
        None
    }

    fn evaluate(&self, parameters: &[f64]) -> Likelihood {
        let mut state = Likelihood::new(parameters.len());
        let advantage = self.white_advantage.value(parameters);
        let draw_odds = DrawOdds(self.draw_odds.value(parameters));
        for pairing in self.pairings {
            let (white, black) = (self.places[pairing.white], self.places[pairing.black]);
            let log_odds = rating(white, parameters) - rating(black, parameters) + advantage;
            let slopes = Slopes::at(log_odds, draw_odds);
            let influences = [
                (index(white), 1.0, Direction::LogOdds),
                (index(black), -1.0, Direction::LogOdds),
                (self.white_advantage.index(), 1.0, Direction::LogOdds),
                (self.draw_odds.index(), 1.0, Direction::DrawOdds),
            ];
            state.add_games(&pairing.results, &slopes, &influences);
        }
        for &(row, value, precision) in &self.pulls {
            state.add_prior(row, parameters[row] - value, precision);
        }
        if self.floats() {
            self.fasten(&mut state);
        }
        state
    }

    /// Makes the common shift of all ratings as stiff as a rating, without changing any difference.
    fn fasten(&self, state: &mut Likelihood) {
        let stiffness = self.stiffness(&state.information);
        for row in 0..self.ratings {
            for column in 0..=row {
                state.information.add(row, column, stiffness);
            }
        }
        let drift = state.gradient[..self.ratings].iter().sum::<f64>() / self.ratings as f64;
        state.gradient[..self.ratings].iter_mut().for_each(|part| *part -= drift);
    }

    fn stiffness(&self, information: &SymmetricMatrix) -> f64 {
        let trace: f64 = (0..self.ratings).map(|row| information.get(row, row)).sum();
        trace / (self.ratings * self.ratings) as f64
    }

    /// Ratings at the maximum, without errors, which take most of the time.
    pub(super) fn values(&self, maximum: &Maximum) -> ParameterValues {
        let Maximum { parameters, .. } = maximum;
        let elo = |place: RatingSource| self.origin + rating(place, parameters) / LOG_ODDS_PER_ELO;
        ParameterValues {
            players: self
                .places
                .iter()
                .map(|&place| (place != RatingSource::Out).then(|| elo(place)))
                .collect(),
            white_advantage: self.white_advantage.value(parameters) / LOG_ODDS_PER_ELO,
            draw_rate: DrawOdds(self.draw_odds.value(parameters)).rate(),
        }
    }

    /// Ratings at the maximum with their covariance.
    pub(super) fn conclude(self, maximum: Maximum) -> Option<Solution> {
        let Maximum { parameters, state } = maximum;
        let inverse = state.information.factor()?.inverse();
        let rows: Vec<Option<usize>> = self.places.iter().map(|&place| index(place)).collect();
        let slack = if self.floats() { self.slack(&inverse) } else { 0.0 };
        let mut covariance = SymmetricMatrix::zeros(self.ratings);
        for row in 0..self.ratings {
            for column in 0..=row {
                let value = (inverse.get(row, column) - slack) / LOG_ODDS_PER_ELO.powi(2);
                covariance.add(row, column, value);
            }
        }
        let deviation =
            |shared: SharedParameter| shared.index().map(|index| inverse.get(index, index).sqrt());
        let advantage = self.white_advantage.value(&parameters) / LOG_ODDS_PER_ELO;
        let rate = DrawOdds(self.draw_odds.value(&parameters)).rate();
        Some(Solution {
            white_advantage: Estimate {
                value: advantage,
                error: deviation(self.white_advantage).map(|deviation| Z_95 * deviation / LOG_ODDS_PER_ELO),
            },
            draw_rate: Estimate {
                value: rate,
                error: deviation(self.draw_odds).map(|deviation| Z_95 * deviation * rate * (1.0 - rate)),
            },
            log_likelihood: state.of_games,
            places: self.places,
            origin: self.origin,
            parameters,
            rows,
            covariance,
        })
    }

    /// Variance of the mean rating, which `fasten` added to every covariance although the mean is known exactly.
    fn slack(&self, inverse: &SymmetricMatrix) -> f64 {
        let cells = (0..self.ratings).flat_map(|row| (0..self.ratings).map(move |column| (row, column)));
        cells.map(|(row, column)| inverse.get(row, column)).sum::<f64>()
            / (self.ratings * self.ratings) as f64
    }
}

impl Solution {
    pub(super) fn rating(&self, player: usize) -> Estimate {
        let place = self.places[player];
        let value = self.origin + rating(place, &self.parameters) / LOG_ODDS_PER_ELO;
        match place {
            RatingSource::Free(row) => {
                Estimate { value, error: Some(Z_95 * self.covariance.get(row, row).max(0.0).sqrt()) }
            }
            _ => Estimate::exact(value),
        }
    }
}

fn push(parameters: &mut Vec<f64>, value: f64) -> SharedParameter {
    parameters.push(value);
    SharedParameter::Free(parameters.len() - 1)
}

fn rating(place: RatingSource, parameters: &[f64]) -> f64 {
    match place {
        RatingSource::Free(row) => parameters[row],
        RatingSource::Held(value) => value,
        RatingSource::Out => 0.0,
    }
}

fn index(place: RatingSource) -> Option<usize> {
    match place {
        RatingSource::Free(row) => Some(row),
        _ => None,
    }
}

/// Without draws the most likely rate is 0.
fn draw_odds(wanted: Parameter, pairings: &[Pairing], start: &mut Vec<f64>) -> SharedParameter {
    let total: Wdl = pairings.iter().map(|pairing| pairing.results).sum();
    match wanted {
        Parameter::Fixed(rate) => SharedParameter::Held(DrawOdds::from_rate(rate).0),
        Parameter::Fitted if total.draws == 0 => SharedParameter::Held(f64::NEG_INFINITY),
        Parameter::Fitted => push(start, DrawOdds::from_rate(total.draws as f64 / total.games() as f64).0),
    }
}
