//! Runs engines on problems: positions in, moves with their times out, in parallel and with results in suite order.
//!
//! [`crate::grade`] grades the moves; only time to solution is measured here.

mod pool;
mod settled;
mod worker;

use std::time::Duration;

use smalt_chess::{Move, UciMove};
use smalt_driver::Fault;
use smalt_protocol::ReportedScore;

use crate::grade::{MateClaim, announced_mate};

pub(crate) use pool::{AnswerProgress, SuiteAnswers, SuiteOutcome, WorkerPool};
pub(crate) use settled::Settled;
pub(crate) use worker::{Checked, EngineInfo, check};

/// Answer to one problem.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EngineAnswer {
    /// The move that counts, or the fault.
    pub outcome: Result<Move, AnswerFailure>,
    /// Time from the question to the answer or fault.
    pub time: Duration,
    /// Last depth reported within the limit, in plies.
    pub depth: Option<u32>,
    /// Last node count within the limit.
    pub nodes: Option<u64>,
    /// Last score within the limit, from the side to move's view.
    pub score: Option<ReportedScore>,
    /// When the engine settled on a solution, if its move is one.
    pub settled: Option<Settled>,
    /// Last mate announced within the limit, checked.
    pub mate: Option<MateClaim>,
    /// Whether the search used its full limit.
    pub length: Length,
}

impl EngineAnswer {
    /// The mate announced with the answer, in moves. A wrong one is none: its line shows that the engine has not found
    /// the mate.
    pub(crate) fn announced(&self) -> Option<i32> {
        announced_mate(self.score).filter(|_| !self.mate.as_ref().is_some_and(MateClaim::is_wrong))
    }
}

/// How a search ended relative to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// It used its limit, or ended by itself.
    Full,
    /// Stopped early, after holding a solution long enough.
    StoppedEarly,
    /// It exceeded its limit. The PV at the limit is the answer instead of its move.
    Late(LateMove),
}

/// The move of a search that exceeded its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LateMove {
    pub mv: Move,
    /// Last score before it, from the side to move's view.
    pub score: Option<ReportedScore>,
}

/// Why there is no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerFailure {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error("played {0}, which is not a legal move")]
    IllegalMove(UciMove),
    #[error("resigned instead of moving")]
    Resigned,
    #[error("reported no principal variation within its limit (and then played {0})")]
    Late(UciMove),
    #[error("answered without a move")]
    NoMove,
}

impl AnswerFailure {
    /// A stable name for files and tables.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            AnswerFailure::Fault(fault) => fault.name(),
            AnswerFailure::IllegalMove(_) => "illegal-move",
            AnswerFailure::Resigned => "resigned",
            AnswerFailure::Late(_) => "late",
            AnswerFailure::NoMove => "no-move",
        }
    }
}
