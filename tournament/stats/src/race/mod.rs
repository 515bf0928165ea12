//! A race of many candidates against one base, with one error rate for all.
//!
//! Each candidate has its own sequential test ([`Sprt`]) at `alpha / candidates` (C. Bonferroni), so that the
//! probability of accepting any candidate that is not better is about `alpha` at most. Games go to the leaders by
//! LLR, in rounds of pairs; the lower bound is close, so that a weak candidate is dropped early. Each accepted
//! candidate then plays further pairs, and its unbiased estimate comes from these alone. The caller plays the rounds;
//! which candidates play depends only on complete rounds.

pub mod simulation;

use crate::counts::{Counts, Pentanomial};
use crate::elo::MatchStatistics;
use crate::sprt::{Model, Sprt, SprtError, Verdict};

/// Candidates whose LLR is this far behind the leader's pause.
const MARGIN: f64 = 0.4;

/// Hypotheses and error rates of a race.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceRules {
    /// Gain of hypothesis H0, in Elo of the model.
    pub elo0: f64,
    /// Gain of hypothesis H1, in Elo of the model.
    pub elo1: f64,
    /// Probability, over the whole race, of accepting a candidate that is not better.
    pub alpha: f64,
    /// Probability of dropping a candidate that is better by `elo1`.
    pub beta: f64,
    /// The unit of both hypotheses.
    pub model: Model,
    /// Number of accepted candidates that ends the race.
    pub winners: usize,
    /// Pairs of each candidate in a round.
    pub round_pairs: u64,
    /// Pairs after which a candidate without a verdict stays undecided.
    pub most_pairs: u64,
    /// Pairs played after acceptance to estimate the gain.
    pub estimate_pairs: u64,
}

impl Default for RaceRules {
    /// Values chosen by simulation (docs/statistics.md).
    fn default() -> RaceRules {
        RaceRules {
            elo0: 0.0,
            elo1: 3.5,
            alpha: 0.05,
            beta: 0.4,
            model: Model::Normalized,
            winners: 1,
            round_pairs: 64,
            most_pairs: 500_000,
            estimate_pairs: 1000,
        }
    }
}

impl RaceRules {
    /// The test of each of `candidates` candidates.
    ///
    /// # Errors
    /// If hypotheses or error rates are invalid.
    pub fn test(&self, candidates: usize) -> Result<Sprt, SprtError> {
        // The bound ln(1 / alpha) holds for the likelihood ratio of fixed hypotheses under any stopping rule (J.
        // Ville, 1939); Wald's ln((1 - beta) / alpha) is lower. This test is generalized (each hypothesis takes its
        // most likely distribution), so the bound is approximate; the simulations check it (docs/statistics.md).
        let alpha = (1.0 - self.beta) * self.alpha / candidates.max(1) as f64;
        Sprt::new(self.elo0, self.elo1, alpha, self.beta, self.model)
    }
}

/// Verdict on a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CandidateVerdict {
    /// Accepted as better than the base.
    Better,
    /// Dropped as not better than the base.
    NotBetter,
    /// Neither accepted nor dropped yet.
    Undecided,
}

/// State of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its pairs against the base before the verdict.
    pub pairs: Pentanomial,
    /// Log-likelihood ratio of these pairs.
    pub llr: f64,
    /// Verdict by these pairs.
    pub verdict: CandidateVerdict,
    /// Its pairs after the verdict.
    pub further_pairs: Pentanomial,
}

impl Candidate {
    /// Gain of an accepted candidate from its pairs after the verdict. No decision depended on them, so the usual
    /// statistics hold. `None` without such pairs.
    pub fn estimate(&self) -> Option<MatchStatistics> {
        self.further_pairs.statistics()
    }

    /// Pairs before and after the verdict.
    pub fn all_pairs(&self) -> Pentanomial {
        self.pairs + self.further_pairs
    }
}

/// Candidates and pairs of the next round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceRound {
    /// Numbers of the candidates that play.
    pub candidates: Vec<usize>,
    /// Number of pairs of each candidate.
    pub pairs: u64,
}

/// A race and its results so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    rules: RaceRules,
    test: Sprt,
    candidates: Vec<Candidate>,
}

impl Race {
    /// A race before its first game.
    ///
    /// # Errors
    /// If hypotheses or error rates are invalid.
    pub fn new(rules: RaceRules, candidates: usize) -> Result<Race, SprtError> {
        let test = rules.test(candidates)?;
        let candidate = Candidate {
            pairs: Pentanomial::default(),
            llr: 0.0,
            verdict: CandidateVerdict::Undecided,
            further_pairs: Pentanomial::default(),
        };
        Ok(Race { rules, test, candidates: vec![candidate; candidates] })
    }

    /// Hypotheses and error rates.
    pub fn rules(&self) -> &RaceRules {
        &self.rules
    }

    /// The test of each candidate.
    pub fn test(&self) -> &Sprt {
        &self.test
    }

    /// Every candidate, in the order in which they were named.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Whether undecided candidates may still play.
    pub fn is_open(&self) -> bool {
        let accepted = self.with_verdict(CandidateVerdict::Better).count();
        accepted < self.rules.winners && self.in_the_race().next().is_some()
    }

    fn with_verdict(&self, verdict: CandidateVerdict) -> impl Iterator<Item = usize> {
        (0..self.candidates.len()).filter(move |&candidate| self.candidates[candidate].verdict == verdict)
    }

    /// Candidates that may still win.
    fn in_the_race(&self) -> impl Iterator<Item = usize> {
        let has_games = |&candidate: &usize| self.candidates[candidate].pairs.pairs() < self.rules.most_pairs;
        self.with_verdict(CandidateVerdict::Undecided).filter(has_games)
    }

    /// The next round; `None` when the race is over and all accepted candidates have their estimates.
    pub fn next_round(&self) -> Option<RaceRound> {
        if self.is_open() {
            let candidates = self.leaders();
            let left = |&candidate: &usize| self.rules.most_pairs - self.candidates[candidate].pairs.pairs();
            let pairs = candidates.iter().map(left).min().unwrap_or(0).min(self.rules.round_pairs.max(1));
            return Some(RaceRound { candidates, pairs });
        }
        let lacks = |candidate: usize| {
            let known = self.candidates[candidate].further_pairs.pairs();
            self.rules.estimate_pairs.saturating_sub(known)
        };
        let candidates: Vec<usize> =
            self.with_verdict(CandidateVerdict::Better).filter(|&candidate| lacks(candidate) > 0).collect();
        let pairs = candidates.iter().map(|&candidate| lacks(candidate)).min()?;
        Some(RaceRound { candidates, pairs })
    }

    /// The leader and those close behind it.
    fn leaders(&self) -> Vec<usize> {
        let llr = |candidate: usize| self.candidates[candidate].llr;
        let highest = self.in_the_race().map(llr).fold(f64::NEG_INFINITY, f64::max);
        self.in_the_race().filter(|&candidate| llr(candidate) >= highest - MARGIN).collect()
    }

    /// Adds a complete round: the pairs of each candidate that played, from its view.
    pub fn add_round(&mut self, results: &[(usize, Pentanomial)]) {
        let is_open = self.is_open();
        for &(candidate, pairs) in results {
            let candidate = &mut self.candidates[candidate];
            if !is_open {
                candidate.further_pairs += pairs;
                continue;
            }
            candidate.pairs += pairs;
            candidate.llr = self.test.llr_of(&Counts::Pairs(candidate.pairs)).unwrap_or(0.0);
            candidate.verdict = match self.test.verdict(candidate.llr) {
                Verdict::Continue => CandidateVerdict::Undecided,
                Verdict::AcceptH0 => CandidateVerdict::NotBetter,
                Verdict::AcceptH1 => CandidateVerdict::Better,
            };
        }
    }
}
