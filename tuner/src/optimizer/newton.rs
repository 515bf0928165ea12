//! Gauss-Newton steps with the damping of Levenberg (1944) and Marquardt (1963): between a plain Newton step, which the
//! matrix would take were the function a parabola, and a short step down the slope.

use argmin::core::{Error, KV, Problem as Counted, Solver, State as _, TerminationReason};

use serde::{Deserialize, Serialize};

use super::cholesky::{factorize, solve};
use super::{Problem, State};

const FIRST_DAMPING: f64 = 1e-3;
const LEAST_DAMPING: f64 = 1e-9;
const MOST_DAMPING: f64 = 1e6;

/// Attempts at one step, each with ten times the damping.
const ATTEMPTS: usize = 8;

/// A step that makes the error smaller by less than this share of it is the last.
const TOLERANCE: f64 = 1e-6;

/// The solver.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Newton {
    damping: f64,
    #[serde(skip)]
    matrix: Vec<f64>,
    #[serde(skip)]
    factor: Vec<f64>,
}

impl Default for Newton {
    fn default() -> Newton {
        Newton { damping: FIRST_DAMPING, matrix: Vec::new(), factor: Vec::new() }
    }
}

impl Newton {
    /// Where the damped step leads; `None` if the matrix can't be solved.
    fn step(&mut self, point: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
        let n = point.len();
        self.factor.copy_from_slice(&self.matrix);
        for index in 0..n {
            let diagonal = &mut self.factor[index * n + index];
            *diagonal += self.damping * *diagonal + f64::MIN_POSITIVE;
        }
        if !factorize(&mut self.factor, n) {
            return None;
        }
        let mut step = gradient.to_vec();
        solve(&self.factor, n, &mut step);
        Some(point.iter().zip(&step).map(|(number, change)| number - change).collect())
    }
}

impl<'a> Solver<Problem<'a>, State> for Newton {
    fn name(&self) -> &str {
        "Gauss-Newton"
    }

    fn init(
        &mut self,
        problem: &mut Counted<Problem<'a>>,
        mut state: State,
    ) -> Result<(State, Option<KV>), Error> {
        let point = state.take_param().unwrap_or_default();
        let cost = problem.cost(&point)?;
        Ok((state.param(point).cost(cost), None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Counted<Problem<'a>>,
        mut state: State,
    ) -> Result<(State, Option<KV>), Error> {
        let point = state.take_param().unwrap_or_default();
        let cost = state.get_cost();
        let gradient = problem.gradient(&point)?;
        self.matrix.resize(point.len() * point.len(), 0.0);
        self.factor.resize(self.matrix.len(), 0.0);
        problem.problem("matrix", |problem| {
            problem.matrix(&point, &mut self.matrix);
            Ok(())
        })?;
        for _ in 0..ATTEMPTS {
            if let Some(next) = self.step(&point, &gradient) {
                let next_cost = problem.cost(&next)?;
                if next_cost < cost {
                    self.damping = (self.damping / 10.0).max(LEAST_DAMPING);
                    let state = state.param(next).cost(next_cost);
                    let is_last = cost - next_cost < TOLERANCE * cost;
                    return Ok((if is_last { converged(state) } else { state }, None));
                }
            }
            self.damping = (self.damping * 10.0).min(MOST_DAMPING);
        }
        Ok((converged(state.param(point).cost(cost)), None))
    }
}

fn converged(state: State) -> State {
    state.terminate_with(TerminationReason::SolverConverged)
}
