//! Finds the parameters with the least error. Numbers only; knows no chess and no files.
//!
//! Each method is a solver of argmin; [`watch::Watched`] goes around any of them, judges every step by the validation
//! error, keeps the best, tells the progress and decides when to stop.

mod adam;
mod checkpoint;
mod cholesky;
mod dependence;
mod problem;
mod steepness;
mod strength;
mod watch;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use argmin::core::checkpointing::Checkpoint as _;
use argmin::core::{Executor, IterState, Solver, State as _, TerminationReason};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::loss::Loss;
use adam::Adam;
pub use checkpoint::{Identity, steepness_of};
pub use dependence::explained;
pub use problem::{Penalty, Problem};
pub use steepness::fit_k;
pub use strength::{Strengths, fit_strengths};
use watch::Watched;

/// How the least error is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Limited-memory BFGS with a line search.
    Lbfgs,
    /// Adam over mini-batches: many and cheap, for sets too large for the others.
    Adam,
}

/// How the rate of Adam changes from epoch to epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Schedule {
    /// It stays.
    Constant,
    /// It falls along a cosine to a hundredth.
    Cosine,
    /// It is a tenth after half of the epochs, a hundredth after three quarters.
    Step,
}

/// Where a fit is kept while it goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoints {
    /// Where it is written, now and then and at the end.
    pub write: Option<PathBuf>,
    /// Where it goes on from.
    pub resume: Option<PathBuf>,
}

/// How long and how finely.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// The most iterations; of Adam epochs.
    pub epochs: u64,
    /// Iterations without a better validation error after which it is enough.
    pub patience: u64,
    /// Adam: centipawns of the first steps.
    pub rate: f64,
    /// Adam: how that changes.
    pub schedule: Schedule,
    /// Adam: positions of a mini-batch, rounded up to whole blocks.
    pub batch: usize,
    /// Adam: the order of mini-batches.
    pub seed: u64,
    /// Where it is kept.
    pub checkpoints: Checkpoints,
}

/// The state after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Iterations so far.
    pub epoch: u64,
    /// Mean squared error of the training positions, the penalty included.
    pub train: f64,
    /// Mean squared error of the validation positions; of the training positions where there are none.
    pub validation: f64,
    /// The least validation error so far.
    pub best: f64,
    /// Positions that passes have gone over so far, those of validation included.
    pub positions: u64,
    /// Since the fit began.
    pub time: Duration,
}

/// Why the fit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Steps no longer make the training error smaller.
    Converged,
    /// The validation error has not become smaller for as long as is patient.
    Patience,
    /// All iterations are done.
    Epochs,
    /// Somebody asked.
    Interrupted,
}

/// What a fit found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// All parameters, those with the least validation error.
    pub best: Vec<f64>,
    /// All steps.
    pub steps: Vec<Step>,
    /// Why it ended.
    pub ending: Ending,
}

/// Why no fit came of it.
#[derive(Debug, thiserror::Error)]
pub enum OptimizeError {
    /// A solver failed: a fault of the program, or numbers beyond all measure.
    #[error("the optimizer failed: {0}")]
    Solver(String),
    /// A checkpoint could not be used.
    #[error("{path}: {words}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong.
        words: String,
    },
}

/// The state that all solvers share.
type State = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// Seeks the parameters with the least error from where the problem begins.
///
/// # Errors
/// If the solver fails, or a checkpoint can't be read or written.
pub fn optimize(
    problem: Problem<'_>,
    validation: &mut Loss<'_>,
    settings: &Settings,
    identity: &Identity,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Step),
) -> Result<Fit, OptimizeError> {
    let watch = Watched::new(&problem, validation, settings, stop, report);
    let run = Run { problem, watch, settings, identity };
    match settings.method {
        Method::Lbfgs => run.with(LBFGS::new(MoreThuenteLineSearch::new(), 20)),
        Method::Adam => run.with(Adam::new(settings)),
    }
}

/// All that a solver needs.
struct Run<'a, 'w, 'v, 's> {
    problem: Problem<'a>,
    watch: Watched<'w, 'v, ()>,
    settings: &'s Settings,
    identity: &'s Identity,
}

impl<'a> Run<'a, '_, '_, '_> {
    fn with<S>(self, mut solver: S) -> Result<Fit, OptimizeError>
    where
        S: Solver<Problem<'a>, State> + Serialize + DeserializeOwned + Clone,
    {
        let Run { problem, mut watch, settings, identity } = self;
        let mut start = State::new().param(problem.start());
        if let Some(path) = &settings.checkpoints.resume {
            let resumed = checkpoint::load::<S>(path, identity)?;
            (solver, start) = (resumed.solver, resumed.state);
            watch = watch.resumed(resumed.record);
        }
        let failed = |error: argmin::core::Error| OptimizeError::Solver(error.to_string());
        let writer = |path: &PathBuf| checkpoint::Writer::new(path, identity);
        let mut executor =
            Executor::new(problem, watch.around(solver)).configure(|_| start.max_iters(settings.epochs));
        if let Some(path) = &settings.checkpoints.write {
            executor = executor.checkpointing(writer(path));
        }
        let result = executor.run().map_err(failed)?;
        if let Some(path) = &settings.checkpoints.write {
            writer(path).save(&result.solver, &result.state).map_err(failed)?;
        }
        let ending = match result.state.get_termination_reason() {
            Some(TerminationReason::Interrupt) => Ending::Interrupted,
            Some(TerminationReason::MaxItersReached) | None => Ending::Epochs,
            Some(TerminationReason::SolverExit(words)) if words == watch::OUT_OF_PATIENCE => Ending::Patience,
            Some(_) => Ending::Converged,
        };
        let (best, steps) = result.solver.finish();
        Ok(Fit { best, steps, ending })
    }
}
