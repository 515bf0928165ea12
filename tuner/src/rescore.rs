//! Scores of positions by the searches of an engine, e.g. a stronger one than that of the games, and how well scores
//! predict results.

mod unfinished;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rayon::prelude::*;
use smalt_chess::{CastlingMode, Color, Position};
use smalt_driver::process::Interrupt;
use smalt_driver::{ConversationError, Engine, Fault, GameOptions, SearchReport, SearchRequest, WaitContext};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{ReportedScore, Score, SearchLimits};

use crate::loss::sigmoid;
use crate::optimizer::{OptimizeError, STEEPNESS, best_steepness};
pub(crate) use unfinished::UnfinishedScores;

/// Positions between two `ucinewgame`, so that scores do not depend on the number of processes.
pub(crate) const BATCH: usize = 256;

/// Greatest score in centipawns; mates and larger scores count as this.
pub(crate) const MAX_SCORE: i16 = 1500;

/// Time for one search: this, and a second for each thousand nodes.
const DEADLINE: Duration = Duration::from_secs(30);
const SLOWEST: u64 = 1000;

/// Labels per task; the order of the sums is fixed.
const CHUNK: usize = 16_384;

/// Why positions have no scores.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RescoreError {
    #[error("{fen}: {error}")]
    Search { fen: String, error: ConversationError },
    #[error("interrupted")]
    Interrupted,
}

/// The score of a position by a search, in centipawns, White's view, and the nodes that the engine reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EngineScore {
    /// `None` where no move is legal or the engine gives no score.
    pub score: Option<i16>,
    pub nodes: Option<u64>,
}

/// Scores of batches of positions; each engine takes the next batch. After an error, those of the whole batches before it.
///
/// The error: an engine exits or does not answer, or the interrupt.
pub(crate) fn scores(
    engines: &mut [Box<dyn Engine>],
    batches: &[Vec<Position>],
    limits: &SearchLimits,
    interrupt: &Interrupt,
) -> (Vec<EngineScore>, Result<(), RescoreError>) {
    let next = AtomicUsize::new(0);
    let next_batch = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        Some((index, batches.get(index)?))
    };
    let work = |engine: &mut dyn Engine| {
        let (mut done, mut end) = (Vec::new(), Ok(()));
        while let Some((index, batch)) = next_batch() {
            match batch_scores(engine, batch, limits, interrupt) {
                Ok(scores) => done.push((index, scores)),
                Err(error) => {
                    // The other engines need not go on.
                    next.store(batches.len(), Ordering::Relaxed);
                    end = Err(error);
                }
            }
        }
        (done, end)
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            engines.iter_mut().map(|engine| scope.spawn(|| work(engine.as_mut()))).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let (parts, ends): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let mut done = parts.concat();
    done.sort_unstable_by_key(|(index, _)| *index);
    let whole = done.into_iter().enumerate().take_while(|(number, (index, _))| number == index);
    (whole.flat_map(|(_, (_, scores))| scores).collect(), ends.into_iter().collect())
}

fn batch_scores(
    engine: &mut dyn Engine,
    batch: &[Position],
    limits: &SearchLimits,
    interrupt: &Interrupt,
) -> Result<Vec<EngineScore>, RescoreError> {
    let mut variant = None;
    let mut score = |position: &Position| {
        if position.legal_moves().is_empty() {
            return Ok(EngineScore::default());
        }
        let fen = position.to_fen();
        match search(engine, position, &fen, limits, &mut variant, interrupt) {
            Ok(report) => Ok(EngineScore {
                score: report.score.map(|reported| centipawns(reported, position.turn())),
                nodes: report.nodes,
            }),
            Err(ConversationError::Fault(
                Fault::NoMove { .. }
                | Fault::MalformedBestmove { .. }
                | Fault::Refused { .. }
                | Fault::IllegalMove { .. }
                | Fault::NoSetBoard { .. }
                | Fault::NoChess960 { .. },
            )) => Ok(EngineScore::default()),
            Err(ConversationError::Interrupted) => Err(RescoreError::Interrupted),
            Err(error) => Err(RescoreError::Search { fen, error }),
        }
    };
    batch.iter().map(&mut score).collect()
}

/// The report of a search; the first of a batch and one of the other variant than the last begin a new game.
fn search(
    engine: &mut dyn Engine,
    position: &Position,
    fen: &str,
    limits: &SearchLimits,
    last_variant: &mut Option<CastlingMode>,
    interrupt: &Interrupt,
) -> Result<SearchReport, ConversationError> {
    let context = &mut WaitContext::interruptible(interrupt);
    let variant = CastlingMode::of(position);
    if *last_variant != Some(variant) {
        *last_variant = None;
        engine.new_game(GameOptions { variant, ..GameOptions::default() }, context)?;
        *last_variant = Some(variant);
    }
    let deadline = DEADLINE + Duration::from_secs(limits.nodes.unwrap_or_default() / SLOWEST);
    let request = SearchRequest { start: Start::Fen(fen), moves: &[], limits, deadline, stop_after: None };
    Ok(engine.search(&request, context, None)?.report)
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
    /// K, the steepness of the sigmoid with the least error; 1 makes 400 centipawns ten to one.
    pub steepness: f64,
    /// Mean squared error of the results.
    pub error: f64,
}

impl Prediction {
    /// The best prediction of results (0 to 1, White's view) by scores (centipawns, White's view); `None` without any.
    ///
    /// # Errors
    /// If the solver fails.
    pub(crate) fn of(labels: &[(f64, f32)]) -> Result<Option<Prediction>, OptimizeError> {
        if labels.is_empty() {
            return Ok(None);
        }
        let square = |k: f64, &(score, result): &(f64, f32)| (sigmoid(score, k) - f64::from(result)).powi(2);
        let error = |k: f64| -> f64 {
            let sum = |labels: &[(f64, f32)]| labels.iter().map(|label| square(k, label)).sum();
            let sums: Vec<f64> = labels.par_chunks(CHUNK).map(sum).collect();
            sums.into_iter().sum::<f64>() / labels.len() as f64
        };
        let steepness = best_steepness(error)?;
        Ok(Some(Prediction { steepness, error: error(steepness) }))
    }

    /// Whether the scores tell anything about the results: K is not at an end of its range.
    pub(crate) fn is_meaningful(self) -> bool {
        self.steepness > 2.0 * STEEPNESS[0] && self.steepness < 0.99 * STEEPNESS[1]
    }
}
