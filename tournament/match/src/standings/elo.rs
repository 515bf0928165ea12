//! Elo estimates with their intervals, for tables and as JSON.

use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::Interval;
use smalt_stats::sprt::SequentialEstimate;
use smalt_stats::{Counts, MatchStatistics};

/// Elo with its error: `+373.8 (+141, +604)` for an asymmetric interval, `> +183` (`< -183`) if all games
/// were won (lost).
pub fn elo(found: Option<MatchStatistics>) -> Interval {
    let Some(found) = found else { return Interval::default() };
    let ends = found.elo_interval;
    Interval {
        value: found.elo.map(|elo| elo.value),
        error: found.elo.and_then(|elo| elo.error),
        low: ends.low,
        high: ends.high,
    }
}

/// Elo with the interval that is valid at every look.
pub fn elo_at_any_look(counts: &Counts) -> Interval {
    let ends = counts.always_valid_interval();
    Interval {
        value: counts.elo().map(|elo| elo.0),
        error: ends.half_width(),
        low: ends.low,
        high: ends.high,
    }
}

/// The estimate with its interval.
pub(super) fn sequential_elo(found: &SequentialEstimate) -> Interval {
    let ends = found.interval;
    Interval { value: found.elo, error: ends.half_width(), low: ends.low, high: ends.high }
}

/// Elo estimate of a sequential test, corrected for the stopping rule; null until the pairs scatter as 25 decided games do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SprtEstimate {
    /// Elo given the stopping rule; null until the pairs scatter as 25 decided games do.
    sprt_elo: Option<f64>,
    /// Lower end of its 95 % interval.
    sprt_elo_low: Option<f64>,
    /// Upper end of its 95 % interval.
    sprt_elo_high: Option<f64>,
    /// Likelihood of superiority given the stopping rule.
    sprt_los: Option<f64>,
}

impl From<Option<SequentialEstimate>> for SprtEstimate {
    fn from(found: Option<SequentialEstimate>) -> SprtEstimate {
        let Some(SequentialEstimate { elo, interval: smalt_stats::Interval { low, high }, los }) = found
        else {
            return SprtEstimate::default();
        };
        SprtEstimate { sprt_elo: elo, sprt_elo_low: low, sprt_elo_high: high, sprt_los: Some(los) }
    }
}
