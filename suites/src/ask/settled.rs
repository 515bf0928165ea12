//! Time to solution: the time from which every PV of a search begins with a solution.

use std::num::NonZeroU32;
use std::time::Duration;

use smalt_chess::UciMove;
use smalt_driver::SearchControl;
use smalt_protocol::{Bound, Info, ReportedScore, Score};

use crate::grade::{MateClaim, Tablebases, announced_mate};
use crate::plan::{Limit, Plan};
use crate::suite::Problem;

/// Point from which an engine kept a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Time since the question.
    pub time: Duration,
    /// Iteration in which it was found, if reported.
    pub depth: Option<u32>,
    /// Nodes until then, if reported.
    pub nodes: Option<u64>,
}

/// Latest principal variation. The score is from the point of view of the side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LatestInfo {
    pub(super) mv: Option<UciMove>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) score: Option<ReportedScore>,
}

/// Follows one search up to the end of its limit.
#[derive(Debug)]
pub(super) struct SearchFollower<'a> {
    problem: &'a Problem,
    limit: Limit,
    grace: Duration,
    early_stop: Option<NonZeroU32>,
    latest: LatestInfo,
    settled: Option<Settled>,
    tables: Option<&'a Tablebases>,
    /// Last announced mate and its line; `None` after a line without one. Bounds do not count.
    mate: Option<(i32, Vec<UciMove>)>,
}

impl<'a> SearchFollower<'a> {
    pub(super) fn new(problem: &'a Problem, limit: Limit, plan: &'a Plan) -> SearchFollower<'a> {
        let (grace, early_stop) = (plan.grace, plan.early_stop);
        let latest = LatestInfo::default();
        let tables = plan.tables.as_ref();
        SearchFollower { problem, limit, grace, early_stop, latest, settled: None, tables, mate: None }
    }

    /// Handles an info line. Stops when a solution has been held for the requested iterations, or when the
    /// search exceeds its limit: then the line is ignored.
    pub(super) fn on_info(&mut self, info: &Info<'_>, time: Duration) -> SearchControl {
        if self.limit.is_passed(self.grace, time, info.nodes, info.depth) {
            return SearchControl::Stop;
        }
        if info.multipv.is_some_and(|line| line != 1) {
            return SearchControl::Continue;
        }
        self.latest.depth = info.depth.or(self.latest.depth);
        self.latest.nodes = info.nodes.or(self.latest.nodes);
        self.latest.score = info.score.or(self.latest.score);
        if let Some(first) = info.pv.iter().next() {
            self.latest.mv = Some(first);
            self.mate = exact_mate(info.score).map(|moves| (moves, info.pv.iter().collect()));
            if self.is_solution(first, info) {
                let moment = Settled { time, depth: self.latest.depth, nodes: info.nodes };
                self.settled.get_or_insert(moment);
            } else {
                self.settled = None;
            }
        }
        if self.is_enough() { SearchControl::Stop } else { SearchControl::Continue }
    }

    /// When it settled on this move; `None` if its last PV starts with another.
    pub(super) fn settled(&self) -> Option<Settled> {
        self.settled
    }

    /// Last announced mate, checked.
    pub(super) fn mate(&self) -> Option<MateClaim> {
        let (moves, line) = self.mate.as_ref()?;
        Some(MateClaim::check(&self.problem.epd.position, *moves, line, self.tables))
    }

    /// Latest information within the limit.
    pub(super) fn latest(&self) -> LatestInfo {
        self.latest
    }

    fn is_solution(&self, first: UciMove, info: &Info<'_>) -> bool {
        let announced = announced_mate(info.score);
        let mv = first.to_move(&self.problem.epd.position);
        mv.is_ok_and(|mv| self.problem.goal.is_solved_by(mv, announced))
    }

    /// Whether a solution was held for the requested number of iterations.
    pub(super) fn is_enough(&self) -> bool {
        let since = self.settled.and_then(|settled| settled.depth);
        let held = self.latest.depth.zip(since).map(|(depth, since)| depth.saturating_sub(since));
        held.zip(self.early_stop).is_some_and(|(held, wanted)| held >= wanted.get())
    }
}

/// The mate of an exact score.
fn exact_mate(score: Option<ReportedScore>) -> Option<i32> {
    match score? {
        ReportedScore { score: Score::Mate(moves), bound: Bound::Exact } => Some(moves),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::plan::Memory;
    use crate::suite::Suite;
    use smalt_protocol::uci::EngineMessage;

    const WAC_1: &str = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6;";

    /// Checks lines a millisecond apart: milliseconds, depth and nodes at the solution, and the number of lines until
    /// the stop.
    fn check(
        line: &str,
        early_stop: u32,
        lines: &[&str],
        expected: Option<(u64, Option<u32>, Option<u64>)>,
        heard: usize,
    ) {
        let suite = Suite::parse(line.as_bytes(), "test", "test.epd");
        let plan = Plan {
            entrants: Vec::new(),
            concurrency: NonZeroUsize::MIN,
            memory: Memory::Cleared,
            early_stop: NonZeroU32::new(early_stop),
            grace: Duration::from_millis(2),
            longest_move: Duration::MAX,
            tables: None,
            reaper: None,
        };
        let limit = Limit::MoveTime(Duration::from_millis(6));
        let mut follower = SearchFollower::new(&suite.problems[0], limit, &plan);
        let mut count = 0;
        for (time, line) in (1..).zip(lines) {
            let EngineMessage::Info(info) = EngineMessage::parse(line) else { panic!("{line}") };
            count += 1;
            if follower.on_info(&info, Duration::from_millis(time)) == SearchControl::Stop {
                break;
            }
        }
        let moment = follower.settled();
        let moment = moment.map(|at| (u64::try_from(at.time.as_millis()).unwrap(), at.depth, at.nodes));
        assert_eq!((moment, count), (expected, heard), "{lines:?}");
    }

    #[test]
    fn the_last_turn_to_the_solution_counts() {
        let lines = [
            "info depth 1 score cp 5 nodes 10 pv g3g6 f7g6",
            "info depth 2 score cp 1 nodes 20 pv f1f3",
            "info depth 3 currmove g3g6",
            "info depth 3 score cp 300 lowerbound nodes 31 pv g3g6",
            "info depth 3 multipv 2 score cp 1 nodes 32 pv f1f3",
            "info depth 4 score cp 500 nodes 40 pv g3g6 f7g6",
            "info nodes 50 nps 1000",
        ];
        check(WAC_1, 0, &lines, Some((4, Some(3), Some(31))), 7);
        check(WAC_1, 1, &lines, Some((4, Some(3), Some(31))), 6);
        check(WAC_1, 0, &["info depth 1 pv g3g6", "info depth 2 pv f1f3"], None, 2);
        check(WAC_1, 0, &["info depth 1 pv a1a8", "info string g3g6"], None, 2);
    }

    #[test]
    fn what_comes_after_the_limit_and_its_grace_is_ignored() {
        let mut lines = vec!["info depth 1 pv f1f3"; 7];
        lines.extend(["info depth 2 pv g3g6", "info depth 3 pv f1f3", "info depth 4 pv f1f3"]);
        check(WAC_1, 0, &lines, Some((8, Some(2), None)), 9);
    }

    #[test]
    fn a_mate_must_be_announced() {
        let lines = [
            "info depth 1 score cp 900 pv e1e8",
            "info depth 2 score mate 3 pv e1e8",
            "info depth 3 score mate 1 pv e1e8",
        ];
        check("6k1/5ppp/8/8/8/8/8/4R1K1 w - - dm 1;", 0, &lines, Some((3, Some(3), None)), 3);
        check("6k1/5ppp/8/8/8/8/8/4R1K1 w - - dm 3;", 0, &lines, Some((2, Some(2), None)), 3);
    }
}
