//! How much time and work a move of one entrant may take. What was agreed; the running clock is
//! [`crate::game::clock`].

use std::fmt;
use std::num::NonZeroU64;
use std::time::Duration;

use smalt_driver::WorkLimit;
use smalt_protocol::{Clock, Period, SearchLimits, TimeControl};

use super::file::ClockFile;
use super::value::Text;

/// All limits of one entrant. They hold together: a search ends at the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveClock {
    /// The clock of the game; unlimited if there is none.
    pub control: TimeControl,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies for each move.
    pub depth: Option<u32>,
    /// How late a move may be without being lost.
    pub margin: Duration,
    /// When a move without any other limit of time is given up.
    pub longest_move: Duration,
    /// Nodes a second of Smalt on the machine for which the times are meant; as they stand for any machine if none.
    pub reference: Option<NonZeroU64>,
}

/// How long a move without any limit of time is awaited where nothing is said: deep searches end, and an engine that
/// hangs does not hold a night up.
const LONGEST_MOVE: Duration = Duration::from_secs(600);

/// Where the time goes that a side uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeFlow {
    /// It is gone.
    #[default]
    Usual,
    /// Its opponent gets it, as from an hourglass.
    Hourglass,
}

/// Why there is no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// Nothing says when a search ends.
    #[error("no clock: give tc, movetime, nodes or depth")]
    None,
    /// A clock that never ends one.
    #[error("tc=inf ends no search: give movetime, nodes or depth, with it or instead of it")]
    Endless,
    /// Both kinds of time at once.
    #[error("tc and movetime exclude each other")]
    TwoTimes,
    /// A limit of nothing.
    #[error("{0} must be above zero")]
    Zero(&'static str),
}

impl MoveClock {
    /// Checks a clock; the margin is 0 and the longest move [`LONGEST_MOVE`] where nothing is said.
    pub(super) fn check(file: &ClockFile) -> Result<MoveClock, ClockError> {
        if !file.has_limit() {
            return Err(ClockError::None);
        }
        if file.tc.is_some() && file.movetime.is_some() {
            return Err(ClockError::TwoTimes);
        }
        let is_unlimited = file.tc.as_ref().is_some_and(|text| text.0 == TimeControl::UNLIMITED);
        if is_unlimited && file.movetime.is_none() && file.nodes.is_none() && file.depth.is_none() {
            return Err(ClockError::Endless);
        }
        let zeros = [
            ("movetime", file.movetime),
            ("nodes", file.nodes),
            ("depth", file.depth.map(u64::from)),
            ("longest-move", file.longest_move),
            ("scale", file.scale),
        ];
        if let Some((name, _)) = zeros.iter().find(|(_, value)| *value == Some(0)) {
            return Err(ClockError::Zero(name));
        }
        Ok(MoveClock {
            control: file.tc.clone().map_or(TimeControl::UNLIMITED, |text| text.0),
            move_time: file.movetime.map(Duration::from_millis),
            nodes: file.nodes,
            depth: file.depth,
            margin: Duration::from_millis(file.timemargin.unwrap_or(0)),
            longest_move: file.longest_move.map_or(LONGEST_MOVE, Duration::from_secs),
            reference: file.scale.and_then(NonZeroU64::new),
        })
    }

    /// Whether no time ends a move, so that an engine may play the same game every time.
    pub fn is_timeless(&self) -> bool {
        self.control == TimeControl::UNLIMITED && self.move_time.is_none()
    }

    /// The work that each move may take.
    pub fn work(&self) -> WorkLimit {
        WorkLimit { nodes: self.nodes, depth: self.depth }
    }

    /// Limits of this kind, to find out how an engine can be held to them.
    pub fn kind_of_limits(&self) -> SearchLimits {
        let clock = self
            .control
            .period_after(0)
            .map(|(period, _)| Clock { remaining: period.time, increment: period.increment });
        SearchLimits {
            white: clock,
            black: clock,
            move_time: self.move_time,
            nodes: self.nodes,
            depth: self.depth,
            ..SearchLimits::default()
        }
    }

    /// What times are multiplied with on a machine on which Smalt visits so many nodes a second: where it is half as fast
    /// they are doubled. At most a hundred either way; 1 where nothing was measured, or the times are for any machine.
    pub fn factor(&self, measured: Option<NonZeroU64>) -> f64 {
        let (Some(reference), Some(measured)) = (self.reference, measured) else { return 1.0 };
        (reference.get() as f64 / measured.get() as f64).clamp(0.01, 100.0)
    }

    /// The same clock with its times (not the margin) multiplied for such a machine.
    #[must_use]
    pub fn scaled(&self, measured: Option<NonZeroU64>) -> MoveClock {
        let factor = self.factor(measured);
        if factor == 1.0 {
            return self.clone();
        }
        let periods = self.control.periods().iter().map(|period| Period {
            time: period.time.mul_f64(factor),
            increment: period.increment.mul_f64(factor),
            ..*period
        });
        // A year for a game is the most there can be, scaled or not.
        let control = TimeControl::new(periods.collect()).unwrap_or_else(|_| self.control.clone());
        MoveClock { control, move_time: self.move_time.map(|time| time.mul_f64(factor)), ..self.clone() }
    }

    /// The clock as a file says it.
    pub(super) fn to_file(&self) -> ClockFile {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        ClockFile {
            tc: (self.control != TimeControl::UNLIMITED).then(|| Text(self.control.clone())),
            movetime: self.move_time.map(millis),
            nodes: self.nodes,
            depth: self.depth,
            timemargin: Some(millis(self.margin)),
            longest_move: Some(self.longest_move.as_secs()),
            scale: self.reference.map(NonZeroU64::get),
            ..ClockFile::default()
        }
    }
}

impl fmt::Display for MoveClock {
    /// As the TimeControl tag of PGN and a reader of tables want it: `10+0.1`, `5 s/move`, `20000 nodes/move`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.control != TimeControl::UNLIMITED {
            parts.push(self.control.to_string());
        }
        if let Some(time) = self.move_time {
            parts.push(format!("{} s/move", time.as_secs_f64()));
        }
        if let Some(nodes) = self.nodes {
            parts.push(format!("{nodes} nodes/move"));
        }
        if let Some(depth) = self.depth {
            parts.push(format!("{depth} plies/move"));
        }
        if parts.is_empty() {
            parts.push("inf".to_owned());
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_ends_no_search_is_none() {
        let file = ClockFile { tc: Some(Text("inf".parse().unwrap())), ..ClockFile::default() };
        assert_eq!(MoveClock::check(&file), Err(ClockError::Endless));
        let with_nodes = ClockFile { nodes: Some(1000), ..file };
        assert_eq!(MoveClock::check(&with_nodes).unwrap().to_string(), "1000 nodes/move");
    }

    #[test]
    fn a_machine_of_half_the_speed_gets_twice_the_time() {
        let clock = MoveClock::check(&ClockFile {
            tc: Some(Text("40/60+0.6".parse().unwrap())),
            timemargin: Some(30),
            scale: Some(1000),
            ..ClockFile::default()
        });
        let clock = clock.unwrap();
        let scaled = clock.scaled(NonZeroU64::new(500));
        assert_eq!((scaled.to_string().as_str(), scaled.margin), ("40/120+1.2", Duration::from_millis(30)));
        assert_eq!(clock.scaled(None), clock);
    }
}
