//! Time controls and search limits of entrants, as agreed; the running clock is [`crate::game::clock`].

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_driver::WorkLimit;
use smalt_protocol::{Clock, Period, SearchLimits, TimeControl};
use smalt_workbench::entrant::{EngineSettings, text};
use toml::Table;

use super::value::{defaults, positive};

/// Section `[clock]`: default limits of the engines; each is also a key of an engine.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Time control")]
pub struct ClockSettings {
    /// Time control: moves/seconds+increment, e.g. 40/60+0.6 or 10+0.1
    #[arg(long, value_name = "TC", default_value = "1+0.02")]
    // Where a plan has another limit, it has no time control by default.
    #[serde(default, with = "text::option")]
    #[schemars(with = "Option<String>")]
    pub tc: Option<TimeControl>,
    /// Time for each move, in milliseconds, e.g. 200
    #[arg(long, value_name = "MS", value_parser = positive::<NonZeroU64>)]
    pub movetime: Option<NonZeroU64>,
    /// Nodes for each move, e.g. 20000 (an engine that ignores this limit, or --depth, gets stop, with a warning)
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU64>)]
    pub nodes: Option<NonZeroU64>,
    /// Depth of each search, in plies, e.g. 10
    #[arg(long, value_name = "PLIES", value_parser = positive::<NonZeroU32>)]
    pub depth: Option<NonZeroU32>,
    /// Time by which a move may be late, in milliseconds
    #[arg(long, value_name = "MS", default_value = "20")]
    pub timemargin: u64,
    /// Longest search without a limit of time, in seconds; after a tenth of it there is a warning
    #[arg(long, value_name = "SECONDS", value_parser = positive::<NonZeroU64>, default_value_t = LONGEST_MOVE, hide_short_help = true)]
    pub longest_move: NonZeroU64,
    /// Hourglass: the time that a side uses goes to its opponent (needs --tc)
    #[arg(long, hide_short_help = true)]
    pub hourglass: bool,
    /// Nodes a second of Smalt on the machine for which the times are meant; they are scaled to this one
    #[arg(long = "scale-clock", value_name = "NPS", value_parser = positive::<NonZeroU64>, hide_short_help = true)]
    pub scale: Option<NonZeroU64>,
    /// Nodes a second of Smalt on this machine, measured when the run began
    #[arg(skip)]
    pub measured: Option<NonZeroU64>,
}

impl Default for ClockSettings {
    fn default() -> ClockSettings {
        defaults()
    }
}

impl ClockSettings {
    /// Settings that an engine inherits: all but those of the whole run.
    pub(super) fn layer(&self) -> Result<Table, toml::ser::Error> {
        let mut layer = Table::try_from(self)?;
        ["hourglass", "measured"].iter().for_each(|key| drop(layer.remove(*key)));
        Ok(layer)
    }
}

/// All search limits of an entrant; a search ends at the first one reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveClock {
    /// Time control of the game; may be infinite.
    pub control: TimeControl,
    /// Time for each move.
    pub move_time: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies for each move.
    pub depth: Option<u32>,
    /// Time margin for late moves.
    pub margin: Duration,
    /// Timeout of a search without a time limit.
    pub longest_move: Duration,
    /// Nodes per second of Smalt on the reference machine of the times; `None` if times are not scaled.
    pub reference: Option<NonZeroU64>,
}

/// Default timeout of a search without a time limit, in seconds: long enough for deep searches, short enough that a
/// hung engine does not stop a night's run.
const LONGEST_MOVE: NonZeroU64 = NonZeroU64::new(600).expect("above zero");

/// Normal clock or hourglass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeFlow {
    /// The time used is lost.
    #[default]
    Usual,
    /// The opponent gets the time used (hourglass).
    Hourglass,
}

/// Why limits are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    #[error("no time control: give tc, movetime, nodes or depth")]
    None,
    /// Infinite time and no other limit.
    #[error("tc=inf ends no search: give movetime, nodes or depth, with it or instead of it")]
    Endless,
    /// Both tc and movetime.
    #[error("tc and movetime exclude each other")]
    TwoTimes,
}

impl MoveClock {
    /// The limits of an engine; the margin defaults to 0, the longest move to [`LONGEST_MOVE`].
    ///
    /// # Errors
    /// If nothing ends a search, or both tc and movetime are set.
    pub fn of(engine: &EngineSettings) -> Result<MoveClock, ClockError> {
        let is_limited = engine.movetime.is_some() || engine.nodes.is_some() || engine.depth.is_some();
        match &engine.tc {
            None if !is_limited => return Err(ClockError::None),
            Some(_) if engine.movetime.is_some() => return Err(ClockError::TwoTimes),
            Some(control) if *control == TimeControl::UNLIMITED && !is_limited => {
                return Err(ClockError::Endless);
            }
            _ => {}
        }
        Ok(MoveClock {
            control: engine.tc.clone().unwrap_or(TimeControl::UNLIMITED),
            move_time: engine.movetime.map(|ms| Duration::from_millis(ms.get())),
            nodes: engine.nodes.map(NonZeroU64::get),
            depth: engine.depth.map(NonZeroU32::get),
            margin: Duration::from_millis(engine.timemargin.unwrap_or(0)),
            longest_move: Duration::from_secs(engine.longest_move.unwrap_or(LONGEST_MOVE).get()),
            reference: engine.scale,
        })
    }

    /// Whether no limit depends on time, so that games may repeat exactly.
    pub(crate) fn is_timeless(&self) -> bool {
        self.control == TimeControl::UNLIMITED && self.move_time.is_none()
    }

    /// Node and depth limits.
    pub(crate) fn work(&self) -> WorkLimit {
        WorkLimit { nodes: self.nodes, depth: self.depth }
    }

    /// Sample limits of this kind, to detect how the engine can be limited.
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

    /// Factor of all times from the measured nodes per second of Smalt on this machine: at half the reference speed
    /// times are doubled. At most a hundred either way; 1 without a measurement or a reference.
    pub fn factor(&self, measured: Option<NonZeroU64>) -> f64 {
        let (Some(reference), Some(measured)) = (self.reference, measured) else { return 1.0 };
        (reference.get() as f64 / measured.get() as f64).clamp(0.01, 100.0)
    }

    /// The same limits with times (not the margin) scaled to a machine of this speed.
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
        // The maximum of a year applies to scaled times too.
        let control = TimeControl::new(periods.collect()).unwrap_or_else(|_| self.control.clone());
        MoveClock { control, move_time: self.move_time.map(|time| time.mul_f64(factor)), ..self.clone() }
    }
}

impl fmt::Display for MoveClock {
    /// Text for PGN's TimeControl tag and for tables: `10+0.1`, `5 s/move`, `20000 nodes/move`.
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
    use smalt_workbench::entrant::from_words;

    use super::*;

    fn clock(words: &str) -> Result<MoveClock, ClockError> {
        MoveClock::of(&from_words(words).unwrap())
    }

    #[test]
    fn something_must_end_a_search() {
        assert_eq!(clock("tc=inf"), Err(ClockError::Endless));
        assert_eq!(clock("cmd=a"), Err(ClockError::None));
        assert_eq!(clock("tc=1+1 movetime=5"), Err(ClockError::TwoTimes));
        assert_eq!(clock("tc=inf nodes=1000").unwrap().to_string(), "1000 nodes/move");
    }

    #[test]
    fn a_machine_of_half_the_speed_gets_twice_the_time() {
        let clock = clock("tc=40/60+0.6 timemargin=30 scale=1000").unwrap();
        let scaled = clock.scaled(NonZeroU64::new(500));
        assert_eq!((scaled.to_string().as_str(), scaled.margin), ("40/120+1.2", Duration::from_millis(30)));
        assert_eq!(clock.scaled(None), clock);
    }
}
