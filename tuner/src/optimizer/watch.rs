//! Watches over a solver: after each iteration the validation error decides what is best, and when it is enough.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use argmin::core::{Error, KV, Problem as Counted, Solver, State as _, TerminationReason, TerminationStatus};

use super::{Problem, Settings, State, Step};
use crate::loss::Loss;

/// What [`TerminationReason::SolverExit`] says where patience ran out.
pub(super) const OUT_OF_PATIENCE: &str = "no better validation error";

/// An improvement by a smaller share does not count against impatience.
const NOTABLE: f64 = 1e-6;

/// A solver under watch, or the watch alone (`S` = `()`).
pub(super) struct Watched<'w, 'v, S> {
    solver: S,
    validation: &'w mut Loss<'v>,
    stop: &'w AtomicBool,
    report: &'w mut dyn FnMut(&Step),
    patience: u64,
    begun: Instant,
    best: Vec<f64>,
    best_error: f64,
    since_best: u64,
    validated: u64,
    steps: Vec<Step>,
}

impl<'w, 'v> Watched<'w, 'v, ()> {
    pub(super) fn new(
        problem: &Problem<'_>,
        validation: &'w mut Loss<'v>,
        settings: &Settings,
        stop: &'w AtomicBool,
        report: &'w mut dyn FnMut(&Step),
    ) -> Watched<'w, 'v, ()> {
        Watched {
            solver: (),
            validation,
            stop,
            report,
            patience: settings.patience,
            begun: Instant::now(),
            best: problem.whole(&problem.start()),
            best_error: f64::INFINITY,
            since_best: 0,
            validated: 0,
            steps: Vec::new(),
        }
    }

    pub(super) fn around<S>(self, solver: S) -> Watched<'w, 'v, S> {
        Watched {
            solver,
            validation: self.validation,
            stop: self.stop,
            report: self.report,
            patience: self.patience,
            begun: self.begun,
            best: self.best,
            best_error: self.best_error,
            since_best: self.since_best,
            validated: self.validated,
            steps: self.steps,
        }
    }
}

impl<S> Watched<'_, '_, S> {
    /// The best parameters, and all steps.
    pub(super) fn finish(self) -> (Vec<f64>, Vec<Step>) {
        (self.best, self.steps)
    }

    fn judge(&mut self, problem: &Counted<Problem<'_>>, state: &State) {
        let Some((point, problem)) = state.get_param().zip(problem.problem.as_ref()) else { return };
        let train = state.get_cost();
        let (whole, passed) = (problem.whole(point), problem.positions());
        let validation = if self.validation.is_empty() {
            train
        } else {
            self.validated += self.validation.len() as u64;
            self.validation.error(&whole)
        };
        self.since_best += 1;
        if validation < self.best_error {
            if validation < self.best_error * (1.0 - NOTABLE) {
                self.since_best = 0;
            }
            self.best_error = validation;
            self.best = whole;
        }
        let step = Step {
            epoch: self.steps.len() as u64 + 1,
            train,
            validation,
            best: self.best_error,
            positions: passed + self.validated,
            time: self.begun.elapsed(),
        };
        (self.report)(&step);
        self.steps.push(step);
    }
}

impl<'a, S: Solver<Problem<'a>, State>> Solver<Problem<'a>, State> for Watched<'_, '_, S> {
    fn name(&self) -> &str {
        self.solver.name()
    }

    fn init(
        &mut self,
        problem: &mut Counted<Problem<'a>>,
        state: State,
    ) -> Result<(State, Option<KV>), Error> {
        if !self.validation.is_empty() {
            self.best_error = self.validation.error(&self.best);
        }
        self.solver.init(problem, state)
    }

    fn next_iter(
        &mut self,
        problem: &mut Counted<Problem<'a>>,
        state: State,
    ) -> Result<(State, Option<KV>), Error> {
        let (state, told) = self.solver.next_iter(problem, state)?;
        self.judge(&*problem, &state);
        Ok((state, told))
    }

    fn terminate(&mut self, state: &State) -> TerminationStatus {
        if self.stop.load(Ordering::Relaxed) {
            return TerminationStatus::Terminated(TerminationReason::Interrupt);
        }
        if self.since_best >= self.patience {
            let reason = TerminationReason::SolverExit(OUT_OF_PATIENCE.to_owned());
            return TerminationStatus::Terminated(reason);
        }
        match &state.termination_status {
            TerminationStatus::Terminated(reason) => TerminationStatus::Terminated(reason.clone()),
            TerminationStatus::NotTerminated => self.solver.terminate(state),
        }
    }
}
