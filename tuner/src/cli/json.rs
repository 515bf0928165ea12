//! The JSON documents of all commands (`--json`), and `schema`, which prints their JSON schemas.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use smalt_workbench::json::{Versioned, schema_text};

use super::night_settings::NightSettings;
use super::{Refusal, print};
use crate::extract::BadGame;
use crate::night::{Step, StepKind};
use crate::spsa::Validation;
use crate::texel::Summary;

/// Commands whose JSON has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SchemaName {
    /// Report of an extraction (extract --json)
    Extract,
    /// Counts of a conversion (convert --json)
    Convert,
    /// Counts and errors of new scores (rescore --json)
    Rescore,
    /// Result of a fit (texel --json)
    Texel,
    /// Counts of collected traces (trace --json)
    Trace,
    /// Findings on a data set (check --json)
    Check,
    /// Result of the test of a tuned version (prove --json)
    Prove,
    /// Tuned parameters (spsa --json)
    Spsa,
    /// Tuned parameters with their regions (clop --json)
    Clop,
    /// Steps of a night and the accepted versions (night --json)
    Night,
}

pub(super) fn schema(name: SchemaName) -> Result<(), Refusal> {
    print(&match name {
        SchemaName::Extract => schema_text::<Versioned<ExtractJson<'_>>>(),
        SchemaName::Convert => schema_text::<Versioned<ConvertJson<'_>>>(),
        SchemaName::Rescore => schema_text::<Versioned<RescoreJson<'_>>>(),
        SchemaName::Texel => schema_text::<Versioned<TexelJson<'_>>>(),
        SchemaName::Trace => schema_text::<Versioned<TraceJson<'_>>>(),
        SchemaName::Check => schema_text::<Versioned<CheckJson<'_>>>(),
        SchemaName::Prove => schema_text::<Versioned<ProveJson<'_>>>(),
        SchemaName::Spsa => schema_text::<Versioned<SpsaJson<'_>>>(),
        SchemaName::Clop => schema_text::<Versioned<ClopJson<'_>>>(),
        SchemaName::Night => schema_text::<Versioned<NightJson<'_>>>(),
    })
}

/// The report of an extraction.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExtractJson<'a> {
    /// Number of games in the files.
    pub games: u64,
    /// Number of games with positions considered.
    pub used_games: u64,
    /// Number of positions written.
    pub positions: u64,
    /// Number of records written: one for each game of a position.
    pub records: u64,
    /// Number of skipped games, by reason.
    pub skipped_games: BTreeMap<String, u64>,
    /// Number of skipped positions, by reason.
    pub dropped_positions: BTreeMap<String, u64>,
    /// Number of positions written, by phase: 0 (pawn endings) to 24 (all pieces).
    pub phases: &'a [u64],
    /// Hash of the records, in hexadecimal.
    pub hash: String,
    /// The first hundred skipped games.
    pub bad_games: &'a [BadGame],
}

/// The counts of a conversion.
#[derive(Serialize, JsonSchema)]
pub(super) struct ConvertJson<'a> {
    /// Number of positions read.
    pub read: u64,
    /// Number of positions written.
    pub positions: u64,
    /// Number of positions written with a guessed move: they had none, and the format needs one.
    pub guessed_moves: u64,
    /// Format of the output, as --format names it.
    pub format: &'static str,
    /// The output file.
    pub written: &'a Path,
}

/// The counts and errors of new scores.
#[derive(Serialize, JsonSchema)]
pub(super) struct RescoreJson<'a> {
    /// Number of positions written.
    pub positions: u64,
    /// Number of scores known from an earlier run.
    pub known: u64,
    /// Number of positions that keep their score, since no move is legal or the engine gave none.
    pub unscored: u64,
    /// Time of the searches of this run in seconds.
    pub seconds: f64,
    /// Share of the engine's score.
    pub share: f64,
    /// Factor of the engine's score.
    pub scale: f64,
    /// Mean squared error of the results as predicted by the positions' own scores; null if none has one.
    pub own_error: Option<f64>,
    /// That of the engine's scores: of the positions with an own score, of all if none has one.
    pub engine_error: Option<f64>,
    /// That of the blended scores; null if no position has an own score.
    pub blended_error: Option<f64>,
    /// The output file.
    pub written: &'a Path,
}

/// The result of a fit.
#[derive(Serialize, JsonSchema)]
pub(super) struct TexelJson<'a> {
    #[serde(flatten)]
    pub summary: &'a Summary,
    /// Hash of the positions, in hexadecimal.
    pub data_hash: String,
    /// Warnings of the fit.
    pub warnings: &'a [String],
    /// The first file written; null if none was.
    pub written: Option<&'a Path>,
    /// All files written.
    pub written_files: Vec<&'a Path>,
    /// The errors after each epoch.
    pub history: Vec<EpochJson>,
}

/// The errors after an epoch.
#[derive(Serialize, JsonSchema)]
pub(super) struct EpochJson {
    /// Number of the epoch, from 1.
    pub epoch: u64,
    /// Mean squared error of the training positions, the penalty included.
    pub train: f64,
    /// Mean squared error of the validation positions; of the training positions if there are none.
    pub validation: f64,
    /// The least validation error so far.
    pub best: f64,
    /// Seconds since the fit began.
    pub seconds: f64,
}

/// The counts of collected traces.
#[derive(Serialize, JsonSchema)]
pub(super) struct TraceJson<'a> {
    /// Number of positions in the file.
    pub positions: u64,
    /// Number of positions traced by an earlier run.
    pub known: u64,
    /// Number of positions that the engine skipped.
    pub skipped: u64,
    /// Time in seconds.
    pub seconds: f64,
    /// Number of processes of the engine.
    pub processes: usize,
    /// Number of positions whose trace was compared with the engine's score.
    pub verified: u64,
    /// Largest difference allowed, in units of the engine.
    pub tolerance: f64,
    /// The file of traces.
    pub written: &'a Path,
}

/// The findings on a data set.
#[derive(Serialize, JsonSchema)]
pub(super) struct CheckJson<'a> {
    /// Number of positions.
    pub positions: usize,
    /// Steepness of the sigmoid that fits the weights.
    pub k: f64,
    /// Mean squared error of the weights.
    pub error: f64,
    /// Number of positions by phase, 0 (pawn endings) to 24 (all pieces); null for traces.
    pub phases: Option<&'a [u64]>,
    /// Weights that occur in no position.
    pub unseen: Vec<&'a str>,
    /// Number of weights beyond the 4,096 that occur in most positions; `without_effect`, `collinear` and `dominated` leave
    /// them out.
    pub not_compared: usize,
    /// Weights that occur but have a zero derivative at these values.
    pub without_effect: Vec<&'a str>,
    /// Parameters that are linear combinations of the others; null if the numbers are too imprecise to tell.
    pub dominated: Option<Vec<String>>,
    /// Collinear pairs of parameters, highest correlation first.
    pub collinear: Vec<CollinearJson>,
    /// Number of positions in which each weight occurs.
    pub coverage: BTreeMap<&'a str, u32>,
}

/// A collinear pair of parameters.
#[derive(Serialize, JsonSchema)]
pub(super) struct CollinearJson {
    /// Name of a parameter.
    pub first: String,
    /// Name of the other one.
    pub second: String,
    /// Correlation of their effects, from -1 to 1.
    pub correlation: f64,
}

/// The result of the test of a tuned version.
#[derive(Serialize, JsonSchema)]
pub(super) struct ProveJson<'a> {
    /// `better`, `not better` or `undecided`.
    pub verdict: &'static str,
    /// Number of games that the tuned version won.
    pub wins: u64,
    /// Number of drawn games.
    pub draws: u64,
    /// Number of games that it lost.
    pub losses: u64,
    /// Elo of the tuned version over the base; null if one side won all games.
    pub elo: Option<f64>,
    /// Half-width of the 95 % interval of `elo`.
    pub elo_error: Option<f64>,
    /// Lower end of that interval; null if unbounded.
    pub elo_low: Option<f64>,
    /// Upper end of that interval; null if unbounded.
    pub elo_high: Option<f64>,
    /// Elo given the stopping rule; null until the pairs scatter as 25 decided games do.
    pub sprt_elo: Option<f64>,
    /// Lower end of its 95 % interval.
    pub sprt_elo_low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub sprt_elo_high: Option<f64>,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Bound of the ratio at which H0 is accepted.
    pub lower: f64,
    /// Bound at which H1 is accepted.
    pub upper: f64,
    /// The file that now has the tuned version; null if none was written.
    pub written: Option<&'a Path>,
}

/// The parameters tuned by SPSA.
#[derive(Serialize, JsonSchema)]
pub(super) struct SpsaJson<'a> {
    /// Number of games.
    pub games: u64,
    /// Number of rounds.
    pub rounds: u64,
    /// Random seed.
    pub seed: u64,
    /// The parameters.
    pub knobs: Vec<SpsaParameterJson<'a>>,
    /// Validation matches, the first one first.
    pub validations: &'a [Validation],
    /// The file that now has the tuned values; null if none was written.
    pub written: Option<&'a Path>,
}

/// A parameter tuned by SPSA.
#[derive(Serialize, JsonSchema)]
pub(super) struct SpsaParameterJson<'a> {
    /// Name of the parameter.
    pub name: &'a str,
    /// Value before the tuning.
    pub before: f64,
    /// Tuned value.
    pub after: f64,
}

/// The parameters tuned by CLOP.
#[derive(Serialize, JsonSchema)]
pub(super) struct ClopJson<'a> {
    /// Number of games.
    pub games: u64,
    /// Number of rounds.
    pub rounds: u64,
    /// Random seed.
    pub seed: u64,
    /// The parameters.
    pub parameters: Vec<ClopParameterJson<'a>>,
    /// Elo of the best values over the start values, by the fitted landscape.
    pub elo: f64,
    /// Half-width of the 95 % interval of `elo`.
    pub elo_error: f64,
    /// The file that now has the tuned values; null if none was written.
    pub written: Option<&'a Path>,
}

/// A parameter tuned by CLOP.
#[derive(Serialize, JsonSchema)]
pub(super) struct ClopParameterJson<'a> {
    /// Name of the parameter.
    pub name: &'a str,
    /// Value before the tuning.
    pub before: ValueJson,
    /// Best value.
    pub after: ValueJson,
    /// Lower end of the 95 % interval of the best number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of that interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The choices of a categorical parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<ChoiceJson<'a>>>,
}

/// Value of a parameter.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum ValueJson {
    /// Value of a number.
    Number(f64),
    /// Choice of a categorical parameter.
    Choice(String),
}

/// A choice of a categorical parameter.
#[derive(Serialize, JsonSchema)]
pub(super) struct ChoiceJson<'a> {
    /// The choice.
    pub choice: &'a str,
    /// Elo over the first choice.
    pub elo: f64,
    /// Half-width of the 95 % interval of `elo`.
    pub elo_error: f64,
    /// Probability that it is the best choice.
    pub best: f64,
}

/// A night at the end of a session.
#[derive(Serialize, JsonSchema)]
pub(super) struct NightJson<'a> {
    /// The settings with which the night began.
    #[schemars(with = "NightSettings")]
    pub settings: &'a Value,
    /// The finished steps.
    pub steps: &'a [Step],
    /// The versions that a proof accepted, in their order.
    pub accepted: Vec<AcceptedJson<'a>>,
    /// Elo of the accepted versions together.
    pub elo: f64,
    /// Half-width of the 95 % interval of `elo`.
    pub elo_error: f64,
    /// Number of games.
    pub games: u64,
    /// Time of all sessions in seconds.
    pub seconds: f64,
}

/// A version that a proof accepted.
#[derive(Serialize, JsonSchema)]
pub(super) struct AcceptedJson<'a> {
    /// Generation, from 1.
    pub generation: u32,
    /// The step that accepted it.
    pub proof: StepKind,
    /// Its file: a table of the evaluation, a source, or search parameters.
    pub file: &'a Path,
}
