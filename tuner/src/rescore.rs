//! Scores of positions by the searches of an engine, e.g. a stronger one than that of the games, and how well scores
//! predict results.

mod unfinished;

use std::sync::atomic::{AtomicUsize, Ordering};

use argmin::core::{CostFunction, Error, Executor, State as _};
use argmin::solver::brent::BrentOpt;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use smalt_chess::{CastlingMode, Color, Position};
use smalt_driver::process::Interrupt;
use smalt_driver::{ConversationError, Engine, GameOptions, SearchRequest, WaitContext};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{ReportedScore, Score, SearchLimits};

use crate::loss::sigmoid;
pub(crate) use unfinished::UnfinishedScores;

/// Positions searched with one hash table: `ucinewgame` comes before each batch, so that scores do not depend on the number
/// of processes.
pub(crate) const BATCH: usize = 256;

/// Greatest score in centipawns; mates and larger scores count as this.
pub(crate) const MAX_SCORE: i16 = 1500;

/// Time for one search.
const DEADLINE: std::time::Duration = std::time::Duration::from_secs(600);

/// Range of the steepness; 1 makes 400 centipawns ten to one.
const STEEPNESS: [f64; 2] = [0.01, 10.0];
const ITERATIONS: u64 = 40;

/// Why positions have no scores.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RescoreError {
    #[error("{fen}: {error}")]
    Search { fen: String, error: ConversationError },
    #[error("{fen}: the engine reports no score")]
    NoScore { fen: String },
    #[error("interrupted")]
    Interrupted,
}

/// Scores of batches of positions, in centipawns, White's view; `None` where no move is legal. Each engine takes the next
/// batch.
///
/// # Errors
/// If an engine fails or reports no score, or on the interrupt.
pub(crate) fn scores(
    engines: &mut [Box<dyn Engine>],
    batches: &[Vec<Position>],
    nodes: u64,
    interrupt: &Interrupt,
) -> Result<Vec<Option<i16>>, RescoreError> {
    let next = AtomicUsize::new(0);
    let work = |engine: &mut dyn Engine| {
        let mut done = Vec::new();
        while let Some((index, batch)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            batches.get(index).map(|batch| (index, batch))
        } {
            done.push((index, batch_scores(engine, batch, nodes, interrupt)?));
        }
        Ok(done)
    };
    let mut done = std::thread::scope(|scope| {
        let threads: Vec<_> =
            engines.iter_mut().map(|engine| scope.spawn(|| work(engine.as_mut()))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        let done: Vec<Result<Vec<_>, RescoreError>> = threads.into_iter().map(join).collect();
        done.into_iter().collect::<Result<Vec<_>, RescoreError>>()
    })?
    .concat();
    done.sort_unstable_by_key(|(index, _)| *index);
    Ok(done.into_iter().flat_map(|(_, scores)| scores).collect())
}

fn batch_scores(
    engine: &mut dyn Engine,
    batch: &[Position],
    nodes: u64,
    interrupt: &Interrupt,
) -> Result<Vec<Option<i16>>, RescoreError> {
    let context = &mut WaitContext::interruptible(interrupt);
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let mut last = None;
    let mut score = |position: &Position| {
        if position.legal_moves().is_empty() {
            return Ok(None);
        }
        let fen = position.to_fen();
        let failed = |error| match error {
            ConversationError::Interrupted => RescoreError::Interrupted,
            error => RescoreError::Search { fen: fen.clone(), error },
        };
        let variant = CastlingMode::of(position);
        if last.replace(variant) != Some(variant) {
            let terms = GameOptions { variant, ..GameOptions::default() };
            engine.new_game(terms, context).map_err(failed)?;
        }
        let request = SearchRequest {
            start: Start::Fen(&fen),
            moves: &[],
            limits: &limits,
            deadline: DEADLINE,
            stop_after: None,
        };
        let result = engine.search(&request, context, None).map_err(failed)?;
        let reported = result.report.score.ok_or_else(|| RescoreError::NoScore { fen: fen.clone() })?;
        Ok(Some(centipawns(reported, position.turn())))
    };
    batch.iter().map(&mut score).collect()
}

/// A score of the side to move in centipawns, White's view.
fn centipawns(reported: ReportedScore, turn: Color) -> i16 {
    let max = i32::from(MAX_SCORE);
    let score = match reported.score {
        Score::Centipawns(score) => score.clamp(-max, max),
        Score::Mate(moves) if moves > 0 => max,
        Score::Mate(_) => -max,
    } as i16;
    if turn == Color::White { score } else { -score }
}

/// How well scores predict results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prediction {
    /// Steepness of the sigmoid with the least error; 1 makes 400 centipawns ten to one.
    pub steepness: f64,
    /// Mean squared error of the results.
    pub error: f64,
}

impl Prediction {
    /// The best prediction of results (0 to 1, White's view) by scores (centipawns, White's view); `None` without any.
    pub(crate) fn of(labels: &[(f64, f32)]) -> Option<Prediction> {
        if labels.is_empty() {
            return None;
        }
        let solver = BrentOpt::new(STEEPNESS[0], STEEPNESS[1]).set_tolerance(1e-6, 1e-5);
        let executor =
            Executor::new(Steepness(labels), solver).configure(|state| state.max_iters(ITERATIONS));
        let result = executor.run().ok()?;
        let steepness = *result.state.get_best_param()?;
        Some(Prediction { steepness, error: result.state.get_best_cost() })
    }
}

struct Steepness<'a>(&'a [(f64, f32)]);

impl CostFunction for Steepness<'_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, k: &f64) -> Result<f64, Error> {
        /// Labels per task; the order of the sums is fixed.
        const CHUNK: usize = 16_384;
        let of_chunk = |labels: &[(f64, f32)]| -> f64 {
            labels.iter().map(|(score, result)| (sigmoid(*score, *k) - f64::from(*result)).powi(2)).sum()
        };
        let chunks: Vec<&[(f64, f32)]> = self.0.chunks(CHUNK).collect();
        let sums: Vec<f64> = chunks.par_iter().map(|chunk| of_chunk(chunk)).collect();
        Ok(sums.into_iter().sum::<f64>() / self.0.len() as f64)
    }
}
