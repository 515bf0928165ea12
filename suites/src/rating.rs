//! The STS rating: an estimate under stated conditions.
//!
//! The line was fitted by the authors of the STS-Rating program to engines of the CCRL 40/4 list, each given 200 ms a
//! position on an Intel i7-2600K. A faster machine needs less time for the same: rivals scale it by a test of speed.

use std::ops::RangeInclusive;

use smalt_stats::paired::normal_sum;

use crate::plan::Limit;

/// Elo for each percent of all points.
const SLOPE: f64 = 44.523;

/// Elo at no points at all.
const INTERCEPT: f64 = -242.85;

/// Milliseconds a position at which the line means anything: the published time, and down to a quarter of it for
/// machines that are faster than the one of 2011.
const CALIBRATED_MS: RangeInclusive<u64> = 50..=200;

/// How many positions the line was fitted on.
const CALIBRATED_POSITIONS: usize = 1500;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RatingEstimate {
    /// On the scale of CCRL 40/4.
    pub rating: f64,
    /// Half of the 95 % interval that follows from the choice of positions alone. How far engines lie off the fitted
    /// line comes on top, and is not known.
    pub error: f64,
}

impl RatingEstimate {
    /// The estimate from the points of every position, of ten each; none for a limit or a number of positions to which
    /// the line was not fitted. That it was fitted to UCI engines, asked for their full time, is for the caller to consider.
    pub(crate) fn new(points: &[u32], limit: Limit) -> Option<RatingEstimate> {
        let Limit::MoveTime(time) = limit else { return None };
        let fits = points.len() == CALIBRATED_POSITIONS
            && u64::try_from(time.as_millis()).is_ok_and(|ms| CALIBRATED_MS.contains(&ms));
        fits.then(|| {
            // Percent of ten points a position, of all positions.
            let percent = |points: f64| points * 10.0 / CALIBRATED_POSITIONS as f64;
            let points: Vec<f64> = points.iter().copied().map(f64::from).collect();
            let sum = normal_sum(&points).expect("there are many finite points");
            RatingEstimate {
                rating: SLOPE * percent(sum.value) + INTERCEPT,
                error: SLOPE * percent(sum.error.unwrap_or_default()),
            }
        })
    }
}

/// Why there is no estimate.
pub(crate) fn reason_for_none() -> String {
    format!(
        "none: its line holds for UCI engines with {} to {} ms a position (--movetime; its authors gave 200) that answer \
         all of sts in time, without a fault, and with nothing kept from one position to the next",
        CALIBRATED_MS.start(),
        CALIBRATED_MS.end()
    )
}

/// Conditions under which the estimate holds, as text.
pub(crate) fn condition(time_ms: u128) -> String {
    format!(
        "an estimate from {time_ms} ms a position, by a line fitted to CCRL 40/4 at 200 ms on an i7-2600K; the time is \
         not scaled to this machine; the error is that of the sample of positions alone"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const TIME: Limit = Limit::MoveTime(Duration::from_millis(200));

    #[test]
    fn the_published_line_is_followed() {
        let estimate = RatingEstimate::new(&[8; 1500], TIME).unwrap();
        assert!((estimate.rating - (44.523 * 80.0 - 242.85)).abs() < 1e-9);
        assert_eq!(estimate.error, 0.0);
        let mixed: Vec<u32> = (0..1500).map(|index| if index % 2 == 0 { 10 } else { 0 }).collect();
        let estimate = RatingEstimate::new(&mixed, TIME).unwrap();
        assert!((estimate.rating - 1983.3).abs() < 1e-9);
        // 50 percent points of deviation, over the root of 1,500 positions, twice: 44.523 * 2.53.
        assert!((estimate.error - 112.7).abs() < 0.1, "{}", estimate.error);
    }

    #[test]
    fn there_is_none_where_the_line_was_not_fitted() {
        assert_eq!(RatingEstimate::new(&[8; 1500], Limit::Nodes(20_000)), None);
        assert_eq!(RatingEstimate::new(&[8; 1500], Limit::MoveTime(Duration::from_secs(1))), None);
        assert_eq!(RatingEstimate::new(&[8; 100], TIME), None);
    }
}
