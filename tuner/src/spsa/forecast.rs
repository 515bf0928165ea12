//! Forecast of a tuning before its first game: the expected gain and noise for a number of games, and the best learning rate.
//!
//! The model is a parabola: a step (c_end) away from its best place, each parameter costs [`ELO_PER_STEP`]. In steps, a pair of
//! games then moves a parameter towards its place by a share of its distance, and by chance; both are followed over the
//! schedule of rates and perturbations as an Ornstein-Uhlenbeck process, in which distance and noise decay alike.

use super::{ALPHA, GAMMA, HELD_BACK};

/// Elo that a step away from the best place costs: c_end is to be chosen so that it is 2 to 3 (fishtest, weather-factory).
pub(crate) const ELO_PER_STEP: f64 = 2.0;

/// Wins less losses of a game for each Elo: the slope of the logistic curve at 0, ln 10 / 800.
const SCORE_PER_ELO: f64 = std::f64::consts::LN_10 / 800.0;

/// Variance of wins less losses in a pair of games of which half are drawn.
const PAIR_VARIANCE: f64 = 1.0;

/// Parts of a tuning in which rates are taken as constant.
const PARTS: u32 = 400;

/// What a tuning finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Forecast {
    /// The learning rate in the last round (r_end).
    pub rate: f64,
    /// Elo gained in the mean, of those there are to gain; below zero where noise outweighs it.
    pub gain: f64,
    /// Elo lost by noise, of all parameters together.
    pub noise: f64,
    /// Standard deviation of each parameter about its place, in steps, by noise alone.
    pub deviation: f64,
}

impl Forecast {
    /// The forecast for this number of parameters and pairs of games, and Elo that there are to gain in all.
    pub(crate) fn of(parameters: usize, pairs: u64, rate: f64, elo: f64) -> Forecast {
        Forecast::after(parameters, pairs, 1.0, rate, elo)
    }

    /// What is found after a share of the pairs.
    pub(crate) fn after(parameters: usize, pairs: u64, share: f64, rate: f64, elo: f64) -> Forecast {
        let (all, count) = (pairs as f64, parameters.max(1) as f64);
        let part = all / f64::from(PARTS);
        // Squares of steps: of the distance of each parameter, and of its noise.
        let (mut distance, mut noise) = (elo / (count * ELO_PER_STEP), 0.0);
        for index in 0..(share * f64::from(PARTS)).round() as u32 {
            let played = (f64::from(index) + 0.5) * part;
            let step = (all / played).powf(GAMMA);
            let gain = rate * ((HELD_BACK * all + all) / (HELD_BACK * all + played)).powf(ALPHA);
            // A pair at two steps' difference: 4 · Elo · distance · step, in two games.
            let pull = gain * 8.0 * SCORE_PER_ELO * ELO_PER_STEP;
            let decay = (-2.0 * pull * part).exp();
            distance *= decay;
            noise = noise * decay + (gain / step).powi(2) * PAIR_VARIANCE / (2.0 * pull) * (1.0 - decay);
        }
        let cost = |square: f64| count * ELO_PER_STEP * square;
        Forecast { rate, gain: elo - cost(distance + noise), noise: cost(noise), deviation: noise.sqrt() }
    }

    /// The forecast with the learning rate that gains most.
    pub(crate) fn best(parameters: usize, pairs: u64, elo: f64) -> Forecast {
        // A hundredth of a decade apart, from 0.00001 to 0.1.
        let rates = (0..=400).map(|index| 1e-5 * 10_f64.powf(f64::from(index) / 100.0));
        let forecasts = rates.map(|rate| Forecast::of(parameters, pairs, rate, elo));
        forecasts.max_by(|a, b| a.gain.total_cmp(&b.gain)).expect("there are rates")
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::super::SpsaState;
    use super::*;
    use crate::tuning::{ColumnKind, TunableParam, Tuning as _, unit};

    /// Mean Elo that simulated tunings gain on the surface of the model.
    fn simulated(parameters: usize, pairs: u64, rate: f64, elo: f64) -> f64 {
        let away = (elo / (parameters as f64 * ELO_PER_STEP)).sqrt();
        let parameter = |index: usize| TunableParam {
            name: format!("p{index}"),
            kind: ColumnKind::Float,
            start: away,
            min: -100.0,
            max: 100.0,
            step: 1.0,
            rate,
            choices: Vec::new(),
        };
        let loss = |values: &[f64]| values.iter().map(|value| ELO_PER_STEP * value * value).sum::<f64>();
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let gain = |seed: u64| {
            let mut state = SpsaState::new((0..parameters).map(parameter).collect(), pairs, seed);
            while !state.run.is_done() {
                let [first, second] = state.sides().map(|side| loss(&side));
                let lead = SCORE_PER_ELO * (second - first);
                let mut games = [0; 3];
                for _ in 0..16 {
                    let chance = 2.0 * unit(&mut random) - 1.0;
                    games[if chance < -0.5 + lead {
                        0
                    } else if chance < 0.5 + lead {
                        1
                    } else {
                        2
                    }] += 1;
                }
                state.learn(games);
            }
            elo - loss(&state.values)
        };
        (1..=24).map(gain).sum::<f64>() / 24.0
    }

    #[test]
    fn simulated_tunings_gain_what_is_forecast() {
        for (parameters, pairs, rate, elo) in
            [(3, 10_000, 0.002, 6.0), (12, 20_000, 0.004, 20.0), (12, 5_000, 0.01, 5.0)]
        {
            let (forecast, found) =
                (Forecast::of(parameters, pairs, rate, elo).gain, simulated(parameters, pairs, rate, elo));
            assert!(
                (forecast - found).abs() < 0.12 * elo,
                "{parameters}: {forecast} forecast, {found} found"
            );
        }
    }

    #[test]
    fn noise_grows_from_nothing_to_that_of_the_end() {
        let after = |share| Forecast::after(10, 20_000, share, 0.002, 5.0).deviation;
        assert!(after(0.0) == 0.0 && after(0.1) > 0.0);
        assert_eq!(after(1.0), Forecast::of(10, 20_000, 0.002, 5.0).deviation);
    }

    #[test]
    fn the_proposed_rate_is_the_best_and_falls_with_the_number_of_parameters() {
        let best = Forecast::best(10, 20_000, 5.0);
        for factor in [0.5, 2.0] {
            assert!(Forecast::of(10, 20_000, factor * best.rate, 5.0).gain <= best.gain);
        }
        assert!(Forecast::best(40, 20_000, 5.0).rate < best.rate);
        assert!(Forecast::best(10, 80_000, 5.0).gain > best.gain);
        assert!(best.gain > 0.0 && best.gain < 5.0 && best.deviation > 0.0);
    }
}
