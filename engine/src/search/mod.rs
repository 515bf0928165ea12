//! The search: alpha-beta with iterative deepening and Lazy SMP, from a position and limits to the best lines. It
//! reports by callback; protocols and options are left to others.
//!
//! Reading order: [`iterative_deepening`] (root, aspiration windows), [`node`] (principal variation search) and
//! [`quiescence`]; [`node_pruning`] (null move, futility, ProbCut) and [`move_pruning`] (LMP, SEE, singular extensions, LMR);
//! [`move_picker`] with [`move_scoring`] and [`check_info`]; [`histories`], [`correction_history`] and [`history_update`];
//! [`transposition`]; [`worker`] (the state of a thread); [`time`]; [`endings`] and [`probing`] (Syzygy).

mod check_info;
mod control;
mod correction_history;
mod endings;
mod histories;
mod history_update;
mod huge_pages;
mod iterative_deepening;
mod move_picker;
mod move_pruning;
mod move_scoring;
mod node;
mod node_pruning;
mod node_type;
pub mod params;
mod probing;
mod quiescence;
mod quiet_leaf;
pub mod score;
mod time;
mod transposition;
mod worker;

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use smalt_chess::{Move, Position};
use smalt_protocol::{Bound, ReportedScore};

pub use control::{ClockState, SearchControl};
pub use endings::KnownEnding;
pub(crate) use probing::Probing;
pub use probing::{FiftyMoves, ProbeRule};
pub use quiet_leaf::Resolver;
pub(crate) use time::TimeBudget;
pub(crate) use transposition::TranspositionTable;

use crate::evaluation::{Evaluator, Parameters};
use correction_history::CorrectionHistory;
use histories::Histories;
use huge_pages::{HUGE_PAGE, Zeroable, zero, zeroed_box};
use worker::{Root, Shared, Worker};

/// Stack size of each thread in bytes: a node takes about a kilobyte, more without optimization.
pub(crate) const STACK_SIZE: usize = 16 << 20;

/// The root of a search.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// The position to search.
    pub position: Position,
    /// Repetition keys of the game's earlier positions, latest last.
    pub history: Vec<u64>,
    /// Root moves to search, at least one, all legal.
    pub moves: Vec<Move>,
}

/// Limits of a search.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Maximum depth in plies.
    pub depth: i32,
    /// Maximum nodes of all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// `go mate`: stop at a mate in this many moves for either side, or when there is certainly none. No pruning that
    /// could miss a mate.
    pub mate: Option<u32>,
    /// Time budget of the move.
    pub time_budget: TimeBudget,
    /// Nodes that count as a millisecond of the time budget, if it is not real time.
    pub nodes_per_ms: Option<NonZeroU64>,
    /// Number of best lines (`MultiPV`).
    pub lines: usize,
}

impl Limits {
    /// A depth limit, with one line.
    pub(crate) fn depth(depth: i32) -> Limits {
        Limits {
            depth,
            nodes: None,
            mate: None,
            time_budget: TimeBudget::default(),
            nodes_per_ms: None,
            lines: 1,
        }
    }
}

/// A principal variation with its score.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PvLine {
    /// From the point of view of the side to move at the root; see [`score`].
    pub score: i32,
    /// Bound of the score: exact, unless the search stopped during a fail high or low of its aspiration window.
    pub bound: Bound,
    /// Moves from the root; at least one, unless the game is over.
    pub moves: Vec<Move>,
    /// Selective depth (`seldepth`) in plies.
    pub selective_depth: usize,
}

impl PvLine {
    /// The score as reported over UCI and xboard.
    pub(crate) fn reported(&self) -> ReportedScore {
        ReportedScore { score: score::to_report(self.score), bound: self.bound }
    }
}

/// State of a search after an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Last completed depth in plies; 0 if none.
    pub depth: i32,
    /// Best lines, best first.
    pub lines: Vec<PvLine>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since the search started, pondering included.
    pub time: Duration,
    /// Permille of the transposition table in use.
    pub hashfull: u32,
    /// Successful tablebase probes of all threads.
    pub tbhits: u64,
}

/// Data that a thread keeps from search to search.
pub(crate) struct ThreadData {
    histories: Box<ThreadHistories>,
    evaluator: Evaluator,
}

impl ThreadData {
    /// Empty histories and an evaluator with these parameters.
    pub(crate) fn new(parameters: Arc<Parameters>) -> ThreadData {
        ThreadData::try_new(parameters).expect("the system has memory for another search thread")
    }

    /// As [`ThreadData::new`]; `None` if the allocation fails.
    pub(crate) fn try_new(parameters: Arc<Parameters>) -> Option<ThreadData> {
        Some(ThreadData { histories: ThreadHistories::new()?, evaluator: Evaluator::try_new(parameters)? })
    }

    pub(crate) fn clear(&mut self) {
        zero(&mut *self.histories);
    }

    /// Clears the histories and sets the evaluation parameters.
    pub(crate) fn set_parameters(&mut self, parameters: Arc<Parameters>) {
        self.clear();
        self.evaluator = Evaluator::new(parameters);
    }
}

/// History tables of one thread, on huge pages.
#[repr(align(2097152))]
struct ThreadHistories {
    histories: Histories,
    corrections: CorrectionHistory,
}

const _: () = assert!(align_of::<ThreadHistories>() == HUGE_PAGE);

#[expect(unsafe_code, reason = "the type is all integers")]
// SAFETY: It consists of integers.
unsafe impl Zeroable for ThreadHistories {}

impl ThreadHistories {
    /// Zeroed tables; `None` if the allocation fails.
    fn new() -> Option<Box<ThreadHistories>> {
        zeroed_box()
    }
}

/// Resources that outlive a search.
pub(crate) struct SearchContext<'a> {
    pub table: &'a TranspositionTable,
    /// Data of each thread; one entry per thread.
    pub threads: &'a mut [ThreadData],
    pub probing: Option<Probing<'a>>,
    pub control: &'a SearchControl,
}

/// Searches until a limit is reached or the search is stopped. Returns the last progress, which was also reported.
///
/// # Panics
/// If there is no root move or no thread.
pub(crate) fn search(
    task: &Task,
    limits: &Limits,
    context: SearchContext<'_>,
    report: &mut dyn FnMut(&Progress),
) -> Progress {
    assert!(!task.moves.is_empty() && !context.threads.is_empty());
    context.table.age();
    // `go mate` must find the mate itself.
    let probing = context.probing.filter(|_| limits.mate.is_none());
    let ranking = probing.and_then(|probing| probing.rank(task));
    let ranks = probing.iter().zip(&ranking).flat_map(|(probing, ranking)| {
        ranking.moves.iter().map(|ranked| (ranked.rank, probing.score(ranked.wdl, 0).0))
    });
    let ranks: Vec<_> = ranks.collect();
    let shared = Shared {
        table: context.table,
        control: context.control,
        time_budget: limits.time_budget,
        node_limit: limits.nodes,
        seeks_mate: limits.mate.is_some(),
        nodes: context.threads.iter().map(|_| AtomicU64::new(0)).collect(),
        probing: probing.filter(|probing| probing.is_needed_below(ranking.as_ref())),
        tbhits: AtomicU64::new(ranks.len() as u64),
        finished: AtomicBool::new(false),
        stop_on_ponderhit: AtomicBool::new(false),
    };
    let root = Root { position: &task.position, history: &task.history, moves: &task.moves, ranks: &ranks };
    let (first, others) = context.threads.split_first_mut().expect("there is a thread");
    std::thread::scope(|scope| {
        let helpers: Vec<_> = others
            .iter_mut()
            .enumerate()
            // Starting hundreds of threads can take longer than a short search.
            .take_while(|_| !shared.is_over())
            .filter_map(|(index, thread_data)| {
                let mut worker = Worker::new(&shared, thread_data, index + 1, &root);
                let run = move || {
                    worker.iterative_deepening(&task.position, limits, &mut |_| {});
                    progress(&worker, limits)
                };
                // If a thread cannot start, the search continues without it.
                std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, run).ok()
            })
            .collect();
        let mut worker = Worker::new(&shared, first, 0, &root);
        worker.iterative_deepening(&task.position, limits, &mut |worker| report(&progress(worker, limits)));
        let own = progress(&worker, limits);
        let others: Vec<_> = helpers.into_iter().filter_map(|helper| helper.join().ok()).collect();
        let end = |chosen: Progress| Progress {
            nodes: shared.total_nodes(),
            time: shared.control.elapsed(),
            tbhits: shared.tbhits.load(Relaxed),
            ..chosen
        };
        match choose(&own, others) {
            Some(chosen) => {
                // Reported first, so that the move played is that of the last report.
                let chosen = end(chosen);
                report(&chosen);
                chosen
            }
            None => end(own),
        }
    })
}

/// The best thread's result, if better than the main thread's: deeper, or equally deep with a better score.
fn choose(own: &Progress, others: Vec<Progress>) -> Option<Progress> {
    let rank = |progress: &Progress| (progress.depth, progress.lines[0].score);
    let best = others.into_iter().max_by_key(rank)?;
    (rank(&best) > rank(own)).then_some(best)
}

/// Reported score of a root move: the tablebase score, unless the search has found a mate.
fn shown_score(root_move: &worker::RootMove) -> Option<(i32, Bound)> {
    let opinion = root_move.latest_score();
    let table_score =
        root_move.table_score.filter(|_| !opinion.is_some_and(|(score, _)| score::is_mate(score)));
    table_score.map(|score| (score, Bound::Exact)).or(opinion)
}

/// Progress of a thread. There is always a first line: before the first score, with the static evaluation.
fn progress(worker: &Worker<'_>, limits: &Limits) -> Progress {
    let line = |(index, root_move): (usize, &worker::RootMove)| {
        let root_static_eval = (index == 0).then_some((worker.root_static_eval, Bound::Exact));
        let (score, bound) = shown_score(root_move).or(root_static_eval)?;
        let selective_depth = root_move.selective_depth;
        Some(PvLine { score, bound, moves: root_move.pv.clone(), selective_depth })
    };
    let lines = worker.root.iter().take(limits.lines.max(1)).enumerate();
    Progress {
        depth: worker.completed_depth,
        lines: lines.filter_map(line).collect(),
        nodes: worker.shared.total_nodes(),
        time: worker.shared.control.elapsed(),
        hashfull: worker.shared.table.hashfull(),
        tbhits: worker.shared.tbhits.load(Relaxed),
    }
}
