//! The strength of one entrant against another, from counts: score, Elo, normalized Elo, likelihood of
//! superiority, and how sure each is.
//!
//! Knows nothing of sequential tests ([`sprt`](crate::sprt)) or of more than two players
//! ([`ratings`](crate::ratings)).

use std::f64::consts::LN_10;

use crate::counts::{Pentanomial, Wdl};
use crate::moments::Moments;
use crate::normal::{Z_95, cdf};

/// Normalized Elo for each standard deviation (of one game) above an even score: `800 / ln 10`.
///
/// So defined that near equality and without draws it is the same as Elo (M. Van den Bergh, *Normalized Elo*).
pub const NORMALIZED_ELO_PER_DEVIATION: f64 = 800.0 / LN_10;

/// A difference of strength on the logistic scale: 400 is ten times the odds.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// The difference at which `score`, in [0, 1], is expected: `-400 · log10(1/score - 1)`.
    ///
    /// `None` for 0 and 1, which no finite difference explains, and for what is no score.
    pub fn from_score(score: f64) -> Option<Elo> {
        (score > 0.0 && score < 1.0).then(|| Elo(400.0 * (score / (1.0 - score)).log10()))
    }

    /// The score, in (0, 1), to expect at this difference: `1 / (1 + 10^(-elo/400))`.
    pub fn to_score(self) -> f64 {
        1.0 / (1.0 + 10f64.powf(-self.0 / 400.0))
    }
}

/// A value and the half-width of its 95% interval, in the same unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Always finite.
    pub value: f64,
    /// Finite and not negative; `None` where the interval has no finite end, as after very few games.
    pub error: Option<f64>,
}

impl Estimate {
    /// A value known exactly.
    pub fn exact(value: f64) -> Estimate {
        Estimate { value, error: Some(0.0) }
    }
}

/// The ends of an interval; there is none on a side where nothing bounds the value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// Finite.
    pub low: Option<f64>,
    /// Finite, and not below the other end.
    pub high: Option<f64>,
}

/// What a match says about the entrant in view. There is none before the first game (or the first pair).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchStatistics {
    /// Mean points of a game, in [0, 1].
    pub score: f64,
    /// Elo difference. `None` after nothing but wins or nothing but losses; its error is `None` where the 95%
    /// interval of the score, `score ± z · standard error`, reaches 0 or 1.
    pub elo: Option<Estimate>,
    /// Where the Elo difference is with 95%, also where no single error says it:
    /// - the Elo of both ends of the score's interval, half of whose distance the error is;
    /// - where that reaches 0 or 1, or all ended alike, the Elo of both ends of E. Wilson's interval (1927), which never
    ///   does, for as many games as would spread so much without draws: `n · score · (1 - score) / variance`, and for
    ///   the games themselves where all ended alike (a spread of zero would claim too much);
    /// - after nothing but wins (losses) only the low (high) end of the one-sided interval of C. Clopper and E. Pearson
    ///   (1934): at a lower (higher) difference so many in a row are rarer than one time in twenty, score `0.05^(1/n)`.
    pub elo_interval: Interval,
    /// Normalized Elo difference. `None` where all games (pairs) ended alike, so that nothing is known of the
    /// spread it is measured in.
    pub nelo: Option<Estimate>,
    /// Likelihood of superiority in [0, 1]: how probable it is that the entrant is the stronger one. ½ after
    /// nothing but draws.
    pub los: f64,
    /// The share of drawn games, or of pairs that ended 1-1, in [0, 1].
    pub draw_ratio: f64,
    /// Pairs won for each pair lost, (WD + WW) / (LL + LD), as fastchess prints it. `None` for single games,
    /// and as long as no pair was lost.
    pub pairs_ratio: Option<f64>,
}

impl Wdl {
    /// Statistics that take the games as independent. `None` without games.
    pub fn statistics(&self) -> Option<MatchStatistics> {
        let moments = Moments::from_counts(&self.by_points())?;
        let draw_ratio = self.draws as f64 / self.games() as f64;
        Some(statistics(Sample { moments, count: self.games(), games_each: 1 }, draw_ratio, None))
    }

    /// Standard deviation of a game's score, in [0, ½]. `None` without games.
    pub fn deviation(&self) -> Option<f64> {
        Moments::from_counts(&self.by_points()).map(|moments| moments.variance.sqrt())
    }
}

impl Pentanomial {
    /// Statistics that take the pairs as independent. `None` without pairs.
    pub fn statistics(&self) -> Option<MatchStatistics> {
        let moments = Moments::from_counts(&self.0)?;
        let draw_ratio = self.0[2] as f64 / self.pairs() as f64;
        Some(statistics(
            Sample { moments, count: self.pairs(), games_each: 2 },
            draw_ratio,
            self.pairs_ratio(),
        ))
    }

    /// Pairs won for each pair lost, (WD + WW) / (LL + LD). `None` as long as no pair was lost.
    pub fn pairs_ratio(&self) -> Option<f64> {
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
struct Sample {
    moments: Moments,
    count: u64,
    games_each: u64,
}

fn statistics(sample: Sample, draw_ratio: f64, pairs_ratio: Option<f64>) -> MatchStatistics {
    let Moments { mean, variance } = sample.moments;
    let standard_error = (variance / sample.count as f64).sqrt();
    let elo =
        Elo::from_score(mean).map(|elo| Estimate { value: elo.0, error: elo_error(mean, standard_error) });
    MatchStatistics {
        score: mean,
        elo,
        elo_interval: elo_interval(&sample),
        nelo: normalized_elo(&sample),
        los: likelihood_of_superiority(mean, standard_error),
        draw_ratio,
        pairs_ratio,
    }
}

/// Half the distance between the Elo of both ends of the score's interval.
fn elo_error(score: f64, standard_error: f64) -> Option<f64> {
    let margin = Z_95 * standard_error;
    let upper = Elo::from_score(score + margin)?;
    let lower = Elo::from_score(score - margin)?;
    Some((upper.0 - lower.0) / 2.0)
}

/// See [`MatchStatistics::elo_interval`].
fn elo_interval(sample: &Sample) -> Interval {
    let Moments { mean, variance } = sample.moments;
    let games = (sample.count * sample.games_each) as f64;
    let elo = |score: f64| Elo::from_score(score).map(|elo| elo.0);
    if mean <= 0.0 || mean >= 1.0 {
        let bound = elo(0.05_f64.powf(1.0 / games));
        return match mean > 0.5 {
            true => Interval { low: bound, high: None },
            false => Interval { low: None, high: bound.map(|bound| -bound) },
        };
    }
    let margin = Z_95 * (variance / sample.count as f64).sqrt();
    let (low, high) = if variance > 0.0 && mean - margin > 0.0 && mean + margin < 1.0 {
        (mean - margin, mean + margin)
    } else {
        let without_draws = mean * (1.0 - mean);
        wilson(mean, if variance > 0.0 { sample.count as f64 * without_draws / variance } else { games })
    };
    Interval { low: elo(low), high: elo(high) }
}

/// The 95% interval of a share that was seen in so many trials (E. B. Wilson, *Probable inference*, 1927).
fn wilson(share: f64, trials: f64) -> (f64, f64) {
    let weight = Z_95 * Z_95 / trials;
    let center = (share + weight / 2.0) / (1.0 + weight);
    let margin = Z_95 / (1.0 + weight) * ((share * (1.0 - share) + weight / 4.0) / trials).sqrt();
    (center - margin, center + margin)
}

fn normalized_elo(sample: &Sample) -> Option<Estimate> {
    let Moments { mean, variance } = sample.moments;
    if variance <= 0.0 {
        return None;
    }
    let deviation_of_a_game = (variance * sample.games_each as f64).sqrt();
    let games = (sample.count * sample.games_each) as f64;
    Some(Estimate {
        value: (mean - 0.5) / deviation_of_a_game * NORMALIZED_ELO_PER_DEVIATION,
        error: Some(Z_95 / games.sqrt() * NORMALIZED_ELO_PER_DEVIATION),
    })
}

fn likelihood_of_superiority(score: f64, standard_error: f64) -> f64 {
    if score == 0.5 { 0.5 } else { cdf((score - 0.5) / standard_error) }
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
    fn an_interval_of_the_score_within_0_and_1_is_taken_as_it_is() {
        let found = Pentanomial([34, 54, 63, 64, 75]).statistics().unwrap();
        let (error, Interval { low, high }) = (found.elo.unwrap().error.unwrap(), found.elo_interval);
        assert!((high.unwrap() - low.unwrap() - 2.0 * error).abs() < 1e-9);
    }

    /// Wilson's interval of 9 of 10 is 0.5958 to 0.9821, as tables have it.
    #[test]
    fn an_interval_that_would_reach_beyond_every_score_has_both_ends() {
        check(Wdl::new(9, 0, 1).statistics().unwrap(), Some(67.0), Some(696.0));
        check(Wdl::new(1, 0, 9).statistics().unwrap(), Some(-696.0), Some(-67.0));
        // Draws narrow it: the same score from fewer decided games.
        check(Wdl::new(8, 2, 0).statistics().unwrap(), Some(158.0), Some(605.0));
    }

    #[test]
    fn games_that_all_ended_alike_leave_room() {
        // As for one win and one loss: 0.0945 to 0.9055.
        check(Wdl::new(0, 2, 0).statistics().unwrap(), Some(-393.0), Some(393.0));
        check(Pentanomial([0, 0, 1, 0, 0]).statistics().unwrap(), Some(-393.0), Some(393.0));
    }

    #[test]
    fn nothing_but_wins_bounds_the_strength_from_one_side() {
        // A score of 0.05^(1/10) = 0.741; of 0.05^(1/100) = 0.970.
        check(Wdl::new(10, 0, 0).statistics().unwrap(), Some(183.0), None);
        check(Pentanomial([5, 0, 0, 0, 0]).statistics().unwrap(), None, Some(-183.0));
        check(Wdl::new(100, 0, 0).statistics().unwrap(), Some(607.0), None);
        // Four wins still leave room for somewhat weaker than the other.
        check(Wdl::new(4, 0, 0).statistics().unwrap(), Some(-19.0), None);
    }
}
