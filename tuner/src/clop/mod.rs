//! CLOP: tuning of a few parameters by games (R. Coulom, "CLOP: Confident Local Optimization for Noisy Black-Box Parameter
//! Tuning", ACG 2011). In each round two points near the best one play each other; a quadratic landscape is fitted to all games.

mod model;
#[cfg(test)]
mod simulation;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

pub(crate) use model::Landscape;

use crate::tuning::{ColumnKind, MAX_COUNT, ResumeError, TunableParam, Tuning, TuningRun, unit};

/// The version of the saved form.
const FORMAT: u32 = 1;

/// Share of rounds whose points lie opposite of each other, with the best one in the middle: they show the slope best, and the
/// other rounds the curvature.
const OPPOSITE: f64 = 0.8;

/// Landscapes that are drawn for an interval.
const DRAWN: usize = 400;

/// Random streams beyond those of all rounds.
const ESTIMATE_STREAM: u64 = u64::MAX;
const REGION_STREAM: u64 = u64::MAX - 1;

/// State of a CLOP run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClopState {
    #[serde(rename = "clop_format")]
    format: u32,
    #[serde(flatten)]
    pub run: TuningRun,
    /// The rounds that were played.
    pub results: Vec<Round>,
}

/// The games of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Round {
    /// Values of both sides, in the order of the parameters.
    pub points: [Vec<f64>; 2],
    /// Wins, draws and losses of the first side.
    pub games: [u64; 3],
}

/// What the games say of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Region {
    /// Both ends of the 95 % interval of the best number.
    Interval([f64; 2]),
    /// For each choice: Elo over the first one, its standard error, and the probability to be the best.
    Choices(Vec<(f64, f64, f64)>),
}

impl ClopState {
    /// The state before the first round.
    pub(crate) fn new(parameters: Vec<TunableParam>, pairs: u64, seed: u64) -> ClopState {
        ClopState { format: FORMAT, run: TuningRun::new(parameters, pairs, seed), results: Vec::new() }
    }

    /// The landscape that fits all games.
    pub(crate) fn landscape(&self) -> Landscape<'_> {
        Landscape::fit(&self.run.parameters, &self.results)
    }

    /// What the games say of each parameter.
    pub(crate) fn regions(&self) -> Vec<Region> {
        let (landscape, mut random) = (self.landscape(), self.random(REGION_STREAM));
        let drawn: Vec<Vec<f64>> = (0..DRAWN).map(|_| landscape.draw_best(&mut random)).collect();
        let best = self.best();
        let region = |(index, parameter): (usize, &TunableParam)| {
            let mut values: Vec<f64> = drawn.iter().map(|point| point[index]).collect();
            if parameter.kind != ColumnKind::Choice {
                values.sort_by(f64::total_cmp);
                let at = |share: f64| values[(share * (DRAWN - 1) as f64).round() as usize];
                return Region::Interval([at(0.025).min(best[index]), at(0.975).max(best[index])]);
            }
            let with = |choice: usize| {
                let mut point = best.clone();
                point[index] = choice as f64;
                point
            };
            let choice = |choice: usize| {
                let (elo, error) = landscape.difference(&with(choice), &with(0));
                let count = values.iter().filter(|&&value| value == choice as f64).count();
                (elo, error, count as f64 / DRAWN as f64)
            };
            Region::Choices((0..parameter.choices.len()).map(choice).collect())
        };
        self.run.parameters.iter().enumerate().map(region).collect()
    }

    fn random(&self, stream: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.run.seed);
        random.set_stream(stream);
        random
    }
}

impl Tuning for ClopState {
    fn parse(text: &str) -> Result<ClopState, ResumeError> {
        let state: ClopState = serde_json::from_str(text)?;
        let parameters = &state.run.parameters;
        let is_point = |point: &Vec<f64>| {
            point.len() == parameters.len()
                && parameters.iter().zip(point).all(|(parameter, value)| parameter.has(*value))
        };
        let is_whole = |round: &Round| {
            round.points.iter().all(is_point) && round.games.iter().all(|&count| count <= MAX_COUNT)
        };
        match state.format {
            FORMAT if state.run.is_sound() && state.results.iter().all(is_whole) => Ok(state),
            FORMAT => Err(ResumeError::Damaged),
            found => Err(ResumeError::Format { found, known: FORMAT }),
        }
    }

    fn run(&self) -> &TuningRun {
        &self.run
    }

    fn run_mut(&mut self) -> &mut TuningRun {
        &mut self.run
    }

    fn sides(&self) -> [Vec<f64>; 2] {
        let (landscape, mut random) = (self.landscape(), self.random(self.run.rounds));
        let first = landscape.draw(&mut random);
        let mut second = landscape.draw(&mut random);
        if unit(&mut random) < OPPOSITE {
            let all = self.run.parameters.iter().zip(&first).zip(landscape.best());
            for (((parameter, value), best), other) in all.zip(&mut second) {
                if parameter.kind != ColumnKind::Choice {
                    *other = (2.0 * best - value).clamp(parameter.min, parameter.max);
                }
            }
        }
        while first == second {
            second = self.run.parameters.iter().map(|parameter| parameter.at(unit(&mut random))).collect();
        }
        [first, second]
    }

    fn learn(&mut self, games: [u64; 3]) {
        let points = self.sides();
        self.results.push(Round { points, games });
        self.run.add(games);
    }

    fn best(&self) -> Vec<f64> {
        if self.results.is_empty() {
            return self.run.parameters.iter().map(|parameter| parameter.start).collect();
        }
        self.landscape().estimate(&mut self.random(ESTIMATE_STREAM))
    }
}

/// A number of the normal distribution (Box and Muller).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (radius, angle) = (1.0 - unit(random), unit(random));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter_file::parse_lines;

    const PARAMETERS: &str = "margin, int, 50, 0, 200\nstyle, choice, solid, solid, normal, risky\n";

    /// A tuning whose second choice is worth 60 Elo and whose number is best at 120.
    fn tuned(pairs: u64) -> ClopState {
        let mut state = ClopState::new(parse_lines(PARAMETERS).unwrap(), pairs, 3);
        let mut random = ChaCha8Rng::seed_from_u64(5);
        while !state.run.is_done() {
            let elo = |side: &[f64]| 60.0 * f64::from(side[1] == 1.0) - ((side[0] - 120.0) / 10.0).powi(2);
            let [first, second] = state.sides().map(|side| elo(&side));
            let chance = 1.0 / (1.0 + 10_f64.powf((second - first) / 400.0));
            let wins = (0..16).filter(|_| unit(&mut random) < chance).count() as u64;
            state.learn([wins, 0, 16 - wins]);
        }
        state
    }

    #[test]
    fn sides_differ_and_are_values_of_the_parameters() {
        let mut state = ClopState::new(parse_lines(PARAMETERS).unwrap(), 1000, 7);
        for round in 0..60 {
            let [first, second] = state.sides();
            assert_ne!(first, second);
            for side in [&first, &second] {
                assert!(side[0].fract() == 0.0 && (0.0..=200.0).contains(&side[0]), "{side:?}");
                assert!([0.0, 1.0, 2.0].contains(&side[1]), "{side:?}");
            }
            assert_eq!([first, second], state.sides());
            state.learn([round % 3, 2, 5]);
        }
    }

    #[test]
    fn numbers_and_choices_find_what_wins_and_regions_hold_it() {
        let state = tuned(4000);
        let best = state.best();
        assert!((best[0] - 120.0).abs() < 20.0 && best[1] == 1.0, "{best:?}");
        let regions = state.regions();
        let [Region::Interval([low, high]), Region::Choices(choices)] = &regions[..] else {
            panic!("{regions:?}")
        };
        assert!((*low..=*high).contains(&120.0) && high - low < 90.0, "{low} to {high}");
        assert!(choices[0].0 == 0.0 && choices[1].2 > 0.9, "{choices:?}");
        assert!((choices[1].0 - 60.0).abs() < 3.0 * choices[1].1, "{choices:?}");
    }

    #[test]
    fn a_saved_tuning_goes_on_alike() {
        let mut state = tuned(64);
        state.run.pairs = 128;
        let mut again = ClopState::parse(&state.to_text()).unwrap();
        assert_eq!(again, state);
        for state in [&mut state, &mut again] {
            state.learn([0, 3, 5]);
        }
        assert_eq!((again.best(), again.regions()), (state.best(), state.regions()));
        let newer = state.to_text().replace("\"clop_format\": 1", "\"clop_format\": 2");
        assert!(matches!(ClopState::parse(&newer), Err(ResumeError::Format { found: 2, known: 1 })));
        let damaged =
            state.to_text().replacen("\"points\": [\n        [\n", "\"points\": [\n        [ 7,\n", 1);
        assert!(matches!(ClopState::parse(&damaged), Err(ResumeError::Damaged)));
        for damage in [
            |state: &mut ClopState| state.results[3].points[1][0] = 1e308,
            |state: &mut ClopState| state.results[3].points[0][1] = 9_223_372_036_854_775_808.0,
            |state: &mut ClopState| state.results[3].games[2] = 1 << 63,
            |state: &mut ClopState| state.run.games[0] = 1 << 63,
            |state: &mut ClopState| {
                (state.run.parameters[0].min, state.run.parameters[0].max) = (-1e308, 1e308);
            },
            |state: &mut ClopState| state.run.parameters[1].choices.truncate(1),
        ] {
            let mut damaged = state.clone();
            damage(&mut damaged);
            let parsed = ClopState::parse(&damaged.to_text());
            assert!(matches!(parsed, Err(ResumeError::Damaged)), "{:?}", damaged.run);
        }
    }
}
