//! The search: from a position and limits to the best lines. It reports by callback, prints nothing, and knows
//! neither protocols nor options.
//!
//! [`node`] and [`quiescence`] are the two kinds of nodes, [`shortcuts`] and [`selection`] how the first spares itself
//! work; [`deepening`] is what happens at the root, [`worker`] what a thread holds; [`lessons`] fill [`histories`],
//! [`corrections`] and [`transposition`]; [`ordering`] and the nodes read them, and ask [`outlook`]
//! what a position says of its moves, which [`ranking`] holds;
//! [`endings`] are known without a search, those that [`probing`] asks endgame tables for as well.

mod corrections;
mod deepening;
mod endings;
mod histories;
mod lessons;
mod node;
mod ordering;
mod outlook;
mod pages;
pub mod params;
mod probing;
mod quiescence;
mod ranking;
mod resolve;
pub mod score;
mod selection;
mod shortcuts;
mod signals;
pub mod time;
pub mod transposition;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use smalt_chess::{Move, Position};
use smalt_protocol::{Bound, ReportedScore};

pub use endings::KnownEnding;
pub use probing::{FiftyMoves, ProbeRule, Probing};
pub use resolve::Resolver;
pub use signals::{ClockState, Signals};
pub use time::Allotment;
pub use transposition::TranspositionTable;

use crate::evaluation::{Evaluator, Parameters};
use corrections::Corrections;
use histories::Histories;
use pages::{LARGE_PAGE, Zeroable, zeroed_box};
use worker::{Root, Shared, Worker};

/// Bytes of stack for each thread: a node takes about a kilobyte, more without optimization.
pub(crate) const STACK_SIZE: usize = 16 << 20;

/// Where the search begins, and which moves it may choose from.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position to search.
    pub position: Position,
    /// Repetition keys of the game's earlier positions, the latest last.
    pub history: Vec<u64>,
    /// Legal moves to look at: at least one.
    pub moves: Vec<Move>,
}

/// When the search ends by itself.
#[derive(Clone, Debug)]
pub struct Goal {
    /// After this depth, in plies.
    pub depth: i32,
    /// After so many nodes, all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// With a mate in so many moves, for either side, or when it is certain that there is none. Then nothing is left
    /// out that could be a mate, and depth comes slowly.
    pub mate: Option<u32>,
    /// With the time that the move may take.
    pub allotment: Allotment,
    /// How many best lines are wanted.
    pub lines: usize,
}

impl Goal {
    /// Ends at a depth, with one line.
    pub fn depth(depth: i32) -> Goal {
        Goal { depth, nodes: None, mate: None, allotment: Allotment::default(), lines: 1 }
    }
}

/// A line that the search holds for one of the best.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// From the view of the side to move at the root; see [`score`].
    pub score: i32,
    /// How the score relates to the true one: exact, unless the search was broken off while its window had failed.
    pub bound: Bound,
    /// The moves from the root; at least one, unless the game is over.
    pub moves: Vec<Move>,
    /// The longest line looked at below this move, in plies.
    pub selective_depth: usize,
}

impl Line {
    /// Its score as the world outside hears it.
    pub fn reported(&self) -> ReportedScore {
        ReportedScore { score: score::to_report(self.score), bound: self.bound }
    }
}

/// The state of the search after an iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The last depth that was completed, in plies; 0 if none was.
    pub depth: i32,
    /// The best lines, best first.
    pub lines: Vec<Line>,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Since the search began, pondering included.
    pub time: Duration,
    /// How full the transposition table is, in thousandths.
    pub fullness: u32,
    /// How often endgame tables knew a position, in all threads.
    pub table_hits: u64,
}

/// What one thread remembers from search to search.
pub struct Memory {
    experience: Box<Experience>,
    evaluator: Evaluator,
}

impl Memory {
    /// A memory without experience, that evaluates with these weights.
    pub fn new(parameters: Arc<Parameters>) -> Memory {
        Memory { experience: Experience::new(), evaluator: Evaluator::new(parameters) }
    }

    /// Forgets all experience.
    pub fn clear(&mut self) {
        self.experience = Experience::new();
    }
}

/// What one thread has learned, on large pages of its own.
#[repr(align(2097152))]
struct Experience {
    histories: Histories,
    corrections: Corrections,
}

const _: () = assert!(align_of::<Experience>() == LARGE_PAGE);

#[expect(unsafe_code, reason = "a promise about the type")]
// SAFETY: It is made of integers.
unsafe impl Zeroable for Experience {}

impl Experience {
    /// Nothing learned.
    fn new() -> Box<Experience> {
        zeroed_box()
    }
}

/// What a search leans on, and what outlives it.
pub struct Means<'a> {
    /// Known positions.
    pub table: &'a TranspositionTable,
    /// One for each thread: their number is the number of threads.
    pub memories: &'a mut [Memory],
    /// Endgame tables.
    pub probing: Option<Probing<'a>>,
    /// What the world outside says.
    pub signals: &'a Signals,
}

/// Searches until the goal is reached or the signals say stop; the last state is also returned.
///
/// # Panics
/// If there is no move to choose from or no thread.
pub fn search(task: &Task, goal: &Goal, means: Means<'_>, report: &mut dyn FnMut(&Progress)) -> Progress {
    assert!(!task.moves.is_empty() && !means.memories.is_empty());
    means.table.age();
    // A mate that is asked for has to be shown.
    let probing = means.probing.filter(|_| goal.mate.is_none());
    let ranking = probing.and_then(|probing| probing.rank(task));
    let ranks = probing.iter().zip(&ranking).flat_map(|(probing, ranking)| {
        ranking.moves.iter().map(|ranked| (ranked.rank, probing.score(ranked.outlook, 0).0))
    });
    let ranks: Vec<_> = ranks.collect();
    let shared = Shared {
        table: means.table,
        signals: means.signals,
        allotment: goal.allotment,
        node_limit: goal.nodes,
        seeks_mate: goal.mate.is_some(),
        nodes: means.memories.iter().map(|_| AtomicU64::new(0)).collect(),
        probing: probing.filter(|probing| probing.is_needed_below(ranking.as_ref())),
        table_hits: AtomicU64::new(ranks.len() as u64),
        finished: AtomicBool::new(false),
        is_ripe: AtomicBool::new(false),
    };
    let root = Root { position: &task.position, history: &task.history, moves: &task.moves, ranks: &ranks };
    let (first, others) = means.memories.split_first_mut().expect("there is a thread");
    std::thread::scope(|scope| {
        let helpers: Vec<_> = others
            .iter_mut()
            .enumerate()
            // To start hundreds of threads takes longer than some moves may.
            .take_while(|_| !shared.is_over())
            .filter_map(|(index, memory)| {
                let mut worker = Worker::new(&shared, memory, index + 1, &root);
                let run = move || {
                    worker.deepen(&task.position, goal, &mut |_| {});
                    progress(&worker, goal)
                };
                // Without a further thread the search is slower, not wrong.
                std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, run).ok()
            })
            .collect();
        let mut worker = Worker::new(&shared, first, 0, &root);
        worker.deepen(&task.position, goal, &mut |worker| report(&progress(worker, goal)));
        let own = progress(&worker, goal);
        let others: Vec<_> = helpers.into_iter().filter_map(|helper| helper.join().ok()).collect();
        let end = |chosen: Progress| Progress {
            nodes: shared.total_nodes(),
            time: shared.signals.elapsed(),
            table_hits: shared.table_hits.load(Relaxed),
            ..chosen
        };
        match choose(&own, others) {
            Some(chosen) => {
                // Nobody should see a move played that was never reported.
                let chosen = end(chosen);
                report(&chosen);
                chosen
            }
            None => end(own),
        }
    })
}

/// A helper's result that is to be trusted more than the own: of a greater depth, or of the same with a better score.
fn choose(own: &Progress, others: Vec<Progress>) -> Option<Progress> {
    let rank = |progress: &Progress| (progress.depth, progress.lines[0].score);
    let best = others.into_iter().max_by_key(rank)?;
    (rank(&best) > rank(own)).then_some(best)
}

/// What the search thinks of a move at the root, if it has an opinion yet; where endgame tables know better, they speak,
/// unless a mate is in sight.
fn shown_score(root_move: &worker::RootMove) -> Option<(i32, Bound)> {
    let opinion = root_move.latest_score();
    let table_score =
        root_move.table_score.filter(|_| !opinion.is_some_and(|(score, _)| score::is_mate(score)));
    table_score.map(|score| (score, Bound::Exact)).or(opinion)
}

/// The first line is always there: before it has a score, with the static evaluation.
fn progress(worker: &Worker<'_>, goal: &Goal) -> Progress {
    let line = |(index, root_move): (usize, &worker::RootMove)| {
        let standing = (index == 0).then_some((worker.standing, Bound::Exact));
        let (score, bound) = shown_score(root_move).or(standing)?;
        let selective_depth = root_move.selective_depth;
        Some(Line { score, bound, moves: root_move.pv.clone(), selective_depth })
    };
    let lines = worker.root.iter().take(goal.lines.max(1)).enumerate();
    Progress {
        depth: worker.completed_depth,
        lines: lines.filter_map(line).collect(),
        nodes: worker.shared.total_nodes(),
        time: worker.shared.signals.elapsed(),
        fullness: worker.shared.table.fullness(),
        table_hits: worker.shared.table_hits.load(Relaxed),
    }
}
