//! Requests and results of a search.

use std::time::{Duration, Instant};

use smalt_chess::{Outcome, UciMove};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Bound, Info, ReportedScore, SearchLimits, Wdl};

#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// Start position of the game.
    pub start: Start<'a>,
    /// All moves since then. Passing the whole game each time is cheap: what was sent before is not written again.
    pub moves: &'a [UciMove],
    /// Clocks, depth, nodes and the other limits of `go`.
    pub limits: &'a SearchLimits,
    /// Time until the search is given up, from `go` (or `ponderhit`), whatever the engine writes meanwhile.
    pub deadline: Duration,
    /// Time until `stop` is sent, from `go` or `ponderhit`; never if `None`. The `stop` timeout starts then.
    pub stop_after: Option<Duration>,
}

/// Minimum time between `go` and `stop`, unless the engine has written a line: engines lose a command that arrives
/// before their search has begun (Ethereal 12 then thinks forever).
const SETTLING: Duration = Duration::from_millis(20);

/// Searches shorter than this are not checked against node and depth limits: most have ended by then, and their lines
/// need not be parsed.
const UNWATCHED: Duration = Duration::from_millis(200);

/// Limits of a search that do not depend on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkLimit {
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

impl WorkLimit {
    /// The work limits of a search, if it has any.
    pub(crate) fn of(limits: &SearchLimits) -> Option<WorkLimit> {
        let SearchLimits { nodes, depth, .. } = *limits;
        (nodes.is_some() || depth.is_some()).then_some(WorkLimit { nodes, depth })
    }

    /// Whether a search that reports these nodes and plies ignores its limit. The tolerance is half as many nodes
    /// again, or 20,000, and two plies, since engines check their limits only now and then.
    #[must_use]
    pub fn is_overrun(self, nodes: Option<u64>, depth: Option<u32>) -> bool {
        const NODES_OF_ROOM: u64 = 20_000;
        const PLIES_OF_ROOM: u32 = 2;
        let most_nodes = self.nodes.map(|limit| limit.saturating_add((limit / 2).max(NODES_OF_ROOM)));
        let most_depth = self.depth.map(|limit| limit.saturating_add(PLIES_OF_ROOM));
        nodes.zip(most_nodes).is_some_and(|(nodes, most)| nodes > most)
            || depth.zip(most_depth).is_some_and(|(depth, most)| depth > most)
    }
}

/// The running search, as seen by the conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningSearch {
    pub(crate) asked_at: Instant,
    /// Total stalls of this program when it began.
    pub(crate) stalled_before: Duration,
    pub(crate) deadline: Duration,
    pub(crate) stop_after: Option<Duration>,
    pub(crate) work: Option<WorkLimit>,
}

impl RunningSearch {
    /// Placeholder before the first search.
    pub(crate) fn none_yet() -> Self {
        Self {
            asked_at: Instant::now(),
            stalled_before: Duration::ZERO,
            deadline: Duration::ZERO,
            stop_after: None,
            work: None,
        }
    }

    /// `stalled_before`: total stalls of this program so far, see [`crate::process::Process::stalled`].
    pub(crate) fn new(asked_at: Instant, stalled_before: Duration, request: &SearchRequest<'_>) -> Self {
        let SearchRequest { deadline, stop_after, limits, .. } = *request;
        Self { asked_at, stalled_before, deadline, stop_after, work: WorkLimit::of(limits) }
    }

    /// When its work limit is checked from; `None` without a limit.
    pub(crate) fn watched_at(&self) -> Option<Instant> {
        self.work.map(|_| self.asked_at + UNWATCHED)
    }

    /// When it has certainly begun.
    pub(crate) fn started_by(&self) -> Instant {
        self.asked_at + SETTLING
    }
}

/// Which lines of a search are kept until the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchLines {
    /// Only those of its report.
    #[default]
    Report,
    Info,
    All,
}

const ANSWERS_REMEMBERED: usize = 8;

/// If the engine is silent this long after a suspected repeated best move, that move counts as the answer.
const REPETITION_TIMEOUT: Duration = Duration::from_secs(1);

/// The last answers of an engine. An engine that sends a best move twice may do so after the next `go`, so an illegal
/// move that repeats an earlier answer is not taken for the new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LastAnswers {
    moves: [Option<UciMove>; ANSWERS_REMEMBERED],
    next: usize,
}

impl LastAnswers {
    pub(crate) fn push(&mut self, mv: UciMove) {
        self.moves[self.next] = Some(mv);
        self.next = (self.next + 1) % ANSWERS_REMEMBERED;
    }

    pub(crate) fn contains(&self, mv: UciMove) -> bool {
        self.moves.contains(&Some(mv))
    }
}

/// An answer taken for a repetition of an earlier one, unless the engine sends nothing more.
#[derive(Clone, Debug)]
pub(crate) struct Repetition<A> {
    pub(crate) answer: A,
    /// Number of info lines before it.
    pub(crate) info_lines: u64,
    pub(crate) until: Instant,
}

impl<A> Repetition<A> {
    pub(crate) fn new(answer: A, info_lines: u64) -> Self {
        Self { answer, info_lines, until: Instant::now() + REPETITION_TIMEOUT }
    }
}

/// Decision of a search observer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchControl {
    Continue,
    /// Stop the search and take its best move.
    Stop,
}

/// Called for each info line of a search, with the time since `go`. Without an observer most lines are not parsed.
pub type SearchObserver<'a> = dyn FnMut(&Info<'_>, Duration) -> SearchControl + 'a;

/// Result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The move as written, not checked for legality. `None` if the engine reports that it has no move.
    pub best: Option<UciMove>,
    /// Result claim of the engine, instead of a move or with one. Always `None` in UCI.
    pub claim: Option<ResultClaim>,
    pub ponder: Option<UciMove>,
    /// Its last report of the principal variation.
    pub report: SearchReport,
    /// From the end of the write of `go` to the end of the read of the best move.
    pub elapsed: Duration,
    /// When `go` (or `ponderhit`) was written.
    pub asked_at: Instant,
    /// When the best move was read.
    pub answered_at: Instant,
    /// Number of info lines.
    pub info_lines: u64,
    pub ending: SearchEnd,
}

/// How a search was abandoned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Abandoned {
    /// From `stop` to the answer; zero if no search was running.
    pub took: Duration,
    /// Whether it gave a move, or a result claim; an xboard engine may only have answered `ping`.
    pub has_moved: bool,
}

/// An engine's claim about the result of the game; not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultClaim {
    Resigns,
    /// It offers or claims a draw.
    OffersDraw,
    /// It claims this result.
    Result {
        outcome: Outcome,
        /// Comment of the engine.
        comment: String,
    },
}

/// Cause of the end of a search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SearchEnd {
    Own,
    /// By `stop`, at the time limit or on request of the observer.
    Stopped,
    /// By `stop`, since it ignored its node or depth limit ([`WorkLimit::is_overrun`]).
    Overrun,
}

/// The last report of an engine about its principal variation. Scores are from the side to move's point of view.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchReport {
    /// Nominal depth, in plies.
    pub depth: Option<u32>,
    /// Selective depth, in plies.
    pub selective_depth: Option<u32>,
    /// The last exact score, else the last bound.
    pub score: Option<ReportedScore>,
    /// Win, draw and loss probabilities.
    pub wdl: Option<Wdl>,
    pub nodes: Option<u64>,
    pub nps: Option<u64>,
    /// Use of the transposition table, in permille.
    pub hashfull: Option<u32>,
    /// Number of tablebase hits.
    pub tbhits: Option<u64>,
    /// Time since the search began, by the engine's clock.
    pub time: Option<Duration>,
    pub pv: Vec<UciMove>,
}

impl SearchReport {
    /// Updates the fields that this line contains.
    pub(crate) fn update(&mut self, info: &Info<'_>) {
        fn keep<T>(slot: &mut Option<T>, new: Option<T>) {
            if new.is_some() {
                *slot = new;
            }
        }
        keep(&mut self.depth, info.depth);
        keep(&mut self.selective_depth, info.selective_depth);
        let is_exact = |reported: &ReportedScore| reported.bound == Bound::Exact;
        if !(self.score.as_ref().is_some_and(is_exact) && info.score.as_ref().is_some_and(|it| !is_exact(it)))
        {
            keep(&mut self.score, info.score);
        }
        keep(&mut self.wdl, info.wdl);
        keep(&mut self.nodes, info.nodes);
        keep(&mut self.nps, info.nps);
        keep(&mut self.hashfull, info.hashfull);
        keep(&mut self.tbhits, info.tbhits);
        keep(&mut self.time, info.time);
        let pv = info.pv.to_vec();
        if !pv.is_empty() {
            self.pv = pv;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_some_room_before_it_is_overrun() {
        let check =
            |nodes: Option<u64>, depth: Option<u32>, reported: (Option<u64>, Option<u32>), expected: bool| {
                assert_eq!(
                    WorkLimit { nodes, depth }.is_overrun(reported.0, reported.1),
                    expected,
                    "{nodes:?} {depth:?} {reported:?}"
                );
            };
        check(Some(1000), None, (Some(21_000), Some(99)), false);
        check(Some(1000), None, (Some(21_001), Some(1)), true);
        check(Some(5_000_000), None, (Some(7_500_000), Some(99)), false);
        check(None, Some(5), (Some(99_000_000), Some(7)), false);
        check(None, Some(5), (Some(1), Some(8)), true);
        check(Some(1), None, (None, None), false);
    }
}
