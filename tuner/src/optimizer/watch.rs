//! Early stopping: after each iteration the validation error decides which parameters are best and when to stop.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use argmin::core::{Error, KV, Problem as Counted, Solver, State as _, TerminationReason, TerminationStatus};
use serde::{Deserialize, Serialize};

use super::problem::EvaluationEnd;
use super::{OptimizerSettings, Problem, SolverState, Step};
use crate::loss::Loss;

/// Text of [`TerminationReason::SolverExit`] after early stopping.
pub(super) const OUT_OF_PATIENCE: &str = "no better validation error";

/// Relative improvement below which the patience counter is not reset.
const NOTABLE: f64 = 1e-6;

/// A solver with early stopping; `S` = `()` before the solver is set.
pub(super) struct MonitoredSolver<'w, 'v, S> {
    solver: S,
    validation: &'w mut Loss<'v>,
    stop: &'w AtomicBool,
    report: &'w mut dyn FnMut(&Step),
    patience: u64,
    begun: Instant,
    /// Why the last evaluation of the problem ended with an error.
    end: Rc<Cell<Option<EvaluationEnd>>>,
    record: Record,
}

/// What was seen so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) best: Vec<f64>,
    best_error: f64,
    since_best: u64,
    validated: u64,
    pub(super) steps: Vec<Step>,
}

impl<'w, 'v> MonitoredSolver<'w, 'v, ()> {
    pub(super) fn new(
        problem: &Problem<'_>,
        validation: &'w mut Loss<'v>,
        settings: &OptimizerSettings,
        stop: &'w AtomicBool,
        report: &'w mut dyn FnMut(&Step),
    ) -> MonitoredSolver<'w, 'v, ()> {
        MonitoredSolver {
            solver: (),
            validation,
            stop,
            report,
            patience: settings.patience,
            begun: Instant::now(),
            end: problem.end(),
            record: Record {
                best: problem.whole(&problem.start()),
                best_error: f64::INFINITY,
                since_best: 0,
                validated: 0,
                steps: Vec::new(),
            },
        }
    }

    /// The same, with what was seen before.
    pub(super) fn resumed(mut self, record: Record) -> Self {
        let before = record.steps.last().map_or(Duration::ZERO, |step| step.time);
        self.begun = self.begun.checked_sub(before).unwrap_or(self.begun);
        // A resumed fit starts with full patience.
        let since_best = if record.since_best >= self.patience { 0 } else { record.since_best };
        self.record = Record { since_best, ..record };
        self
    }

    pub(super) fn around<S>(self, solver: S) -> MonitoredSolver<'w, 'v, S> {
        MonitoredSolver {
            solver,
            validation: self.validation,
            stop: self.stop,
            report: self.report,
            patience: self.patience,
            begun: self.begun,
            end: self.end,
            record: self.record,
        }
    }
}

impl<S> MonitoredSolver<'_, '_, S> {
    /// The best parameters, and all steps.
    pub(super) fn finish(self) -> (Vec<f64>, Vec<Step>) {
        (self.record.best, self.record.steps)
    }

    /// What was seen so far.
    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    pub(super) fn solver(&self) -> &S {
        &self.solver
    }

    fn record_iteration(&mut self, problem: &Counted<Problem<'_>>, state: &SolverState) {
        let Some((point, problem)) = state.get_param().zip(problem.problem.as_ref()) else { return };
        let train = state.get_cost();
        let (whole, passed) = (problem.whole(point), problem.positions());
        let validation = if self.validation.is_empty() {
            train
        } else {
            self.record.validated += self.validation.len() as u64;
            self.validation.error(&whole)
        };
        self.record.since_best += 1;
        if validation < self.record.best_error {
            if validation < self.record.best_error * (1.0 - NOTABLE) {
                self.record.since_best = 0;
            }
            self.record.best_error = validation;
            self.record.best = whole;
        }
        let step = Step {
            epoch: self.record.steps.len() as u64 + 1,
            train,
            validation,
            best: self.record.best_error,
            positions: passed + self.record.validated,
            time: self.begun.elapsed(),
        };
        (self.report)(&step);
        self.record.steps.push(step);
    }
}

/// The result of an iteration.
struct Ran {
    state: SolverState,
    values: Option<KV>,
    /// Whether the iteration came to its end.
    is_whole: bool,
}

impl<S: Clone> MonitoredSolver<'_, '_, S> {
    /// Runs an iteration of the solver. If an evaluation was stopped in it, solver and state are those before, so that a
    /// checkpoint continues exactly. A line search without a smaller error ends the fit at the point before.
    fn run(
        &mut self,
        state: SolverState,
        iteration: impl FnOnce(&mut S, SolverState) -> Result<(SolverState, Option<KV>), Error>,
    ) -> Result<Ran, Error> {
        let before = (self.solver.clone(), state.clone());
        let result = iteration(&mut self.solver, state);
        match self.end.take() {
            Some(EvaluationEnd::Stopped) => {
                self.solver = before.0;
                Ok(Ran { state: before.1, values: None, is_whole: false })
            }
            Some(end @ EvaluationEnd::NotFinite) => Err(end.into()),
            None => {
                let (mut state, values) = result?;
                let is_whole = state.param.is_some();
                if !is_whole {
                    (state.param, state.grad) = (before.1.param, before.1.grad);
                }
                Ok(Ran { state, values, is_whole })
            }
        }
    }
}

impl<'a, S: Solver<Problem<'a>, SolverState> + Clone> Solver<Problem<'a>, SolverState>
    for MonitoredSolver<'_, '_, S>
{
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn init(
        &mut self,
        problem: &mut Counted<Problem<'a>>,
        state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        if !self.validation.is_empty() {
            self.record.best_error = self.validation.error(&self.record.best);
        }
        let ran = self.run(state, |solver, state| solver.init(problem, state))?;
        Ok((ran.state, ran.values))
    }

    fn next_iter(
        &mut self,
        problem: &mut Counted<Problem<'a>>,
        state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        let ran = self.run(state, |solver, state| solver.next_iter(problem, state))?;
        if ran.is_whole {
            self.record_iteration(&*problem, &ran.state);
        }
        Ok((ran.state, ran.values))
    }

    fn terminate(&mut self, state: &SolverState) -> TerminationStatus {
        if self.stop.load(Ordering::Relaxed) {
            return TerminationStatus::Terminated(TerminationReason::Interrupt);
        }
        if self.record.since_best >= self.patience {
            let reason = TerminationReason::SolverExit(OUT_OF_PATIENCE.to_owned());
            return TerminationStatus::Terminated(reason);
        }
        match &state.termination_status {
            TerminationStatus::Terminated(reason) => TerminationStatus::Terminated(reason.clone()),
            TerminationStatus::NotTerminated => self.solver.terminate(state),
        }
    }
}
