//! What a run is doing and how fast: from its standings, its latest session, and whether a runner has its store.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use smalt_stats::Verdict;

use crate::standings::Standings;
use crate::store::StoredSession;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// A runner has the store.
    Running,
    /// The sequential test is decided.
    Decided,
    /// Every game was played.
    Finished,
    /// There are games to be played, and nobody plays them.
    Stopped,
}

impl RunState {
    /// The state of a run whose store a runner has, or not.
    pub fn of(is_in_use: bool, standings: &Standings) -> RunState {
        if is_in_use {
            RunState::Running
        } else if standings.test().is_some_and(|test| test.verdict != Verdict::Continue) {
            RunState::Decided
        } else if standings.games_finished() >= u64::from(standings.games_planned()) {
            RunState::Finished
        } else {
            RunState::Stopped
        }
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            RunState::Running => "running",
            RunState::Decided => "decided",
            RunState::Finished => "finished",
            RunState::Stopped => "stopped",
        })
    }
}

/// How fast the latest session was, or is.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Games an hour.
    pub games_per_hour: f64,
    /// How long the games that are to be played will take; none while a sequential test is open, which decides how many
    /// they are.
    pub left: Option<Duration>,
}

impl Pace {
    /// The pace of a session; none before its first game is over.
    pub fn of(session: &StoredSession, state: RunState, standings: &Standings) -> Option<Pace> {
        let seconds = session.length(SystemTime::now(), state == RunState::Running).as_secs_f64();
        if session.games == 0 || seconds <= 0.0 {
            return None;
        }
        let each = seconds / f64::from(session.games);
        let left = Duration::try_from_secs_f64(standings.games_missing() as f64 * each);
        let is_open = standings.test().is_some_and(|test| test.is_open());
        let left = (!is_open).then_some(left.unwrap_or(Duration::MAX));
        Some(Pace { games_per_hour: 3600.0 / each, left })
    }
}
