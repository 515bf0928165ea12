//! The schedule: pairings, colors and openings of all games, as a pure function of the plan and, for knockout and
//! Swiss tournaments, races and bisections, of the results of complete rounds.
//!
//! Games and pairs (one opening, both colors) are numbered from 0, and everything else follows from the number, so
//! that a run can be resumed and distributed by numbers alone. Pairings alternate, so that all entrants have played
//! about equally many games at any time.

mod block;
mod candidates;
mod growth;
pub(crate) mod knockout;
mod mersenne;
mod openings;
mod pairings;
mod rounds;
mod rules;
pub(crate) mod swiss;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use block::{BlockStart, PairingBlock, RoundNames};
pub use candidates::{CandidateRounds, Selection};
pub use openings::OpeningOrder;
pub(crate) use openings::below;
use openings::shuffle;
use pairings::PlayedRound;
use pairings::ScheduledPairing;
pub use pairings::{GauntletSide, Pairing, PairingScore};
use rounds::RoundSystem;
pub use rules::PairingRules;

use crate::plan::{OpeningPolicy, Repeat};

#[derive(Clone, Debug, PartialEq)]
pub enum PairingScheme {
    /// Challengers and opponents: the side of each entrant.
    Gauntlet(Vec<GauntletSide>),
    /// Every entrant meets every other; the value is the number of entrants.
    RoundRobin(usize),
    /// Each entrant meets all before it; the value is the number of entrants.
    Pyramid(usize),
    Knockout {
        entrants: usize,
        /// Maximum number of tiebreak pairs.
        tiebreak_pairs: u32,
    },
    Swiss {
        entrants: usize,
    },
    /// Candidates against one base.
    Candidates {
        /// State before the first game.
        selection: Selection,
        /// Entrants that are candidates, in order.
        candidates: Vec<usize>,
        /// Entrant that all candidates meet.
        base: usize,
    },
}

/// Order of pairings, or seeding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    AsListed,
    /// Shuffled with this seed.
    Shuffled(u64),
}

/// All games of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    rules: PairingRules,
    blocks: Vec<PairingBlock>,
    /// Indices of the blocks of newcomers, in ascending order.
    newcomers: Vec<usize>,
    result_driven: Option<ResultDriven>,
}

/// State of a tournament whose pairings depend on results.
#[derive(Clone, Debug, PartialEq)]
struct ResultDriven {
    system: RoundSystem,
    /// Entrants, best seed first.
    seeds: Vec<usize>,
    /// One played round per block.
    played: Vec<PlayedRound>,
    /// Unfinished games of the last block.
    missing: BTreeSet<u32>,
}

/// Progress of a tournament whose pairings depend on results.
#[derive(Clone, Debug, PartialEq)]
pub enum TournamentProgress {
    Knockout(Vec<knockout::BracketRound>),
    Swiss { places: Vec<swiss::SwissStanding>, rounds: u32, complete: u32 },
    Candidates(Box<CandidateRounds>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScheduledGame {
    /// Game number, from 0.
    pub number: u32,
    /// Pair number, from 0.
    pub pair: u32,
    /// Round, from 0: of a knockout or Swiss tournament, otherwise the number of earlier pairs of this pairing.
    pub round: u32,
    /// Index of the entrant with White.
    pub white: usize,
    /// Index of the entrant with Black.
    pub black: usize,
    /// Index of the opening, in order of use, from 0.
    pub opening: usize,
}

/// A pair of games (one opening, both colors), or a single game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScheduledPair {
    /// Pair number, from 0.
    pub number: u32,
    /// Number of its first game.
    pub first_game: u32,
    /// Number of games: 2 or 1.
    pub games: u32,
}

impl ScheduledPair {
    /// Numbers of its games.
    pub(crate) fn numbers(&self) -> Range<u32> {
        self.first_game..self.first_game + self.games
    }
}

impl Schedule {
    /// A schedule whose set of pairings is repeated `rounds` times; a Swiss tournament has that many rounds,
    /// and a knockout as many as it needs.
    pub(crate) fn new(
        meeting: PairingScheme,
        rules: PairingRules,
        rounds: u32,
        sequence: Sequence,
    ) -> Schedule {
        let empty = Schedule { rules, blocks: Vec::new(), newcomers: Vec::new(), result_driven: None };
        let shuffled = |mut pairings: Vec<ScheduledPairing>| {
            sequence.apply(&mut pairings);
            pairings
        };
        match meeting {
            PairingScheme::Gauntlet(sides) => empty.with(shuffled(pairings::gauntlet(&sides)), rounds),
            PairingScheme::RoundRobin(entrants) => {
                let mut pairings = pairings::round_robin(entrants);
                if rules.policy == OpeningPolicy::Cycle {
                    pairings = pairings::as_listed(pairings);
                }
                empty.with(shuffled(pairings), rounds)
            }
            PairingScheme::Pyramid(entrants) => pairings::pyramid(entrants)
                .into_iter()
                .fold(empty, |schedule, pairings| schedule.with(shuffled(pairings), rounds)),
            PairingScheme::Knockout { entrants, tiebreak_pairs } => {
                empty.by_results(RoundSystem::Knockout { tiebreak_pairs }, entrants, sequence)
            }
            PairingScheme::Swiss { entrants } => {
                empty.by_results(RoundSystem::Swiss { rounds }, entrants, sequence)
            }
            PairingScheme::Candidates { selection, candidates, base } => {
                let entrants = candidates.len() + 1;
                let rounds = CandidateRounds::new(selection, candidates, base);
                empty.by_results(RoundSystem::Candidates(Box::new(rounds)), entrants, sequence)
            }
        }
    }

    fn with(mut self, pairings: Vec<ScheduledPairing>, cycles: u32) -> Schedule {
        let start = self.end();
        let rounds = RoundNames::Units;
        self.blocks.push(PairingBlock {
            pairings,
            rules: self.rules,
            cycles,
            start,
            rounds,
            units_before: 0,
        });
        self
    }

    fn by_results(mut self, system: RoundSystem, entrants: usize, sequence: Sequence) -> Schedule {
        let mut seeds: Vec<usize> = (0..entrants).collect();
        sequence.apply(&mut seeds);
        self.result_driven =
            Some(ResultDriven { system, seeds, played: Vec::new(), missing: BTreeSet::new() });
        self.grow();
        self
    }

    fn end(&self) -> BlockStart {
        self.blocks.last().map_or_else(BlockStart::default, PairingBlock::end)
    }

    /// Adds the next round once all known games are finished.
    fn grow(&mut self) {
        let start = self.end();
        let Some(result_driven) = &mut self.result_driven else { return };
        let Some(next) = result_driven.system.next(&result_driven.seeds, &self.rules, &result_driven.played)
        else {
            return;
        };
        let scores = next.pairings.iter().map(|scheduled| PairingScore::new(scheduled.pairing)).collect();
        result_driven.played.push(PlayedRound { round: next.round, pairings: scores, games: next.games });
        let rules = PairingRules { games: next.games, ..self.rules };
        let rounds = RoundNames::Whole(next.round);
        let pairings = next.pairings;
        let block = PairingBlock { pairings, rules, cycles: 1, start, rounds, units_before: 0 };
        result_driven.missing = block.game_numbers().collect();
        self.blocks.push(block);
    }

    /// Records a result in White's half points; repeated calls for a game are ignored. A complete round adds the next
    /// one.
    pub fn record(&mut self, game: u32, white_half_points: u32) {
        let (Some(result_driven), Some(block)) = (&mut self.result_driven, self.blocks.last()) else {
            return;
        };
        if !result_driven.missing.remove(&game) {
            return;
        }
        let scheduled = block.game(game);
        let played = result_driven.played.last_mut().expect("every block has its scores");
        let score = &mut played.pairings[block.pairing_of_game(game)];
        let white = white_half_points.min(2);
        let first_is_white = scheduled.white == score.pairing.first;
        score.first += if first_is_white { white } else { 2 - white };
        score.second += if first_is_white { 2 - white } else { white };
        if let RoundSystem::Candidates(rounds) = &mut result_driven.system {
            let half_points = if first_is_white { white } else { 2 - white };
            rounds.record(scheduled, half_points);
        }
        if result_driven.missing.is_empty() {
            self.grow();
        }
    }

    /// Number of games; for a knockout a lower bound.
    pub fn games(&self) -> u32 {
        match &self.result_driven {
            Some(result_driven) => {
                result_driven.system.games(result_driven.seeds.len(), self.rules.games, &result_driven.played)
            }
            None => self.end().game,
        }
    }

    /// Number of known pairs; in knockout and Swiss tournaments more follow.
    pub fn pairs(&self) -> u32 {
        self.end().pair
    }

    /// Maximum number of openings used.
    pub fn openings(&self) -> u32 {
        let Some(result_driven) = &self.result_driven else {
            let end = |block: &PairingBlock| block.start.opening.saturating_add(block.openings());
            return self.blocks.iter().map(end).max().unwrap_or(0);
        };
        let entrants = u32::try_from(result_driven.seeds.len()).unwrap_or(u32::MAX);
        let units = |games: u32| games.div_ceil(self.rules.unit_games());
        let (rounds, pairings, further) = match result_driven.system {
            RoundSystem::Candidates(ref rounds) => return rounds.openings(),
            RoundSystem::Swiss { rounds } => (rounds, rounds.saturating_mul(entrants / 2), 0),
            RoundSystem::Knockout { tiebreak_pairs } => {
                (entrants.next_power_of_two().ilog2(), entrants.saturating_sub(1), tiebreak_pairs)
            }
        };
        match self.rules.policy {
            OpeningPolicy::Round | OpeningPolicy::Cycle => rounds
                .saturating_mul(units(self.rules.games).saturating_add(further.saturating_mul(units(2)))),
            OpeningPolicy::Pair => pairings
                .saturating_mul(units(self.rules.games).saturating_add(further.saturating_mul(units(2)))),
            OpeningPolicy::Pairing => pairings.saturating_mul(further.saturating_add(1)),
        }
    }

    /// Known pairings without duplicates, in order.
    pub(crate) fn pairings(&self) -> Vec<Pairing> {
        let pairings = self.blocks.iter().flat_map(|block| &block.pairings);
        pairings.map(|scheduled| scheduled.pairing).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Known number of games of each pairing.
    pub(crate) fn games_by_pairing(&self) -> BTreeMap<Pairing, u64> {
        let mut games = BTreeMap::new();
        for block in &self.blocks {
            for scheduled in &block.pairings {
                *games.entry(scheduled.pairing).or_default() += block.games_of_each_pairing();
            }
        }
        games
    }

    pub(crate) fn repeat(&self) -> Repeat {
        self.rules.repeat()
    }

    /// Whether statistics count pairs: no if each game has its own opening, or if an odd number of games leaves one
    /// unpaired.
    pub fn counts_pairs(&self) -> bool {
        self.repeat() == Repeat::Pairs && self.rules.games.is_multiple_of(2)
    }

    /// Whether later pairings depend on results.
    pub fn goes_by_results(&self) -> bool {
        self.result_driven.is_some()
    }

    /// Whether games of disqualified entrants are walkovers, since later pairings depend on them. Games for the
    /// estimate of an accepted candidate are not: no pairing depends on them, and walkovers would distort its Elo.
    pub fn has_walkovers(&self) -> bool {
        self.goes_by_results() && (self.candidates().is_none() || self.is_open_ended())
    }

    /// Whether this is an undecided race or bisection, whose number of games is open.
    pub fn is_open_ended(&self) -> bool {
        self.candidates().is_some_and(|rounds| rounds.selection().is_open())
    }

    /// The race or bisection, if any.
    pub fn candidates(&self) -> Option<&CandidateRounds> {
        match &self.result_driven.as_ref()?.system {
            RoundSystem::Candidates(rounds) => Some(rounds),
            RoundSystem::Knockout { .. } | RoundSystem::Swiss { .. } => None,
        }
    }

    /// Progress of a knockout or Swiss tournament.
    pub(crate) fn progress(&self) -> Option<TournamentProgress> {
        let result_driven = self.result_driven.as_ref()?;
        let games = self.rules.games;
        Some(match result_driven.system {
            RoundSystem::Candidates(ref rounds) => TournamentProgress::Candidates(rounds.clone()),
            RoundSystem::Knockout { tiebreak_pairs } => TournamentProgress::Knockout(knockout::bracket(
                &result_driven.seeds, games, tiebreak_pairs, &result_driven.played,
            )),
            RoundSystem::Swiss { rounds } => {
                let begun = u32::try_from(result_driven.played.len()).unwrap_or(u32::MAX);
                TournamentProgress::Swiss {
                    places: swiss::places(&result_driven.seeds, games, &result_driven.played),
                    rounds,
                    complete: begun - u32::from(!result_driven.missing.is_empty()),
                }
            }
        })
    }

    /// The pair with this number, if known.
    pub(crate) fn pair(&self, number: u32) -> Option<ScheduledPair> {
        let index = self.blocks.partition_point(|block| block.pair_numbers().end <= number);
        self.blocks.get(index).map(|block| block.pair(number))
    }

    /// The game with this number, if known.
    pub fn game(&self, number: u32) -> Option<ScheduledGame> {
        let index = self.blocks.partition_point(|block| block.game_numbers().end <= number);
        self.blocks.get(index).map(|block| block.game(number))
    }

    /// The games of a pair.
    pub(crate) fn games_of(&self, pair: ScheduledPair) -> impl Iterator<Item = ScheduledGame> + '_ {
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
