//! Tuning by games: simultaneous perturbation stochastic approximation (J. C. Spall, IEEE Transactions on Aerospace and
//! Electronic Systems 34 (1998), 817), with the settings as fishtest and OpenBench word them. In each round all parameters are
//! moved at once, each up or down by chance; the engine with these moves plays the one with the opposite moves, and each
//! parameter follows the winner a little. Pure: results of games come in, values go out. Knows no games.

mod forecast;

use std::path::PathBuf;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

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

/// Whole numbers or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColumnKind {
    /// Whole numbers: a UCI option of type `spin`.
    Int,
    /// Any number, in decimals.
    Float,
}

/// A tunable parameter: an option of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TunableParam {
    /// The name of the option.
    pub name: String,
    pub kind: ColumnKind,
    /// Start value.
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// The perturbation in the last round (fishtest's c_end).
    pub step: f64,
    /// The learning rate in the last round (fishtest's r_end): a pair won moves the parameter by twice this share of the step.
    pub rate: f64,
}

/// State of an SPSA run: parameters, settings and progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SpsaState {
    format: u32,
    #[serde(rename = "knobs")]
    pub parameters: Vec<TunableParam>,
    /// Pairs of games in all.
    pub pairs: u64,
    pub seed: u64,
    /// Current values of the parameters.
    pub values: Vec<f64>,
    /// Pairs that were played.
    pub played: u64,
    /// Rounds that were played.
    pub rounds: u64,
    /// Wins, draws and losses of the plus side over all rounds.
    pub games: [u64; 3],
    /// Match settings; none in checkpoints of the first format.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub settings: Option<MatchSettings>,
    /// Values after earlier rounds.
    #[serde(default)]
    pub history: Vec<Point>,
}

/// Match settings of an SPSA run, constant over all rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MatchSettings {
    /// The engine, as the tournament program names engines.
    pub engine: String,
    /// The file that the parameters come from.
    #[serde(rename = "knobs")]
    pub parameters: PathBuf,
    /// The time control; none where games are played at fixed nodes.
    pub tc: Option<String>,
    /// Nodes for each move; none where there is a time control.
    pub nodes: Option<u64>,
    /// The openings; none for those of the tournament program.
    pub openings: Option<PathBuf>,
    /// Games of a round.
    pub batch: u64,
}

/// Where the parameters stood after a number of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    /// Games played until then.
    pub games: u64,
    /// The values, in the order of the parameters.
    pub values: Vec<f64>,
}

/// Why a saved tuning can't be resumed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    #[error("not an SPSA checkpoint: {0}")]
    Text(#[from] serde_json::Error),
    #[error("damaged: its values are not those of its parameters")]
    Damaged,
    #[error("format {0}; this program knows {FORMAT}")]
    Format(u32),
}

impl SpsaState {
    /// The state before the first round.
    pub(crate) fn new(parameters: Vec<TunableParam>, pairs: u64, seed: u64) -> SpsaState {
        let values = parameters.iter().map(|parameter| parameter.start).collect();
        let (format, history, settings) = (FORMAT, Vec::new(), None);
        SpsaState {
            format,
            parameters,
            pairs,
            seed,
            values,
            played: 0,
            rounds: 0,
            games: [0; 3],
            settings,
            history,
        }
    }

    /// Reads what [`SpsaState::to_text`] wrote.
    pub(crate) fn parse(text: &str) -> Result<SpsaState, ResumeError> {
        let state: SpsaState = serde_json::from_str(text)?;
        match state.format {
            _ if state.values.len() != state.parameters.len() => Err(ResumeError::Damaged),
            WITHOUT_MATCH | FORMAT => Ok(SpsaState { format: FORMAT, ..state }),
            other => Err(ResumeError::Format(other)),
        }
    }

    /// The whole of it, as JSON.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and names can be written as JSON") + "\n"
    }

    /// Whether all pairs were played.
    pub(crate) fn is_done(&self) -> bool {
        self.played >= self.pairs
    }

    /// The values of both sides in this round: moved by the chance of the round, and moved the other way. Those of whole
    /// numbers are rounded by chance, both sides alike, so that small steps count too.
    pub(crate) fn sides(&self) -> [Vec<f64>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for ((parameter, value), Chance { way, share }) in
            self.parameters.iter().zip(&self.values).zip(self.chances())
        {
            let step = self.step(parameter) * way;
            for (side, by) in sides.iter_mut().zip([step, -step]) {
                let moved = value + by;
                let sent = if parameter.kind == ColumnKind::Int { (moved + share).floor() } else { moved };
                side.push(sent.clamp(parameter.min, parameter.max));
            }
        }
        sides
    }

    /// Learns from a round: wins, draws and losses of the first side. Games without a partner count as half a pair.
    pub(crate) fn learn(&mut self, games: [u64; 3]) {
        let result = games[0] as f64 - games[2] as f64;
        let followed = self.parameters.iter().zip(&self.values).zip(self.chances()).map(
            |((parameter, value), chance)| {
                (value + self.rate(parameter) * self.step(parameter) * result * chance.way)
                    .clamp(parameter.min, parameter.max)
            },
        );
        self.values = followed.collect();
        for (all, new) in self.games.iter_mut().zip(games) {
            *all += new;
        }
        self.played += games.iter().sum::<u64>().div_ceil(2);
        self.rounds += 1;
        self.history.push(Point { games: self.games.iter().sum(), values: self.values.clone() });
        if self.history.len() > HISTORY {
            let mut index = 0;
            self.history.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }

    /// The chance of this round for each parameter in turn: the same whenever it is asked for.
    fn chances(&self) -> impl Iterator<Item = Chance> + use<> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(self.rounds);
        std::iter::repeat_with(move || {
            let way = if random.next_u64() >> 63 == 0 { 1.0 } else { -1.0 };
            Chance { way, share: unit(&mut random) }
        })
    }

    /// Spall's c_k.
    fn step(&self, parameter: &TunableParam) -> f64 {
        let left = self.pairs as f64 / (self.played as f64 + 1.0);
        let step = parameter.step * left.powf(GAMMA);
        if parameter.kind == ColumnKind::Int { step.max(LEAST_STEP) } else { step }
    }

    /// Spall's a_k over the square of c_k.
    fn rate(&self, parameter: &TunableParam) -> f64 {
        let all = self.pairs as f64;
        let held_back = HELD_BACK * all;
        let gain = parameter.rate
            * parameter.step.powi(2)
            * ((held_back + all) / (held_back + self.played as f64 + 1.0)).powf(ALPHA);
        gain / self.step(parameter).powi(2)
    }

    /// The current values as the engine takes them: whole numbers are rounded.
    pub(crate) fn rounded(&self) -> Vec<f64> {
        let rounded = |(parameter, value): (&TunableParam, &f64)| {
            if parameter.kind == ColumnKind::Int { value.round() } else { *value }
        };
        self.parameters.iter().zip(&self.values).map(rounded).collect()
    }
}

/// What chance decides of a parameter in a round.
struct Chance {
    /// 1 where the first side is moved up, −1 where it is moved down.
    way: f64,
    /// Added before a whole number is cut off: from 0 to below 1.
    share: f64,
}

/// At least 0 and below 1.
fn unit(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
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
        while !state.is_done() {
            let loss = |side: &[f64]| ((side[0] - best[0]) / 100.0).powi(2) + (side[1] - best[1]).powi(2);
            let [first, second] = state.sides().map(|side| loss(&side));
            let chance = 1.0 / (1.0 + (3.0 * (first - second)).exp());
            let wins = (0..16).filter(|_| unit(&mut random) < chance).count() as u64;
            state.learn([wins, 0, 16 - wins]);
        }
        let [margin, weight] = state.rounded()[..] else { unreachable!() };
        assert!((margin - best[0]).abs() < 25.0 && (weight - best[1]).abs() < 0.15, "{margin} {weight}");
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
