//! State and speed of a run, from its standings, its latest session, and whether its store is in use.

use std::fmt;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Serialize;
use smalt_stats::Verdict;

use crate::standings::Standings;
use crate::store::StoredSession;

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// A runner has the store open.
    Running,
    /// The sequential test is decided.
    Decided,
    /// Every game was played.
    Finished,
    /// Games remain, and no runner plays them.
    Stopped,
}

impl RunState {
    /// The state of a run; `is_in_use` says whether a runner has its store open.
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

/// Whether the run of this session is paused. A session that was killed during a pause is not.
pub fn is_paused(session: &StoredSession, state: RunState) -> bool {
    state == RunState::Running && session.is_paused
}

/// Speed of the latest session.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub games_per_hour: f64,
    /// Time until the last game; `None` during a pause, and while a sequential test or a race is undecided, since the
    /// number of games is open.
    pub left: Option<Duration>,
}

impl Pace {
    /// Speed of a session; `None` before the end of its first game.
    pub fn of(session: &StoredSession, state: RunState, standings: &Standings) -> Option<Pace> {
        let seconds = session.length(SystemTime::now(), state == RunState::Running).as_secs_f64();
        if session.games == 0 || seconds <= 0.0 {
            return None;
        }
        let each = seconds / f64::from(session.games);
        let left = Duration::try_from_secs_f64(standings.games_missing() as f64 * each);
        let is_open =
            standings.schedule().is_open_ended() || standings.test().is_some_and(|test| test.is_open());
        let is_known = !is_open && !is_paused(session, state);
        let left = is_known.then_some(left.unwrap_or(Duration::MAX));
        Some(Pace { games_per_hour: 3600.0 / each, left })
    }
}
