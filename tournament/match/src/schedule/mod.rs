//! Who plays whom in which game, from which opening: a pure function of the plan's numbers, and for a knockout or a
//! Swiss tournament of the results of complete rounds.
//!
//! Every game has a number, from 0, and every pair of games (one opening, both colors) too; all else follows from it,
//! so that a run can be resumed, and spread over machines, by numbers alone. All encounters take turns, so that all
//! entrants have played about as many games whenever a run is stopped. Knows no names, engines or positions.

mod block;
pub mod knockout;
mod openings;
mod pairings;
mod rounds;
mod rules;
pub mod swiss;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use block::{BlockStart, EncounterBlock, RoundNames};
pub use openings::OpeningOrder;
pub(crate) use openings::below;
use openings::shuffle;
use pairings::Encounter;
pub use pairings::{GauntletSide, Pairing};
use rounds::RoundSystem;
pub use rounds::{EncounterScore, PlayedRound};
pub use rules::EncounterRules;

use crate::plan::{OpeningPolicy, Repeat};

/// Who meets whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairingScheme {
    /// Challengers and opponents: the side of each entrant.
    Gauntlet(Vec<GauntletSide>),
    /// So many, everybody and everybody.
    RoundRobin(usize),
    /// So many, each against all before it, one newcomer after the other.
    Pyramid(usize),
    /// So many; who wins an encounter goes on.
    Knockout {
        /// How many there are.
        entrants: usize,
        /// How many further pairs a level encounter has at most.
        tiebreak_pairs: u32,
    },
    /// So many; those meet who have about as many points.
    Swiss {
        /// How many there are.
        entrants: usize,
    },
}

/// In which order encounters come, or who is seeded where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// In the order of the entrants.
    AsListed,
    /// As a seed shuffles it.
    Shuffled(u64),
}

/// All games of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    terms: EncounterRules,
    blocks: Vec<EncounterBlock>,
    course: Option<ResultDriven>,
}

/// A tournament that goes on by results.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ResultDriven {
    system: RoundSystem,
    /// The entrants, the best seed first.
    seeds: Vec<usize>,
    /// One for each block.
    played: Vec<PlayedRound>,
    /// Games of the last block that are not over.
    missing: BTreeSet<u32>,
}

/// How far a tournament is that goes on by results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TournamentProgress {
    /// The bracket.
    Knockout(Vec<knockout::BracketRound>),
    /// The table, and the rounds with all that was played of the last one.
    Swiss {
        /// Everybody by points.
        places: Vec<swiss::SwissStanding>,
        /// How many rounds there will be.
        rounds: u32,
        /// How many are over.
        complete: u32,
    },
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScheduledGame {
    /// Its number, from 0.
    pub number: u32,
    /// The number of its pair, from 0.
    pub pair: u32,
    /// The round, from 0. In a knockout or Swiss tournament that of the tournament, else how many pairs this pairing
    /// has played before.
    pub round: u32,
    /// Who has White: an index of the plan's entrants.
    pub white: usize,
    /// Who has Black.
    pub black: usize,
    /// Which of the openings of the run, in the order in which they are used, from 0.
    pub opening: usize,
}

/// Games that belong together: one opening, both colors; or a single game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScheduledPair {
    /// Its number, from 0.
    pub number: u32,
    /// The number of its first game.
    pub first_game: u32,
    /// How many games it has: 2 or 1.
    pub games: u32,
}

impl ScheduledPair {
    /// The numbers of its games.
    pub fn numbers(&self) -> Range<u32> {
        self.first_game..self.first_game + self.games
    }
}

impl Schedule {
    /// A schedule in which everything is gone through so many times; a Swiss tournament has so many rounds, and a
    /// knockout as many as it takes.
    pub fn new(meeting: PairingScheme, terms: EncounterRules, rounds: u32, sequence: Sequence) -> Schedule {
        let empty = Schedule { terms, blocks: Vec::new(), course: None };
        let shuffled = |mut encounters: Vec<Encounter>| {
            sequence.apply(&mut encounters);
            encounters
        };
        match meeting {
            PairingScheme::Gauntlet(sides) => empty.with(shuffled(pairings::gauntlet(&sides)), rounds),
            PairingScheme::RoundRobin(entrants) => {
                empty.with(shuffled(pairings::round_robin(entrants)), rounds)
            }
            PairingScheme::Pyramid(entrants) => pairings::pyramid(entrants)
                .into_iter()
                .fold(empty, |schedule, encounters| schedule.with(shuffled(encounters), rounds)),
            PairingScheme::Knockout { entrants, tiebreak_pairs } => {
                empty.by_results(RoundSystem::Knockout { tiebreak_pairs }, entrants, sequence)
            }
            PairingScheme::Swiss { entrants } => {
                empty.by_results(RoundSystem::Swiss { rounds }, entrants, sequence)
            }
        }
    }

    fn with(mut self, encounters: Vec<Encounter>, cycles: u32) -> Schedule {
        let start = self.end();
        let rounds = RoundNames::Units;
        self.blocks.push(EncounterBlock { encounters, terms: self.terms, cycles, start, rounds });
        self
    }

    fn by_results(mut self, system: RoundSystem, entrants: usize, sequence: Sequence) -> Schedule {
        let mut seeds: Vec<usize> = (0..entrants).collect();
        sequence.apply(&mut seeds);
        self.course = Some(ResultDriven { system, seeds, played: Vec::new(), missing: BTreeSet::new() });
        self.grow();
        self
    }

    fn end(&self) -> BlockStart {
        self.blocks.last().map_or_else(BlockStart::default, EncounterBlock::end)
    }

    /// Adds the next round if all that is known is over.
    fn grow(&mut self) {
        let start = self.end();
        let Some(course) = &mut self.course else { return };
        let Some(next) = course.system.next(&course.seeds, &self.terms, &course.played) else { return };
        let scores = next.encounters.iter().map(|encounter| EncounterScore::new(encounter.pairing)).collect();
        course.played.push(PlayedRound { round: next.round, encounters: scores, games: next.games });
        let terms = EncounterRules { games: next.games, ..self.terms };
        let rounds = RoundNames::Whole(next.round);
        let block = EncounterBlock { encounters: next.encounters, terms, cycles: 1, start, rounds };
        course.missing = block.game_numbers().collect();
        self.blocks.push(block);
    }

    /// Takes note of a result: what White made of the game, in half points. The same game may be told again. When a
    /// round is complete, the next one is known.
    pub fn record(&mut self, game: u32, white_half_points: u32) {
        let (Some(course), Some(block)) = (&mut self.course, self.blocks.last()) else { return };
        if !course.missing.remove(&game) {
            return;
        }
        let scheduled = block.game(game);
        let played = course.played.last_mut().expect("every block has its scores");
        let score = &mut played.encounters[block.encounter_of_game(game)];
        let white = white_half_points.min(2);
        let first_is_white = scheduled.white == score.pairing.first;
        score.first += if first_is_white { white } else { 2 - white };
        score.second += if first_is_white { 2 - white } else { white };
        if course.missing.is_empty() {
            self.grow();
        }
    }

    /// How many games there are; of a knockout no less than there will be.
    pub fn games(&self) -> u32 {
        match &self.course {
            Some(course) => course.system.games(course.seeds.len(), self.terms.games, &course.played),
            None => self.end().game,
        }
    }

    /// How many pairs are known. Where it goes by results, more follow when all known games are over.
    pub fn pairs(&self) -> u32 {
        self.end().pair
    }

    /// The greatest number of openings that it can come to use.
    pub fn openings(&self) -> u32 {
        let Some(course) = &self.course else {
            let end = |block: &EncounterBlock| block.start.opening.saturating_add(block.openings());
            return self.blocks.iter().map(end).max().unwrap_or(0);
        };
        let entrants = u32::try_from(course.seeds.len()).unwrap_or(u32::MAX);
        let units = |games: u32| games.div_ceil(self.terms.unit_games());
        let (rounds, encounters, further) = match course.system {
            RoundSystem::Swiss { rounds } => (rounds, rounds.saturating_mul(entrants / 2), 0),
            RoundSystem::Knockout { tiebreak_pairs } => {
                (entrants.next_power_of_two().ilog2(), entrants.saturating_sub(1), tiebreak_pairs)
            }
        };
        match self.terms.policy {
            OpeningPolicy::Round => {
                rounds.saturating_mul(units(self.terms.games) + further.saturating_mul(units(2)))
            }
            OpeningPolicy::Pair => {
                encounters.saturating_mul(units(self.terms.games) + further.saturating_mul(units(2)))
            }
            OpeningPolicy::Encounter => encounters.saturating_mul(1 + further),
        }
    }

    /// Who meets whom, as far as it is known; each once, in order.
    pub fn pairings(&self) -> Vec<Pairing> {
        let encounters = self.blocks.iter().flat_map(|block| &block.encounters);
        encounters.map(|encounter| encounter.pairing).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// How many games each pairing has, as far as they are known.
    pub fn games_by_pairing(&self) -> BTreeMap<Pairing, u64> {
        let mut games = BTreeMap::new();
        for block in &self.blocks {
            for encounter in &block.encounters {
                *games.entry(encounter.pairing).or_default() += block.games_of_an_encounter();
            }
        }
        games
    }

    /// Whether two games of an opening belong together, so that they can be counted as one.
    pub fn repeat(&self) -> Repeat {
        self.terms.repeat
    }

    /// Whether pairs are the unit of statistics: not where each game has its own opening, nor where an odd number of games
    /// leaves one of every encounter without a partner.
    pub fn counts_pairs(&self) -> bool {
        self.terms.repeat == Repeat::Pairs && self.terms.games.is_multiple_of(2)
    }

    /// Whether later games follow from the results of earlier ones.
    pub fn goes_by_results(&self) -> bool {
        self.course.is_some()
    }

    /// How far it is, if it goes by results.
    pub fn progress(&self) -> Option<TournamentProgress> {
        let course = self.course.as_ref()?;
        let games = self.terms.games;
        Some(match course.system {
            RoundSystem::Knockout { tiebreak_pairs } => TournamentProgress::Knockout(knockout::bracket(
                &course.seeds,
                games,
                tiebreak_pairs,
                &course.played,
            )),
            RoundSystem::Swiss { rounds } => {
                let begun = u32::try_from(course.played.len()).unwrap_or(u32::MAX);
                TournamentProgress::Swiss {
                    places: swiss::places(&course.seeds, games, &course.played),
                    rounds,
                    complete: begun - u32::from(!course.missing.is_empty()),
                }
            }
        })
    }

    /// The pair of this number, if it is known.
    pub fn pair(&self, number: u32) -> Option<ScheduledPair> {
        let index = self.blocks.partition_point(|block| block.pair_numbers().end <= number);
        self.blocks.get(index).map(|block| block.pair(number))
    }

    /// The game of this number, if it is known.
    pub fn game(&self, number: u32) -> Option<ScheduledGame> {
        let index = self.blocks.partition_point(|block| block.game_numbers().end <= number);
        self.blocks.get(index).map(|block| block.game(number))
    }

    /// The games of a pair.
    pub fn games_of(&self, pair: ScheduledPair) -> impl Iterator<Item = ScheduledGame> + '_ {
        pair.numbers().filter_map(|number| self.game(number))
    }
}

impl Sequence {
    fn apply<T>(self, list: &mut [T]) {
        if let Sequence::Shuffled(seed) = self {
            shuffle(list, seed);
        }
    }
}

#[cfg(test)]
mod tests;
