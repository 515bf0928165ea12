//! Optimizers that minimize the loss: L-BFGS and Adam. Numbers only: chess and files are elsewhere.
//!
//! Each method is a solver of argmin; [`watch::MonitoredSolver`] wraps any of them, checks the validation error of every step,
//! keeps the best parameters, reports progress and decides when to stop.

mod adam;
mod checkpoint;
mod cholesky;
mod dependence;
mod problem;
mod rounding;
mod steepness;
mod strength;
mod watch;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use argmin::core::checkpointing::Checkpoint as _;
use argmin::core::{Executor, IterState, Solver, State as _, TerminationReason};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use smalt_workbench::output_file::Output;

use crate::loss::Loss;
use adam::Adam;
pub(crate) use checkpoint::{Identity, steepness_of};
pub(crate) use cholesky::{factorize, solve};
pub(crate) use dependence::explained;
pub use problem::Penalty;
pub(crate) use problem::Problem;
pub(crate) use rounding::rounded_together;
pub(crate) use steepness::{STEEPNESS, best_steepness, fit_k};
pub(crate) use strength::{Strengths, fit_strengths};
use watch::MonitoredSolver;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Limited-memory BFGS with a line search.
    Lbfgs,
    /// Adam over mini-batches: many and cheap, for sets too large for the others.
    Adam,
}

/// Learning rate schedule of Adam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Schedule {
    Constant,
    /// It falls along a cosine to a hundredth.
    Cosine,
    /// It is a tenth after half of the epochs, a hundredth after three quarters.
    Step,
}

/// Checkpoint files of a fit.
#[derive(Clone, Debug, Default)]
pub struct Checkpoints {
    /// File to write during the fit and at its end.
    pub write: Option<Output>,
    pub resume: Option<PathBuf>,
}

/// Settings of an optimizer.
#[derive(Clone, Debug)]
pub struct OptimizerSettings {
    pub method: Method,
    /// The most iterations; of Adam epochs.
    pub epochs: u64,
    /// Early stopping: iterations without a better validation error.
    pub patience: u64,
    /// Adam: initial learning rate in centipawns.
    pub rate: f64,
    /// Adam: learning rate schedule.
    pub schedule: Schedule,
    /// Adam: positions of a mini-batch, rounded up to whole blocks.
    pub batch: usize,
    /// Adam: random seed of the order of mini-batches.
    pub seed: u64,
    /// Where it is kept.
    pub checkpoints: Checkpoints,
}

/// The state after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
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
pub enum FitEnd {
    /// Steps no longer make the training error smaller.
    Converged,
    /// Early stopping: no better validation error.
    Patience,
    /// All iterations are done.
    Epochs,
    Interrupted,
}

/// What a fit found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    /// All parameters, those with the least validation error.
    pub best: Vec<f64>,
    pub steps: Vec<Step>,
    pub ending: FitEnd,
    /// The checkpoint's file, if that of the settings changed during the fit.
    pub moved_checkpoint: Option<PathBuf>,
}

/// Why a fit failed.
#[derive(Debug, thiserror::Error)]
pub enum OptimizeError {
    #[error("the optimizer failed: {0}")]
    Solver(String),
    #[error("{path}: {words}")]
    Checkpoint { path: String, words: String },
}

/// The state that all solvers share.
type SolverState = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// Minimizes the objective from its start values.
pub(crate) fn optimize(
    problem: Problem<'_>,
    validation: &mut Loss<'_>,
    settings: &OptimizerSettings,
    identity: &Identity,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Step),
) -> Result<Fit, OptimizeError> {
    let watch = MonitoredSolver::new(&problem, validation, settings, stop, report);
    let run = Run { problem, watch, settings, identity };
    match settings.method {
        Method::Lbfgs => run.with(LBFGS::new(MoreThuenteLineSearch::new(), 20)),
        Method::Adam => run.with(Adam::new(settings)),
    }
}

/// All that a solver needs.
struct Run<'a, 'w, 'v, 's> {
    problem: Problem<'a>,
    watch: MonitoredSolver<'w, 'v, ()>,
    settings: &'s OptimizerSettings,
    identity: &'s Identity,
}

impl<'a> Run<'a, '_, '_, '_> {
    fn with<S>(self, mut solver: S) -> Result<Fit, OptimizeError>
    where
        S: Solver<Problem<'a>, SolverState> + Serialize + DeserializeOwned + Clone,
    {
        let Run { problem, mut watch, settings, identity } = self;
        let mut start = SolverState::new().param(problem.start());
        if let Some(path) = &settings.checkpoints.resume {
            let resumed = checkpoint::load::<S>(path, identity, &problem)?;
            (solver, start) = (resumed.solver, resumed.state);
            watch = watch.resumed(resumed.record);
        }
        let failed = |error: argmin::core::Error| OptimizeError::Solver(error.to_string());
        let output = settings.checkpoints.write.clone().map(|output| Rc::new(RefCell::new(output)));
        let writer = |output| checkpoint::CheckpointWriter::new(output, identity);
        let mut executor =
            Executor::new(problem, watch.around(solver)).configure(|_| start.max_iters(settings.epochs));
        if let Some(output) = &output {
            executor = executor.checkpointing(writer(output));
        }
        let result = executor.run().map_err(failed)?;
        if let Some(output) = &output {
            writer(output).save(&result.solver, &result.state).map_err(failed)?;
        }
        let ending = match result.state.get_termination_reason() {
            Some(TerminationReason::Interrupt) => FitEnd::Interrupted,
            Some(TerminationReason::MaxItersReached) | None => FitEnd::Epochs,
            Some(TerminationReason::SolverExit(words)) if words == watch::OUT_OF_PATIENCE => FitEnd::Patience,
            Some(_) => FitEnd::Converged,
        };
        let (best, steps) = result.solver.finish();
        let given = settings.checkpoints.write.as_ref().map(Output::path);
        let written = output.map(|output| output.borrow().path().to_owned());
        Ok(Fit {
            best,
            steps,
            ending,
            moved_checkpoint: written.filter(|path| Some(path.as_path()) != given),
        })
    }
}
