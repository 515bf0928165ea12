//! CLOP, a Gaussian process and SPSA on known landscapes: which of them loses the least Elo with the same number of games.

use super::*;
use crate::optimizer::{factorize, solve};
use crate::spsa::{Forecast, SpsaState};

/// Share of games that are drawn between equal points.
const DRAWN: f64 = 0.5;

/// Games of a round of CLOP, of SPSA and of the Gaussian process.
const BATCH: u64 = 16;

/// A landscape of Elo over numbers from −1 to 1, with its best place.
struct Surface {
    shape: Shape,
    best: Vec<f64>,
    /// Directions of the axes, one a row.
    axes: Vec<Vec<f64>>,
    /// Elo lost at the distance 1 along each axis.
    steepness: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// A parabola along each parameter.
    Quadratic,
    /// A parabola whose axes lie oblique: a long ridge.
    Ridge,
    /// Steep on one side of the best place and flat on the other.
    Skewed,
}

impl Surface {
    fn new(shape: Shape, count: usize, random: &mut ChaCha8Rng) -> Surface {
        let best = (0..count).map(|_| 1.2 * unit(random) - 0.6).collect();
        let mut axes: Vec<Vec<f64>> = Vec::new();
        while axes.len() < count {
            let mut axis: Vec<f64> = match shape {
                Shape::Ridge => (0..count).map(|_| normal(random)).collect(),
                _ => (0..count).map(|index| f64::from(index == axes.len())).collect(),
            };
            for other in &axes {
                let along: f64 = axis.iter().zip(other).map(|(a, b)| a * b).sum();
                axis.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
            }
            let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
            axis.iter_mut().for_each(|a| *a /= length);
            axes.push(axis);
        }
        let steepness = |index: usize| match shape {
            Shape::Ridge if index.is_multiple_of(2) => 200.0,
            Shape::Ridge => 10.0,
            _ => [80.0, 30.0, 120.0][index % 3],
        };
        Surface { shape, best, axes, steepness: (0..count).map(steepness).collect() }
    }

    /// Elo lost at a point.
    fn loss(&self, point: &[f64]) -> f64 {
        let along = |axis: &Vec<f64>| -> f64 {
            axis.iter().zip(point.iter().zip(&self.best)).map(|(a, (x, best))| a * (x - best)).sum()
        };
        let loss = |(axis, steepness): (&Vec<f64>, &f64)| {
            let distance = along(axis);
            steepness
                * match self.shape {
                    // 2 (e^kd − 1 − kd) / k² has the curvature of d².
                    Shape::Skewed => 2.0 * ((2.5 * distance).exp() - 1.0 - 2.5 * distance) / 6.25,
                    _ => distance * distance,
                }
        };
        self.axes.iter().zip(&self.steepness).map(loss).sum()
    }

    /// Wins, draws and losses of the first point.
    fn play(&self, points: [&[f64]; 2], games: u64, random: &mut ChaCha8Rng) -> [u64; 3] {
        let lead = self.loss(points[1]) - self.loss(points[0]);
        let score = 1.0 / (1.0 + 10_f64.powf(-lead / 400.0));
        let drawn = DRAWN * 4.0 * score * (1.0 - score);
        let mut counts = [0; 3];
        for _ in 0..games {
            let chance = unit(random);
            counts[if chance < score - drawn / 2.0 {
                0
            } else if chance < score + drawn / 2.0 {
                1
            } else {
                2
            }] += 1;
        }
        counts
    }
}

fn parameters(count: usize, rate: f64, step: impl Fn(usize) -> f64) -> Vec<TunableParam> {
    let parameter = |index: usize| TunableParam {
        name: format!("p{index}"),
        kind: ColumnKind::Float,
        start: 0.0,
        min: -1.0,
        max: 1.0,
        step: step(index),
        rate,
        choices: Vec::new(),
    };
    (0..count).map(parameter).collect()
}

fn clop(surface: &Surface, games: u64, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let parameters = parameters(surface.best.len(), 1.0, |_| 0.1);
    let mut state = ClopState::new(parameters, games / 2, seed);
    while !state.run.is_done() {
        let [first, second] = state.sides();
        let counts = surface.play([&first, &second], BATCH, &mut random);
        state.learn(counts);
    }
    state.best()
}

/// SPSA with steps that cost 2 Elo each and the learning rate for the gain that there is, which only a simulation knows.
fn spsa_tuned(surface: &Surface, games: u64, seed: u64) -> Vec<f64> {
    let count = surface.best.len();
    let curvature = |index: usize| -> f64 {
        surface
            .axes
            .iter()
            .zip(&surface.steepness)
            .map(|(axis, steepness)| steepness * axis[index].powi(2))
            .sum()
    };
    let rate = Forecast::best(count, games / 2, surface.loss(&vec![0.0; count])).rate;
    spsa(surface, games, seed, parameters(count, rate, |index| (2.0 / curvature(index)).sqrt()))
}

/// SPSA with steps of a twentieth of the range and the usual learning rate.
fn spsa_untuned(surface: &Surface, games: u64, seed: u64) -> Vec<f64> {
    spsa(surface, games, seed, parameters(surface.best.len(), 0.002, |_| 0.1))
}

fn spsa(surface: &Surface, games: u64, seed: u64, parameters: Vec<TunableParam>) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut state = SpsaState::new(parameters, games / 2, seed);
    while !state.run.is_done() {
        let [first, second] = state.sides();
        let counts = surface.play([&first, &second], BATCH, &mut random);
        state.learn(counts);
    }
    state.values
}

/// A Gaussian process over Elo against the start values, with Thompson sampling; the scale of lengths and the height are those
/// of the greatest likelihood, of some.
fn gaussian_process(surface: &Surface, games: u64, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let count = surface.best.len();
    let (candidates, batch) = (400, (games / 200).next_multiple_of(2));
    let start = vec![0.0; count];
    let spread = |random: &mut ChaCha8Rng| (0..count).map(|_| 2.0 * unit(random) - 1.0).collect::<Vec<f64>>();
    let noise = (695.0 * 0.5 * (1.0 - DRAWN).sqrt()).powi(2) / batch as f64;
    let (mut points, mut elo): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut process =
        GaussianProcess { length: 0.7, height: 60.0, noise, factor: Vec::new(), weights: Vec::new() };
    for round in 0..games / batch {
        if round >= 8 && (round.is_power_of_two() || round % 50 == 0) {
            process.tune(&points, &elo);
        }
        let point = if round < 8 {
            spread(&mut random)
        } else {
            // Thompson sampling, candidate by candidate.
            process.fit(&points, &elo);
            let best = process.best(&points, &mut random);
            let mut tried: Vec<Vec<f64>> = (0..candidates / 2).map(|_| spread(&mut random)).collect();
            tried.extend((0..candidates / 2).map(|_| {
                best.iter().map(|x| (x + 0.2 * normal(&mut random)).clamp(-1.0, 1.0)).collect::<Vec<f64>>()
            }));
            let mut drawn = |point: &Vec<f64>| {
                let (mean, deviation) = process.predict(&points, point);
                mean + deviation * normal(&mut random)
            };
            let values: Vec<f64> = tried.iter().map(&mut drawn).collect();
            let most = (0..candidates).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
            tried.swap_remove(most)
        };
        let [wins, _, losses] = surface.play([&point, &start], batch, &mut random);
        elo.push(695.0 * (wins as f64 - losses as f64) / (2.0 * batch as f64));
        points.push(point);
    }
    process.tune(&points, &elo);
    process.fit(&points, &elo);
    process.best(&points, &mut random)
}

struct GaussianProcess {
    length: f64,
    height: f64,
    noise: f64,
    factor: Vec<f64>,
    weights: Vec<f64>,
}

impl GaussianProcess {
    fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
        self.height * self.height * (-square / (2.0 * self.length * self.length)).exp()
    }

    fn fit(&mut self, points: &[Vec<f64>], elo: &[f64]) {
        let count = points.len();
        self.factor = vec![0.0; count * count];
        for row in 0..count {
            for column in 0..=row {
                self.factor[row * count + column] = self.covariance(&points[row], &points[column]);
            }
            self.factor[row * count + row] += self.noise;
        }
        assert!(factorize(&mut self.factor, count));
        self.weights = elo.to_vec();
        solve(&self.factor, count, &mut self.weights);
    }

    fn tune(&mut self, points: &[Vec<f64>], elo: &[f64]) {
        let mut best = (f64::NEG_INFINITY, self.length, self.height);
        for length in [0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0] {
            for height in [20.0, 50.0, 100.0, 200.0, 400.0] {
                (self.length, self.height) = (length, height);
                self.fit(points, elo);
                let fit: f64 = self.weights.iter().zip(elo).map(|(a, b)| a * b).sum();
                let volume: f64 =
                    (0..points.len()).map(|index| self.factor[index * points.len() + index].ln()).sum();
                let likelihood = -fit / 2.0 - volume;
                if likelihood > best.0 {
                    best = (likelihood, length, height);
                }
            }
        }
        (_, self.length, self.height) = best;
    }

    fn mean(&self, points: &[Vec<f64>], point: &[f64]) -> f64 {
        points.iter().zip(&self.weights).map(|(other, weight)| weight * self.covariance(other, point)).sum()
    }

    fn predict(&self, points: &[Vec<f64>], point: &[f64]) -> (f64, f64) {
        let covariances: Vec<f64> = points.iter().map(|other| self.covariance(other, point)).collect();
        let mut solved = covariances.clone();
        solve(&self.factor, points.len(), &mut solved);
        let explained: f64 = covariances.iter().zip(&solved).map(|(a, b)| a * b).sum();
        (self.mean(points, point), (self.height.powi(2) - explained).max(0.0).sqrt())
    }

    /// The best point of the mean, found by random steps that become smaller.
    fn best(&self, points: &[Vec<f64>], random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut best = vec![0.0; points[0].len()];
        let mut most = self.mean(points, &best);
        for step in 0..300 {
            let size = 0.6 * 0.985_f64.powi(step);
            let point: Vec<f64> = best.iter().map(|x| (x + size * normal(random)).clamp(-1.0, 1.0)).collect();
            let value = self.mean(points, &point);
            if value > most {
                (best, most) = (point, value);
            }
        }
        best
    }
}

/// A method that finds values on a surface with this number of games and this seed.
type TuningMethod = fn(&Surface, u64, u64) -> Vec<f64>;

/// Mean Elo that is lost at the values found, over some surfaces of this shape.
fn lost(method: TuningMethod, shape: Shape, count: usize, games: u64, runs: u64) -> f64 {
    let one = |seed| {
        let surface = Surface::new(shape, count, &mut ChaCha8Rng::seed_from_u64(seed));
        surface.loss(&method(&surface, games, seed))
    };
    (1..=runs).map(one).sum::<f64>() / runs as f64
}

#[test]
fn a_few_thousand_games_find_most_of_the_gain() {
    let start = lost(|surface, _, _| vec![0.0; surface.best.len()], Shape::Ridge, 2, 0, 4);
    let found = lost(clop, Shape::Ridge, 2, 2000, 4);
    assert!(found < 0.3 * start, "{found} of {start} Elo are still lost");
}

/// Prints mean Elo that is lost after the games: with SMALT_CLOP_RUNS=10 surfaces of each kind the table of the guide.
#[test]
#[ignore = "needs a minute"]
fn many_runs_of_clop_lose_less_than_a_gaussian_process_and_usual_spsa() {
    let runs = std::env::var("SMALT_CLOP_RUNS").map_or(2, |text| text.parse().unwrap());
    let methods: [(&str, TuningMethod); 4] =
        [("CLOP", clop), ("GP", gaussian_process), ("SPSA", spsa_untuned), ("SPSA tuned", spsa_tuned)];
    let mut sums = [0.0; 4];
    for (shape, counts) in
        [(Shape::Quadratic, &[1, 2, 4, 6][..]), (Shape::Ridge, &[2, 4, 6]), (Shape::Skewed, &[1, 3, 6])]
    {
        for (&count, games) in
            counts.iter().flat_map(|count| [2000, 6000, 20_000].map(|games| (count, games)))
        {
            let start = lost(|surface, _, _| vec![0.0; surface.best.len()], shape, count, games, runs);
            let mut row = format!("| {shape:?} | {count} | {games} | {start:.1} |");
            for (sum, (_, method)) in sums.iter_mut().zip(methods) {
                let elo = lost(method, shape, count, games, runs);
                *sum += elo;
                row += &format!(" {elo:.1} |");
            }
            println!("{row}");
        }
    }
    println!("sums: {:?} {sums:.1?}", methods.map(|(name, _)| name));
    assert!(sums[0] < sums[1] && sums[0] < sums[2], "{sums:?}");
}
