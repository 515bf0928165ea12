//! Growing schedules: more games of all pairings, and the games of a newcomer. Earlier games keep their numbers.

use std::collections::BTreeSet;

use super::block::{PairingBlock, RoundNames};
use super::pairings::{self, GauntletSide, ScheduledPairing};
use super::{Schedule, ScheduledPair, Sequence};
use crate::plan::OpeningPolicy;

impl Schedule {
    /// The schedule with more games of each pairing in each round, after all others.
    pub(crate) fn extended(mut self, further: u32) -> Schedule {
        let mut known = BTreeSet::new();
        let pairings = self.blocks.iter().flat_map(|block| &block.pairings);
        let pairings: Vec<ScheduledPairing> =
            pairings.filter(|scheduled| known.insert(scheduled.pairing)).copied().collect();
        let cycles = self.cycles();
        let units_before = cycles * self.rules.games.div_ceil(self.rules.unit_games());
        let mut start = self.end();
        start.opening = self.openings();
        let mut rules = self.rules;
        rules.games = further;
        let rounds = RoundNames::Units;
        self.blocks.push(PairingBlock { pairings, rules, cycles, start, rounds, units_before });
        self.rules.games += further;
        self
    }

    /// The schedule with the games of a newcomer, which has the last index. It gets as many games per opponent as the
    /// others; in a gauntlet `sides` has the sides of all entrants.
    pub(crate) fn joined(
        mut self,
        newcomer: usize,
        sides: Option<&[GauntletSide]>,
        order: Sequence,
    ) -> Schedule {
        let all = match sides {
            Some(sides) => pairings::gauntlet(sides),
            None => pairings::round_robin(newcomer + 1),
        };
        let meets = |scheduled: &ScheduledPairing| {
            scheduled.pairing.first == newcomer || scheduled.pairing.second == newcomer
        };
        let mut pairings: Vec<ScheduledPairing> = all.into_iter().filter(meets).collect();
        if self.rules.policy == OpeningPolicy::Cycle && sides.is_none() {
            pairings = pairings::as_listed(pairings);
        }
        order.apply(&mut pairings);
        let mut start = self.end();
        // If all pairings of a round share openings, the newcomer plays the same ones.
        start.opening = if self.rules.policy == OpeningPolicy::Round { 0 } else { self.openings() };
        let (rules, cycles, rounds) = (self.rules, self.cycles(), RoundNames::Units);
        self.blocks.push(PairingBlock { pairings, rules, cycles, start, rounds, units_before: 0 });
        self.newcomers.push(self.blocks.len() - 1);
        self
    }

    /// Number of repetitions of the set of pairings.
    fn cycles(&self) -> u32 {
        self.blocks.first().map_or(1, |block| block.cycles)
    }

    /// The pair that starts at position `turn`, from 0. Newcomers come first, to catch up.
    pub(crate) fn pair_in_turn(&self, turn: u32) -> Option<ScheduledPair> {
        let mut turn = turn;
        for &newcomer in &self.newcomers {
            let pairs = self.blocks[newcomer].pair_numbers();
            if turn < pairs.end - pairs.start {
                return self.pair(pairs.start + turn);
            }
            turn -= pairs.end - pairs.start;
        }
        for &newcomer in &self.newcomers {
            let pairs = self.blocks[newcomer].pair_numbers();
            if turn >= pairs.start {
                turn += pairs.end - pairs.start;
            }
        }
        self.pair(turn)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::{PairingRules, PairingScheme, ScheduledGame};
    use super::*;
    use crate::plan::{Colors, Lead, Swap};

    fn match_of(games: u32, policy: OpeningPolicy) -> Schedule {
        let colors = Colors { swap: Swap::EachGame, lead: Lead::First };
        let rules = PairingRules { games, games_per_opening: 2, colors, policy };
        Schedule::new(PairingScheme::RoundRobin(2), rules, 1, Sequence::AsListed)
    }

    fn games(schedule: &Schedule) -> Vec<ScheduledGame> {
        (0..schedule.games()).map(|number| schedule.game(number).unwrap()).collect()
    }

    fn played(schedule: &Schedule) -> BTreeMap<usize, u32> {
        let mut played = BTreeMap::new();
        for game in games(schedule) {
            *played.entry(game.white).or_default() += 1;
            *played.entry(game.black).or_default() += 1;
        }
        played
    }

    #[test]
    fn an_extended_run_is_the_one_that_was_longer_from_the_start() {
        for policy in [OpeningPolicy::Round, OpeningPolicy::Pair, OpeningPolicy::Cycle] {
            let extended = match_of(6, policy).extended(4).extended(2);
            assert_eq!(games(&extended), games(&match_of(12, policy)), "{policy:?}");
            assert_eq!(extended.openings(), 6);
        }
    }

    #[test]
    fn a_newcomer_has_as_many_games_as_the_rest_and_plays_their_openings() {
        let before = match_of(6, OpeningPolicy::Round).extended(2);
        let after = before.clone().joined(2, None, Sequence::AsListed).extended(2);
        assert_eq!(games(&after)[..8], games(&before), "games keep their numbers");
        assert_eq!(played(&after), BTreeMap::from([(0, 20), (1, 20), (2, 20)]));
        let openings = |one: usize| -> BTreeSet<usize> {
            let own = games(&after).into_iter().filter(|game| game.white == one || game.black == one);
            own.map(|game| game.opening).collect()
        };
        assert_eq!(openings(2), openings(0));
        assert_eq!(after.games_by_pairing().into_values().collect::<Vec<_>>(), [10, 10, 10]);
    }

    #[test]
    fn a_newcomer_of_a_gauntlet_meets_the_other_side() {
        use GauntletSide::{Challenger, Opponent};
        let rules = match_of(2, OpeningPolicy::Round).rules;
        let sides = [Challenger, Opponent, Opponent, Challenger];
        let gauntlet = |count: usize| {
            Schedule::new(PairingScheme::Gauntlet(sides[..count].to_vec()), rules, 1, Sequence::AsListed)
        };
        let grown = gauntlet(2).joined(2, Some(&sides[..3]), Sequence::AsListed);
        let grown = grown.joined(3, Some(&sides), Sequence::AsListed);
        assert_eq!(grown.pairings(), gauntlet(4).pairings());
        assert_eq!(grown.games(), gauntlet(4).games());
    }

    #[test]
    fn newcomers_play_first_and_every_pair_has_its_turn() {
        let schedule = match_of(4, OpeningPolicy::Round).joined(2, None, Sequence::AsListed).extended(2);
        let schedule = schedule.joined(3, None, Sequence::AsListed);
        let turns: Vec<u32> =
            (0..schedule.pairs()).map(|turn| schedule.pair_in_turn(turn).unwrap().number).collect();
        let mut expected: Vec<u32> = (2..6).chain(9..18).collect();
        expected.extend((0..2).chain(6..9));
        assert_eq!(turns, expected);
        assert_eq!(schedule.pair_in_turn(schedule.pairs()), None);
    }
}
