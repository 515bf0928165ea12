//! Ratings from suites: an estimate from STS under stated conditions, and the performance on puzzles that have ratings.
//!
//! The STS line was fitted by the authors of the STS-Rating program to engines of the CCRL 40/4 list, each with 200
//! ms per position on an Intel i7-2600K. A faster machine needs less time; other programs scale it by a speed test.

use std::ops::RangeInclusive;

use smalt_stats::paired::normal_sum;

use crate::plan::Limit;

/// Elo per percent of all points.
const SLOPE: f64 = 44.523;

/// Elo at zero points.
const INTERCEPT: f64 = -242.85;

/// Milliseconds per position for which the line is valid: the published time, and down to a quarter of it for
/// machines faster than that of 2011.
const CALIBRATED_MS: RangeInclusive<u64> = 50..=200;

/// Number of positions of the fit.
const CALIBRATED_POSITIONS: usize = 1500;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RatingEstimate {
    /// Elo on the scale of CCRL 40/4, or of the puzzles.
    pub rating: f64,
    /// Half-width of the 95% interval from the sample of positions alone. The deviation of engines from the fitted
    /// line comes on top, and is unknown.
    pub error: f64,
}

impl RatingEstimate {
    /// The estimate from the points of every position, of ten each; `None` for another limit or number of positions
    /// than those of the fit. The caller checks that the engine speaks UCI and used its full time.
    pub(crate) fn new(points: &[u32], limit: Limit) -> Option<RatingEstimate> {
        let Limit::MoveTime(time) = limit else { return None };
        let fits = points.len() == CALIBRATED_POSITIONS
            && u64::try_from(time.as_millis()).is_ok_and(|ms| CALIBRATED_MS.contains(&ms));
        fits.then(|| {
            // Percent of ten points per position, over all positions.
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

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TriedPuzzle {
    pub rating: f64,
    /// Deviation of the rating, in Elo.
    pub deviation: f64,
    pub solved: bool,
}

/// Elo per unit of the logistic function.
const ELO_SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The most likely rating, with each puzzle as an opponent with rating and deviation (Glicko: M. Glickman 1999,
/// "Parameter estimation in large dynamic paired comparison experiments"). `None` if all or no puzzles were solved:
/// the likelihood then has no maximum.
pub(crate) fn puzzle_rating(puzzles: &[TriedPuzzle]) -> Option<RatingEstimate> {
    let solved = puzzles.iter().filter(|puzzle| puzzle.solved).count();
    if solved == 0 || solved == puzzles.len() {
        return None;
    }
    // Factor by which the puzzle's uncertainty reduces the rating difference.
    let weight = |puzzle: &TriedPuzzle| {
        let deviation = puzzle.deviation / ELO_SCALE / std::f64::consts::PI;
        1.0 / (1.0 + 3.0 * deviation * deviation).sqrt()
    };
    let expected = |puzzle: &TriedPuzzle, rating: f64| {
        1.0 / (1.0 + (weight(puzzle) * (puzzle.rating - rating) / ELO_SCALE).exp())
    };
    let slope = |rating: f64| -> f64 {
        let gain = |puzzle: &TriedPuzzle| f64::from(u8::from(puzzle.solved)) - expected(puzzle, rating);
        puzzles.iter().map(|puzzle| weight(puzzle) * gain(puzzle)).sum()
    };
    // The derivative of the log-likelihood decreases with the rating.
    let ratings = || puzzles.iter().map(|puzzle| puzzle.rating);
    let mut low = ratings().fold(f64::INFINITY, f64::min) - 10_000.0;
    let mut high = ratings().fold(f64::NEG_INFINITY, f64::max) + 10_000.0;
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let information = |puzzle: &TriedPuzzle| {
        let expected = expected(puzzle, low);
        (weight(puzzle) / ELO_SCALE).powi(2) * expected * (1.0 - expected)
    };
    let error = 1.96 / puzzles.iter().map(information).sum::<f64>().sqrt();
    Some(RatingEstimate { rating: low, error })
}

/// Number of puzzles below which the interval, which is that of a large sample, is a rough guide.
const FEW_PUZZLES: usize = 30;

/// Description of the rating from puzzles.
pub(crate) fn puzzle_condition(puzzles: &[TriedPuzzle]) -> String {
    let solved = puzzles.iter().filter(|puzzle| puzzle.solved).count();
    let caution = if puzzles.len() < FEW_PUZZLES {
        format!("; with fewer than {FEW_PUZZLES} puzzles rating and error are rough guides")
    } else {
        String::new()
    };
    format!(
        "maximum likelihood on the scale of the puzzles' ratings; {solved} of {} puzzles solved, each with all of its moves{caution}",
        puzzles.len()
    )
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

/// Conditions of the estimate, as text.
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
    fn the_rating_from_puzzles_is_the_most_likely_one() {
        let puzzle = |rating, deviation, solved| TriedPuzzle { rating, deviation, solved };
        let estimate = |puzzles: &[TriedPuzzle]| puzzle_rating(puzzles).unwrap();
        // Half of the puzzles of one rating give that rating.
        let half: Vec<_> = (0..100).map(|index| puzzle(1500.0, 0.0, index % 2 == 0)).collect();
        assert!((estimate(&half).rating - 1500.0).abs() < 1e-6);
        // Error of a hundred games at even chances: 1.96 * 2 / sqrt(100) * 400 / ln 10.
        assert!((estimate(&half).error - 68.1).abs() < 0.1, "{}", estimate(&half).error);
        // Ten of eleven are 400 Elo above.
        let ten: Vec<_> = (0..11).map(|index| puzzle(1500.0, 0.0, index > 0)).collect();
        assert!((estimate(&ten).rating - 1900.0).abs() < 1e-6);
        // With uncertain ratings the difference and its error grow by 1 / g.
        let vague: Vec<_> = ten.iter().map(|tried| TriedPuzzle { deviation: 350.0, ..*tried }).collect();
        let ratio = (estimate(&vague).rating - 1500.0) / 400.0;
        assert!((ratio - 1.0 / 0.6690).abs() < 1e-3, "{ratio}");
        assert_eq!(puzzle_rating(&half[..1]), None);
        assert_eq!(puzzle_rating(&[]), None);
        assert!(
            puzzle_condition(&half[..29])
                .ends_with("fewer than 30 puzzles rating and error are rough guides")
        );
        assert!(
            puzzle_condition(&half[..30]).ends_with("15 of 30 puzzles solved, each with all of its moves")
        );
    }

    #[test]
    fn there_is_none_where_the_line_was_not_fitted() {
        assert_eq!(RatingEstimate::new(&[8; 1500], Limit::Nodes(20_000)), None);
        assert_eq!(RatingEstimate::new(&[8; 1500], Limit::MoveTime(Duration::from_secs(1))), None);
        assert_eq!(RatingEstimate::new(&[8; 100], TIME), None);
    }
}
