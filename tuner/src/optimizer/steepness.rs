//! Fits K, the steepness of the sigmoid.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, State as _};
use argmin::solver::brent::BrentOpt;

use super::OptimizeError;
use crate::loss::Loss;

/// Range of K; 1 makes 400 centipawns ten to one.
pub(crate) const STEEPNESS: [f64; 2] = [0.01, 10.0];
const ITERATIONS: u64 = 60;

struct Steepness<F>(RefCell<F>);

impl<F: FnMut(f64) -> f64> CostFunction for Steepness<F> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, k: &f64) -> Result<f64, Error> {
        Ok(self.0.borrow_mut()(*k))
    }
}

/// The k with the least error, by Brent's method.
///
/// # Errors
/// If the solver fails.
pub(crate) fn best_steepness(error: impl FnMut(f64) -> f64) -> Result<f64, OptimizeError> {
    let solver = BrentOpt::new(STEEPNESS[0], STEEPNESS[1]).set_tolerance(1e-6, 1e-5);
    let result = Executor::new(Steepness(RefCell::new(error)), solver)
        .configure(|state| state.max_iters(ITERATIONS))
        .run()
        .map_err(|error| OptimizeError::Solver(error.to_string()))?;
    Ok(result.state.get_best_param().copied().unwrap_or(1.0))
}

/// The k with which these parameters have the least error; the loss keeps it.
///
/// # Errors
/// As [`best_steepness`].
pub(crate) fn fit_k(loss: &mut Loss<'_>, parameters: &[f64]) -> Result<f64, OptimizeError> {
    let k = best_steepness(|k| {
        loss.set_k(k);
        loss.error(parameters)
    })?;
    loss.set_k(k);
    Ok(k)
}
