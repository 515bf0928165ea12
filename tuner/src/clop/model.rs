//! The landscape of CLOP: Elo as a quadratic function of the parameters, fitted to games by weighted logistic regression. Each
//! choice of a categorical parameter has an Elo value. Differences of Elo alone are known, since points play each other.

use std::f64::consts::LN_10;

use rand_chacha::ChaCha8Rng;

use super::{Round, normal};
use crate::optimizer::{factorize, solve};
use crate::tuning::{ColumnKind, TunableParam, unit};

/// Slope of the logistic curve: the logit of the expected score for each Elo.
const LOGIT_PER_ELO: f64 = LN_10 / 400.0;

/// Standard deviation of each coefficient before the first game, in Elo: numbers are scaled to −1 to 1.
const PRIOR: f64 = 120.0;

/// Newton steps of a fit.
const NEWTON_STEPS: usize = 4;

/// Exponent of the age of a round: round k of n has the weight (k/n)^AGING, since early rounds lie far from the best point.
/// Weights by the fitted Elo would depend on the luck of the games that they weigh, and lead astray.
const AGING: f64 = 0.3;

/// Prior of the draw rate: number of pseudo-games, half of them drawn.
const PRIOR_GAMES: f64 = 8.0;

/// Largest number of passes over the parameters in the search for the best point.
const PASSES: usize = 300;

/// Elo below the best point at which points are 1/e as frequent, in standard errors of the Elo of all games.
const WIDTH: f64 = 4.0;

/// Steps of each parameter between a point that is drawn and the best one, and between two of those that are averaged.
const STEPS: usize = 30;

/// Points whose mean is the estimate.
const AVERAGED: usize = 400;

pub(crate) struct Landscape<'a> {
    parameters: &'a [TunableParam],
    coefficients: Vec<f64>,
    /// Cholesky factor of the inverse covariance of the coefficients.
    factor: Vec<f64>,
    /// Elo below the best point at which points are 1/e as frequent.
    width: f64,
    best: Vec<f64>,
}

impl<'a> Landscape<'a> {
    /// Fits the landscape to the games of these rounds.
    pub(crate) fn fit(parameters: &'a [TunableParam], rounds: &[Round]) -> Landscape<'a> {
        let size = feature_count(parameters);
        let games: u64 = rounds.iter().flat_map(|round| round.games).sum();
        let decided: u64 = rounds.iter().map(|round| round.games[0] + round.games[2]).sum();
        let dispersion = (decided as f64 + PRIOR_GAMES / 2.0) / (games as f64 + PRIOR_GAMES);
        let error = 2.0 * dispersion.sqrt() / (LOGIT_PER_ELO * (games as f64).max(1.0).sqrt());
        let mut landscape = Landscape {
            parameters,
            coefficients: vec![0.0; size],
            factor: vec![0.0; size * size],
            width: WIDTH * error,
            best: parameters.iter().map(|parameter| parameter.start).collect(),
        };
        let rows: Vec<Row> = rounds.iter().map(|round| Row::new(parameters, round)).collect();
        let count = rounds.len() as f64;
        let weights: Vec<f64> = (1..=rounds.len()).map(|index| (index as f64 / count).powf(AGING)).collect();
        for _ in 0..NEWTON_STEPS {
            landscape.newton_step(&rows, &weights, dispersion);
        }
        landscape.best = landscape.highest(&landscape.coefficients);
        landscape
    }

    /// One Newton step of the penalized log-likelihood.
    fn newton_step(&mut self, rows: &[Row], weights: &[f64], dispersion: f64) {
        let size = self.coefficients.len();
        let penalty = 1.0 / (PRIOR * PRIOR);
        let mut matrix = vec![0.0; size * size];
        let mut gradient: Vec<f64> = self.coefficients.iter().map(|value| -penalty * value).collect();
        for index in 0..size {
            matrix[index * size + index] = penalty;
        }
        for (row, weight) in rows.iter().zip(weights) {
            let lead: f64 = row.features.iter().zip(&self.coefficients).map(|(a, b)| a * b).sum();
            let expected = 1.0 / (1.0 + (-LOGIT_PER_ELO * lead).exp());
            let scale = weight * row.games * LOGIT_PER_ELO / dispersion;
            let pull = scale * (row.score - expected);
            let curvature = scale * LOGIT_PER_ELO * expected * (1.0 - expected);
            for (index, feature) in row.features.iter().enumerate() {
                gradient[index] += pull * feature;
                let by = curvature * feature;
                for (cell, other) in matrix[index * size..].iter_mut().zip(&row.features[..=index]) {
                    *cell += by * other;
                }
            }
        }
        assert!(factorize(&mut matrix, size), "the penalty makes the matrix positive definite");
        solve(&matrix, size, &mut gradient);
        for (value, step) in self.coefficients.iter_mut().zip(gradient) {
            *value += step;
        }
        self.factor = matrix;
    }

    /// The point where the fitted landscape is highest. The estimate is steadier.
    pub(super) fn best(&self) -> &[f64] {
        &self.best
    }

    /// Elo of a point, less a constant.
    fn elo(&self, point: &[f64]) -> f64 {
        let features = features(self.parameters, point);
        features.iter().zip(&self.coefficients).map(|(a, b)| a * b).sum()
    }

    /// Elo of a point over another, and its standard error.
    pub(crate) fn difference(&self, point: &[f64], other: &[f64]) -> (f64, f64) {
        let row = difference(self.parameters, point, other);
        let lead = row.iter().zip(&self.coefficients).map(|(a, b)| a * b).sum();
        let mut solved = row.clone();
        solve(&self.factor, row.len(), &mut solved);
        let variance: f64 = row.iter().zip(&solved).map(|(a, b)| a * b).sum();
        (lead, variance.max(0.0).sqrt())
    }

    /// Sampling weight of a point: 1 at the optimum, less below it.
    fn frequency(&self, point: &[f64]) -> f64 {
        ((self.elo(point) - self.elo(&self.best)) / self.width).min(0.0).exp()
    }

    /// A random point near the best one (Metropolis).
    pub(super) fn draw(&self, random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut point = self.best.clone();
        self.walk(&mut point, random);
        point
    }

    fn walk(&self, point: &mut [f64], random: &mut ChaCha8Rng) {
        let mut frequency = self.frequency(point);
        for _ in 0..STEPS {
            for (index, parameter) in self.parameters.iter().enumerate() {
                let old = point[index];
                point[index] = parameter.at(unit(random));
                let moved = self.frequency(point);
                if moved >= frequency * unit(random) {
                    frequency = moved;
                } else {
                    point[index] = old;
                }
            }
        }
    }

    /// The best point as Coulom estimates it: the mean of the points near the highest one; of categorical parameters the
    /// choice with the most Elo. Whole numbers are rounded.
    pub(crate) fn estimate(&self, random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut sum = vec![0.0; self.parameters.len()];
        let mut point = self.best.clone();
        for _ in 0..AVERAGED {
            self.walk(&mut point, random);
            sum.iter_mut().zip(&point).for_each(|(sum, value)| *sum += value);
        }
        let mean = |(index, parameter): (usize, &TunableParam)| match parameter.kind {
            ColumnKind::Choice => self.best[index],
            ColumnKind::Float => sum[index] / AVERAGED as f64,
            ColumnKind::Int => (sum[index] / AVERAGED as f64).round(),
        };
        self.parameters.iter().enumerate().map(mean).collect()
    }

    /// The best point of a random landscape among those that the games allow.
    pub(super) fn draw_best(&self, random: &mut ChaCha8Rng) -> Vec<f64> {
        let size = self.coefficients.len();
        let mut noise: Vec<f64> = (0..size).map(|_| normal(random)).collect();
        // The solution x of Lᵀ·x = noise has the covariance (L·Lᵀ)⁻¹.
        for row in (0..size).rev() {
            noise[row] /= self.factor[row * size + row];
            let by = noise[row];
            for (rest, cell) in noise[..row].iter_mut().zip(&self.factor[row * size..]) {
                *rest -= by * cell;
            }
        }
        let drawn: Vec<f64> = self.coefficients.iter().zip(noise).map(|(a, b)| a + b).collect();
        self.highest(&drawn)
    }

    /// The point where these coefficients give the most Elo: the best of several searches along one parameter at a time.
    fn highest(&self, coefficients: &[f64]) -> Vec<f64> {
        let quadratic = Quadratic::new(self.parameters, coefficients);
        let count = quadratic.linear.len();
        let mut best: Option<(f64, Vec<f64>)> = None;
        for start in 0..=4 {
            let from = match start {
                0 => vec![0.0; count],
                _ => {
                    (0..count).map(|index| if (start >> (index % 2)) & 1 == 0 { -0.7 } else { 0.7 }).collect()
                }
            };
            let (value, point) = quadratic.climb(from);
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, point));
            }
        }
        let (_, numbers) = best.expect("there is a start");
        let mut numbers = numbers.into_iter();
        let mut at = count + count * (count + 1) / 2;
        let value = |parameter: &TunableParam| {
            if parameter.kind != ColumnKind::Choice {
                return parameter.at((numbers.next().expect("one for each number") + 1.0) / 2.0);
            }
            let choices = &coefficients[at..at + parameter.choices.len()];
            at += choices.len();
            let most = choices.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            most.map_or(0.0, |(index, _)| index as f64)
        };
        self.parameters.iter().map(value).collect()
    }
}

/// The quadratic part of a landscape, in scaled numbers.
struct Quadratic {
    linear: Vec<f64>,
    /// Row by row; the halves of mixed terms stand on both sides.
    matrix: Vec<f64>,
}

impl Quadratic {
    fn new(parameters: &[TunableParam], coefficients: &[f64]) -> Quadratic {
        let count = parameters.iter().filter(|parameter| parameter.kind != ColumnKind::Choice).count();
        let mut matrix = vec![0.0; count * count];
        let mut at = count;
        for row in 0..count {
            for column in 0..=row {
                matrix[row * count + column] += coefficients[at] / 2.0;
                matrix[column * count + row] += coefficients[at] / 2.0;
                at += 1;
            }
        }
        Quadratic { linear: coefficients[..count].to_vec(), matrix }
    }

    /// The best point that is reached by moving one number at a time, and its Elo.
    fn climb(&self, mut point: Vec<f64>) -> (f64, Vec<f64>) {
        let count = point.len();
        for _ in 0..PASSES {
            let mut moved: f64 = 0.0;
            for index in 0..count {
                let row = &self.matrix[index * count..][..count];
                let mixed: f64 =
                    row.iter().zip(&point).map(|(a, b)| a * b).sum::<f64>() - row[index] * point[index];
                let (slope, curvature) = (self.linear[index] + 2.0 * mixed, row[index]);
                let top = if curvature < 0.0 {
                    (-slope / (2.0 * curvature)).clamp(-1.0, 1.0)
                } else if slope < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                moved = moved.max((top - point[index]).abs());
                point[index] = top;
            }
            if moved < 1e-4 {
                break;
            }
        }
        let mut value = 0.0;
        for index in 0..count {
            let row = &self.matrix[index * count..][..count];
            let mixed: f64 = row.iter().zip(&point).map(|(a, b)| a * b).sum();
            value += point[index] * (self.linear[index] + mixed);
        }
        (value, point)
    }
}

/// A round as the regression takes it.
struct Row {
    features: Vec<f64>,
    games: f64,
    /// Mean score of the first point.
    score: f64,
}

impl Row {
    fn new(parameters: &[TunableParam], round: &Round) -> Row {
        let [wins, draws, losses] = round.games.map(|count| count as f64);
        let games = wins + draws + losses;
        let score = (wins + draws / 2.0) / games;
        let features = difference(parameters, &round.points[0], &round.points[1]);
        Row { features, games, score }
    }
}

fn difference(parameters: &[TunableParam], point: &[f64], other: &[f64]) -> Vec<f64> {
    let (first, second) = (features(parameters, point), features(parameters, other));
    first.iter().zip(&second).map(|(a, b)| a - b).collect()
}

fn feature_count(parameters: &[TunableParam]) -> usize {
    let numbers = parameters.iter().filter(|parameter| parameter.kind != ColumnKind::Choice).count();
    let choices: usize = parameters.iter().map(|parameter| parameter.choices.len()).sum();
    numbers + numbers * (numbers + 1) / 2 + choices
}

/// The scaled numbers, their products, and a 1 for the choice of each categorical parameter.
fn features(parameters: &[TunableParam], point: &[f64]) -> Vec<f64> {
    let mut features = Vec::with_capacity(feature_count(parameters));
    let all = || parameters.iter().zip(point);
    let numbers = all().filter(|(parameter, _)| parameter.kind != ColumnKind::Choice);
    features.extend(numbers.map(|(parameter, value)| parameter.scaled(*value)));
    for row in 0..features.len() {
        for column in 0..=row {
            features.push(features[row] * features[column]);
        }
    }
    for (parameter, value) in all().filter(|(parameter, _)| parameter.kind == ColumnKind::Choice) {
        features.extend((0..parameter.choices.len()).map(|index| f64::from(index as f64 == *value)));
    }
    features
}
