//! Swiss system: entrants with about equal points meet, without repeats. As in the Dutch system the upper half of a
//! score group meets the lower half. Each pairing has both colors, so colors need no balancing. With an odd number
//! the lowest entrant without a bye gets one, which counts as all games won.

use super::pairings::{NextRound, Pairing, PlayedRound, ScheduledPairing};
use crate::plan::Lead;

/// Maximum number of steps of the search for the best pairing; then any valid one is accepted.
const MAX_TRIES: u32 = 10_000;

/// Standing of an entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwissStanding {
    /// Entrant, as an index into the plan's list.
    pub entrant: usize,
    /// Half points, including byes.
    pub half_points: u32,
    /// Buchholz tie-break: sum of the opponents' half points.
    pub buchholz: u32,
    /// Opponents met, in order.
    pub met: Vec<usize>,
    pub byes: u32,
}

/// Entrants by half points, then Buchholz, then seed.
pub(super) fn places(seeds: &[usize], games: u32, played: &[PlayedRound]) -> Vec<SwissStanding> {
    let mut places: Vec<SwissStanding> = seeds
        .iter()
        .map(|&entrant| SwissStanding { entrant, half_points: 0, buchholz: 0, met: Vec::new(), byes: 0 })
        .collect();
    for round in played {
        for place in &mut places {
            let pairing = round
                .pairings
                .iter()
                .find(|score| [score.pairing.first, score.pairing.second].contains(&place.entrant));
            match pairing {
                Some(score) => {
                    place.half_points += score.of(place.entrant);
                    place.met.push(score.other(place.entrant));
                }
                None => {
                    place.half_points += 2 * games;
                    place.byes += 1;
                }
            }
        }
    }
    let points: Vec<(usize, u32)> = places.iter().map(|place| (place.entrant, place.half_points)).collect();
    let points_of =
        |entrant: usize| points.iter().find(|(other, _)| *other == entrant).map_or(0, |(_, p)| *p);
    for place in &mut places {
        place.buchholz = place.met.iter().map(|&other| points_of(other)).sum();
    }
    // A stable sort: seeds decide ties.
    places.sort_by_key(|place| std::cmp::Reverse((place.half_points, place.buchholz)));
    places
}

/// The next round, or `None` after the last.
pub(super) fn next(seeds: &[usize], games: u32, rounds: u32, played: &[PlayedRound]) -> Option<NextRound> {
    let round = u32::try_from(played.len()).ok().filter(|&round| round < rounds)?;
    let seed = |entrant: usize| seeds.iter().position(|&seed| seed == entrant);
    let mut ranked = places(seeds, games, played);
    // Seeds decide between equal points: Buchholz means little in the middle of a tournament.
    ranked.sort_by_key(|place| (std::cmp::Reverse(place.half_points), seed(place.entrant)));
    let pairs = pair_up(&ranked);
    // The better seed comes first, so that a repeated pairing has one name.
    let scheduled = |(upper, lower): (usize, usize)| {
        let (upper, lower) = (ranked[upper].entrant, ranked[lower].entrant);
        if seed(upper) < seed(lower) {
            ScheduledPairing {
                pairing: Pairing { first: upper, second: lower },
                lead: Lead::First,
                first_opening: None,
            }
        } else {
            ScheduledPairing {
                pairing: Pairing { first: lower, second: upper },
                lead: Lead::Second,
                first_opening: None,
            }
        }
    };
    (!pairs.is_empty()).then(|| NextRound {
        round,
        pairings: pairs.into_iter().map(scheduled).collect(),
        games,
    })
}

/// Pairs of ranks, without repeated pairings if possible.
fn pair_up(ranked: &[SwissStanding]) -> Vec<(usize, usize)> {
    let byes: Vec<Option<usize>> = if ranked.len().is_multiple_of(2) {
        vec![None]
    } else {
        let fewest = ranked.iter().map(|place| place.byes).min().unwrap_or(0);
        (0..ranked.len()).rev().filter(|&rank| ranked[rank].byes == fewest).map(Some).collect()
    };
    for repeats in 0.. {
        for &bye in &byes {
            let mut free = vec![true; ranked.len()];
            bye.into_iter().for_each(|rank| free[rank] = false);
            let mut search =
                PairingSearch { ranked, free: free.clone(), pairs: Vec::new(), repeats, left: MAX_TRIES };
            if search.complete() {
                return search.pairs;
            }
            let mut search = PairingSearch { free, pairs: Vec::new(), ..search };
            if search.exchange() {
                return search.pairs;
            }
        }
    }
    unreachable!("with repeated pairings allowed every choice is a complete one")
}

/// Depth-first search for partners from the top down.
struct PairingSearch<'a> {
    ranked: &'a [SwissStanding],
    free: Vec<bool>,
    pairs: Vec<(usize, usize)>,
    /// Allowed number of earlier pairings.
    repeats: usize,
    left: u32,
}

impl PairingSearch<'_> {
    fn complete(&mut self) -> bool {
        let Some(rank) = self.free.iter().position(|&free| free) else { return true };
        self.free[rank] = false;
        for partner in self.partners(rank) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            self.free[partner] = false;
            self.pairs.push((rank, partner));
            if self.complete() {
                return true;
            }
            self.pairs.pop();
            self.free[partner] = true;
        }
        self.free[rank] = true;
        false
    }

    /// Pairs greedily, then splits pairs for the two left over. With at most half as many rounds as entrants this
    /// never fails: together the two have as many choices as there are others, so that some pair suits both (G. A.
    /// Dirac, 1952).
    fn exchange(&mut self) -> bool {
        let mut left = Vec::new();
        for rank in 0..self.free.len() {
            if !std::mem::take(&mut self.free[rank]) {
                continue;
            }
            match self.partners(rank).first() {
                Some(&partner) => {
                    self.free[partner] = false;
                    self.pairs.push((rank, partner));
                }
                None => left.push(rank),
            }
        }
        for two in left.chunks(2) {
            let &[one, other] = two else { return false };
            let suits =
                |&(first, second): &(usize, usize)| self.may_meet(one, first) && self.may_meet(other, second);
            let turned = |&(first, second): &(usize, usize)| suits(&(second, first));
            let Some(place) = self.pairs.iter().rposition(|pair| suits(pair) || turned(pair)) else {
                return false;
            };
            let (first, second) = self.pairs[place];
            let (first, second) = if suits(&(first, second)) { (first, second) } else { (second, first) };
            self.pairs[place] = (one.min(first), one.max(first));
            self.pairs.push((other.min(second), other.max(second)));
        }
        true
    }

    fn may_meet(&self, one: usize, other: usize) -> bool {
        let entrant = self.ranked[other].entrant;
        self.ranked[one].met.iter().filter(|&&met| met == entrant).count() <= self.repeats
    }

    /// Free partners in order of preference: the opposite half of the score group, its neighbors, then the lower
    /// groups from the top.
    fn partners(&self, rank: usize) -> Vec<usize> {
        let place = &self.ranked[rank];
        let free: Vec<usize> = (rank + 1..self.ranked.len()).filter(|&other| self.free[other]).collect();
        let equal =
            free.iter().take_while(|&&other| self.ranked[other].half_points == place.half_points).count();
        let half = equal.div_ceil(2).saturating_sub(1);
        let order = (half..equal).chain((0..half).rev()).chain(equal..free.len());
        order.map(|index| free[index]).filter(|&other| self.may_meet(rank, other)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::pairings::PairingScore;
    use super::*;
    use std::collections::BTreeSet;

    /// Plays a whole tournament with these results of each pairing in each round.
    fn play(entrants: usize, rounds: u32, result: impl Fn(u32, Pairing) -> u32) -> Vec<PlayedRound> {
        let seeds: Vec<usize> = (0..entrants).collect();
        let mut played: Vec<PlayedRound> = Vec::new();
        while let Some(next) = next(&seeds, 2, rounds, &played) {
            let score = |scheduled: &ScheduledPairing| {
                let first = result(next.round, scheduled.pairing);
                PairingScore { pairing: scheduled.pairing, first, second: 4 - first }
            };
            let pairings = next.pairings.iter().map(score).collect();
            played.push(PlayedRound { round: next.round, pairings, games: next.games });
        }
        played
    }

    fn pairs(round: &PlayedRound) -> Vec<(usize, usize)> {
        round.pairings.iter().map(|score| (score.pairing.first, score.pairing.second)).collect()
    }

    /// Reproducible random half points.
    fn chance(round: u32, pairing: Pairing) -> u32 {
        let mixed = (pairing.first * 31 + pairing.second * 17 + round as usize * 7) * 2_654_435_761;
        (mixed >> 13) as u32 % 5
    }

    #[test]
    fn the_upper_half_meets_the_lower_half() {
        let rounds = play(8, 3, |_, pairing| if pairing.first < pairing.second { 4 } else { 0 });
        assert_eq!(pairs(&rounds[0]), [(0, 4), (1, 5), (2, 6), (3, 7)]);
        assert_eq!(pairs(&rounds[1]), [(0, 2), (1, 3), (4, 6), (5, 7)]);
        assert_eq!(pairs(&rounds[2])[0], (0, 1));
    }

    #[test]
    fn pairings_neither_repeat_nor_leave_out_players_if_possible() {
        for entrants in 2..40_usize {
            let rounds = entrants.div_ceil(2) as u32;
            let played = play(entrants, rounds, chance);
            assert_eq!(played.len() as u32, rounds);
            let mut met = BTreeSet::new();
            for round in &played {
                let mut there = BTreeSet::new();
                for (first, second) in pairs(round) {
                    assert!(
                        met.insert((first.min(second), first.max(second))),
                        "{entrants}: {first}, {second}"
                    );
                    assert!(there.insert(first) && there.insert(second));
                }
                assert_eq!(there.len(), entrants / 2 * 2);
            }
        }
    }

    #[test]
    fn byes_go_round() {
        for entrants in [3, 5, 9, 21] {
            let played = play(entrants, entrants.div_ceil(2) as u32, chance);
            let seeds: Vec<usize> = (0..entrants).collect();
            let places = places(&seeds, 2, &played);
            assert!(places.iter().all(|place| place.byes <= 1));
            let total: u32 = places.iter().map(|place| place.half_points).sum();
            assert_eq!(total as usize, played.len() * (4 * (entrants / 2) + 4));
        }
    }

    #[test]
    fn as_many_rounds_as_there_are_opponents_are_played_to_the_end() {
        for entrants in 2..14 {
            let rounds = (entrants as u32 - 1).max(1);
            assert_eq!(play(entrants, rounds, chance).len() as u32, rounds);
        }
    }

    #[test]
    fn a_large_field_is_paired_at_once() {
        let played = play(501, 12, chance);
        assert_eq!(played.len(), 12);
    }

    #[test]
    fn points_and_buchholz_order_the_table() {
        let pairing = |first, second| Pairing { first, second };
        let score = |pairing, first| PairingScore { pairing, first, second: 4 - first };
        let played = [
            PlayedRound {
                round: 0,
                games: 2,
                pairings: vec![score(pairing(0, 2), 4), score(pairing(1, 3), 3)],
            },
            PlayedRound {
                round: 1,
                games: 2,
                pairings: vec![score(pairing(0, 1), 1), score(pairing(2, 3), 2)],
            },
        ];
        let table: Vec<_> = places(&[0, 1, 2, 3], 2, &played)
            .into_iter()
            .map(|place| (place.entrant, place.half_points, place.buchholz))
            .collect();
        assert_eq!(table, [(1, 6, 8), (0, 5, 8), (3, 3, 8), (2, 2, 8)]);
    }
}
