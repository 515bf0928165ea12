//! Finds the parameters with the least error. Numbers only; knows no chess and no files.
//!
//! Each method is a solver of argmin; [`watch::Watched`] goes around any of them, judges every step by the validation
//! error, keeps the best, tells the progress and decides when to stop.

mod adam;
mod cholesky;
mod newton;
mod problem;
mod steepness;
mod watch;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use argmin::core::{Executor, IterState, State as _, TerminationReason};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

use crate::loss::Loss;
use adam::Adam;
use newton::Newton;
pub use problem::{Penalty, Problem};
pub use steepness::fit_k;
use watch::Watched;

/// How the least error is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Gauss-Newton steps with damping (Levenberg and Marquardt): few and dear.
    Newton,
    /// Limited-memory BFGS with a line search.
    Lbfgs,
    /// Adam over mini-batches: many and cheap, for sets too large for the others.
    Adam,
}

/// How long and how finely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// The most iterations; of Adam epochs.
    pub epochs: u64,
    /// Iterations without a better validation error after which it is enough.
    pub patience: u64,
    /// Adam: centipawns of the first steps.
    pub rate: f64,
    /// Adam: positions of a mini-batch, rounded up to whole blocks.
    pub batch: usize,
    /// Adam: the order of mini-batches.
    pub seed: u64,
}

/// The state after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// A solver failed: a fault of the program, or numbers beyond all measure.
#[derive(Debug, thiserror::Error)]
#[error("the optimizer failed: {0}")]
pub struct OptimizeError(String);

/// The state that all solvers share.
type State = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// Seeks the parameters with the least error from where the problem begins.
///
/// # Errors
/// If the solver fails.
pub fn optimize(
    problem: Problem<'_>,
    validation: &mut Loss<'_>,
    settings: &Settings,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Step),
) -> Result<Fit, OptimizeError> {
    let watch = Watched::new(&problem, validation, settings, stop, report);
    match settings.method {
        Method::Newton => run(problem, watch, Newton::default(), settings),
        Method::Lbfgs => run(problem, watch, LBFGS::new(MoreThuenteLineSearch::new(), 20), settings),
        Method::Adam => run(problem, watch, Adam::new(settings), settings),
    }
}

fn run<'a, S>(
    problem: Problem<'a>,
    watch: Watched<'_, '_, ()>,
    solver: S,
    settings: &Settings,
) -> Result<Fit, OptimizeError>
where
    S: argmin::core::Solver<Problem<'a>, State>,
{
    let start = problem.start();
    let failed = |error: argmin::core::Error| OptimizeError(error.to_string());
    let executor = Executor::new(problem, watch.around(solver))
        .configure(|state| state.param(start).max_iters(settings.epochs));
    let result = executor.run().map_err(failed)?;
    let ending = match result.state.get_termination_reason() {
        Some(TerminationReason::Interrupt) => Ending::Interrupted,
        Some(TerminationReason::MaxItersReached) | None => Ending::Epochs,
        Some(TerminationReason::SolverExit(words)) if words == watch::OUT_OF_PATIENCE => Ending::Patience,
        Some(_) => Ending::Converged,
    };
    let (best, steps) = result.solver.finish();
    Ok(Fit { best, steps, ending })
}
