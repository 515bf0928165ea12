//! The rounds of a race: which candidates meet the base next follows from the pairs of all complete rounds. Each candidate
//! plays the openings in the same order, from the first on, so that all are compared on the same ones. What the pairs
//! mean is decided by [`Race`].

use std::collections::HashMap;

use smalt_stats::race::{Race, RaceRound};
use smalt_stats::{Outcome, Pentanomial};

use super::ScheduledGame;
use super::pairings::{Encounter, NextRound, Pairing};
use crate::plan::Lead;

/// A race and the pairs of its current round.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceRounds {
    race: Race,
    /// Indices of the plan's entrants.
    candidates: Vec<usize>,
    base: usize,
    rounds: u32,
    current: Vec<(usize, Pentanomial)>,
    /// The first game of each unfinished pair, in the view of the candidate.
    half_pairs: HashMap<u32, Outcome>,
}

impl RaceRounds {
    pub(super) fn new(race: Race, candidates: Vec<usize>, base: usize) -> RaceRounds {
        RaceRounds { race, candidates, base, rounds: 0, current: Vec::new(), half_pairs: HashMap::new() }
    }

    /// The race by all complete rounds.
    pub fn race(&self) -> &Race {
        &self.race
    }

    /// The entrants that race, by the candidate's number.
    pub fn candidates(&self) -> &[usize] {
        &self.candidates
    }

    /// The entrant that all of them meet.
    pub fn base(&self) -> usize {
        self.base
    }

    /// The greatest number of openings that a candidate can come to use.
    pub(super) fn openings(&self) -> u32 {
        let rules = self.race.rules();
        u32::try_from(rules.most_pairs.saturating_add(rules.estimate_pairs)).unwrap_or(u32::MAX)
    }

    /// Counts the round that is complete, and begins the next one; nothing once the race is over.
    pub(super) fn begin_round(&mut self) -> Option<NextRound> {
        self.race.add_round(&std::mem::take(&mut self.current));
        let RaceRound { candidates, pairs } = self.race.next_round()?;
        let encounter = |&candidate: &usize| Encounter {
            pairing: Pairing { first: self.candidates[candidate], second: self.base },
            lead: Lead::First,
            first_opening: u32::try_from(self.race.candidates()[candidate].all_pairs().pairs()).ok(),
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
