//! The sequential test of a run, over complete pairs in order of their numbers.
//!
//! Early finishers are a biased sample: draws last longer than quick wins. A pair is therefore counted only after all
//! earlier pairs, and the first pair that decides the test is the last: pairs in progress or finished out of order
//! stay in the store and the tables, but never change the verdict. The verdict is thus the same at any concurrency
//! and after a resume.

use std::collections::BTreeMap;

use smalt_stats::sprt::Model;
use smalt_stats::{Counts, Pentanomial, Sprt, Verdict, Wdl};

use super::TestState;
use super::curve::{LlrPoint, Unit};

/// A sequential test with its counts.
#[derive(Clone, Debug)]
pub(super) struct SequentialTest {
    sprt: Sprt,
    pairs: Pentanomial,
    games: Wdl,
    verdict: Verdict,
    next: u32,
    /// Complete pairs that finished early; at most as many as are played at once.
    waiting: BTreeMap<u32, Unit>,
    curve: Vec<LlrPoint>,
}

impl SequentialTest {
    /// A test that starts from these results.
    pub(super) fn new(sprt: Sprt, games: Wdl, pairs: Pentanomial) -> SequentialTest {
        SequentialTest {
            sprt,
            pairs,
            games,
            verdict: Verdict::Continue,
            next: 0,
            waiting: BTreeMap::new(),
            curve: Vec::new(),
        }
    }

    /// Adds a complete pair (a single game if openings are not repeated) from the first entrant's view.
    pub(super) fn add(&mut self, number: u32, unit: Unit) {
        if self.verdict != Verdict::Continue {
            return;
        }
        self.waiting.insert(number, unit);
        while self.verdict == Verdict::Continue
            && let Some(unit) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            unit.count(&mut self.games, &mut self.pairs);
            let llr = self.llr();
            self.curve.push(LlrPoint { games: self.games.games(), llr });
            self.verdict = self.sprt.verdict(llr);
        }
    }

    pub(super) fn curve(&self) -> &[LlrPoint] {
        &self.curve
    }

    /// Pentanomial counts, or game counts for the BayesElo model.
    fn counts(&self) -> Counts {
        let is_pairs = self.pairs.games() == self.games.games() && self.sprt.model() != Model::BayesElo;
        if is_pairs { Counts::Pairs(self.pairs) } else { Counts::Games(self.games) }
    }

    fn llr(&self) -> f64 {
        self.sprt.llr_of(&self.counts()).expect("pairs are counted only in models that know them")
    }

    pub(super) fn state(&self) -> TestState {
        TestState {
            sprt: self.sprt,
            llr: self.llr(),
            verdict: self.verdict,
            games: self.games.games(),
            counts: self.counts(),
        }
    }
}

/// LLR curve from the first side's point of view, up to the verdict.
pub fn llr_curve(sprt: Sprt, units: impl IntoIterator<Item = Unit>) -> Vec<LlrPoint> {
    let mut test = SequentialTest::new(sprt, Wdl::default(), Pentanomial::default());
    (0..).zip(units).for_each(|(number, unit)| test.add(number, unit));
    test.curve().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_stats::GameResult;

    fn test() -> SequentialTest {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Normalized).unwrap();
        SequentialTest::new(sprt, Wdl::default(), Pentanomial::default())
    }

    #[test]
    fn a_pair_counts_when_all_before_it_have_counted() {
        let mut test = test();
        test.add(1, Unit::Pair(GameResult::Win, GameResult::Win));
        assert_eq!((test.state().games, test.state().llr), (0, 0.0));
        test.add(0, Unit::Pair(GameResult::Loss, GameResult::Win));
        assert_eq!(test.state().games, 4);
    }

    #[test]
    fn a_test_goes_on_from_earlier_results() {
        let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05, Model::Normalized).unwrap();
        let mut resumed = SequentialTest::new(sprt, Wdl::new(3, 0, 1), Pentanomial([0, 0, 1, 0, 1]));
        resumed.add(0, Unit::Pair(GameResult::Win, GameResult::Draw));
        let mut whole = test();
        whole.add(0, Unit::Pair(GameResult::Loss, GameResult::Win));
        whole.add(1, Unit::Pair(GameResult::Win, GameResult::Win));
        whole.add(2, Unit::Pair(GameResult::Win, GameResult::Draw));
        assert_eq!(resumed.state(), whole.state());
    }

    #[test]
    fn the_verdict_is_the_same_whatever_the_order_and_stays() {
        let outcomes = |number: u32| match number % 5 {
            0 => Unit::Pair(GameResult::Win, GameResult::Loss),
            _ => Unit::Pair(GameResult::Win, GameResult::Draw),
        };
        let mut in_turn = test();
        (0..400).for_each(|number| in_turn.add(number, outcomes(number)));
        let mut otherwise = test();
        for block in (0..400).collect::<Vec<u32>>().chunks(7) {
            block.iter().rev().for_each(|&number| otherwise.add(number, outcomes(number)));
        }
        assert_eq!(in_turn.state().verdict, Verdict::AcceptH1);
        assert!(in_turn.state().games < 800);
        assert_eq!(in_turn.state(), otherwise.state());
        assert_eq!(in_turn.curve(), otherwise.curve());
        let last = in_turn.curve().last().unwrap();
        assert_eq!((last.games, last.llr), (in_turn.state().games, in_turn.state().llr));
        (400..800).for_each(|number| in_turn.add(number, Unit::Pair(GameResult::Loss, GameResult::Loss)));
        assert_eq!(in_turn.state(), otherwise.state());
    }
}
