//! Timeouts of moves, and the warnings about engines that exceed their limits.

use std::time::Duration;

use crate::plan::MoveClock;

/// Fraction of the longest move time after which there is a warning.
const WARNING_SHARE: u32 = 10;

/// Timeout of a move.
#[derive(Clone, Copy)]
pub(super) enum MoveDeadline {
    /// Limited by its clock.
    Clocked(Duration),
    /// No time limit: a warning comes before the engine is stopped.
    Unclocked(Duration),
}

impl MoveDeadline {
    /// First timeout: warn or stop.
    pub(super) fn first(self) -> Duration {
        match self {
            MoveDeadline::Clocked(time) => time,
            MoveDeadline::Unclocked(longest) => longest / WARNING_SHARE,
        }
    }

    /// Final timeout: the game is lost.
    pub(super) fn last(self) -> Duration {
        match self {
            MoveDeadline::Clocked(time) | MoveDeadline::Unclocked(time) => time,
        }
    }
}

pub(super) fn slow_move_warning(waited: Duration, longest: Duration) -> String {
    format!(
        "has searched for {} s without a time limit: it loses after {} s (longest-move)",
        waited.as_secs_f64(),
        longest.as_secs_f64()
    )
}

pub(super) fn overrun_warning(terms: &MoveClock) -> String {
    let nodes = terms.nodes.map(|nodes| format!("{nodes} nodes"));
    let depth = terms.depth.map(|plies| format!("{plies} plies"));
    let limit: Vec<String> = nodes.into_iter().chain(depth).collect();
    format!(
        "ignores its limit of {} a move and is stopped beyond it: it plays with more than was agreed",
        limit.join(" and ")
    )
}
