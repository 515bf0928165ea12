//! Noisy bisection: which commit of a range changed the strength of an engine?
//!
//! The posterior starts uniform over all commits and the hypothesis of no change; each pair that a commit plays against
//! the good commit before the range updates it by Bayes' rule. The next round is played at the median of the posterior.
//! Commits are numbers here, oldest first; the caller maps them to builds.

use crate::counts::Pentanomial;
use crate::race::RaceRound;
use crate::sprt::{Model, Sprt, SprtError};

/// The commit of the last round keeps playing while its pairs are at least this share as informative as those of the
/// median.
const KEEP: f64 = 0.9;

/// Rules of a bisection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BisectionRules {
    /// Elo of the change from the later commit's view: negative for a loss.
    pub elo: f64,
    /// Posterior probability at which the search ends, below 1.
    pub confidence: f64,
    /// Elo model of `elo`.
    pub model: Model,
    /// Pairs per round.
    pub round_pairs: u64,
    /// Number of pairs after which the search ends without a result.
    pub most_pairs: u64,
}

/// Result of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BisectionVerdict {
    /// No hypothesis is probable enough yet.
    Undecided,
    /// This commit changed the strength.
    Found(usize),
    /// No commit changed the strength.
    NoChange,
}

/// A commit that plays no further games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedCommit {
    /// Its number, counted from the oldest.
    pub commit: usize,
    /// Number of complete rounds when this became known.
    pub rounds: u32,
    /// What the posterior makes of it.
    pub reason: SkipReason,
}

/// Why a commit plays no games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// Its program is that of the commit before: it is not the change.
    SameProgram,
    /// It has no program that plays: it and the next commit that has one are one hypothesis.
    Unplayable,
}

/// A bisection and its results so far.
///
/// Commits before the change have 0 Elo against the good commit, all others have the Elo of the change. Source: M.
/// Burnashev and K. Zigangirov, *An interval estimation problem for controlled observations*, 1974; R. Karp and R.
/// Kleinberg, *Noisy binary search and its applications*, 2007; M. Ben-Or and A. Hassidim, *The Bayesian learner is
/// optimal for noisy binary search*, 2008.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    rules: BisectionRules,
    test: Sprt,
    skipped: Vec<SkippedCommit>,
    /// Number of complete rounds.
    rounds: u32,
    /// Pairs of each commit against the good one, from the commit's view.
    pairs: Vec<Pentanomial>,
    /// Probability of each commit to be the change; the last entry is that of no change.
    posterior: Vec<f64>,
    /// The commit of the last round.
    last: Option<usize>,
}

impl Bisection {
    /// A bisection of `commits` commits without games.
    ///
    /// # Errors
    /// If Elo and confidence are invalid for a test.
    pub fn new(rules: BisectionRules, commits: usize) -> Result<Bisection, SprtError> {
        let error = 1.0 - rules.confidence;
        let test = Sprt::new(rules.elo.min(0.0), rules.elo.max(0.0), error, error, rules.model)?;
        let posterior = vec![1.0 / (commits + 1) as f64; commits + 1];
        let pairs = vec![Pentanomial::default(); commits];
        Ok(Bisection { rules, test, skipped: Vec::new(), rounds: 0, pairs, posterior, last: None })
    }

    /// The bisection without games in which these commits are skipped; of two reasons for one, the same program counts.
    #[must_use]
    pub fn without(mut self, skipped: Vec<SkippedCommit>) -> Bisection {
        self.skipped = skipped;
        self.posterior = self.updated();
        self
    }

    /// Rules of the bisection.
    pub fn rules(&self) -> &BisectionRules {
        &self.rules
    }

    /// Pairs of each commit against the good one, from the commit's view.
    pub fn pairs(&self) -> &[Pentanomial] {
        &self.pairs
    }

    /// Pairs of all commits.
    pub fn all_pairs(&self) -> Pentanomial {
        self.pairs.iter().copied().sum()
    }

    /// The probability of each commit to be the change.
    pub fn probabilities(&self) -> &[f64] {
        &self.posterior[..self.pairs.len()]
    }

    /// Probability of no change.
    pub fn no_change(&self) -> f64 {
        self.posterior[self.pairs.len()]
    }

    /// Number of complete rounds.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Why this commit is skipped by now, if it is.
    pub fn skip_reason(&self, commit: usize) -> Option<SkipReason> {
        let known = |skipped: &&SkippedCommit| skipped.commit == commit && skipped.rounds <= self.rounds;
        let reasons = self.skipped.iter().filter(known).map(|skipped| skipped.reason);
        reasons.min_by_key(|&reason| reason != SkipReason::SameProgram)
    }

    /// The first of the unplayable commits that are one hypothesis with this one; without such, or if it is skipped itself, this
    /// one.
    pub fn first_of_hypothesis(&self, commit: usize) -> usize {
        if self.skip_reason(commit).is_some() {
            return commit;
        }
        let before = (0..commit).rev().take_while(|&earlier| self.skip_reason(earlier).is_some());
        before
            .filter(|&earlier| self.skip_reason(earlier) == Some(SkipReason::Unplayable))
            .last()
            .unwrap_or(commit)
    }

    /// Result so far.
    pub fn verdict(&self) -> BisectionVerdict {
        match self.posterior.iter().position(|&probability| probability >= self.rules.confidence) {
            None => BisectionVerdict::Undecided,
            Some(commit) if commit < self.pairs.len() => BisectionVerdict::Found(commit),
            Some(_) => BisectionVerdict::NoChange,
        }
    }

    /// Whether the search is undecided and has pairs left.
    pub fn is_open(&self) -> bool {
        self.verdict() == BisectionVerdict::Undecided && self.pairs_left() > 0
    }

    fn pairs_left(&self) -> u64 {
        self.rules.most_pairs.saturating_sub(self.all_pairs().pairs())
    }

    /// The next round, always of one commit; `None` at the end.
    pub fn next_round(&self) -> Option<RaceRound> {
        if !self.is_open() {
            return None;
        }
        // How evenly the games of each commit split the hypotheses: the information they give.
        let splits: Vec<f64> = self
            .probabilities()
            .iter()
            .scan(0.0, |changed, probability| {
                *changed += probability;
                Some(*changed * (1.0 - *changed))
            })
            .collect();
        let playable = (0..splits.len()).filter(|&commit| self.skip_reason(commit).is_none());
        let median = playable.max_by(|&a, &b| splits[a].total_cmp(&splits[b]))?;
        let is_as_good =
            |last: &usize| self.skip_reason(*last).is_none() && splits[*last] >= KEEP * splits[median];
        let commit = self.last.filter(is_as_good).unwrap_or(median);
        let pairs = self.rules.round_pairs.max(1).min(self.pairs_left());
        Some(RaceRound { candidates: vec![commit], pairs })
    }

    /// Adds a complete round: the pairs of each commit that played, from its view.
    pub fn add_round(&mut self, results: &[(usize, Pentanomial)]) {
        for &(commit, pairs) in results {
            self.pairs[commit] += pairs;
            self.last = Some(commit);
        }
        self.rounds += u32::from(!results.is_empty());
        self.posterior = self.updated();
    }

    /// All pairs plus their mirror images, as equal players would score them: the spread is estimated from these. A
    /// commit that plays the same moves as the good one (games at fixed nodes repeat) has only even pairs and no
    /// own spread; without pooling its pairs would count as stronger evidence than they are.
    fn pooled(&self) -> Pentanomial {
        let has_spread = |pairs: &&Pentanomial| pairs.0[2] < pairs.pairs();
        let pooled: Pentanomial = self.pairs.iter().filter(has_spread).copied().sum();
        let pooled = if pooled.pairs() > 0 { pooled } else { self.all_pairs() };
        [pooled, pooled.mirrored()].into_iter().sum()
    }

    /// Posterior by Bayes' rule from all pairs.
    fn updated(&self) -> Vec<f64> {
        let pooled = self.pooled();
        let increments =
            self.test.pair_increments(&pooled).filter(|_| pooled.pairs() > 0).unwrap_or_default();
        let sign = self.rules.elo.signum();
        let evidence = |pairs: &Pentanomial| -> f64 {
            pairs.0.iter().zip(increments).map(|(&count, increment)| sign * count as f64 * increment).sum()
        };
        // If the change is this commit, it and all later ones have the Elo of the change.
        let mut logarithms = vec![0.0; self.pairs.len() + 1];
        for (commit, pairs) in self.pairs.iter().enumerate().rev() {
            logarithms[commit] = logarithms[commit + 1] + evidence(pairs);
        }
        let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut weights: Vec<f64> = logarithms.iter().map(|logarithm| (logarithm - greatest).exp()).collect();
        // The last hypothesis is that of no change: games cannot tell it from a change behind the last commit that plays.
        let mut unplayable = 0.0;
        for (hypothesis, weight) in weights.iter_mut().enumerate() {
            match self.skip_reason(hypothesis) {
                None => *weight += std::mem::take(&mut unplayable),
                Some(SkipReason::SameProgram) => *weight = 0.0,
                Some(SkipReason::Unplayable) => unplayable += std::mem::take(weight),
            }
        }
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::{Elo, NORMALIZED_ELO_PER_DEVIATION};
    use crate::random::SplitMix;
    use crate::sprt::{Verdict, distribution_with_mean};

    const EQUALS: [f64; 5] = [0.05, 0.22, 0.46, 0.22, 0.05];

    const RULES: BisectionRules = BisectionRules {
        elo: -8.0,
        confidence: 0.95,
        model: Model::Logistic,
        round_pairs: 64,
        most_pairs: 1_000_000,
    };

    fn draw(elo: f64, pairs: u64, random: &mut SplitMix) -> Pentanomial {
        let chances = distribution_with_mean(&EQUALS, Elo(elo).to_score());
        let mut counts = Pentanomial::default();
        (0..pairs).for_each(|_| counts.0[random.outcome(&chances)] += 1);
        counts
    }

    /// A range of commits whose first `neutral` ones play like the good commit.
    #[derive(Clone, Copy)]
    struct Range {
        commits: usize,
        neutral: usize,
    }

    impl Range {
        const fn of(commits: usize) -> Range {
            Range { commits, neutral: 0 }
        }

        /// Searches with a change of this logistic Elo at commit `change` (or at none); also returns how many commits
        /// played.
        fn search(self, rules: BisectionRules, change: usize, elo: f64, seed: u64) -> (Bisection, usize) {
            let mut random = SplitMix::stream(seed, change as u64);
            let mut bisection = Bisection::new(rules, self.commits).unwrap();
            while let Some(RaceRound { candidates, pairs }) = bisection.next_round() {
                let [commit] = candidates[..] else { panic!("one commit plays") };
                let results = if commit < self.neutral {
                    Pentanomial([0, 0, pairs, 0, 0])
                } else {
                    draw(if commit >= change { elo } else { 0.0 }, pairs, &mut random)
                };
                bisection.add_round(&[(commit, results)]);
            }
            let played = bisection.pairs().iter().filter(|pairs| pairs.pairs() > 0).count();
            (bisection, played)
        }

        /// Share of searches that find the change, over all places where commits change the moves, and the mean
        /// numbers of games and of commits that played.
        fn searches(self, rules: BisectionRules, elo: f64, runs: u64) -> (f64, f64, f64) {
            let (mut right, mut games, mut played) = (0, 0, 0);
            for run in 0..runs {
                let change = self.neutral + run as usize % (self.commits - self.neutral);
                let (bisection, commits) = self.search(rules, change, elo, run);
                right += u64::from(bisection.verdict() == BisectionVerdict::Found(change));
                games += bisection.all_pairs().games();
                played += commits;
            }
            let mean = |sum: f64| sum / runs as f64;
            (mean(right as f64), mean(games as f64), mean(played as f64))
        }
    }

    /// Mean games of a test of one commit with this Elo.
    fn games_of_a_test(elo: f64, runs: u64) -> f64 {
        let test = Sprt::new(-8.0, 0.0, 0.05, 0.05, Model::Logistic).unwrap();
        let games = |run: u64| {
            let (mut random, mut pairs) = (SplitMix::stream(99, run), Pentanomial::default());
            while test.verdict(test.llr_of_pairs(&pairs).unwrap()) == Verdict::Continue {
                pairs += draw(elo, 16, &mut random);
            }
            pairs.games()
        };
        (0..runs).map(games).sum::<u64>() as f64 / runs as f64
    }

    #[test]
    fn a_loss_and_a_gain_are_found_and_the_same_strength_too() {
        let rules = BisectionRules { elo: -80.0, round_pairs: 16, ..RULES };
        for change in [0, 3, 8] {
            assert_eq!(
                Range::of(9).search(rules, change, -80.0, 1).0.verdict(),
                BisectionVerdict::Found(change)
            );
            let gain = BisectionRules { elo: 80.0, ..rules };
            assert_eq!(
                Range::of(9).search(gain, change, 80.0, 2).0.verdict(),
                BisectionVerdict::Found(change)
            );
        }
        assert_eq!(Range::of(9).search(rules, 9, 0.0, 3).0.verdict(), BisectionVerdict::NoChange);
        let short = BisectionRules { most_pairs: 20, ..rules };
        let (bisection, _) = Range::of(9).search(short, 3, -80.0, 4);
        assert_eq!((bisection.verdict(), bisection.all_pairs().pairs()), (BisectionVerdict::Undecided, 20));
    }

    #[test]
    fn the_first_round_halves_the_range_and_even_games_say_little() {
        let mut bisection = Bisection::new(RULES, 7).unwrap();
        assert_eq!(bisection.next_round(), Some(RaceRound { candidates: vec![3], pairs: 64 }));
        bisection.add_round(&[(3, Pentanomial([3, 14, 30, 14, 3]))]);
        let probabilities = bisection.probabilities();
        assert!((probabilities.iter().sum::<f64>() + bisection.no_change() - 1.0).abs() < 1e-12);
        // A round at the fourth commit is equal evidence for all commits before it, and for all after it.
        assert!(probabilities[..4].iter().all(|&probability| (probability - probabilities[0]).abs() < 1e-12));
        assert!(probabilities[0] < 0.125 && probabilities[4] > 0.125, "{probabilities:?}");
    }

    #[test]
    fn commits_that_play_as_the_good_one_leave_the_evidence_of_the_others_as_it_is() {
        let round = |others: u64| {
            let mut bisection = Bisection::new(RULES, 7).unwrap();
            bisection.add_round(&[(1, Pentanomial([0, 0, others, 0, 0]))]);
            bisection.add_round(&[(3, Pentanomial([6, 16, 30, 10, 2]))]);
            let probabilities = bisection.probabilities();
            // Only the second round distinguishes the commit between them.
            probabilities[2] / probabilities[4]
        };
        assert!((round(1000) - round(0)).abs() < 1e-12, "{} {}", round(1000), round(0));
    }

    #[test]
    fn skipped_commits_play_no_games_and_leave_their_hypothesis_to_the_next() {
        let skip = |commit, rounds, reason| SkippedCommit { commit, rounds, reason };
        let (same, unplayable) = (SkipReason::SameProgram, SkipReason::Unplayable);
        let skipped =
            vec![skip(1, 0, same), skip(3, 0, unplayable), skip(4, 0, unplayable), skip(6, 1, unplayable)];
        let mut bisection = Bisection::new(RULES, 7).unwrap().without(skipped);
        let check = |bisection: &Bisection, sevenths: [f64; 8]| {
            let found = bisection.probabilities().iter().copied().chain([bisection.no_change()]);
            found
                .zip(sevenths)
                .for_each(|(found, share)| assert!((found - share / 7.0).abs() < 1e-12, "{bisection:?}"));
        };
        check(&bisection, [1.0, 0.0, 1.0, 0.0, 0.0, 3.0, 1.0, 1.0]);
        assert_eq!([5, 6, 2].map(|commit| bisection.first_of_hypothesis(commit)), [3, 6, 2]);
        assert!([[2], [5]].contains(&bisection.next_round().unwrap().candidates[..].try_into().unwrap()));
        // The last commit is found unplayable after the first round, which says nothing.
        bisection.add_round(&[]);
        check(&bisection, [1.0, 0.0, 1.0, 0.0, 0.0, 3.0, 1.0, 1.0]);
        bisection.add_round(&[(2, Pentanomial([0, 0, 64, 0, 0]))]);
        assert_eq!((bisection.rounds(), bisection.skip_reason(6)), (1, Some(unplayable)));
        let probabilities = bisection.probabilities();
        assert!((bisection.no_change() / probabilities[5] - 2.0 / 3.0).abs() < 1e-12, "{probabilities:?}");
        assert_eq!(probabilities[6], 0.0);
        let all: Vec<_> = (0..7).map(|commit| skip(commit, 0, same)).collect();
        let nothing = Bisection::new(RULES, 7).unwrap().without(all);
        assert_eq!((nothing.verdict(), nothing.next_round()), (BisectionVerdict::NoChange, None));
    }

    #[test]
    #[ignore = "needs minutes"]
    fn many_runs_find_the_loss_among_forty_commits() {
        const RUNS: u64 = 4000;
        let (right, games, played) = Range::of(40).searches(RULES, -8.0, RUNS);
        let [of_loss, halfway] = [-8.0, -4.0].map(|elo| games_of_a_test(elo, RUNS));
        println!(
            "right {right:.3}, games {games:.0}, commits that played {played:.1}; one test: {of_loss:.0} games at the loss, {halfway:.0} halfway"
        );
        assert!(right >= 0.95 && games < 3.7 * halfway, "{right} {games} {halfway}");
    }

    #[test]
    #[ignore = "needs minutes"]
    fn many_runs_find_the_loss_in_the_normalized_model_and_behind_neutral_commits() {
        // The same loss in both units, at the spread of equal players' results.
        let deviation =
            (EQUALS.iter().zip([0.25, 0.0625, 0.0, 0.0625, 0.25])).map(|(p, x)| p * x).sum::<f64>().sqrt();
        let normalized =
            (Elo(-8.0).to_score() - 0.5) / deviation / 2.0_f64.sqrt() * NORMALIZED_ELO_PER_DEVIATION;
        let rules = BisectionRules { elo: normalized, model: Model::Normalized, ..RULES };
        for (words, rules) in [("logistic", RULES), ("normalized", rules)] {
            for neutral in [0, 10, 20] {
                let (right, games, played) = Range { commits: 40, neutral }.searches(rules, -8.0, 2000);
                println!(
                    "{words} {:.1}, {neutral} neutral: right {right:.3}, games {games:.0}, commits that played {played:.1}",
                    rules.elo
                );
                assert!(right >= 0.94, "{words} {neutral} {right}");
            }
        }
    }
}
