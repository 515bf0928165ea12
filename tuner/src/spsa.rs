//! SPSA: simultaneous perturbation stochastic approximation (J. C. Spall, IEEE Transactions on Aerospace and Electronic
//! Systems 34 (1998), 817), with parameters as in fishtest and OpenBench. In each round all parameters are perturbed at
//! random, the engine with these values plays the one with the opposite perturbation, and each parameter moves toward the
//! winner. Pure arithmetic: [`crate::tuning`] plays the games.

mod forecast;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tuning::{ColumnKind, ResumeError, TunableParam, Tuning, TuningRun, unit};
pub(crate) use forecast::{ELO_PER_STEP, Forecast};

/// Exponent of the decay of the learning rate (alpha).
const ALPHA: f64 = 0.602;

/// Exponent of the decay of the perturbation (gamma).
const GAMMA: f64 = 0.101;

/// Stability constant A as a share of all rounds.
const HELD_BACK: f64 = 0.1;

/// The smallest perturbation of a parameter with whole values, so that both sides differ.
const LEAST_STEP: f64 = 0.5;

/// The version of the saved form.
const FORMAT: u32 = 2;

/// The first version of the saved form, which does not say how games are played.
const WITHOUT_MATCH: u32 = 1;

/// At most this many past points are kept; beyond it every second one goes.
const HISTORY: usize = 400;

/// State of an SPSA run: parameters, settings and progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpsaState {
    format: u32,
    #[serde(flatten)]
    pub run: TuningRun,
    /// Current values of the parameters.
    pub values: Vec<f64>,
    /// Values after earlier rounds.
    #[serde(default)]
    pub history: Vec<Point>,
    /// Validation matches, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validations: Vec<Validation>,
    /// When validation matches are played; `None`: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ValidationSchedule>,
}

/// When validation matches are played.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ValidationSchedule {
    /// Games of the tuning between two matches.
    pub interval: u64,
    /// Most games of a match.
    pub games: u64,
}

/// A validation match: current values against the last ones that passed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Validation {
    /// Games of the tuning until then.
    pub at: u64,
    /// The values that were tested, in the order of the parameters.
    pub values: Vec<f64>,
    /// Wins, draws and losses of these values.
    pub games: [u64; 3],
    /// Log-likelihood ratio at the end.
    pub llr: f64,
    /// Whether the values were kept; else the tuning went back.
    #[serde(rename = "kept")]
    pub is_kept: bool,
}

/// Where the parameters stood after a number of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Games played until then.
    pub games: u64,
    /// The values, in the order of the parameters.
    pub values: Vec<f64>,
}

impl SpsaState {
    /// The state before the first round.
    pub(crate) fn new(parameters: Vec<TunableParam>, pairs: u64, seed: u64) -> SpsaState {
        let values = parameters.iter().map(|parameter| parameter.start).collect();
        let run = TuningRun::new(parameters, pairs, seed);
        SpsaState {
            format: FORMAT,
            run,
            values,
            history: Vec::new(),
            validations: Vec::new(),
            schedule: None,
        }
    }

    /// Whether this number of games, or the end, has come since the last validation match.
    pub(crate) fn is_validation_due(&self, interval: u64) -> bool {
        let played: u64 = self.run.games.iter().sum();
        let since = played - self.validations.last().map_or(0, |validation| validation.at);
        since >= interval || self.run.is_done() && since > 0
    }

    /// The last values that passed a validation match; before the first one the start values.
    pub(crate) fn accepted(&self) -> Vec<f64> {
        let last = self.validations.iter().rev().find(|validation| validation.is_kept);
        let start = || self.run.parameters.iter().map(|parameter| parameter.start).collect();
        last.map_or_else(start, |validation| validation.values.clone())
    }

    /// Adds the result of a validation match; reverts to the last accepted values if it rejected the current ones.
    pub(crate) fn add_validation(&mut self, is_kept: bool, games: [u64; 3], llr: f64) {
        let accepted = self.accepted();
        let at = self.run.games.iter().sum();
        self.validations.push(Validation { at, values: self.values.clone(), games, llr, is_kept });
        if !is_kept {
            self.values = accepted;
            self.history.push(Point { games: at, values: self.values.clone() });
        }
    }

    /// Whether a saved state can be one of this program.
    fn is_sound(&self) -> bool {
        let played: u64 = self.run.games.iter().fold(0, |sum, games| sum.saturating_add(*games));
        let mut all = self.history.iter().map(|point| &point.values);
        self.run.is_sound()
            && self.run.are_values(&self.values)
            && all.all(|values| self.run.are_values(values))
            && self.validations.iter().all(|test| test.at <= played && self.run.are_values(&test.values))
    }

    /// Values as the engine takes them: whole numbers are rounded.
    pub(crate) fn rounded(&self, values: Vec<f64>) -> Vec<f64> {
        let rounded = |(parameter, value): (&TunableParam, f64)| {
            if parameter.kind == ColumnKind::Int { value.round() } else { value }
        };
        self.run.parameters.iter().zip(values).map(rounded).collect()
    }

    /// Perturbations of this round, one per parameter, from the seed.
    fn perturbations(&self) -> impl Iterator<Item = Perturbation> + use<> {
        let mut random = ChaCha8Rng::seed_from_u64(self.run.seed);
        random.set_stream(self.run.rounds);
        std::iter::repeat_with(move || {
            let sign = if random.next_u64() >> 63 == 0 { 1.0 } else { -1.0 };
            Perturbation { sign, offset: unit(&mut random) }
        })
    }

    /// Spall's c_k.
    fn step(&self, parameter: &TunableParam) -> f64 {
        let left = self.run.pairs as f64 / (self.run.played as f64 + 1.0);
        let step = parameter.step * left.powf(GAMMA);
        if parameter.kind == ColumnKind::Int { step.max(LEAST_STEP) } else { step }
    }

    /// Spall's a_k over the square of c_k.
    fn rate(&self, parameter: &TunableParam) -> f64 {
        let all = self.run.pairs as f64;
        let held_back = HELD_BACK * all;
        let gain = parameter.rate
            * parameter.step.powi(2)
            * ((held_back + all) / (held_back + self.run.played as f64 + 1.0)).powf(ALPHA);
        gain / self.step(parameter).powi(2)
    }
}

impl Tuning for SpsaState {
    fn parse(text: &str) -> Result<SpsaState, ResumeError> {
        let state: SpsaState = serde_json::from_str(text)?;
        match state.format {
            _ if !state.is_sound() => Err(ResumeError::Damaged),
            WITHOUT_MATCH | FORMAT => Ok(SpsaState { format: FORMAT, ..state }),
            other => Err(ResumeError::Format { found: other, known: FORMAT }),
        }
    }

    fn run(&self) -> &TuningRun {
        &self.run
    }

    fn run_mut(&mut self) -> &mut TuningRun {
        &mut self.run
    }

    /// Values of both sides in this round: the current ones plus and minus the perturbation. Integers are rounded at
    /// random, with the same offset for both sides, so that steps below 1 count too.
    fn sides(&self) -> [Vec<f64>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for ((parameter, value), Perturbation { sign, offset }) in
            self.run.parameters.iter().zip(&self.values).zip(self.perturbations())
        {
            let step = self.step(parameter) * sign;
            for (side, by) in sides.iter_mut().zip([step, -step]) {
                let moved = value + by;
                let sent = if parameter.kind == ColumnKind::Int { (moved + offset).floor() } else { moved };
                side.push(sent.clamp(parameter.min, parameter.max));
            }
        }
        sides
    }

    /// Updates the values by a round: wins, draws and losses of the first side. Games without a partner count as half a pair.
    fn learn(&mut self, games: [u64; 3]) {
        let result = games[0] as f64 - games[2] as f64;
        let followed = self.run.parameters.iter().zip(&self.values).zip(self.perturbations()).map(
            |((parameter, value), perturbation)| {
                (value + self.rate(parameter) * self.step(parameter) * result * perturbation.sign)
                    .clamp(parameter.min, parameter.max)
            },
        );
        self.values = followed.collect();
        self.run.add(games);
        self.history.push(Point { games: self.run.games.iter().sum(), values: self.values.clone() });
        if self.history.len() > HISTORY {
            let mut index = 0;
            self.history.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }

    fn best(&self) -> Vec<f64> {
        self.rounded(self.values.clone())
    }
}

/// Perturbation of one parameter in a round.
struct Perturbation {
    /// 1 or −1: direction of the first side.
    sign: f64,
    /// Rounding offset of an integer, in [0, 1).
    offset: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter_file::parse_lines as parse_parameters;

    const PARAMETERS: &str =
        "# of a test\nmargin, int, 50, 0, 200, 10, 0.002\n\nweight, float, 0.5, 0, 1, 0.05, 0.002\n";

    #[test]
    fn sides_lie_on_both_sides_and_within_bounds() {
        let parameters =
            parse_parameters("a, int, 0, 0, 9, 0.1, 0.01\nb, int, 50, 0, 200, 10, 0.01").unwrap();
        let mut state = SpsaState::new(parameters, 100, 7);
        for _ in 0..50 {
            let [first, second] = state.sides();
            assert_eq!([first.clone(), second.clone()], state.sides());
            assert!(first.iter().chain(&second).all(|value| value.fract() == 0.0));
            assert!((0.0..=1.0).contains(&first[0]) && (first[1] - second[1]).abs() >= 19.0);
            state.learn([1, 0, 1]);
        }
        assert_eq!(state.values, [0.0, 50.0]);
    }

    /// Games whose chance to be won falls with the distance from the best setting.
    #[test]
    fn parameters_find_what_wins() {
        let best = [120.0, 0.2];
        let mut state = SpsaState::new(parse_parameters(PARAMETERS).unwrap(), 20_000, 3);
        let mut random = ChaCha8Rng::seed_from_u64(5);
        while !state.run.is_done() {
            let loss = |side: &[f64]| ((side[0] - best[0]) / 100.0).powi(2) + (side[1] - best[1]).powi(2);
            let [first, second] = state.sides().map(|side| loss(&side));
            let chance = 1.0 / (1.0 + (3.0 * (first - second)).exp());
            let wins = (0..16).filter(|_| unit(&mut random) < chance).count() as u64;
            state.learn([wins, 0, 16 - wins]);
        }
        let [margin, weight] = state.best()[..] else { unreachable!() };
        assert!((margin - best[0]).abs() < 25.0 && (weight - best[1]).abs() < 0.15, "{margin} {weight}");
    }

    #[test]
    fn values_that_lose_a_validation_match_give_way_to_the_last_that_passed() {
        let mut state = SpsaState::new(parse_parameters(PARAMETERS).unwrap(), 100, 2);
        let mut after_round = |games| {
            state.learn(games);
            assert!(state.is_validation_due(16) && !state.is_validation_due(17));
        };
        after_round([16, 0, 0]);
        let passed = state.values.clone();
        state.add_validation(true, [5, 0, 1], 2.9);
        assert!(!state.is_validation_due(16) && state.accepted() == passed);
        state.learn([0, 0, 16]);
        assert_ne!(state.values, passed);
        state.add_validation(false, [1, 0, 5], -2.9);
        assert_eq!((&state.values, state.validations.len()), (&passed, 2));
        assert_eq!(SpsaState::parse(&state.to_text()).unwrap(), state);
        let mut never = SpsaState::new(parse_parameters(PARAMETERS).unwrap(), 8, 2);
        never.learn([0, 0, 16]);
        assert!(never.is_validation_due(1000), "the end is tested, too");
        never.add_validation(false, [0, 0, 9], -3.0);
        assert_eq!(never.values, [50.0, 0.5]);
        assert!(!never.is_validation_due(1000));
    }

    #[test]
    fn a_saved_state_goes_on_alike() {
        let mut state = SpsaState::new(parse_parameters(PARAMETERS).unwrap(), 100, 2);
        state.learn([5, 2, 1]);
        let mut again = SpsaState::parse(&state.to_text()).unwrap();
        assert_eq!(again, state);
        for state in [&mut state, &mut again] {
            state.learn([0, 3, 5]);
        }
        assert_eq!(again, state);
        assert!(matches!(SpsaState::parse("{}"), Err(ResumeError::Text(_))));
    }
}
