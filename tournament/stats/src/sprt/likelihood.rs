//! Log-likelihood ratios of two hypotheses for given counts.
//!
//! Each hypothesis fixes one property of the distribution of results (its mean, or its mean in standard deviations)
//! and takes the most likely distribution with that property. Source: M. Van den Bergh, *Comments on Normalized Elo*
//! (notes of fishtest), proposition 1.1 for the mean, section 4.1 for the normalized mean. Bounds and verdicts are in
//! [`super`].

use crate::counts::Wdl;
use crate::elo::{Elo, NORMALIZED_ELO_PER_DEVIATION};
use crate::moments::{Moments, scores};

/// Replaces a count of zero, so that no result has probability 0 (fishtest's convention).
const UNSEEN: f64 = 1e-3;

/// Maximum number of iterations of a distribution.
const ROUNDS: usize = 200;

/// Maximum number of deviations between a distribution and the one its iteration starts from.
const STEP: f64 = 0.25;

/// A distribution has converged when no probability moves by more than this.
const STILL: f64 = 1e-12;

/// LLR of hypotheses on the expected score, given in logistic Elo.
pub(super) fn logistic<const N: usize>(counts: &[u64; N], elo0: f64, elo1: f64) -> f64 {
    let sample = Frequencies::new(counts);
    sample.llr(&sample.logistic_ratios(elo0, elo1))
}

/// LLR of hypotheses on the normalized score, given in normalized Elo; `games_each` is 2 for pairs.
pub(super) fn normalized<const N: usize>(counts: &[u64; N], games_each: f64, elo0: f64, elo1: f64) -> f64 {
    let sample = Frequencies::new(counts);
    sample.llr(&sample.normalized_ratios(games_each, elo0, elo1))
}

/// LLR of hypotheses in BayesElo, with the sample's draw rate under both; 0 without a win or a loss.
pub(super) fn bayes_elo(games: &Wdl, elo0: f64, elo1: f64) -> f64 {
    if games.wins == 0 || games.losses == 0 {
        return 0.0;
    }
    let sample = Frequencies::new(&games.by_points());
    let [loss, _, win] = sample.of_each;
    let draw_elo = draw_elo(loss, win);
    sample.llr(&log_ratios(|elo| bayes_elo_distribution(elo, draw_elo), elo0, elo1))
}

/// Draw parameter of the BayesElo model for these shares of losses and wins.
pub(super) fn draw_elo(loss: f64, win: f64) -> f64 {
    200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10()
}

/// Probabilities of loss, draw and win at a difference of `elo` in the BayesElo model.
pub(super) fn bayes_elo_distribution(elo: f64, draw_elo: f64) -> [f64; 3] {
    let win = Elo(elo - draw_elo).to_score();
    let loss = Elo(-elo - draw_elo).to_score();
    [loss, 1.0 - win - loss, win]
}

/// Observed frequencies, none of them zero.
pub(super) struct Frequencies<const N: usize> {
    pub(super) total: f64,
    pub(super) of_each: [f64; N],
}

impl<const N: usize> Frequencies<N> {
    pub(super) fn new(counts: &[u64; N]) -> Self {
        let seen = counts.map(|count| if count == 0 { UNSEEN } else { count as f64 });
        let total: f64 = seen.iter().sum();
        Frequencies { total, of_each: seen.map(|count| count / total) }
    }

    /// Log-likelihood ratio of each result between H1 and H0, in logistic Elo.
    pub(super) fn logistic_ratios(&self, elo0: f64, elo1: f64) -> [f64; N] {
        log_ratios(|elo| with_mean(&self.of_each, Elo(elo).to_score()), elo0, elo1)
    }

    /// The same in normalized Elo; `games_each` is 2 for pairs.
    pub(super) fn normalized_ratios(&self, games_each: f64, elo0: f64, elo1: f64) -> [f64; N] {
        let deviations = |elo: f64| elo / NORMALIZED_ELO_PER_DEVIATION * games_each.sqrt();
        log_ratios(|elo| with_normalized_mean(&self.of_each, deviations(elo)), elo0, elo1)
    }

    fn llr(&self, ratios: &[f64; N]) -> f64 {
        self.total * self.of_each.iter().zip(ratios).map(|(share, ratio)| share * ratio).sum::<f64>()
    }
}

fn log_ratios<const N: usize>(hypothesis: impl Fn(f64) -> [f64; N], elo0: f64, elo1: f64) -> [f64; N] {
    let (under0, under1) = (hypothesis(elo0), hypothesis(elo1));
    std::array::from_fn(|result| (under1[result] / under0[result]).ln())
}

/// The most likely distribution with expected score `mean`, in (0, 1).
pub(crate) fn with_mean<const N: usize>(frequencies: &[f64; N], mean: f64) -> [f64; N] {
    tilted(frequencies, &scores::<N>().map(|score| score - mean))
}

/// The most likely distribution whose mean lies `deviations` of its standard deviations above ½.
///
/// The property is linearized at the previous distribution until it converges. Far from ½ no distribution fits what is
/// linearized at the uniform one: the start there is the distribution of fewer deviations.
fn with_normalized_mean<const N: usize>(frequencies: &[f64; N], deviations: f64) -> [f64; N] {
    let mut distribution = [1.0 / N as f64; N];
    let steps = (deviations.abs() / STEP).ceil().max(1.0);
    for step in 1..=steps as u32 {
        let deviations = deviations * f64::from(step) / steps;
        for _ in 0..ROUNDS {
            let Moments { mean, variance } = Moments::from_distribution(&distribution);
            let deviation = variance.sqrt();
            let excess = scores::<N>().map(|score| {
                score - 0.5 - 0.5 * deviations * deviation * (1.0 + ((score - mean) / deviation).powi(2))
            });
            let next = tilted(frequencies, &excess);
            let moved =
                distribution.iter().zip(&next).map(|(old, new)| (new - old).abs()).fold(0.0, f64::max);
            distribution = next;
            if moved < STILL {
                break;
            }
        }
    }
    distribution
}

/// The most likely distribution with mean zero of `excess`: `p / (1 + θ·excess)`.
///
/// θ is the only root of a decreasing function between two poles, found by Newton's method inside a bracket. A step
/// with a larger error came too close to a pole, where further steps would be tiny: the bracket is bisected instead.
/// If `excess` has only one sign there is no such distribution, and the frequencies are returned.
fn tilted<const N: usize>(frequencies: &[f64; N], excess: &[f64; N]) -> [f64; N] {
    let least = excess.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = excess.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let has_both_signs = least < 0.0 && greatest > 0.0;
    if !has_both_signs {
        return *frequencies;
    }
    let (mut low, mut high) = (-1.0 / greatest, -1.0 / least);
    let mut theta = 0.0;
    let mut last_error = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (frequency, excess) in frequencies.iter().zip(excess) {
            let part = excess / (1.0 + theta * excess);
            value += frequency * part;
            slope -= frequency * part * part;
        }
        if value > 0.0 {
            low = theta
        } else {
            high = theta
        }
        let newton = theta - value / slope;
        let is_better = value.abs() < last_error;
        last_error = value.abs();
        let next = if is_better && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let step = (next - theta).abs();
        theta = next;
        if step <= 1e-14 * theta.abs().max(1.0) {
            break;
        }
    }
    std::array::from_fn(|index| frequencies[index] / (1.0 + theta * excess[index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_of_a_hypothesis_has_its_property() {
        let frequencies = Frequencies::new(&[34, 54, 63, 64, 75]).of_each;
        for mean in [0.01, 0.4, 0.5, 0.9] {
            let distribution = with_mean(&frequencies, mean);
            assert!((distribution.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!((Moments::from_distribution(&distribution).mean - mean).abs() < 1e-9);
        }
        for deviations in [-4.0, -0.5, 0.0, 0.1, 1.0, 3.0] {
            let distribution = with_normalized_mean(&frequencies, deviations);
            let Moments { mean, variance } = Moments::from_distribution(&distribution);
            assert!(
                ((mean - 0.5) / variance.sqrt() - deviations).abs() < 1e-9,
                "{deviations}: {distribution:?}"
            );
        }
    }

    #[test]
    fn one_more_pair_never_throws_the_ratio_off() {
        let llr = |lost: u64| logistic(&[lost, 11, 59, 1, 1], 0.0, 5.0);
        let normal = |lost: u64| normalized(&[lost, 11, 59, 1, 1], 2.0, 0.0, 5.0);
        for lost in 1..400 {
            let steps = [llr(lost + 1) - llr(lost), normal(lost + 1) - normal(lost)];
            assert!(steps.iter().all(|step| (-0.1..0.0).contains(step)), "{lost}: {steps:?}");
        }
    }

    #[test]
    fn losses_speak_against_every_gain() {
        for counts in [[5, 0, 0, 0, 0], [5, 10, 20, 10, 5], [0, 0, 40, 1, 0]] {
            let llr = |elo1: u32| normalized(&counts, 2.0, 0.0, f64::from(elo1));
            let falls = (100..1000).step_by(10).all(|elo1| llr(elo1 + 10) < llr(elo1));
            assert!(falls && llr(100) < 0.0, "{counts:?}");
        }
        // The most likely distribution, found by sequential quadratic programming from 30 random starts.
        let frequencies = Frequencies::new(&[0, 0, 40, 1, 0]);
        let deviations = 230.0 / NORMALIZED_ELO_PER_DEVIATION * 2.0_f64.sqrt();
        let distribution = with_normalized_mean(&frequencies.of_each, deviations);
        let likelihood: f64 =
            frequencies.of_each.iter().zip(distribution).map(|(share, under)| share * under.ln()).sum();
        assert!((likelihood - -0.633_542_76).abs() < 1e-7, "{likelihood}");
    }

    #[test]
    fn the_property_of_the_sample_itself_leaves_it_unchanged() {
        let frequencies = Frequencies::new(&[20, 50, 30]).of_each;
        let same = with_mean(&frequencies, 0.55);
        assert!(frequencies.iter().zip(&same).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}
