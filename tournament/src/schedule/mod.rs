//! Who plays whom in which game, from which opening: a pure function of the plan's numbers.
//!
//! Every game has a number, from 0, and every pair of games (one opening, both colors) too; all else follows from it,
//! so that a run can be resumed, and spread over machines, by numbers alone. Rounds go through all pairings, so that
//! all entrants have played about as many games whenever a run is stopped, and all pairings of a round share an
//! opening, so that their results can be compared. Knows no names, engines or positions.

mod openings;
mod pairings;

use std::ops::Range;

pub use openings::OpeningOrder;
pub(crate) use openings::below;
pub use pairings::{Meeting, Pairing, Side, pairings};

/// All games of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<Pairing>,
    games_each: u32,
    openings: OpeningOrder,
}

/// One game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScheduledGame {
    /// Its number, from 0.
    pub number: u32,
    /// The number of its pair, from 0.
    pub pair: u32,
    /// The round, from 0: how often this pairing has met before.
    pub round: u32,
    /// Who has White: an index of the plan's entrants.
    pub white: usize,
    /// Who has Black.
    pub black: usize,
    /// An index of the book's openings.
    pub opening: usize,
}

/// Games that belong together: one opening, both colors; or a single game at the end of an odd number.
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
    /// A schedule of so many games of each pairing.
    pub fn new(pairings: Vec<Pairing>, games_each: u32, openings: OpeningOrder) -> Schedule {
        Schedule { pairings, games_each, openings }
    }

    /// How many games there are.
    pub fn games(&self) -> u32 {
        self.games_each.saturating_mul(self.pairing_count())
    }

    /// How many pairs there are.
    pub fn pairs(&self) -> u32 {
        self.games_each.div_ceil(2).saturating_mul(self.pairing_count())
    }

    /// Who meets whom.
    pub fn pairings(&self) -> &[Pairing] {
        &self.pairings
    }

    fn pairing_count(&self) -> u32 {
        u32::try_from(self.pairings.len()).unwrap_or(u32::MAX)
    }

    /// The pair of this number, if there is one.
    pub fn pair(&self, number: u32) -> Option<ScheduledPair> {
        let whole_pairs = self.games_each / 2 * self.pairing_count();
        if number >= self.pairs() {
            None
        } else if number < whole_pairs {
            Some(ScheduledPair { number, first_game: 2 * number, games: 2 })
        } else {
            Some(ScheduledPair { number, first_game: whole_pairs + number, games: 1 })
        }
    }

    /// The game of this number, if there is one.
    pub fn game(&self, number: u32) -> Option<ScheduledGame> {
        let whole_games = self.games_each / 2 * self.pairing_count() * 2;
        let (pair, second) = match number {
            _ if number >= self.games() => return None,
            _ if number < whole_games => (number / 2, number % 2 == 1),
            _ => (whole_games / 2 + number - whole_games, false),
        };
        let round = pair / self.pairing_count();
        let pairing = self.pairings[(pair % self.pairing_count()) as usize];
        // Colors of the first game change from round to round, so that an odd number is spread fairly, too.
        let first_has_white = second == (round % 2 == 1);
        let (white, black) =
            if first_has_white { (pairing.first, pairing.second) } else { (pairing.second, pairing.first) };
        Some(ScheduledGame { number, pair, round, white, black, opening: self.openings.of_round(round) })
    }

    /// The games of a pair.
    pub fn games_of(&self, pair: ScheduledPair) -> impl Iterator<Item = ScheduledGame> + '_ {
        pair.numbers().filter_map(|number| self.game(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn schedule(entrants: usize, games_each: u32) -> Schedule {
        let sides = vec![Side::Challenger; entrants];
        Schedule::new(pairings(&sides, Meeting::RoundRobin), games_each, OpeningOrder::sequential(10, 0))
    }

    #[test]
    fn every_pairing_has_its_games_with_both_colors() {
        for games_each in 1..8 {
            let schedule = schedule(5, games_each);
            let mut met: BTreeMap<(usize, usize), u32> = BTreeMap::new();
            for number in 0..schedule.games() {
                let game = schedule.game(number).unwrap();
                assert_eq!(game.number, number);
                *met.entry((game.white, game.black)).or_default() += 1;
            }
            assert_eq!(schedule.games(), 10 * games_each);
            for pairing in schedule.pairings() {
                let with_white = met.get(&(pairing.first, pairing.second)).copied().unwrap_or(0);
                let with_black = met.get(&(pairing.second, pairing.first)).copied().unwrap_or(0);
                assert_eq!(with_white + with_black, games_each);
                assert!(with_white.abs_diff(with_black) <= 1);
            }
            assert_eq!(schedule.game(schedule.games()), None);
        }
    }

    #[test]
    fn pairs_hold_all_games_once_and_share_an_opening() {
        for games_each in 1..8 {
            let schedule = schedule(4, games_each);
            let mut next = 0;
            for number in 0..schedule.pairs() {
                let pair = schedule.pair(number).unwrap();
                let games: Vec<_> = schedule.games_of(pair).collect();
                assert_eq!(pair.first_game, next);
                next += pair.games;
                assert!(games.iter().all(|game| game.pair == number && game.opening == games[0].opening));
                if let [first, second] = games[..] {
                    assert_eq!((first.white, first.black), (second.black, second.white));
                }
            }
            assert_eq!(next, schedule.games());
            assert_eq!(schedule.pair(schedule.pairs()), None);
        }
    }

    #[test]
    fn a_round_has_one_opening_and_the_next_round_another() {
        let schedule = schedule(3, 8);
        for number in 0..schedule.games() {
            let game = schedule.game(number).unwrap();
            assert_eq!(game.opening, game.round as usize % 10);
        }
    }
}
