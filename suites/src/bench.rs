//! `bench` for any engine: fixed positions to a fixed depth, one at a time. The node count identifies the search, the
//! speed depends on engine and machine.

use std::num::{NonZeroU32, NonZeroUsize};
use std::thread;
use std::time::Duration;

use smalt_driver::process::{Interrupt, Reaper};

use crate::ask::{EngineAnswer, SuiteOutcome, WorkerPool};
use crate::plan::{Limit, Memory, Plan, SuiteEntrant};
use crate::suite::Suite;

/// Every tenth position of WAC: thirty, most of them middlegames.
const EVERY: usize = 10;

/// Result of a bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BenchResult {
    /// Nodes of all positions, as reported by the engine.
    pub nodes: u64,
    /// Nodes per second of wall time.
    pub nodes_per_second: u64,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("interrupted")]
    Interrupted,
    #[error("bench {name}: {words}")]
    Disqualified { name: String, words: String },
    #[error("bench {name}: it gave no count of nodes in {missing} of {positions} positions")]
    NoNodes { name: String, missing: usize, positions: usize },
}

/// Searches the positions to a depth, each in a new game.
pub(crate) fn bench(
    entrant: &SuiteEntrant,
    depth: NonZeroU32,
    longest_move: Duration,
    reaper: Option<Reaper>,
    interrupt: &Interrupt,
) -> Result<BenchResult, BenchError> {
    let wac = Suite::embedded("wac").expect("it is part of the program");
    let entrant = SuiteEntrant { limit: Limit::Depth(depth.get()), ..entrant.clone() };
    let plan = Plan {
        entrants: vec![entrant.clone()],
        concurrency: NonZeroUsize::MIN,
        memory: Memory::Cleared,
        early_stop: None,
        grace: Duration::ZERO,
        longest_move,
        tables: None,
        reaper,
    };
    let indexes: Vec<usize> = (0..wac.problems.len()).step_by(EVERY).collect();
    let positions = indexes.len();
    let asked = thread::scope(|scope| {
        let mut pool = WorkerPool::new(scope, &entrant, &plan, interrupt, None, None);
        let asked = pool.ask(&wac.problems, &indexes, |_| {});
        pool.dismiss();
        asked
    });
    match asked.outcome {
        SuiteOutcome::Complete => sum(asked.answers.iter().flatten(), positions, &entrant.name),
        SuiteOutcome::Interrupted => Err(BenchError::Interrupted),
        SuiteOutcome::Disqualified(words) => Err(BenchError::Disqualified { name: entrant.name, words }),
    }
}

fn sum<'a>(
    answers: impl Iterator<Item = &'a EngineAnswer>,
    positions: usize,
    name: &str,
) -> Result<BenchResult, BenchError> {
    let (mut nodes, mut time, mut counted) = (0, Duration::ZERO, 0);
    for answer in answers.filter(|answer| answer.outcome.is_ok()) {
        let Some(searched) = answer.nodes else { continue };
        nodes += searched;
        time += answer.time;
        counted += 1;
    }
    if counted < positions {
        return Err(BenchError::NoNodes { name: name.to_owned(), missing: positions - counted, positions });
    }
    let rate = u128::from(nodes) * 1_000_000_000 / time.as_nanos().max(1);
    Ok(BenchResult { nodes, nodes_per_second: u64::try_from(rate).unwrap_or(u64::MAX) })
}
