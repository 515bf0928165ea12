//! A block of pairings with games numbered by arithmetic alone: a whole gauntlet, or one round of a Swiss
//! tournament.

use std::ops::Range;

use super::pairings::ScheduledPairing;
use super::rules::PairingRules;
use super::{ScheduledGame, ScheduledPair};
use crate::plan::{Lead, OpeningPolicy};

/// Pairings with their game numbers. A unit is a pair of games or a single game; the units of all
/// pairings alternate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PairingBlock {
    pub pairings: Vec<ScheduledPairing>,
    pub rules: PairingRules,
    /// Number of repetitions of the set of pairings.
    pub cycles: u32,
    pub start: BlockStart,
    pub rounds: RoundNames,
    /// Number of units of each pairing in earlier blocks: rounds and colors continue from there.
    pub units_before: u32,
}

/// First numbers of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockStart {
    pub game: u32,
    pub pair: u32,
    pub opening: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoundNames {
    /// Each unit of all pairings is a round.
    Units,
    /// The whole block is this round.
    Whole(u32),
}

/// Position of a game or pair in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockPosition {
    cycle: u32,
    unit: u32,
    pairing: u32,
    /// Index of the game in its unit.
    game: u32,
}

impl PairingBlock {
    fn size(&self) -> u32 {
        u32::try_from(self.pairings.len()).unwrap_or(u32::MAX)
    }

    fn units_each(&self) -> u32 {
        self.rules.games.div_ceil(self.rules.unit_games())
    }

    pub(super) fn games(&self) -> u32 {
        self.size().saturating_mul(self.cycles).saturating_mul(self.rules.games)
    }

    /// Games of one pairing in the block.
    pub(super) fn games_of_each_pairing(&self) -> u64 {
        u64::from(self.cycles) * u64::from(self.rules.games)
    }

    pub(super) fn pairs(&self) -> u32 {
        self.size().saturating_mul(self.cycles).saturating_mul(self.units_each())
    }

    /// Number of openings used.
    pub(super) fn openings(&self) -> u32 {
        let units = self.cycles.saturating_mul(self.units_each());
        let shared = units.div_ceil(self.rules.units_per_opening());
        match self.rules.policy {
            OpeningPolicy::Round | OpeningPolicy::Cycle => shared,
            OpeningPolicy::Pair => self.size().saturating_mul(shared),
            OpeningPolicy::Pairing => self.cycles.saturating_mul(self.size()),
        }
    }

    /// Start of the next block. Blocks of the same round share openings.
    pub(super) fn end(&self) -> BlockStart {
        let shares = self.rounds == RoundNames::Units && self.rules.policy == OpeningPolicy::Round;
        BlockStart {
            game: self.start.game.saturating_add(self.games()),
            pair: self.start.pair.saturating_add(self.pairs()),
            opening: self.start.opening.saturating_add(if shares { 0 } else { self.openings() }),
        }
    }

    pub(super) fn game_numbers(&self) -> Range<u32> {
        self.start.game..self.end().game
    }

    pub(super) fn pair_numbers(&self) -> Range<u32> {
        self.start.pair..self.end().pair
    }

    /// Games of a unit: the last one of an odd number is single.
    fn games_of_unit(&self, unit: u32) -> u32 {
        let each = self.rules.unit_games();
        each.min(self.rules.games - unit * each)
    }

    /// The pair with this number, which is in the block.
    pub(super) fn pair(&self, number: u32) -> ScheduledPair {
        let index = number - self.start.pair;
        let (size, units) = (self.size(), self.units_each());
        let (cycle, unit, pairing) = (index / (size * units), index / size % units, index % size);
        let games = self.games_of_unit(unit);
        let before =
            cycle * size * self.rules.games + unit * self.rules.unit_games() * size + pairing * games;
        ScheduledPair { number, first_game: self.start.game + before, games }
    }

    fn place_of_game(&self, number: u32) -> BlockPosition {
        let index = number - self.start.game;
        let (size, each) = (self.size(), self.rules.unit_games());
        let (cycle, left) = (index / (size * self.rules.games), index % (size * self.rules.games));
        let unit = (left / (each * size)).min(self.units_each() - 1);
        let left = left - unit * each * size;
        let games = self.games_of_unit(unit);
        BlockPosition { cycle, unit, pairing: left / games, game: left % games }
    }

    /// Index of the pairing of a game.
    pub(super) fn pairing_of_game(&self, number: u32) -> usize {
        self.place_of_game(number).pairing as usize
    }

    /// The game with this number, which is in the block.
    pub(super) fn game(&self, number: u32) -> ScheduledGame {
        let place = self.place_of_game(number);
        let turn = place.cycle * self.units_each() + place.unit;
        let unit = self.units_before + place.unit;
        let scheduled = self.pairings[place.pairing as usize];
        let pairing = scheduled.pairing;
        let white = self.rules.white(scheduled.lead, place.cycle, unit, place.game);
        let (white, black) = match white {
            Lead::First => (pairing.first, pairing.second),
            Lead::Second => (pairing.second, pairing.first),
        };
        let pair = self.start.pair + turn * self.size() + place.pairing;
        let shared = turn / self.rules.units_per_opening();
        let opening = match (scheduled.first_opening, self.rules.policy) {
            (Some(first), _) => first.saturating_add(turn),
            (None, OpeningPolicy::Round) => self.start.opening + shared,
            // The order of openings begins again after as many as there are.
            (None, OpeningPolicy::Pair | OpeningPolicy::Cycle) => {
                self.start.opening + shared * self.size() + place.pairing
            }
            (None, OpeningPolicy::Pairing) => self.start.opening + place.cycle * self.size() + place.pairing,
        };
        let round = match self.rounds {
            RoundNames::Units => self.units_before + turn,
            RoundNames::Whole(round) => round,
        };
        ScheduledGame { number, pair, round, white, black, opening: opening as usize }
    }
}
