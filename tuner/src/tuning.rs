//! Tuning by games: what SPSA and CLOP share. Both propose two sides for each round of games and learn from its result.

use std::path::PathBuf;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Whole numbers or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColumnKind {
    /// Whole numbers: a UCI option of type `spin`.
    Int,
    /// Any number, in decimals.
    Float,
    /// One of several words: a UCI option of type `combo`, `check` or `string`. Its value is the index of the choice.
    Choice,
}

/// A tunable parameter: an option of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TunableParam {
    /// The name of the option.
    pub name: String,
    pub kind: ColumnKind,
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// The perturbation in the last round (fishtest's c_end).
    pub step: f64,
    /// The learning rate in the last round (fishtest's r_end): a pair won moves the parameter by twice this share of the step.
    pub rate: f64,
    /// The words of a categorical parameter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// Maximum number of games in a saved run.
pub(crate) const MAX_COUNT: u64 = 1 << 40;

impl TunableParam {
    /// Whether its numbers are finite, its range is not empty and its choices are those of its range.
    fn is_sound(&self) -> bool {
        let numbers = [self.start, self.min, self.max, self.max - self.min, self.step, self.rate];
        let has_range = match self.kind {
            ColumnKind::Choice => self.min == 0.0 && self.max + 1.0 == self.choices.len() as f64,
            ColumnKind::Int | ColumnKind::Float => self.min <= self.max,
        };
        numbers.iter().all(|number| number.is_finite()) && has_range && self.step > 0.0 && self.rate > 0.0
    }

    /// Whether this is a value of its range, or the start value.
    pub(crate) fn has(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value) || value == self.start
    }

    /// The value as the engine reads it.
    pub(crate) fn text(&self, value: f64) -> String {
        self.choices.get(value as usize).cloned().unwrap_or_else(|| value.to_string())
    }

    /// A value of the range as a number from −1 to 1.
    pub(crate) fn scaled(&self, value: f64) -> f64 {
        if self.max > self.min { 2.0 * (value - self.min) / (self.max - self.min) - 1.0 } else { 0.0 }
    }

    /// The value at a share of the range, from 0 to 1.
    pub(crate) fn at(&self, share: f64) -> f64 {
        match self.kind {
            ColumnKind::Float => self.min + share * (self.max - self.min),
            ColumnKind::Int => (self.min + share * (self.max - self.min)).round(),
            ColumnKind::Choice => (share * self.choices.len() as f64).floor().min(self.max),
        }
    }
}

/// Match settings of a tuning by games, constant over all rounds.
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

/// What is played of a tuning, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TuningRun {
    #[serde(rename = "knobs")]
    pub parameters: Vec<TunableParam>,
    /// Pairs of games in all.
    pub pairs: u64,
    pub seed: u64,
    /// Pairs that were played.
    pub played: u64,
    /// Rounds that were played.
    pub rounds: u64,
    /// Wins, draws and losses of the first side over all rounds.
    pub games: [u64; 3],
    /// SHA-256 of the engine's files, in hexadecimal; none in checkpoints of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Match settings; none in the first format of SPSA's checkpoints.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub settings: Option<MatchSettings>,
}

impl TuningRun {
    /// Before the first round.
    pub(crate) fn new(parameters: Vec<TunableParam>, pairs: u64, seed: u64) -> TuningRun {
        TuningRun {
            parameters,
            pairs,
            seed,
            played: 0,
            rounds: 0,
            games: [0; 3],
            program: None,
            settings: None,
        }
    }

    /// Whether a saved run can be one of this program: finite ranges, and counts that add up without overflow.
    pub(crate) fn is_sound(&self) -> bool {
        let counts = [self.pairs, self.played, self.rounds];
        counts.iter().chain(&self.games).all(|&count| count <= MAX_COUNT)
            && self.parameters.iter().all(TunableParam::is_sound)
    }

    /// Whether these are finite values, one for each parameter.
    pub(crate) fn are_values(&self, values: &[f64]) -> bool {
        values.len() == self.parameters.len() && values.iter().all(|value| value.is_finite())
    }

    /// Whether all pairs were played.
    pub(crate) fn is_done(&self) -> bool {
        self.played >= self.pairs
    }

    /// Counts the games of a round. A game without a partner counts as half a pair.
    pub(crate) fn add(&mut self, games: [u64; 3]) {
        self.games.iter_mut().zip(games).for_each(|(all, new)| *all += new);
        self.played += games.iter().sum::<u64>().div_ceil(2);
        self.rounds += 1;
    }
}

/// A method of tuning by games. Pure: results come in, values go out.
pub(crate) trait Tuning: Serialize + DeserializeOwned {
    fn parse(text: &str) -> Result<Self, ResumeError>;

    fn run(&self) -> &TuningRun;

    fn run_mut(&mut self) -> &mut TuningRun;

    /// The values of both sides in this round: the same whenever they are asked for.
    fn sides(&self) -> [Vec<f64>; 2];

    /// Learns from a round: wins, draws and losses of the first side.
    fn learn(&mut self, games: [u64; 3]);

    /// The best values by the games so far, as the engine takes them.
    fn best(&self) -> Vec<f64>;

    /// The checkpoint, as JSON.
    fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and names can be written as JSON") + "\n"
    }
}

/// Why a saved tuning can't be resumed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResumeError {
    #[error("not a checkpoint of this tuning: {0}")]
    Text(#[from] serde_json::Error),
    #[error("damaged: its values are not those of its parameters")]
    Damaged,
    #[error("format {found}; this program knows {known}")]
    Format { found: u32, known: u32 },
}

/// At least 0 and below 1.
pub(crate) fn unit(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}
