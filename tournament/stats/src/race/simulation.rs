//! Simulated nights: candidates with true gains from a prior play one race, or each its own test. Gives the cost and
//! the power of a race (examples/race.rs prints the tables of docs/statistics.md).

use super::{CandidateVerdict, Race, RaceRules};
use crate::counts::{Counts, Pentanomial};
use crate::elo::{Elo, MatchStatistics};
use crate::random::SplitMix;
use crate::sprt::{Sprt, SprtError, Verdict, distribution_with_mean};

/// Parameters of simulated nights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nights {
    /// Number of simulated nights.
    pub nights: u64,
    /// Number of candidates of a night.
    pub candidates: usize,
    /// Mean of the true gains, in Elo.
    pub mean: f64,
    /// Standard deviation of the true gains, in Elo.
    pub deviation: f64,
    /// Distribution of pair scores between equal players.
    pub equals: [f64; 5],
    /// Seed of all nights.
    pub seed: u64,
}

/// How a night's candidates are tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// All candidates in one race.
    Race(RaceRules),
    /// A separate test each, with this number of pairs between looks.
    Separate(Sprt, u64),
}

/// Result of one night.
#[derive(Clone, Debug, PartialEq)]
pub struct Night {
    /// True gains, in Elo.
    pub gains: Vec<f64>,
    /// Which candidates were accepted.
    pub accepted: Vec<bool>,
    /// Games until the last verdict.
    pub games: u64,
    /// Games after it, for the estimates of accepted candidates.
    pub estimate_games: u64,
    /// Estimate minus true gain of each accepted candidate, in Elo, from its games after the verdict.
    pub estimate_errors: Vec<f64>,
    /// The same from its games before the verdict.
    pub test_errors: Vec<f64>,
}

impl Nights {
    /// Plays one night.
    ///
    /// # Errors
    /// If the rules are invalid.
    pub fn play(&self, method: &Method, night: u64) -> Result<Night, SprtError> {
        let mut random = SplitMix::stream(self.seed, night);
        let gains: Vec<f64> =
            (0..self.candidates).map(|_| self.mean + self.deviation * random.normal()).collect();
        let chances: Vec<[f64; 5]> = gains.iter().map(|&gain| self.chances(gain)).collect();
        let night = Night {
            gains,
            accepted: vec![false; self.candidates],
            games: 0,
            estimate_games: 0,
            estimate_errors: Vec::new(),
            test_errors: Vec::new(),
        };
        match method {
            Method::Race(rules) => race(Race::new(*rules, self.candidates)?, night, &chances, &mut random),
            Method::Separate(test, step) => Ok(separate(test, *step, night, &chances, &mut random)),
        }
    }

    /// Distribution of pair scores at a gain: the one with that mean score closest to the distribution of equals.
    fn chances(&self, gain: f64) -> [f64; 5] {
        distribution_with_mean(&self.equals, Elo(gain).to_score())
    }
}

fn race(
    mut race: Race,
    mut night: Night,
    chances: &[[f64; 5]],
    random: &mut SplitMix,
) -> Result<Night, SprtError> {
    while let Some(round) = race.next_round() {
        let games = 2 * round.pairs * round.candidates.len() as u64;
        if race.is_open() {
            night.games += games;
        } else {
            night.estimate_games += games;
        }
        let results: Vec<(usize, Pentanomial)> = round
            .candidates
            .into_iter()
            .map(|candidate| (candidate, draw(&chances[candidate], round.pairs, random)))
            .collect();
        race.add_round(&results);
    }
    for (index, candidate) in race.candidates().iter().enumerate() {
        night.accepted[index] = candidate.verdict == CandidateVerdict::Better;
        let gain = night.gains[index];
        let error = |found: Option<MatchStatistics>| Some(found?.elo?.value - gain);
        night.estimate_errors.extend(error(candidate.estimate()));
        if night.accepted[index] {
            night.test_errors.extend(error(candidate.pairs.statistics()));
        }
    }
    Ok(night)
}

fn separate(test: &Sprt, step: u64, mut night: Night, chances: &[[f64; 5]], random: &mut SplitMix) -> Night {
    for (accepted, chances) in night.accepted.iter_mut().zip(chances) {
        let mut pairs = Pentanomial::default();
        let verdict = loop {
            pairs += draw(chances, step, random);
            match test.verdict(test.llr_of(&Counts::Pairs(pairs)).unwrap_or(0.0)) {
                Verdict::Continue => {}
                verdict => break verdict,
            }
        };
        *accepted = verdict == Verdict::AcceptH1;
        night.games += pairs.games();
    }
    night
}

fn draw(chances: &[f64; 5], pairs: u64, random: &mut SplitMix) -> Pentanomial {
    let mut counts = [0; 5];
    for _ in 0..pairs {
        counts[random.outcome(chances)] += 1;
    }
    Pentanomial(counts)
}

/// Summary of many nights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Mean number of games of a night until its last verdict.
    pub games: f64,
    /// Mean number of games of a night after it.
    pub estimate_games: f64,
    /// Median number of games of a night.
    pub median_games: u64,
    /// 90% quantile of the number of games of a night.
    pub games_90: u64,
    /// Share of nights that accepted a candidate that is not better.
    pub false_nights: f64,
    /// Share of nights that accepted a better candidate.
    pub found_nights: f64,
    /// Share of nights with a better candidate that accepted the best one.
    pub best_nights: f64,
    /// Mean true gain of the best accepted candidate of a night, in Elo; 0 for a night without one.
    pub gain: f64,
    /// Mean number of accepted candidates of a night.
    pub accepted: f64,
    /// Share of candidates with a gain of at least 5 Elo that were accepted.
    pub strong_accepted: f64,
    /// Mean of estimate minus true gain over all accepted candidates, in Elo.
    pub bias: f64,
    /// Standard error of `bias`.
    pub bias_error: f64,
    /// Like `bias`, from the games before the verdict.
    pub test_bias: f64,
}

impl Summary {
    /// The summary of these nights.
    pub fn of(nights: &[Night]) -> Summary {
        let count = nights.len().max(1) as f64;
        let mean = |value: &dyn Fn(&Night) -> f64| nights.iter().map(value).sum::<f64>() / count;
        let share =
            |is: &dyn Fn(&Night) -> bool| nights.iter().filter(|night| is(night)).count() as f64 / count;
        let accepted = |night: &Night| -> Vec<f64> {
            let both = night.gains.iter().zip(&night.accepted);
            both.filter(|&(_, &accepted)| accepted).map(|(&gain, _)| gain).collect()
        };
        let average = |of: &dyn Fn(&Night) -> &Vec<f64>| {
            let all: Vec<f64> = nights.iter().flat_map(|night| of(night).iter().copied()).collect();
            all.iter().sum::<f64>() / all.len().max(1) as f64
        };
        let best = |gains: &[f64]| gains.iter().copied().fold(0.0, f64::max);
        let has_better = |night: &Night| best(&night.gains) > 0.0;
        let found_best = |night: &Night| has_better(night) && accepted(night).contains(&best(&night.gains));
        let strong = |gains: &[f64]| gains.iter().filter(|&&gain| gain >= 5.0).count() as f64;
        let mut games: Vec<u64> = nights.iter().map(|night| night.games).collect();
        games.sort_unstable();
        let at = |share: f64| games.get((share * games.len() as f64) as usize).copied().unwrap_or(0);
        let errors: Vec<f64> =
            nights.iter().flat_map(|night| night.estimate_errors.iter().copied()).collect();
        let bias = average(&|night| &night.estimate_errors);
        let squares: f64 = errors.iter().map(|error| (error - bias).powi(2)).sum();
        Summary {
            games: mean(&|night| night.games as f64),
            estimate_games: mean(&|night| night.estimate_games as f64),
            median_games: at(0.5),
            games_90: at(0.9),
            false_nights: share(&|night| accepted(night).iter().any(|&gain| gain <= 0.0)),
            found_nights: share(&|night| accepted(night).iter().any(|&gain| gain > 0.0)),
            best_nights: share(&found_best) / share(&has_better).max(f64::MIN_POSITIVE),
            gain: mean(&|night| best(&accepted(night))),
            accepted: mean(&|night| accepted(night).len() as f64),
            strong_accepted: mean(&|night| strong(&accepted(night)))
                / mean(&|night| strong(&night.gains)).max(f64::MIN_POSITIVE),
            bias,
            test_bias: average(&|night| &night.test_errors),
            bias_error: squares.sqrt() / errors.len().max(1) as f64,
        }
    }
}
