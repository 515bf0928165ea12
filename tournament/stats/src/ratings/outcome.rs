//! The rating model: probabilities of a game's results from the rating difference.

use crate::elo::Elo;

/// Natural log-odds per Elo.
pub(super) const LOG_ODDS_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// Logistic expected score, with draws by Davidson's rule.
///
/// Ordo only equates expected and scored points, and its default scale sets 202 points to 76% (`-z 202`), 0.9% more than
/// here; apart from that scale both agree to a few hundredths of a point. BayesElo's model (Rao and Kupper's) has another
/// curve far from equality, hence other ratings for lopsided results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutcomeModel {
    /// White's advantage, in Elo.
    pub white_advantage: Elo,
    /// Share of draws between equal players, in [0, 1].
    pub draw_rate: f64,
}

/// Probabilities of a game's results, from White's view; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probabilities {
    /// Probability of a win of White.
    pub win: f64,
    /// Probability of a draw.
    pub draw: f64,
    /// Probability of a win of Black.
    pub loss: f64,
}

impl Probabilities {
    /// White's expected score.
    pub fn score(&self) -> f64 {
        self.win + 0.5 * self.draw
    }
}

impl OutcomeModel {
    /// Probabilities of a game with White rated `difference` above Black.
    pub fn probabilities(&self, difference: Elo) -> Probabilities {
        let log_odds = (difference.0 + self.white_advantage.0) * LOG_ODDS_PER_ELO;
        Slopes::at(log_odds, DrawOdds::from_rate(self.draw_rate)).probabilities
    }
}

/// The draw parameter as log-odds of a draw between equal players, which has no bounds in the fit; minus infinity if
/// there are no draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DrawOdds(pub(super) f64);

impl DrawOdds {
    pub(super) fn from_rate(rate: f64) -> DrawOdds {
        DrawOdds((rate / (1.0 - rate)).ln())
    }

    pub(super) fn rate(self) -> f64 {
        1.0 / (1.0 + (-self.0).exp())
    }
}

/// Probabilities of a game's results with their derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slopes {
    pub(super) probabilities: Probabilities,
    /// Derivatives of win, draw and loss by the log-odds of the expected score.
    pub(super) by_log_odds: [f64; 3],
    /// Derivatives of win, draw and loss by the draw odds; zeros if there are no draws.
    pub(super) by_draw_odds: [f64; 3],
}

impl Slopes {
    /// `log_odds` of White's expected score p = win + draw/2; q = 1 - p.
    ///
    /// Davidson's rule is `draw² = 4/κ · win · loss` with κ = e^(-2·draw odds). With p fixed it becomes `(κ-1)·draw²
    /// + 2·draw - 4pq = 0`, solved here in the form that is stable at κ = 1.
    pub(super) fn at(log_odds: f64, draw_odds: DrawOdds) -> Slopes {
        let p = 1.0 / (1.0 + (-log_odds).exp());
        let q = 1.0 / (1.0 + log_odds.exp());
        let by_score = p * q;
        if draw_odds.0 == f64::NEG_INFINITY {
            let probabilities = Probabilities { win: p, draw: 0.0, loss: q };
            return Slopes { probabilities, by_log_odds: [by_score, 0.0, -by_score], by_draw_odds: [0.0; 3] };
        }
        let kappa = (-2.0 * draw_odds.0).exp();
        let root = (1.0 + (kappa - 1.0) * 4.0 * p * q).sqrt();
        let draw = 4.0 * p * q / (1.0 + root);
        let draw_by_log_odds = 2.0 * p * q * (q - p) / root;
        let draw_by_draw_odds = kappa * draw * draw / root;
        Slopes {
            probabilities: decided(p, q, draw, kappa),
            by_log_odds: [
                by_score - 0.5 * draw_by_log_odds,
                draw_by_log_odds,
                -by_score - 0.5 * draw_by_log_odds,
            ],
            by_draw_odds: [-0.5 * draw_by_draw_odds, draw_by_draw_odds, -0.5 * draw_by_draw_odds],
        }
    }
}

/// Win and loss from the draw probability: the greater one by difference, the smaller one by Davidson's rule, since a
/// difference would lose its digits.
fn decided(p: f64, q: f64, draw: f64, kappa: f64) -> Probabilities {
    let greater = p.max(q) - 0.5 * draw;
    let smaller = kappa * draw * draw / (4.0 * greater);
    let (win, loss) = if p >= q { (greater, smaller) } else { (smaller, greater) };
    Probabilities { win, draw, loss }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_score_is_logistic_whatever_the_draw_rate() {
        for draw_rate in [0.0, 1e-9, 0.3, 0.5, 0.9, 0.999] {
            let model = OutcomeModel { white_advantage: Elo(30.0), draw_rate };
            for difference in [-900.0, -100.0, -30.0, 0.0, 55.5, 400.0] {
                let chances = model.probabilities(Elo(difference));
                assert!((chances.score() - Elo(difference + 30.0).to_score()).abs() < 1e-12);
                assert!((chances.win + chances.draw + chances.loss - 1.0).abs() < 1e-12);
            }
            assert!((model.probabilities(Elo(-30.0)).draw - draw_rate).abs() < 1e-12);
        }
    }

    #[test]
    fn slopes_are_the_limits_of_differences() {
        let step = 1e-6;
        for (log_odds, draw_odds) in [(0.0, -0.7), (1.3, 0.0), (-4.0, 2.0), (2.0, -3.0)] {
            let at = |log_odds: f64, draw_odds: f64| {
                let Probabilities { win, draw, loss } =
                    Slopes::at(log_odds, DrawOdds(draw_odds)).probabilities;
                [win, draw, loss]
            };
            let slopes = Slopes::at(log_odds, DrawOdds(draw_odds));
            for result in 0..3 {
                let by_odds = (at(log_odds + step, draw_odds)[result]
                    - at(log_odds - step, draw_odds)[result])
                    / (2.0 * step);
                let by_draw = (at(log_odds, draw_odds + step)[result]
                    - at(log_odds, draw_odds - step)[result])
                    / (2.0 * step);
                assert!((by_odds - slopes.by_log_odds[result]).abs() < 1e-8);
                assert!((by_draw - slopes.by_draw_odds[result]).abs() < 1e-8);
            }
        }
    }
}
