//! The likelihood of the games at given parameters, with its gradient and expected curvature.

use super::matrix::SymmetricMatrix;
use super::outcome::Slopes;
use crate::counts::Wdl;

/// Which of the model's two numbers a parameter changes.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    /// The log-odds of White's expected score.
    LogOdds,
    /// The odds of a draw.
    DrawOdds,
}

/// A parameter (`None` if held), the sign of its effect, and the number it changes.
pub(super) type Influence = (Option<usize>, f64, Direction);

/// Sums over games and priors; `information` is the Fisher information.
pub(super) struct Likelihood {
    pub(super) of_games: f64,
    /// Log-likelihood of games and priors.
    pub(super) objective: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) information: SymmetricMatrix,
}

impl Likelihood {
    pub(super) fn new(parameters: usize) -> Likelihood {
        Likelihood {
            of_games: 0.0,
            objective: 0.0,
            gradient: vec![0.0; parameters],
            information: SymmetricMatrix::zeros(parameters),
        }
    }

    /// A normal prior: the parameter is `excess` above its mean; `precision` is 1 / variance.
    pub(super) fn add_prior(&mut self, parameter: usize, excess: f64, precision: f64) {
        self.objective -= 0.5 * precision * excess * excess;
        self.gradient[parameter] -= precision * excess;
        self.information.add(parameter, parameter, precision);
    }

    /// Adds games that depend on the parameters in `influences`.
    pub(super) fn add_games(&mut self, results: &Wdl, slopes: &Slopes, influences: &[Influence]) {
        let chances = [slopes.probabilities.win, slopes.probabilities.draw, slopes.probabilities.loss];
        let counts = [results.wins, results.draws, results.losses].map(|count| count as f64);
        let games = results.games() as f64;
        for ((count, chance), result) in counts.into_iter().zip(chances).zip(0..) {
            if count > 0.0 {
                self.of_games += count * chance.ln();
                self.objective += count * chance.ln();
            }
            if chance > 0.0 {
                let slope_of = |direction| slopes.of(direction, result);
                self.add_result(count / chance, games / chance, slope_of, influences);
            }
        }
    }

    /// One of the three results; both weights are already divided by its probability.
    fn add_result(
        &mut self,
        seen: f64,
        expected: f64,
        slope_of: impl Fn(Direction) -> f64,
        influences: &[Influence],
    ) {
        let present =
            |&(parameter, sign, direction): &Influence| Some((parameter?, sign * slope_of(direction)));
        for (position, influence) in influences.iter().enumerate() {
            let Some((row, row_slope)) = present(influence) else { continue };
            self.gradient[row] += seen * row_slope;
            for (column, column_slope) in influences[..=position].iter().filter_map(present) {
                self.information.add(row, column, expected * row_slope * column_slope);
            }
        }
    }
}

impl Slopes {
    fn of(&self, direction: Direction, result: usize) -> f64 {
        match direction {
            Direction::LogOdds => self.by_log_odds[result],
            Direction::DrawOdds => self.by_draw_odds[result],
        }
    }
}
