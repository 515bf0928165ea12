//! Lets engines solve problems: positions in, moves with their times out, many engines in parallel and the results in the
//! order of the suite.
//!
//! Grading is left to [`crate::grade`], except for when an engine settled on a solution.

mod pool;
mod settled;
mod worker;

use std::time::Duration;

use smalt_chess::{Move, UciMove};
use smalt_driver::Fault;
use smalt_protocol::ReportedScore;

use crate::grade::MateClaim;

pub(crate) use pool::{AnswerProgress, Asked, SuiteOutcome, WorkerPool};
pub(crate) use settled::Settled;
pub(crate) use worker::{Checked, EngineInfo, check};

/// What came of one question.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineAnswer {
    /// The move that counts, or what went wrong.
    pub outcome: Result<Move, AnswerFailure>,
    /// From the question to the answer, or to the fault.
    pub time: Duration,
    /// Last depth reported within the limit, in plies.
    pub depth: Option<u32>,
    /// The last count of nodes, likewise.
    pub nodes: Option<u64>,
    /// The last score, likewise, in the view of the side to move.
    pub score: Option<ReportedScore>,
    /// Since when it kept to a solution, if its move is one.
    pub settled: Option<Settled>,
    /// The mate that it announced last within the limit, checked.
    pub mate: Option<MateClaim>,
    /// Whether it used all that it was given.
    pub length: Length,
}

/// Whether a search used all that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// It did, or ended by itself.
    Full,
    /// It was ended, since it had held a solution for long enough.
    StoppedEarly,
    /// It exceeded its limit. The principal variation at the limit is the answer, not its move.
    Late(LateMove),
}

/// The move of a search that went on after its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateMove {
    pub mv: Move,
    /// The last score that came before it, in the view of the side to move.
    pub score: Option<ReportedScore>,
}

/// Why there is no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFailure {
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error("played {0}, which is no legal move")]
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
    pub fn name(&self) -> &'static str {
        match self {
            AnswerFailure::Fault(fault) => fault.name(),
            AnswerFailure::IllegalMove(_) => "illegal-move",
            AnswerFailure::Resigned => "resigned",
            AnswerFailure::Late(_) => "late",
            AnswerFailure::NoMove => "no-move",
        }
    }
}
