//! The objective function: training error over the free parameters, plus a penalty for the distance from the start
//! values.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use argmin::core::{CostFunction, Error, Gradient};

use crate::loss::Loss;
use crate::weights::variables::Variables;

/// L2 penalty for the distance from the start values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// Penalty for a parameter 100 centipawns from its start value, in squared errors over all positions.
    pub strength: f64,
}

impl Penalty {
    /// Factor of the squared distance in the mean squared error of data with this total weight.
    pub(crate) fn factor(self, total_weight: f64) -> f64 {
        self.strength / (1e4 * total_weight.max(1.0))
    }
}

/// Why an evaluation ended with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EvaluationEnd {
    #[error("interrupted")]
    Stopped,
    #[error(
        "the error of the fit is no finite number: check --k, the weights of the data and the start values"
    )]
    NotFinite,
}

/// Training error and penalties, as a function of the variables.
pub(crate) struct Problem<'a> {
    inner: RefCell<Inner<'a>>,
    stop: &'a AtomicBool,
    /// Why the last evaluation ended with an error: solvers lose the problem then.
    end: Rc<Cell<Option<EvaluationEnd>>>,
    start: Vec<f64>,
    variables: &'a Variables,
    penalty: f64,
}

struct Inner<'a> {
    loss: Loss<'a>,
    /// All parameters; those that are no variables never change.
    full: Vec<f64>,
    full_gradient: Vec<f64>,
    /// Point at which cost and gradient were evaluated last.
    evaluated: Vec<f64>,
    cost: f64,
    gradient: Vec<f64>,
    positions: u64,
}

impl<'a> Problem<'a> {
    /// The problem of some variables among all parameters at their start.
    ///
    /// # Panics
    /// If `start` is not all parameters.
    pub(crate) fn new(
        loss: Loss<'a>,
        start: Vec<f64>,
        variables: &'a Variables,
        penalty: Penalty,
        stop: &'a AtomicBool,
    ) -> Problem<'a> {
        assert_eq!(start.len(), loss.parameter_count());
        let strength = penalty.factor(loss.total_weight());
        let inner = Inner {
            loss,
            full: start.clone(),
            full_gradient: vec![0.0; start.len()],
            evaluated: Vec::new(),
            cost: 0.0,
            gradient: vec![0.0; variables.len()],
            positions: 0,
        };
        Problem { inner: RefCell::new(inner), stop, end: Rc::default(), start, variables, penalty: strength }
    }

    /// The variables at the start.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.variables.point(&self.start)
    }

    /// All parameters, with these variables.
    pub(super) fn whole(&self, point: &[f64]) -> Vec<f64> {
        let mut whole = self.start.clone();
        self.variables.apply(point, &mut whole);
        whole
    }

    /// Positions that passes have gone over.
    pub(super) fn positions(&self) -> u64 {
        self.inner.borrow().positions
    }

    pub(super) fn end(&self) -> Rc<Cell<Option<EvaluationEnd>>> {
        Rc::clone(&self.end)
    }

    pub(super) fn block_count(&self) -> usize {
        self.inner.borrow().loss.block_count()
    }

    /// Error and gradient of some blocks; the penalty counts whole.
    ///
    /// # Errors
    /// If they are not finite, or the fit is to stop.
    pub(super) fn evaluate(
        &self,
        blocks: std::ops::Range<usize>,
        point: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, EvaluationEnd> {
        let failed = |end| {
            self.end.set(Some(end));
            Err(end)
        };
        if self.stop.load(Ordering::Relaxed) {
            return failed(EvaluationEnd::Stopped);
        }
        let inner = &mut *self.inner.borrow_mut();
        self.variables.apply(point, &mut inner.full);
        inner.positions += (inner.loss.len() * blocks.len() / inner.loss.block_count().max(1)) as u64;
        let mut cost = inner.loss.gradient(blocks, &inner.full, &mut inner.full_gradient);
        for ((slope, members), &number) in gradient.iter_mut().zip(self.variables.members()).zip(point) {
            *slope = 0.0;
            for &index in members {
                let away = number - self.start[index];
                *slope += inner.full_gradient[index] + 2.0 * self.penalty * away;
                cost += self.penalty * away * away;
            }
        }
        cost += self.variables.penalize(point, gradient);
        let is_finite = cost.is_finite() && gradient.iter().all(|slope| slope.is_finite());
        if is_finite { Ok(cost) } else { failed(EvaluationEnd::NotFinite) }
    }

    /// Evaluates cost and gradient at a point, unless it was the last one.
    fn evaluate_at(&self, point: &[f64]) -> Result<(), EvaluationEnd> {
        if self.inner.borrow().evaluated == point {
            return Ok(());
        }
        let mut gradient = {
            let mut inner = self.inner.borrow_mut();
            // If this evaluation fails, none is known.
            inner.evaluated.clear();
            std::mem::take(&mut inner.gradient)
        };
        let cost = self.evaluate(0..self.block_count(), point, &mut gradient)?;
        let inner = &mut *self.inner.borrow_mut();
        inner.evaluated.extend_from_slice(point);
        inner.cost = cost;
        inner.gradient = gradient;
        Ok(())
    }
}

impl CostFunction for Problem<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, point: &Vec<f64>) -> Result<f64, Error> {
        self.evaluate_at(point)?;
        Ok(self.inner.borrow().cost)
    }
}

impl Gradient for Problem<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, point: &Vec<f64>) -> Result<Vec<f64>, Error> {
        self.evaluate_at(point)?;
        Ok(self.inner.borrow().gradient.clone())
    }
}
