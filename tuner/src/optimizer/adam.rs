//! Adam (Kingma and Ba, 2015) over mini-batches in a shuffled order, with a rate that falls along a cosine.

use argmin::core::{Error, KV, Problem as Counted, Solver, State as _};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::{OptimizerSettings, Problem, Schedule, SolverState};
use crate::labels::BLOCK;

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// The share of the first rate that is left at the end.
const LAST_RATE: f64 = 0.01;

/// The solver; an iteration is an epoch.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Adam {
    rate: f64,
    schedule: Schedule,
    epochs: u64,
    /// Blocks of a mini-batch.
    batch: usize,
    seed: u64,
    mean: Vec<f64>,
    square: Vec<f64>,
    #[serde(skip)]
    gradient: Vec<f64>,
    steps: i32,
}

impl Adam {
    pub(super) fn new(settings: &OptimizerSettings) -> Adam {
        Adam {
            rate: settings.rate,
            schedule: settings.schedule,
            epochs: settings.epochs,
            batch: settings.batch.div_ceil(BLOCK).max(1),
            seed: settings.seed,
            mean: Vec::new(),
            square: Vec::new(),
            gradient: Vec::new(),
            steps: 0,
        }
    }

    /// Random order of an epoch (Fisher-Yates shuffle).
    fn shuffled(&self, count: usize, epoch: u64) -> Vec<usize> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(epoch);
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            let other = (random.next_u64() % (last as u64 + 1)) as usize;
            order.swap(last, other);
        }
        order
    }

    /// The rate of an epoch, counted from 0.
    fn rate_of(&self, epoch: u64) -> f64 {
        let done = (epoch as f64 / self.epochs.max(1) as f64).min(1.0);
        self.rate
            * match self.schedule {
                Schedule::Constant => 1.0,
                Schedule::Cosine => {
                    LAST_RATE + (1.0 - LAST_RATE) * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
                }
                Schedule::Step if done < 0.5 => 1.0,
                Schedule::Step if done < 0.75 => 0.1,
                Schedule::Step => LAST_RATE,
            }
    }

    fn step(&mut self, point: &mut [f64], rate: f64) {
        self.steps = self.steps.saturating_add(1);
        let first = 1.0 - FIRST_DECAY.powi(self.steps);
        let second = 1.0 - SECOND_DECAY.powi(self.steps);
        for (index, number) in point.iter_mut().enumerate() {
            let slope = self.gradient[index];
            let (mean, square) = (&mut self.mean[index], &mut self.square[index]);
            *mean += (1.0 - FIRST_DECAY) * (slope - *mean);
            *square += (1.0 - SECOND_DECAY) * (slope * slope - *square);
            *number -= rate * (*mean / first) / ((*square / second).sqrt() + EPSILON);
        }
    }
}

impl<'a> Solver<Problem<'a>, SolverState> for Adam {
    fn name(&self) -> &str {
        "Adam"
    }

    fn init(
        &mut self,
        _: &mut Counted<Problem<'a>>,
        mut state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        let point = state.take_param().unwrap_or_default();
        for list in [&mut self.mean, &mut self.square] {
            list.resize(point.len(), 0.0);
        }
        Ok((state.param(point), None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Counted<Problem<'a>>,
        mut state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        let mut point = state.take_param().unwrap_or_default();
        let epoch = state.get_iter();
        let rate = self.rate_of(epoch);
        self.gradient.resize(point.len(), 0.0);
        let blocks = problem.problem("blocks", |problem| Ok(problem.block_count()))?;
        let batches = blocks.div_ceil(self.batch);
        let mut cost = 0.0;
        for batch in self.shuffled(batches, epoch) {
            let range = batch * self.batch..blocks.min((batch + 1) * self.batch);
            let mut gradient = std::mem::take(&mut self.gradient);
            let share = range.len() as f64 / blocks as f64;
            let error =
                problem.problem("batch", |problem| Ok(problem.evaluate(range, &point, &mut gradient)?))?;
            cost += share * error;
            self.gradient = gradient;
            self.step(&mut point, rate);
        }
        Ok((state.param(point).cost(cost), None))
    }
}
