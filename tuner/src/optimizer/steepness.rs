//! Fits K, the steepness of the sigmoid, to the present weights.

use std::cell::RefCell;

use argmin::core::{CostFunction, Error, Executor, State as _};
use argmin::solver::brent::BrentOpt;

use super::OptimizeError;
use crate::loss::Loss;

/// Range of K; 1 makes 400 centipawns ten to one.
const RANGE: [f64; 2] = [0.01, 10.0];
const ITERATIONS: u64 = 60;

struct Steepness<'l, 'a> {
    loss: RefCell<&'l mut Loss<'a>>,
    parameters: &'l [f64],
}

impl CostFunction for Steepness<'_, '_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, k: &f64) -> Result<f64, Error> {
        let mut loss = self.loss.borrow_mut();
        loss.set_k(*k);
        Ok(loss.error(self.parameters))
    }
}

/// The k with the least error, by Brent's method; the loss keeps it.
pub(crate) fn fit_k(loss: &mut Loss<'_>, parameters: &[f64]) -> Result<f64, OptimizeError> {
    let problem = Steepness { loss: RefCell::new(&mut *loss), parameters };
    let solver = BrentOpt::new(RANGE[0], RANGE[1]).set_tolerance(1e-6, 1e-5);
    let result = Executor::new(problem, solver)
        .configure(|state| state.max_iters(ITERATIONS))
        .run()
        .map_err(|error| OptimizeError::Solver(error.to_string()))?;
    let k = result.state.get_best_param().copied().unwrap_or(1.0);
    drop(result);
    loss.set_k(k);
    Ok(k)
}
