//! Tournaments whose next round depends on results. All games of a round end before the next one is paired, so that
//! pairings depend on results alone, at any concurrency and after any interruption.

use super::candidates::CandidateRounds;
use super::knockout;
use super::pairings::{NextRound, PlayedRound};
use super::rules::PairingRules;
use super::swiss;

/// How the next round is paired.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RoundSystem {
    /// Winners advance; a level pairing gets at most this number of tiebreak pairs.
    Knockout { tiebreak_pairs: u32 },
    /// Swiss system with this number of rounds.
    Swiss { rounds: u32 },
    /// Candidates of a race or a bisection meet their base until they are decided.
    Candidates(Box<CandidateRounds>),
}

impl RoundSystem {
    /// The round after these complete ones; `None` at the end. `seeds` lists the entrants, best seed first.
    pub(super) fn next(
        &mut self,
        seeds: &[usize],
        rules: &PairingRules,
        played: &[PlayedRound],
    ) -> Option<NextRound> {
        match self {
            RoundSystem::Knockout { tiebreak_pairs } => {
                knockout::next(seeds, rules.games, *tiebreak_pairs, played)
            }
            RoundSystem::Swiss { rounds } => swiss::next(seeds, rules.games, *rounds, played),
            RoundSystem::Candidates(rounds) => rounds.begin_round(),
        }
    }

    /// Minimum number of games, given the known rounds.
    pub(super) fn games(&self, entrants: usize, games_each: u32, known: &[PlayedRound]) -> u32 {
        let entrants = u32::try_from(entrants).unwrap_or(u32::MAX);
        match self {
            RoundSystem::Swiss { rounds } => rounds.saturating_mul(entrants / 2).saturating_mul(games_each),
            RoundSystem::Candidates(_) => {
                let games = |played: &PlayedRound| played.games * played.pairings.len() as u32;
                known.iter().map(games).sum()
            }
            RoundSystem::Knockout { .. } => {
                let further = known.iter().enumerate().filter(|(index, played)| {
                    index.checked_sub(1).is_some_and(|before| known[before].round == played.round)
                });
                let further: u32 =
                    further.map(|(_, played)| played.games * played.pairings.len() as u32).sum();
                entrants.saturating_sub(1).saturating_mul(games_each).saturating_add(further)
            }
        }
    }
}
