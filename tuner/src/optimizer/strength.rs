//! Fits the strength of the players: games between unequal players are won in equal positions, which would mislead every
//! weight.
//!
//! Each player has a strength in centipawns; White's less Black's is added to the evaluation of each position of
//! their game before the sigmoid. The engine never sees it.

use super::cholesky::{factorize, solve};
use crate::labels::Labels;
use crate::loss::{Loss, sigmoid, slope};

const ITERATIONS: usize = 12;

/// A step of fewer centipawns is the last.
const TOLERANCE: f64 = 0.01;

/// Ridge penalty of a strength of 100 centipawns, in squared errors; it also fixes the mean, which the data leave open.
const RIDGE: f64 = 0.1;

/// Centipawns by the number of the player; 0 for unknown players.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Strengths(Vec<f64>);

impl Strengths {
    /// The strength of each player, from number 1 on.
    pub(crate) fn of_players(&self) -> &[f64] {
        self.0.get(1..).unwrap_or_default()
    }

    /// White's less Black's, in centipawns.
    fn lead(&self, [white, black]: [u8; 2]) -> f64 {
        let of = |player: u8| self.0.get(usize::from(player)).copied().unwrap_or(0.0);
        if white == 0 || black == 0 { 0.0 } else { of(white) - of(black) }
    }

    /// What the strengths add to the exponent of each row; nothing where no players are known.
    pub(crate) fn leads(&self, labels: &Labels, k: f64) -> Vec<f32> {
        labels.players().iter().map(|&players| (slope(k) * self.lead(players)) as f32).collect()
    }
}

/// The strengths with the least error by these weights, by Gauss-Newton steps.
pub(crate) fn fit_strengths(loss: &mut Loss<'_>, labels: &Labels, parameters: &[f64], k: f64) -> Strengths {
    let count = labels.players().iter().flatten().max().map_or(0, |&most| usize::from(most) + 1);
    let mut strengths = Strengths(vec![0.0; count]);
    if count == 0 {
        return strengths;
    }
    let evaluations = loss.evaluations(parameters);
    let mut matrix = vec![0.0; count * count];
    for _ in 0..ITERATIONS {
        let mut step: Vec<f64> = strengths.0.iter().map(|strength| strength * RIDGE * 1e-4).collect();
        matrix.fill(0.0);
        for (index, &[white, black]) in labels.players().iter().enumerate() {
            if white == 0 || black == 0 || white == black {
                continue;
            }
            let lead = strengths.lead([white, black]);
            let expected = sigmoid(f64::from(evaluations[index]) + lead, k);
            let (white, black) = (usize::from(white), usize::from(black));
            let by_lead = expected * (1.0 - expected) * slope(k);
            let weight = loss.weights().get(index).copied().map_or(1.0, f64::from);
            let push = weight * (expected - f64::from(loss.targets()[index])) * by_lead;
            let curvature = weight * by_lead * by_lead;
            step[white] += push;
            step[black] -= push;
            matrix[white * count + white] += curvature;
            matrix[black * count + black] += curvature;
            matrix[white.max(black) * count + white.min(black)] -= curvature;
        }
        for player in 0..count {
            matrix[player * count + player] += RIDGE * 1e-4;
        }
        if !factorize(&mut matrix, count) {
            break;
        }
        solve(&matrix, count, &mut step);
        strengths.0.iter_mut().zip(&step).for_each(|(strength, change)| *strength -= change);
        if step.iter().all(|change| change.abs() < TOLERANCE) {
            break;
        }
    }
    strengths
}
