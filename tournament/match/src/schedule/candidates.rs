//! Rounds of candidates against one base, in a race or a bisection. [`Race`] or [`Bisection`] selects the candidates
//! of the next round from the pairs of all complete rounds.

use std::collections::HashMap;

use smalt_stats::bisection::Bisection;
use smalt_stats::race::{Race, RaceRound};
use smalt_stats::{GameResult, Pentanomial};

use super::ScheduledGame;
use super::pairings::{NextRound, Pairing, ScheduledPairing};
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
    /// First game of each unfinished pair, from the candidate's view.
    half_pairs: HashMap<u32, GameResult>,
}

impl Selection {
    /// Whether undecided candidates may still play.
    pub(crate) fn is_open(&self) -> bool {
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

    /// Number of pairs before the candidate's next one in the order of openings. Each candidate of a race starts at
    /// the first opening, so that all play the same ones. Commits of a bisection may play identical moves, and copies
    /// of games are no evidence: openings repeat only after the whole book is used.
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

    /// The race or bisection after all complete rounds.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// Entrants by candidate number.
    pub(crate) fn candidates(&self) -> &[usize] {
        &self.candidates
    }

    /// The entrant that all candidates meet.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// Maximum number of openings used.
    pub(super) fn openings(&self) -> u32 {
        u32::try_from(self.selection.most_openings()).unwrap_or(u32::MAX)
    }

    /// Adds the complete round and starts the next one; `None` once all is decided.
    pub(super) fn begin_round(&mut self) -> Option<NextRound> {
        self.selection.add_round(&std::mem::take(&mut self.current));
        let RaceRound { candidates, pairs } = self.selection.next_round()?;
        let scheduled = |&candidate: &usize| ScheduledPairing {
            pairing: Pairing { first: self.candidates[candidate], second: self.base },
            lead: Lead::First,
            first_opening: u32::try_from(self.selection.earlier_pairs(candidate)).ok(),
        };
        let pairings = candidates.iter().map(scheduled).collect();
        self.current = candidates.into_iter().map(|number| (number, Pentanomial::default())).collect();
        let round = self.rounds;
        self.rounds += 1;
        Some(NextRound { round, pairings, games: u32::try_from(2 * pairs).unwrap_or(u32::MAX) })
    }

    /// Adds a game of the current round, in half points of the candidate.
    pub(super) fn record(&mut self, game: ScheduledGame, half_points: u32) {
        let outcome = match half_points {
            0 => GameResult::Loss,
            1 => GameResult::Draw,
            _ => GameResult::Win,
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
