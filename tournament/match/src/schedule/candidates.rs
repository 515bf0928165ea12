//! Rounds of candidates against one base: those of a race, or of a bisection. Which candidates meet the base next follows
//! from the pairs of all complete rounds; [`Race`] and [`Bisection`] decide it.

use std::collections::HashMap;

use smalt_stats::bisection::Bisection;
use smalt_stats::race::{Race, RaceRound};
use smalt_stats::{Outcome, Pentanomial};

use super::ScheduledGame;
use super::pairings::{Encounter, NextRound, Pairing};
use crate::plan::Lead;

/// State that selects the candidates of the next round.
#[derive(Clone, Debug, PartialEq)]
pub enum Selection {
    Race(Race),
    Bisection(Bisection),
}

/// A race or a bisection, and the pairs of its current round.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateRounds {
    selection: Selection,
    /// Indices of the plan's entrants.
    candidates: Vec<usize>,
    base: usize,
    rounds: u32,
    current: Vec<(usize, Pentanomial)>,
    /// The first game of each unfinished pair, in the view of the candidate.
    half_pairs: HashMap<u32, Outcome>,
}

impl Selection {
    /// Whether candidates are still to be decided, and may be.
    pub fn is_open(&self) -> bool {
        match self {
            Selection::Race(race) => race.is_open(),
            Selection::Bisection(bisection) => bisection.is_open(),
        }
    }

    fn add_round(&mut self, results: &[(usize, Pentanomial)]) {
        match self {
            Selection::Race(race) => race.add_round(results),
            Selection::Bisection(bisection) => bisection.add_round(results),
        }
    }

    fn next_round(&self) -> Option<RaceRound> {
        match self {
            Selection::Race(race) => race.next_round(),
            Selection::Bisection(bisection) => bisection.next_round(),
        }
    }

    /// The pairs that come before the next one of a candidate in the order of openings. Each candidate of a race plays the
    /// openings from the first on, so that all are compared on the same ones. Commits of a bisection may play the same
    /// moves, and copies of games say nothing new: no opening comes twice before the book is through.
    fn earlier_pairs(&self, candidate: usize) -> u64 {
        match self {
            Selection::Race(race) => race.candidates()[candidate].all_pairs().pairs(),
            Selection::Bisection(bisection) => bisection.all_pairs().pairs(),
        }
    }

    fn most_openings(&self) -> u64 {
        match self {
            Selection::Race(race) => race.rules().most_pairs.saturating_add(race.rules().estimate_pairs),
            Selection::Bisection(bisection) => bisection.rules().most_pairs,
        }
    }
}

impl CandidateRounds {
    pub(super) fn new(selection: Selection, candidates: Vec<usize>, base: usize) -> CandidateRounds {
        let (current, half_pairs) = (Vec::new(), HashMap::new());
        CandidateRounds { selection, candidates, base, rounds: 0, current, half_pairs }
    }

    /// The race or bisection by all complete rounds.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The entrants of this number of candidates.
    pub fn candidates(&self) -> &[usize] {
        &self.candidates
    }

    /// The entrant that all of them meet.
    pub fn base(&self) -> usize {
        self.base
    }

    /// The greatest number of openings that can come to be used.
    pub(super) fn openings(&self) -> u32 {
        u32::try_from(self.selection.most_openings()).unwrap_or(u32::MAX)
    }

    /// Counts the complete round, and starts the next one; `None` once all is decided.
    pub(super) fn begin_round(&mut self) -> Option<NextRound> {
        self.selection.add_round(&std::mem::take(&mut self.current));
        let RaceRound { candidates, pairs } = self.selection.next_round()?;
        let encounter = |&candidate: &usize| Encounter {
            pairing: Pairing { first: self.candidates[candidate], second: self.base },
            lead: Lead::First,
            first_opening: u32::try_from(self.selection.earlier_pairs(candidate)).ok(),
        };
        let encounters = candidates.iter().map(encounter).collect();
        self.current = candidates.into_iter().map(|number| (number, Pentanomial::default())).collect();
        let round = self.rounds;
        self.rounds += 1;
        Some(NextRound { round, encounters, games: u32::try_from(2 * pairs).unwrap_or(u32::MAX) })
    }

    /// Counts a game of the current round, in half points of the candidate.
    pub(super) fn record(&mut self, game: ScheduledGame, half_points: u32) {
        let outcome = match half_points {
            0 => Outcome::Loss,
            1 => Outcome::Draw,
            _ => Outcome::Win,
        };
        let Some(first) = self.half_pairs.remove(&game.pair) else {
            self.half_pairs.insert(game.pair, outcome);
            return;
        };
        let plays = |entrant: usize| entrant == game.white || entrant == game.black;
        let of_game = self.current.iter_mut().find(|(candidate, _)| plays(self.candidates[*candidate]));
        if let Some((_, pairs)) = of_game {
            pairs.record(first, outcome);
        }
    }
}
