//! Noisy bisection: which commit of a range changed the strength of an engine?
//!
//! Commits before the change have 0 Elo against the good commit before the range, all others have the Elo of the change. The
//! posterior over the place of the change begins uniform, over all commits and the hypothesis that none of them changed
//! anything, and each pair that a commit plays against the good one updates it by Bayes' rule. The next round is played at
//! the median of the posterior (M. Burnashev and K. Zigangirov, *An interval estimation problem for controlled
//! observations*, 1974; R. Karp and R. Kleinberg, *Noisy binary search and its applications*, 2007; M. Ben-Or and
//! A. Hassidim, *The Bayesian learner is optimal for noisy binary search*, 2008).
//!
//! Knows no commits and no engines, only their numbers, oldest first.

use crate::counts::Pentanomial;
use crate::race::RaceRound;
use crate::sprt::{Model, Sprt, SprtError};

/// The commit of the last round plays on while a pair of it tells at least this share of what one of the median tells: a
/// build costs more than the difference.
const KEEP: f64 = 0.9;

/// Rules of a bisection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BisectionRules {
    /// Elo of the change, in the view of the later commit: below zero for a loss.
    pub elo: f64,
    /// Posterior probability at which the search ends, below 1.
    pub confidence: f64,
    /// Elo model of `elo`.
    pub model: Model,
    /// Number of pairs of a round.
    pub round_pairs: u64,
    /// Pairs after which the search ends without a result.
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

/// A bisection and its results so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    rules: BisectionRules,
    test: Sprt,
    /// Pairs of each commit against the good one, in the commit's view.
    pairs: Vec<Pentanomial>,
    /// Probability that the change is each commit, and last that there is none.
    posterior: Vec<f64>,
    /// The commit of the last round.
    last: Option<usize>,
}

impl Bisection {
    /// A bisection of this number of commits, before its first game.
    ///
    /// # Errors
    /// If Elo and confidence make no test.
    pub fn new(rules: BisectionRules, commits: usize) -> Result<Bisection, SprtError> {
        let error = 1.0 - rules.confidence;
        let test = Sprt::new(rules.elo.min(0.0), rules.elo.max(0.0), error, error, rules.model)?;
        let posterior = vec![1.0 / (commits + 1) as f64; commits + 1];
        Ok(Bisection { rules, test, pairs: vec![Pentanomial::default(); commits], posterior, last: None })
    }

    /// Rules of the bisection.
    pub fn rules(&self) -> &BisectionRules {
        &self.rules
    }

    /// The pairs of each commit against the good one, in the commit's view.
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

    /// The probability that no commit is.
    pub fn no_change(&self) -> f64 {
        self.posterior[self.pairs.len()]
    }

    /// Result so far.
    pub fn verdict(&self) -> BisectionVerdict {
        match self.posterior.iter().position(|&probability| probability >= self.rules.confidence) {
            None => BisectionVerdict::Undecided,
            Some(commit) if commit < self.pairs.len() => BisectionVerdict::Found(commit),
            Some(_) => BisectionVerdict::NoChange,
        }
    }

    /// Whether it is undecided and may still play.
    pub fn is_open(&self) -> bool {
        self.verdict() == BisectionVerdict::Undecided && self.pairs_left() > 0
    }

    fn pairs_left(&self) -> u64 {
        self.rules.most_pairs.saturating_sub(self.all_pairs().pairs())
    }

    /// The next round, of one commit; `None` at the end.
    pub fn next_round(&self) -> Option<RaceRound> {
        if !self.is_open() {
            return None;
        }
        // How evenly the games of each commit split the hypotheses, which is what they can tell.
        let splits: Vec<f64> = self
            .probabilities()
            .iter()
            .scan(0.0, |changed, probability| {
                *changed += probability;
                Some(*changed * (1.0 - *changed))
            })
            .collect();
        let median = (0..splits.len()).max_by(|&a, &b| splits[a].total_cmp(&splits[b]))?;
        let commit = self.last.filter(|&last| splits[last] >= KEEP * splits[median]).unwrap_or(median);
        let pairs = self.rules.round_pairs.max(1).min(self.pairs_left());
        Some(RaceRound { candidates: vec![commit], pairs })
    }

    /// Counts a complete round: the pairs of each commit that played, in its view.
    pub fn add_round(&mut self, results: &[(usize, Pentanomial)]) {
        for &(commit, pairs) in results {
            self.pairs[commit] += pairs;
            self.last = Some(commit);
        }
        self.posterior = self.updated();
    }

    /// Bayes' rule for all pairs. How drawish the games are is estimated from all of them together.
    fn updated(&self) -> Vec<f64> {
        let pooled = self.all_pairs();
        let increments =
            self.test.pair_increments(&pooled).filter(|_| pooled.pairs() > 0).unwrap_or_default();
        let sign = self.rules.elo.signum();
        let evidence = |pairs: &Pentanomial| -> f64 {
            pairs.0.iter().zip(increments).map(|(&count, increment)| sign * count as f64 * increment).sum()
        };
        // Where the change is this commit, it and all later ones have the Elo of the change.
        let mut logarithms = vec![0.0; self.pairs.len() + 1];
        for (commit, pairs) in self.pairs.iter().enumerate().rev() {
            logarithms[commit] = logarithms[commit + 1] + evidence(pairs);
        }
        let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logarithms.iter().map(|logarithm| (logarithm - greatest).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::Elo;
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

    /// Searches with the change at a commit, or at none; also how many commits were built.
    fn search(
        rules: BisectionRules,
        commits: usize,
        change: usize,
        elo: f64,
        seed: u64,
    ) -> (Bisection, usize) {
        let mut random = SplitMix::stream(seed, change as u64);
        let mut bisection = Bisection::new(rules, commits).unwrap();
        while let Some(RaceRound { candidates, pairs }) = bisection.next_round() {
            let [commit] = candidates[..] else { panic!("one commit plays") };
            let elo = if commit >= change { elo } else { 0.0 };
            bisection.add_round(&[(commit, draw(elo, pairs, &mut random))]);
        }
        let built = bisection.pairs().iter().filter(|pairs| pairs.pairs() > 0).count();
        (bisection, built)
    }

    /// Mean games of the test of the same question about one commit with this Elo.
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
            assert_eq!(search(rules, 9, change, -80.0, 1).0.verdict(), BisectionVerdict::Found(change));
            let gain = BisectionRules { elo: 80.0, ..rules };
            assert_eq!(search(gain, 9, change, 80.0, 2).0.verdict(), BisectionVerdict::Found(change));
        }
        assert_eq!(search(rules, 9, 9, 0.0, 3).0.verdict(), BisectionVerdict::NoChange);
        let short = BisectionRules { most_pairs: 20, ..rules };
        let (bisection, _) = search(short, 9, 3, -80.0, 4);
        assert_eq!((bisection.verdict(), bisection.all_pairs().pairs()), (BisectionVerdict::Undecided, 20));
    }

    #[test]
    fn the_first_round_halves_the_range_and_even_games_say_little() {
        let mut bisection = Bisection::new(RULES, 7).unwrap();
        assert_eq!(bisection.next_round(), Some(RaceRound { candidates: vec![3], pairs: 64 }));
        bisection.add_round(&[(3, Pentanomial([3, 14, 30, 14, 3]))]);
        let probabilities = bisection.probabilities();
        assert!((probabilities.iter().sum::<f64>() + bisection.no_change() - 1.0).abs() < 1e-12);
        // What the round says of the fourth commit holds for all before it, and the reverse for all after it.
        assert!(probabilities[..4].iter().all(|&probability| (probability - probabilities[0]).abs() < 1e-12));
        assert!(probabilities[0] < 0.125 && probabilities[4] > 0.125, "{probabilities:?}");
    }

    #[test]
    #[ignore = "needs minutes"]
    fn many_runs_find_the_loss_among_forty_commits() {
        const RUNS: u64 = 4000;
        let (mut right, mut games, mut built) = (0, 0, 0);
        for run in 0..RUNS {
            let change = (run % 40) as usize;
            let (bisection, commits) = search(RULES, 40, change, -8.0, run);
            right += u64::from(bisection.verdict() == BisectionVerdict::Found(change));
            games += bisection.all_pairs().games();
            built += commits;
        }
        let (right, games) = (right as f64 / RUNS as f64, games as f64 / RUNS as f64);
        let [of_loss, halfway] = [-8.0, -4.0].map(|elo| games_of_a_test(elo, RUNS));
        println!(
            "right {right:.3}, games {games:.0}, commits built {:.1}; one test: {of_loss:.0} games at the loss, {halfway:.0} halfway",
            built as f64 / RUNS as f64
        );
        assert!(right >= 0.95 && games < 3.8 * halfway, "{right} {games} {halfway}");
    }
}
