//! Tournaments whose next round follows from the results of those before: what they remember, and what they decide.
//! A round is a barrier: nobody goes on before all its games are over, so that the pairings follow from the results
//! alone, at any concurrency and after any interruption.

use super::knockout;
use super::pairings::{Encounter, Pairing};
use super::rules::EncounterRules;
use super::swiss;

/// How the next round is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoundSystem {
    /// Winners go on; a level encounter goes on by so many further pairs at most.
    Knockout { tiebreak_pairs: u32 },
    /// All go on, and meet those with about as many points, for so many rounds.
    Swiss { rounds: u32 },
}

/// Games that were played between two barriers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedRound {
    /// The round, from 0. The further pairs of a knockout's level encounters are of the same round.
    pub round: u32,
    /// Who met, with what result.
    pub encounters: Vec<EncounterScore>,
    /// How many games each of these encounters had.
    pub games: u32,
}

/// What two made of their games, in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncounterScore {
    /// Who met.
    pub pairing: Pairing,
    /// Half points of the first.
    pub first: u32,
    /// Half points of the second.
    pub second: u32,
}

impl EncounterScore {
    /// Nothing played yet.
    pub(super) fn new(pairing: Pairing) -> EncounterScore {
        EncounterScore { pairing, first: 0, second: 0 }
    }

    /// The half points of one of the two.
    pub fn of(&self, entrant: usize) -> u32 {
        if entrant == self.pairing.first { self.first } else { self.second }
    }

    /// Who did not play whom it was not.
    pub fn other(&self, entrant: usize) -> usize {
        if entrant == self.pairing.first { self.pairing.second } else { self.pairing.first }
    }
}

/// The next games of a course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NextRound {
    pub round: u32,
    pub encounters: Vec<Encounter>,
    pub games: u32,
}

impl RoundSystem {
    /// What follows after these complete rounds; nothing if the tournament is over. `seeds` lists the entrants, the
    /// best seed first.
    pub(super) fn next(
        self,
        seeds: &[usize],
        terms: &EncounterRules,
        played: &[PlayedRound],
    ) -> Option<NextRound> {
        match self {
            RoundSystem::Knockout { tiebreak_pairs } => {
                knockout::next(seeds, terms.games, tiebreak_pairs, played)
            }
            RoundSystem::Swiss { rounds } => swiss::next(seeds, terms.games, rounds, played),
        }
    }

    /// How many games there will be at least, given those rounds that are known.
    pub(super) fn games(self, entrants: usize, games_each: u32, known: &[PlayedRound]) -> u32 {
        let entrants = u32::try_from(entrants).unwrap_or(u32::MAX);
        match self {
            RoundSystem::Swiss { rounds } => rounds.saturating_mul(entrants / 2).saturating_mul(games_each),
            RoundSystem::Knockout { .. } => {
                let further = known.iter().enumerate().filter(|(index, played)| {
                    index.checked_sub(1).is_some_and(|before| known[before].round == played.round)
                });
                let further: u32 =
                    further.map(|(_, played)| played.games * played.encounters.len() as u32).sum();
                entrants.saturating_sub(1).saturating_mul(games_each).saturating_add(further)
            }
        }
    }
}
