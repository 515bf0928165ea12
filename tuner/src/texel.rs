//! Texel tuning from beginning to end: fits K, minimizes the error, rounds the weights and summarizes the fit.

mod identity;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::fit_data::FitData;
use crate::loss::{LabelledRows, Loss, targets};
use crate::optimizer::{
    Fit, FitEnd, OptimizeError, OptimizerSettings, Penalty, Problem, Step, Strengths, fit_k, fit_strengths,
    optimize, rounded_together, steepness_of,
};
use crate::weights::schema::Bounds;
use crate::weights::schema::Schema;
use crate::weights::variables::{Constraints, Variables};
use crate::weights::{PatternError, Selection};
use identity::identity_of;

/// Rounds of fitting steepness and strengths alternately.
const ROUNDS: usize = 3;

/// Parameters up to which they are rounded together: the matrices then take 0.8 GB.
const MOST_ROUNDED_TOGETHER: usize = 4096;

/// Maximum number of training positions, about, from which the matrix is made.
const ROUNDING_ROWS: usize = 400_000;

/// Settings of a fit.
#[derive(Clone, Debug)]
pub struct Task {
    /// Start values of all parameters.
    pub start: Vec<f64>,
    /// Weights that may change.
    pub selection: Selection,
    /// Steepness of the sigmoid; fitted first if not given.
    pub k: Option<f64>,
    /// Share of the result in the target, 0 to 1; the rest is the sigmoid of the score.
    pub result_share: f64,
    /// L2 penalty for the distance from the start values.
    pub penalty: Penalty,
    /// Whether the schema's constraints apply.
    pub constraints: Constraints,
    /// Bounds of the weights that match a pattern.
    pub bounds: Vec<(String, Bounds)>,
    /// Treatment of the players' strength.
    pub players: Players,
    /// Settings of the optimizer.
    pub settings: OptimizerSettings,
}

/// Treatment of the players' strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Players {
    Ignore,
    /// The strength of each player is fitted and removed from the results.
    Adjust,
}

/// Fitted strength of a player.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PlayerStrength {
    /// Name of the player.
    pub name: String,
    /// Centipawns above the mean of all players.
    pub centipawns: f64,
}

/// Why a fit failed.
#[derive(Debug, thiserror::Error)]
pub enum TexelError {
    /// A pattern of `--only`, `--freeze` or `--bound` has no match.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    #[error("nothing to tune: no weight that is selected occurs in the positions")]
    NothingFree,
    /// Player strengths are to be fitted, but no player is known.
    #[error(
        "the positions do not say who played: extract them again from games with the tags White and Black"
    )]
    NoPlayers,
    #[error("no positions to train on")]
    NoPositions,
    #[error(
        "all {0} positions are held out for validation, since games are held out as a whole and these count as one: use more games, or give --validation 0"
    )]
    AllHeldOut(usize),
    #[error(transparent)]
    Optimize(#[from] OptimizeError),
}

/// Figures of a fit. Errors are mean squared errors against the target: results in [0, 1], or a mix of result and
/// score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Number of positions.
    pub positions: usize,
    /// Number of training positions.
    pub train: usize,
    /// Number of validation positions.
    pub validation: usize,
    /// Number of tuned parameters.
    pub parameters: usize,
    /// Steepness of the sigmoid.
    pub k: f64,
    /// Training error of the start values.
    pub initial_error: f64,
    /// Training error of the rounded weights.
    pub final_error: f64,
    /// Validation error of the start values.
    pub initial_validation_error: f64,
    /// Validation error of the rounded weights.
    pub validation_error: f64,
    /// Increase of the validation error by rounding (of the training error without validation).
    pub rounding_error: f64,
    /// Number of epochs.
    pub epochs: u64,
    /// Time of the fit in seconds, including K, without loading.
    pub seconds: f64,
    /// Positions per second over all passes of the search.
    pub positions_per_second: f64,
    /// Peak memory of the process in bytes; 0 if unknown.
    pub peak_memory_bytes: u64,
    /// Memory per position in bytes.
    pub bytes_per_position: f64,
    /// Bytes of positions in a temporary file, beyond the memory limit.
    pub file_bytes: u64,
    /// Why the search ended.
    pub ending: &'static str,
    /// Weights that occur in no position and were not changed.
    pub unseen: Vec<String>,
    /// Number of variables: tied weights, such as the files of a mirrored board, count once.
    pub variables: usize,
    /// Player strengths, if they were removed from the results.
    pub players: Vec<PlayerStrength>,
    /// Whether a group with a curve started above zero because the curve is flat there.
    pub danger_lifted: bool,
}

pub struct Tuned {
    pub parameters: Vec<f64>,
    pub summary: Summary,
    pub steps: Vec<Step>,
    /// Why the search ended.
    pub ending: FitEnd,
    /// The checkpoint's file, if that of the settings changed during the fit.
    pub moved_checkpoint: Option<PathBuf>,
}

/// Fits the selected weights to the training positions; returns the weights with the lowest validation error. Setting
/// `stop` ends the search with the best so far.
///
/// # Errors
/// If there is nothing to fit, or the solver fails.
pub fn fit<'t, R: LabelledRows>(
    table: &'t FitData<R>,
    schema: &Schema,
    task: &Task,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Step),
) -> Result<Tuned, TexelError> {
    let (train_labels, validation_labels) = (table.train.labels(), table.validation.labels());
    if train_labels.is_empty() {
        return Err(match validation_labels.len() {
            0 => TexelError::NoPositions,
            count => TexelError::AllHeldOut(count),
        });
    }
    let free = task.selection.free(schema, &table.coverage)?;
    if free.is_empty() {
        return Err(TexelError::NothingFree);
    }
    let begun = std::time::Instant::now();
    let mut start = task.start.clone();
    let variables = Variables::new(schema, &free, task.constraints, &bounds_of(schema, &task.bounds)?);
    let k = match (&task.settings.checkpoints.resume, task.k) {
        (Some(path), None) => steepness_of(path)?,
        (_, Some(k)) => k,
        (None, None) => fit_steepness(&table.train, task)?,
    };
    let share = task.result_share;
    let loss_of = |rows: &'t R| Loss::new(rows, targets(rows, share, k), k);
    let strengths = match task.players {
        Players::Ignore => Strengths::default(),
        Players::Adjust => fit_strengths(&mut loss_of(&table.train), train_labels, &start, k),
    };
    let loss_of = |rows: &'t R| loss_of(rows).with_leads(strengths.leads(rows.labels(), k));
    let (mut train, mut validation) = (loss_of(&table.train), loss_of(&table.validation));
    let initial_error = train.error(&start);
    let initial_validation_error = validation.error(&start);
    let danger_lifted = schema.lift_curves(&mut start, &free);
    let identity = identity_of(table, task, k);

    let problem = Problem::new(loss_of(&table.train), start, &variables, task.penalty, stop);
    let fit = optimize(problem, &mut validation, &task.settings, &identity, stop, report)?;

    let exact = projected(&fit.best, &variables, &table.coverage);
    let parameters = match fit.ending {
        // The user waits.
        FitEnd::Interrupted => schema.rounded(&exact),
        _ => rounded(&exact, schema, &variables, &mut train, task.penalty),
    };
    let held_out = if validation.is_empty() { &mut train } else { &mut validation };
    let rounding_error = held_out.error(&parameters) - held_out.error(&fit.best);
    let last = fit.steps.last();
    let search = last.map_or(Duration::ZERO, |step| step.time).as_secs_f64();
    let unseen = schema.weights.iter().zip(&table.coverage).filter(|(_, count)| **count == 0);
    let positions = train_labels.len() + validation_labels.len();
    let summary = Summary {
        positions,
        train: train_labels.len(),
        validation: validation_labels.len(),
        parameters: free.len(),
        k,
        initial_error,
        final_error: train.error(&parameters),
        initial_validation_error,
        validation_error: validation.error(&parameters),
        rounding_error,
        epochs: last.map_or(0, |step| step.epoch),
        seconds: begun.elapsed().as_secs_f64(),
        positions_per_second: last.map_or(0.0, |step| step.positions as f64) / search.max(1e-9),
        peak_memory_bytes: smalt_driver::process::peak_memory_bytes(std::process::id()).unwrap_or(0),
        bytes_per_position: (train.memory() + validation.memory()) as f64 / positions as f64,
        file_bytes: train.file_size() + validation.file_size(),
        ending: match fit.ending {
            FitEnd::Converged => "converged",
            FitEnd::Patience => "no better validation error",
            FitEnd::Epochs => "all epochs done",
            FitEnd::Interrupted => "interrupted",
        },
        unseen: unseen.map(|(weight, _)| weight.name.clone()).collect(),
        variables: variables.len(),
        players: player_strengths(&table.players, &strengths),
        danger_lifted,
    };
    let Fit { steps, ending, moved_checkpoint, .. } = fit;
    Ok(Tuned { parameters, summary, steps, ending, moved_checkpoint })
}

/// Steepness that fits the start values, with player strengths removed on request; 1 if all evaluations are equal,
/// since any steepness then fits.
fn fit_steepness<R: LabelledRows>(rows: &R, task: &Task) -> Result<f64, TexelError> {
    let (start, labels) = (&task.start, rows.labels());
    if task.players == Players::Adjust && labels.players().is_empty() {
        return Err(TexelError::NoPlayers);
    }
    let loss = || Loss::new(rows, targets(rows, 1.0, 1.0), 1.0);
    let evaluations = loss().evaluations(start);
    if evaluations.iter().all(|evaluation| (evaluation - evaluations[0]).abs() < 1.0) {
        return Ok(1.0);
    }
    let mut k = fit_k(&mut loss(), start)?;
    if task.players == Players::Adjust {
        for _ in 0..ROUNDS {
            let strengths = fit_strengths(&mut loss(), labels, start, k);
            k = fit_k(&mut loss().with_leads(strengths.leads(labels, k)), start)?;
        }
    }
    Ok(k)
}

fn bounds_of(
    schema: &Schema,
    patterns: &[(String, Bounds)],
) -> Result<BTreeMap<usize, Bounds>, PatternError> {
    let mut all = BTreeMap::new();
    for (pattern, bounds) in patterns {
        all.extend(Selection::named(schema, pattern)?.into_iter().map(|index| (index, *bounds)));
    }
    Ok(all)
}

/// Parameters projected onto the constraints.
fn projected(parameters: &[f64], variables: &Variables, coverage: &[u32]) -> Vec<f64> {
    let mut point = variables.point(parameters);
    let members = variables.members();
    variables.project(&mut point, |variable| {
        members[variable].iter().map(|&index| f64::from(coverage[index / 2])).sum()
    });
    let mut projected = parameters.to_vec();
    variables.apply(&point, &mut projected);
    projected
}

/// Parameters rounded together, to the engine's precision; those of very large evaluations are rounded one by one.
fn rounded(
    exact: &[f64],
    schema: &Schema,
    variables: &Variables,
    train: &mut Loss<'_>,
    penalty: Penalty,
) -> Vec<f64> {
    let n = variables.len();
    if exact.len() > MOST_ROUNDED_TOGETHER {
        return schema.rounded(exact);
    }
    let matrix = train.normal_matrix(exact, ROUNDING_ROWS, |_| true);
    let members = variables.members();
    let element = |a: usize, b: usize| -> f64 {
        members[a].iter().map(|&i| members[b].iter().map(|&j| matrix.get(i, j)).sum::<f64>()).sum()
    };
    let mut hessian = vec![0.0; n * n];
    for a in 0..n {
        for b in 0..=a {
            let element = element(a, b);
            (hessian[a * n + b], hessian[b * n + a]) = (element, element);
        }
        hessian[a * n + a] += 2.0 * penalty.factor(train.total_weight()) * members[a].len() as f64;
    }
    let steps: Vec<f64> = members.iter().map(|members| schema.weight_of(members[0]).step()).collect();
    let bounds = |variable: usize, known: &[Option<f64>]| variables.bounds(variable, known);
    let mut whole = exact.to_vec();
    if let Some(point) = rounded_together(&hessian, &variables.point(exact), &steps, &bounds) {
        variables.apply(&point, &mut whole);
    }
    schema.rounded(&whole)
}

fn player_strengths(names: &[String], strengths: &Strengths) -> Vec<PlayerStrength> {
    let player = |(name, &centipawns): (&String, &f64)| PlayerStrength { name: name.clone(), centipawns };
    names.iter().zip(strengths.of_players()).map(player).collect()
}
