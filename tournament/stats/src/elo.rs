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

/// What a match says about the entrant in view. There is none before the first game (or the first pair).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchStatistics {
    /// Mean points of a game, in [0, 1].
    pub score: f64,
    /// Elo difference. `None` after nothing but wins or nothing but losses; its error is `None` where the 95%
    /// interval of the score reaches 0 or 1.
    pub elo: Option<Estimate>,
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
