//! Match statistics of one entrant against another: score, Elo, normalized Elo, likelihood of superiority, and their
//! errors.
//!
//! Sequential tests are in [`sprt`](crate::sprt), rating lists of many players in [`ratings`](crate::ratings).

use std::f64::consts::LN_10;

use schemars::JsonSchema;
use serde::Serialize;

use crate::counts::{Counts, Pentanomial, Wdl};
use crate::moments::Moments;
use crate::normal::{Z_95, cdf};
use crate::student;

/// Normalized Elo per standard deviation (of one game) above an even score: `800 / ln 10`.
///
/// Near equality and without draws this equals Elo (M. Van den Bergh, *Normalized Elo*).
pub const NORMALIZED_ELO_PER_DEVIATION: f64 = 800.0 / LN_10;

/// Logistic Elo difference: 400 is ten times the odds.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// The difference with expected score `score`, in [0, 1]: `-400 · log10(1/score - 1)`.
    ///
    /// `None` for 0, 1 and values outside the range.
    pub fn from_score(score: f64) -> Option<Elo> {
        (score > 0.0 && score < 1.0).then(|| Elo(400.0 * (score / (1.0 - score)).log10()))
    }

    /// Expected score at this difference, in (0, 1): `1 / (1 + 10^(-elo/400))`.
    pub fn to_score(self) -> f64 {
        1.0 / (1.0 + 10f64.powf(-self.0 / 400.0))
    }
}

/// A value and the half-width of its 95% interval, in the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value; always finite.
    pub value: f64,
    /// Finite and not negative; `None` if the interval is unbounded, as after very few games.
    pub error: Option<f64>,
}

impl Estimate {
    /// A value known exactly.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, error: Some(0.0) }
    }
}

/// Ends of an interval; `None` where unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// Lower end; finite.
    pub low: Option<f64>,
    /// Upper end; finite, and not below the lower one.
    pub high: Option<f64>,
}

/// Match statistics of the entrant in view; none before the first game (or pair).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchStatistics {
    /// Mean points of a game, in [0, 1].
    pub score: f64,
    /// Elo difference. `None` after wins only or losses only. Its error is half the width of `elo_interval`.
    pub elo: Option<Estimate>,
    /// The 95% interval of the Elo difference.
    ///
    /// - With enough scatter (squared deviations from the mean sum to at least 25 for games, 6.25 for pairs, as after
    ///   100 decided games): the Elo of both ends of `score ± z · standard error`.
    /// - With less: the Elo of both ends of E. Wilson's interval (1927) with Student's t in place of z. Its sample
    ///   size is the number of games without draws that would have the same spread, `n · score · (1 - score) /
    ///   variance`. The variance counts one extra result a step off the mean (half a point for a game, a quarter of the
    ///   score for a pair), so that a few equal results do not look certain. From 2 pairs on it covers the true value
    ///   with at least 93% (tests/all/coverage.rs sums over every outcome).
    /// - After wins (losses) only: just the low (high) end of the interval of C. Clopper and E. Pearson (1934), where
    ///   that many in a row have a probability of 1/40. From five pairs (ten games) on.
    /// - Unbounded after a single result.
    pub elo_interval: Interval,
    /// Normalized Elo difference. `None` if all games (pairs) ended alike, since their spread is then unknown.
    pub nelo: Option<Estimate>,
    /// Likelihood of superiority in [0, 1]: the probability that the entrant is stronger. Agrees with the interval: above
    /// 97.5% exactly if the interval is above 0 Elo; ½ for an even score.
    pub los: f64,
    /// The share of drawn games, or of pairs that ended 1-1, in [0, 1].
    pub draw_ratio: f64,
    /// Pairs won per pair lost, (WD + WW) / (LL + LD), as fastchess prints it. `None` for single games and while no
    /// pair was lost.
    pub pairs_ratio: Option<f64>,
}

/// The statistics of a match as scripts read them, one field each; `null` where there is no value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct MatchFigures {
    /// Elo difference; null after nothing but wins or nothing but losses.
    pub elo: Option<f64>,
    /// Half the distance from `elo_low` to `elo_high`.
    pub elo_error: Option<f64>,
    /// Lower end of the 95 % interval of the Elo difference; null if unbounded.
    pub elo_low: Option<f64>,
    /// Upper end of the 95 % interval of the Elo difference; null if unbounded.
    pub elo_high: Option<f64>,
    /// Lower end of the interval that holds at every look; null if unbounded.
    pub elo_always_low: Option<f64>,
    /// Upper end of the interval that holds at every look; null if unbounded.
    pub elo_always_high: Option<f64>,
    /// Normalized Elo difference; null where all games (pairs) ended alike.
    pub nelo: Option<f64>,
    /// Half-width of the 95 % interval of normalized Elo.
    pub nelo_error: Option<f64>,
    /// Likelihood of superiority, in [0, 1].
    pub los: Option<f64>,
    /// Mean points of a game, in [0, 1].
    pub score: Option<f64>,
    /// Share of drawn games, or of pairs that ended 1-1, in [0, 1].
    pub draw_ratio: Option<f64>,
    /// Pairs won for each pair lost; null for single games, and while no pair was lost.
    pub pairs_ratio: Option<f64>,
}

impl MatchFigures {
    /// Figures of these counts.
    pub fn of(counts: Counts) -> MatchFigures {
        let Some(found) = counts.statistics() else { return MatchFigures::default() };
        let always = counts.always_valid_interval();
        MatchFigures {
            elo: found.elo.map(|elo| elo.value),
            elo_error: found.elo.and_then(|elo| elo.error),
            elo_low: found.elo_interval.low,
            elo_high: found.elo_interval.high,
            elo_always_low: always.low,
            elo_always_high: always.high,
            nelo: found.nelo.map(|nelo| nelo.value),
            nelo_error: found.nelo.and_then(|nelo| nelo.error),
            los: Some(found.los),
            score: Some(found.score),
            draw_ratio: Some(found.draw_ratio),
            pairs_ratio: found.pairs_ratio,
        }
    }
}

impl Counts {
    /// Statistics of the counts; `None` without any.
    pub fn statistics(&self) -> Option<MatchStatistics> {
        match self {
            Counts::Games(games) => games.statistics(),
            Counts::Pairs(pairs) => pairs.statistics(),
        }
    }

    /// Elo difference, without the cost of its errors. `None` without games, and after wins only or losses only.
    pub fn elo(&self) -> Option<Elo> {
        let moments = match self {
            Counts::Games(games) => Moments::from_counts(&games.by_points()),
            Counts::Pairs(pairs) => Moments::from_counts(&pairs.0),
        };
        Elo::from_score(moments?.mean)
    }
}

impl Wdl {
    /// Statistics that take the games as independent. `None` without games.
    pub fn statistics(&self) -> Option<MatchStatistics> {
        self.sample().zip(self.drawn()).map(|(sample, drawn)| statistics(&sample, drawn, None))
    }

    /// Statistics by the normal approximation even for few games, as fastchess and cutechess print them: no interval if
    /// it reaches a score of 0 or 1.
    pub fn normal_statistics(&self) -> Option<MatchStatistics> {
        self.sample().zip(self.drawn()).map(|(sample, drawn)| normal_statistics(&sample, drawn, None))
    }

    fn sample(&self) -> Option<ScoreSample> {
        let moments = Moments::from_counts(&self.by_points())?;
        Some(ScoreSample { moments, count: self.games() as f64, games_each: 1.0 })
    }

    /// Standard deviation of a game's score, in [0, ½]. `None` without games.
    pub fn deviation(&self) -> Option<f64> {
        Moments::from_counts(&self.by_points()).map(|moments| moments.variance.sqrt())
    }
}

impl Pentanomial {
    /// Statistics that take the pairs as independent. `None` without pairs.
    pub fn statistics(&self) -> Option<MatchStatistics> {
        self.sample().map(|sample| statistics(&sample, self.drawn_pairs(), self.pairs_ratio()))
    }

    /// Statistics by the normal approximation even for few pairs, as fastchess prints them: no interval if it reaches
    /// a score of 0 or 1.
    pub fn normal_statistics(&self) -> Option<MatchStatistics> {
        self.sample().map(|sample| normal_statistics(&sample, self.drawn_pairs(), self.pairs_ratio()))
    }

    fn sample(&self) -> Option<ScoreSample> {
        let moments = Moments::from_counts(&self.0)?;
        Some(ScoreSample { moments, count: self.pairs() as f64, games_each: 2.0 })
    }

    fn drawn_pairs(&self) -> f64 {
        self.0[2] as f64 / self.pairs() as f64
    }

    /// Pairs won per pair lost, (WD + WW) / (LL + LD). `None` while no pair was lost.
    fn pairs_ratio(&self) -> Option<f64> {
        let [lost_both, lost, _, won, won_both] = self.0;
        let losses = lost_both + lost;
        (losses > 0).then(|| (won + won_both) as f64 / losses as f64)
    }

    /// Standard deviation of a game's score, in [0, 1/√2]: √2 times that of a pair's mean. `None` without pairs.
    pub fn deviation(&self) -> Option<f64> {
        Moments::from_counts(&self.0).map(|moments| (2.0 * moments.variance).sqrt())
    }
}

/// Independent observations, each the mean score of `games_each` games.
struct ScoreSample {
    moments: Moments,
    count: f64,
    games_each: f64,
}

/// Sum of squared deviations (in squared steps) from which the normal approximation is used: there both methods
/// differ by less than 2%.
const ENOUGH_SCATTER: f64 = 100.0;

/// Minimum number of won (lost) games for a one-sided bound.
const LEAST_ONE_SIDED: f64 = 10.0;

/// Probability in each tail outside a 95% interval.
const TAIL: f64 = 0.025;

impl ScoreSample {
    fn standard_error(&self) -> f64 {
        (self.moments.variance / self.count).sqrt()
    }

    /// The smallest difference between two scores, squared.
    fn squared_step(&self) -> f64 {
        (0.5 / self.games_each).powi(2)
    }

    fn has_enough_scatter(&self) -> bool {
        self.moments.variance * self.count >= ENOUGH_SCATTER * self.squared_step()
    }

    fn is_one_sided(&self) -> bool {
        self.moments.mean <= 0.0 || self.moments.mean >= 1.0
    }

    /// Number of games without draws that would have the same spread; never infinite, even for equal results.
    fn effective_count(&self) -> f64 {
        let Moments { mean, variance } = self.moments;
        self.count * mean * (1.0 - mean) / (variance + self.squared_step() / self.count)
    }

    fn degrees_of_freedom(&self) -> f64 {
        (self.count - 1.0).max(1.0)
    }
}

fn statistics(sample: &ScoreSample, draw_ratio: f64, pairs_ratio: Option<f64>) -> MatchStatistics {
    let normal = normal_statistics(sample, draw_ratio, pairs_ratio);
    if sample.has_enough_scatter() {
        return normal;
    }
    let elo_interval = small_sample_interval(sample);
    let z = student::quantile(1.0 - TAIL, sample.degrees_of_freedom());
    let nelo = normal.nelo.map(|nelo| Estimate { error: nelo.error.map(|error| error * z / Z_95), ..nelo });
    let elo = normal.elo.map(|elo| Estimate { error: elo_interval.half_width(), ..elo });
    MatchStatistics { elo, elo_interval, nelo, los: small_sample_los(sample), ..normal }
}

fn normal_statistics(sample: &ScoreSample, draw_ratio: f64, pairs_ratio: Option<f64>) -> MatchStatistics {
    let score = sample.moments.mean;
    let margin = Z_95 * sample.standard_error();
    let ends = Elo::from_score(score - margin).zip(Elo::from_score(score + margin));
    let elo_interval =
        ends.map_or_else(Interval::default, |(low, high)| Interval { low: Some(low.0), high: Some(high.0) });
    let elo = Elo::from_score(score).map(|elo| Estimate { value: elo.0, error: elo_interval.half_width() });
    MatchStatistics {
        score,
        elo,
        elo_interval,
        nelo: normalized_elo(sample),
        los: if score == 0.5 { 0.5 } else { cdf((score - 0.5) / sample.standard_error()) },
        draw_ratio,
        pairs_ratio,
    }
}

impl Interval {
    /// Half the width of a bounded interval.
    pub fn half_width(&self) -> Option<f64> {
        self.low.zip(self.high).map(|(low, high)| 0.5 * (high - low))
    }
}

/// The interval described at [`MatchStatistics::elo_interval`].
fn small_sample_interval(sample: &ScoreSample) -> Interval {
    let elo = |score: f64| Elo::from_score(score).map(|elo| elo.0);
    if sample.is_one_sided() {
        let is_known = sample.count * sample.games_each >= LEAST_ONE_SIDED;
        let bound = elo(TAIL.powf(1.0 / sample.count)).filter(|_| is_known);
        return match sample.moments.mean > 0.5 {
            true => Interval { low: bound, high: None },
            false => Interval { low: None, high: bound.map(|bound| -bound) },
        };
    }
    if sample.count < 2.0 {
        return Interval::default();
    }
    let t = student::quantile(1.0 - TAIL, sample.degrees_of_freedom());
    let (low, high) = wilson(sample.moments.mean, sample.effective_count(), t);
    Interval { low: elo(low), high: elo(high) }
}

/// Likelihood of superiority from few results.
fn small_sample_los(sample: &ScoreSample) -> f64 {
    let mean = sample.moments.mean;
    if mean == 0.5 {
        return 0.5;
    }
    if sample.is_one_sided() {
        let chance = 0.5_f64.powf(sample.count);
        return if mean > 0.5 { 1.0 - chance } else { chance };
    }
    // At this t, Wilson's interval ends at ½.
    let t = (mean - 0.5) * 2.0 * sample.effective_count().sqrt();
    student::cdf(t, sample.degrees_of_freedom())
}

/// Wilson's score interval of a proportion (E. B. Wilson, *Probable inference*, 1927).
fn wilson(share: f64, trials: f64, z: f64) -> (f64, f64) {
    let weight = z * z / trials;
    let center = (share + weight / 2.0) / (1.0 + weight);
    let margin = z / (1.0 + weight) * ((share * (1.0 - share) + weight / 4.0) / trials).sqrt();
    (center - margin, center + margin)
}

fn normalized_elo(sample: &ScoreSample) -> Option<Estimate> {
    let Moments { mean, variance } = sample.moments;
    if variance <= 0.0 {
        return None;
    }
    let deviation_of_a_game = (variance * sample.games_each).sqrt();
    let games = sample.count * sample.games_each;
    Some(Estimate {
        value: (mean - 0.5) / deviation_of_a_game * NORMALIZED_ELO_PER_DEVIATION,
        error: Some(Z_95 / games.sqrt() * NORMALIZED_ELO_PER_DEVIATION),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: MatchStatistics, low: Option<f64>, high: Option<f64>) {
        let rounded = |end: Option<f64>| end.map(f64::round);
        let found = found.elo_interval;
        assert_eq!((rounded(found.low), rounded(found.high)), (low, high), "{found:?}");
    }

    #[test]
    fn many_results_have_the_normal_interval() {
        let pairs = Pentanomial([34, 54, 63, 64, 75]);
        let found = pairs.statistics().unwrap();
        assert_eq!(found, pairs.normal_statistics().unwrap());
        let (error, Interval { low, high }) = (found.elo.unwrap().error.unwrap(), found.elo_interval);
        assert!((high.unwrap() - low.unwrap() - 2.0 * error).abs() < 1e-9);
        // 25 won pairs and 25 lost ones scatter like 100 decided games; one fewer of each does not reach the limit.
        let (enough, less) = (Pentanomial([25, 0, 0, 0, 25]), Pentanomial([12, 0, 0, 0, 12]));
        assert_eq!(enough.statistics(), enough.normal_statistics());
        assert_ne!(less.statistics(), less.normal_statistics());
    }

    #[test]
    fn equal_results_do_not_give_certainty() {
        check(Wdl::new(0, 1, 0).statistics().unwrap(), None, None);
        check(Wdl::new(0, 2, 0).statistics().unwrap(), Some(-885.0), Some(885.0));
        let found = Pentanomial([0, 0, 0, 3, 0]).statistics().unwrap();
        assert!(found.elo_interval.low.unwrap() < 0.0 && found.los < 0.975, "{found:?}");
        assert!(found.elo.unwrap().error.is_some() && found.nelo.is_none());
    }

    #[test]
    fn nothing_but_wins_bounds_the_strength_from_one_side_after_five_pairs() {
        // A score of 0.025^(1/10) = 0.692; of 0.025^(1/100) = 0.964.
        check(Wdl::new(10, 0, 0).statistics().unwrap(), Some(140.0), None);
        check(Wdl::new(100, 0, 0).statistics().unwrap(), Some(570.0), None);
        // A weaker player loses five pairs in a row one time in 32.
        let lost = Pentanomial([5, 0, 0, 0, 0]).statistics().unwrap();
        check(lost, None, Some(15.0));
        assert_eq!(lost.los, 1.0 / 32.0);
        check(Pentanomial([4, 0, 0, 0, 0]).statistics().unwrap(), None, None);
        check(Wdl::new(9, 0, 0).statistics().unwrap(), None, None);
        assert_eq!(Wdl::new(1, 0, 0).statistics().unwrap().los, 0.5);
    }
}
