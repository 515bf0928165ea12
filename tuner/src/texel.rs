//! A fit from beginning to end: K, the search for the least error, rounding, and what is to be told of it. Knows neither
//! flags nor displays.

mod identity;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::Serialize;
use smalt::evaluation::Parameters;
use smalt::evaluation::schema::WEIGHTS;

use crate::features::Table;
use crate::loss::{Loss, targets};
use crate::optimizer::{
    Ending, OptimizeError, Penalty, Problem, Settings, Step, Strengths, fit_k, fit_strengths, optimize,
    steepness_of,
};
use crate::weights::variables::{Bounds, Constraints, Variables};
use crate::weights::{Numbers, PatternError, Selection, lift_danger, name_of, parameters_of, rounded};
use identity::identity_of;

/// Rounds in which steepness and strengths are fitted in turn.
const ROUNDS: usize = 3;

/// What a fit is to do with a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Weights to begin with.
    pub start: Parameters,
    /// Which of them may change.
    pub selection: Selection,
    /// The steepness of the sigmoid; found first if it is not given.
    pub k: Option<f64>,
    /// The share of the result in the target, 0 to 1; the rest is the sigmoid of the score.
    pub result_share: f64,
    /// How dear it is to leave the start.
    pub penalty: Penalty,
    /// Whether numbers are held to what the schema says.
    pub constraints: Constraints,
    /// Bounds of what patterns name.
    pub bounds: Vec<(String, Bounds)>,
    /// What becomes of the players' strength.
    pub players: Players,
    /// The search.
    pub settings: Settings,
}

/// What becomes of the strength of those who played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Players {
    /// It is not looked at.
    Ignore,
    /// Each player's strength is fitted, and taken out of the results.
    Adjust,
}

/// How strong a player was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlayerStrength {
    /// The player.
    pub name: String,
    /// Centipawns above the mean of all.
    pub centipawns: f64,
}

/// Why a fit could not be done.
#[derive(Debug, thiserror::Error)]
pub enum TexelError {
    /// A name of `--only` or `--freeze` is none.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// Nothing may change.
    #[error("nothing to tune: no weight that is selected occurs in the positions")]
    NothingFree,
    /// The players are to be adjusted for, and nobody is known.
    #[error(
        "the positions do not say who played: extract them again from games with the tags White and Black"
    )]
    NoPlayers,
    /// No training positions.
    #[error("no positions to train on")]
    NoPositions,
    /// The solver failed.
    #[error(transparent)]
    Optimize(#[from] OptimizeError),
}

/// What came of a fit. Errors are mean squared errors against results in [0, 1]; where the target has a share of the
/// score, against that target.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Positions in all.
    pub positions: usize,
    /// Positions that weights were fitted to.
    pub train: usize,
    /// Positions that they were judged by.
    pub validation: usize,
    /// Numbers that were free to change.
    pub parameters: usize,
    /// Steepness of the sigmoid.
    pub k: f64,
    /// Training error of the start.
    pub initial_error: f64,
    /// Training error of the rounded weights.
    pub final_error: f64,
    /// Validation error of the start.
    pub initial_validation_error: f64,
    /// Validation error of the rounded weights.
    pub validation_error: f64,
    /// What rounding to integers added to the validation error (to the training error where there is no validation).
    pub rounding_error: f64,
    /// Iterations.
    pub epochs: u64,
    /// Time of the fit, K included, loading not.
    pub seconds: f64,
    /// Positions that all passes went over, per second of the search.
    pub positions_per_second: f64,
    /// The most memory that the process had, in bytes; 0 where the system does not tell.
    pub peak_memory_bytes: u64,
    /// Bytes that a position takes in memory.
    pub bytes_per_position: f64,
    /// Why the search ended.
    pub ending: &'static str,
    /// Weights that occur in no position and stayed as they were.
    pub unseen: Vec<String>,
    /// Numbers that moved by themselves: those of a mirrored board move in pairs.
    pub variables: usize,
    /// The strength of the players, where it was taken out of the results.
    pub players: Vec<PlayerStrength>,
    /// Whether king danger began lifted, because a curve that is flat at zero has no slope.
    pub danger_lifted: bool,
}

/// Fitted weights and their story.
pub struct Tuned {
    /// The weights, as the engine takes them.
    pub numbers: Box<Numbers>,
    /// What to tell.
    pub summary: Summary,
    /// Every step.
    pub steps: Vec<Step>,
    /// Whether somebody cut the search short.
    pub ending: Ending,
}

/// Fits the selected weights to the training positions; the best by validation error are taken. If `stop` is set, the
/// best so far are.
///
/// # Errors
/// If nothing is there to be fitted, or the solver fails.
pub fn fit(
    table: &Table,
    task: &Task,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Step),
) -> Result<Tuned, TexelError> {
    if table.train.is_empty() {
        return Err(TexelError::NoPositions);
    }
    let free = task.selection.free(&table.coverage)?;
    if free.is_empty() {
        return Err(TexelError::NothingFree);
    }
    let begun = std::time::Instant::now();
    let mut start = parameters_of(&task.start);
    let original = start.clone();
    let variables = Variables::new(&free, task.constraints, &bounds_of(&task.bounds)?);
    let k = match (&task.settings.checkpoints.resume, task.k) {
        (Some(path), None) => steepness_of(path)?,
        (_, Some(k)) => k,
        (None, None) => fit_steepness(table, task, &start)?,
    };
    let share = task.result_share;
    let loss_of = |rows| Loss::new(rows, targets(rows, share, k), k);
    let strengths = match task.players {
        Players::Ignore => Strengths::default(),
        Players::Adjust => fit_strengths(&mut loss_of(&table.train), &table.train, &start, k),
    };
    let loss_of = |rows| loss_of(rows).with_leads(strengths.leads(rows, k));
    let (mut train, mut validation) = (loss_of(&table.train), loss_of(&table.validation));
    let initial_error = train.error(&original);
    let initial_validation_error = validation.error(&original);
    let danger_lifted = lift_danger(&mut start, &free);
    let identity = identity_of(table, task, k);

    let problem = Problem::new(loss_of(&table.train), start, &variables, task.penalty);
    let fit = optimize(problem, &mut validation, &task.settings, &identity, stop, report)?;

    let numbers = rounded(&settled(&fit.best, &variables, &table.coverage));
    let whole = parameters_of(&Parameters::from_numbers(&numbers));
    let judge = if validation.is_empty() { &mut train } else { &mut validation };
    let rounding_error = judge.error(&whole) - judge.error(&fit.best);
    let last = fit.steps.last();
    let search = last.map_or(Duration::ZERO, |step| step.time).as_secs_f64();
    let unseen = (0..WEIGHTS).filter(|&weight| table.coverage[weight] == 0).map(name_of).collect();
    let summary = Summary {
        positions: table.len(),
        train: table.train.len(),
        validation: table.validation.len(),
        parameters: free.len(),
        k,
        initial_error,
        final_error: train.error(&whole),
        initial_validation_error,
        validation_error: validation.error(&whole),
        rounding_error,
        epochs: last.map_or(0, |step| step.epoch),
        seconds: begun.elapsed().as_secs_f64(),
        positions_per_second: last.map_or(0.0, |step| step.positions as f64) / search.max(1e-9),
        peak_memory_bytes: peak_memory(),
        bytes_per_position: (train.memory() + validation.memory()) as f64 / table.len() as f64,
        ending: match fit.ending {
            Ending::Converged => "converged",
            Ending::Patience => "no better validation error",
            Ending::Epochs => "all epochs done",
            Ending::Interrupted => "interrupted",
        },
        unseen,
        variables: variables.len(),
        players: player_strengths(&table.players, &strengths),
        danger_lifted,
    };
    Ok(Tuned { numbers, summary, steps: fit.steps, ending: fit.ending })
}

/// The steepness that fits the weights as they are, with the players' strength taken out where it is to be.
fn fit_steepness(table: &Table, task: &Task, start: &[f64]) -> Result<f64, TexelError> {
    let loss = || Loss::new(&table.train, targets(&table.train, 1.0, 1.0), 1.0);
    let mut k = fit_k(&mut loss(), start)?;
    if task.players == Players::Adjust {
        if table.train.players().is_empty() {
            return Err(TexelError::NoPlayers);
        }
        for _ in 0..ROUNDS {
            let strengths = fit_strengths(&mut loss(), &table.train, start, k);
            k = fit_k(&mut loss().with_leads(strengths.leads(&table.train, k)), start)?;
        }
    }
    Ok(k)
}

fn bounds_of(patterns: &[(String, Bounds)]) -> Result<BTreeMap<usize, Bounds>, PatternError> {
    let mut all = BTreeMap::new();
    for (pattern, bounds) in patterns {
        all.extend(Selection::named(pattern)?.into_iter().map(|index| (index, *bounds)));
    }
    Ok(all)
}

/// The parameters with all constraints kept to the letter.
fn settled(parameters: &[f64], variables: &Variables, coverage: &[u32]) -> Vec<f64> {
    let mut point = variables.point(parameters);
    let members = variables.members();
    variables.settle(&mut point, |variable| {
        members[variable].iter().map(|&index| f64::from(coverage[index / 2])).sum()
    });
    let mut settled = parameters.to_vec();
    variables.apply(&point, &mut settled);
    settled
}

fn player_strengths(names: &[String], strengths: &Strengths) -> Vec<PlayerStrength> {
    let player = |(name, &centipawns): (&String, &f64)| PlayerStrength { name: name.clone(), centipawns };
    names.iter().zip(strengths.of_players()).map(player).collect()
}

/// The most memory that the process has had, in bytes, as Linux tells it; 0 elsewhere.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
