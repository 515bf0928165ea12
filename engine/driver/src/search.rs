//! Requests and results of a search.

use std::time::{Duration, Instant};

use smalt_chess::{Outcome, UciMove};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Bound, Info, ReportedScore, SearchLimits, Wdl};

#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// Where the game began.
    pub start: Start<'a>,
    /// All moves since then. It is cheap to pass the whole game each time: what was sent before is not written anew.
    pub moves: &'a [UciMove],
    /// Clocks, depth, nodes and the other limits of `go`.
    pub limits: &'a SearchLimits,
    /// When it is given up, counted from `go` (or `ponderhit`), whatever the engine writes meanwhile.
    pub deadline: Duration,
    /// When `stop` is sent, counted likewise; never if `None`. The timeout for `stop` counts from then on.
    pub stop_after: Option<Duration>,
}

/// How long a search runs at least before `stop` is sent, unless a line of it came already: engines lose an
/// order that comes before their search has begun (Ethereal 12 then thinks for ever).
const SETTLING: Duration = Duration::from_millis(20);

/// How long a search runs before its limits of nodes and depth are checked: most have ended by then, and their
/// lines need not be read.
const UNWATCHED: Duration = Duration::from_millis(200);

/// The work that a search may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WorkLimit {
    /// Nodes to be visited.
    pub nodes: Option<u64>,
    /// Plies to be searched.
    pub depth: Option<u32>,
}

impl WorkLimit {
    /// That of a search, if it has one.
    pub(crate) fn of(limits: &SearchLimits) -> Option<WorkLimit> {
        let SearchLimits { nodes, depth, .. } = *limits;
        (nodes.is_some() || depth.is_some()).then_some(WorkLimit { nodes, depth })
    }

    /// Whether a search that reports these nodes and plies ignores it. There is some room, since engines look at
    /// their limits now and then: half as many nodes again, or 20,000, and two plies.
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

/// The search that runs, for the conversation that waits for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningSearch {
    pub(crate) asked_at: Instant,
    pub(crate) deadline: Duration,
    pub(crate) stop_after: Option<Duration>,
    pub(crate) work: Option<WorkLimit>,
}

impl RunningSearch {
    /// Stands in before the first one.
    pub(crate) fn none_yet() -> Self {
        Self { asked_at: Instant::now(), deadline: Duration::ZERO, stop_after: None, work: None }
    }

    pub(crate) fn new(asked_at: Instant, request: &SearchRequest<'_>) -> Self {
        let SearchRequest { deadline, stop_after, limits, .. } = *request;
        Self { asked_at, deadline, stop_after, work: WorkLimit::of(limits) }
    }

    /// From when on its limit of work is checked; never without one.
    pub(crate) fn watched_at(&self) -> Option<Instant> {
        self.work.map(|_| self.asked_at + UNWATCHED)
    }

    /// From when on it has surely begun.
    pub(crate) fn started_by(&self) -> Instant {
        self.asked_at + SETTLING
    }
}

/// The lines of a search that an engine keeps until its next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SearchLines {
    /// No lines but those of its report.
    #[default]
    Report,
    Info,
    All,
}

/// How many of an engine's last answers are remembered.
const ANSWERS_REMEMBERED: usize = 8;

/// Silence after a suspected repeated best move from which that move counts as the answer.
const REPETITION_TIMEOUT: Duration = Duration::from_secs(1);

/// The last answers of an engine. One that sends a best move twice may do so after the next `go`: an illegal move that
/// repeats an earlier answer is not taken for the answer to that.
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

/// An answer that is taken for a repetition of an earlier one, unless the engine says nothing more.
#[derive(Clone, Debug)]
pub(crate) struct Repetition<A> {
    pub(crate) answer: A,
    /// How many lines of information had come before it.
    pub(crate) info_lines: u64,
    pub(crate) until: Instant,
}

impl<A> Repetition<A> {
    pub(crate) fn new(answer: A, info_lines: u64) -> Self {
        Self { answer, info_lines, until: Instant::now() + REPETITION_TIMEOUT }
    }
}

/// What an observer of a search wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchControl {
    /// Let it think on.
    Continue,
    /// StopRule: stop it, and take its best move.
    Stop,
}

/// Sees each line of information while the engine thinks, with the time since `go`. Without an observer the lines are
/// hardly read.
pub type SearchObserver<'a> = dyn FnMut(&Info<'_>, Duration) -> SearchControl + 'a;

/// What came of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchResult {
    /// The move, as the engine wrote it, not checked for legality yet. `None` if the engine says that it has no move.
    pub best: Option<UciMove>,
    /// Result claim of the engine, instead of a move or with one. Always `None` in UCI.
    pub claim: Option<ResultClaim>,
    /// The answer that it expects.
    pub ponder: Option<UciMove>,
    /// Its last information about the principal variation.
    pub report: SearchReport,
    /// From the end of our write to the end of the read that brought the best move.
    pub elapsed: Duration,
    /// When `go` (or `ponderhit`) had been written.
    pub asked_at: Instant,
    /// When the best move was read.
    pub answered_at: Instant,
    /// How many lines of information came.
    pub info_lines: u64,
    /// Whether it ended by itself.
    pub ending: SearchEnd,
}

/// What an engine claims about the outcome of the game; not checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultClaim {
    Resigns,
    /// It offers a draw, or claims one that it may claim.
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
    /// We did, by `stop`: at the time, or since the observer asked for it.
    Stopped,
    /// We did, since it ignored its limit of nodes or plies ([`WorkLimit::is_overrun`]).
    Overrun,
}

/// The last information of an engine about its principal variation. Scores take the view of the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchReport {
    /// Nominal depth, in plies.
    pub depth: Option<u32>,
    /// The longest line looked at, in plies.
    pub selective_depth: Option<u32>,
    /// The last exact score, else the last bound.
    pub score: Option<ReportedScore>,
    /// Chances to win, draw and lose.
    pub wdl: Option<Wdl>,
    pub nodes: Option<u64>,
    /// Nodes a second.
    pub nps: Option<u64>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: Option<u32>,
    /// Positions found in endgame tables.
    pub tbhits: Option<u64>,
    /// Time since the search began, by the engine's own clock.
    pub time: Option<Duration>,
    pub pv: Vec<UciMove>,
}

impl SearchReport {
    /// Takes over the fields of this line; others stay.
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
        if !info.pv.is_empty() {
            self.pv = info.pv.to_vec();
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
