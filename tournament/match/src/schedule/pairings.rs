//! Pairings of gauntlet, round robin and pyramid, in order, and rounds of encounters with their scores.

use crate::plan::Lead;

/// Two entrants that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pairing {
    /// Index of the entrant from whose view results are counted.
    pub first: usize,
    pub second: usize,
}

/// A pairing with its color lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Encounter {
    pub pairing: Pairing,
    /// Who has White first by default.
    pub lead: Lead,
    /// Opening of its first pair; `None` for that of its block.
    pub first_opening: Option<u32>,
}

/// Side of a gauntlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GauntletSide {
    Challenger,
    Opponent,
}

fn first_leads(first: usize, second: usize) -> Encounter {
    Encounter { pairing: Pairing { first, second }, lead: Lead::First, first_opening: None }
}

/// Gauntlet: every challenger meets its first opponent before any meets its second.
pub(super) fn gauntlet(sides: &[GauntletSide]) -> Vec<Encounter> {
    let on = |wanted: GauntletSide| (0..sides.len()).filter(move |&entrant| sides[entrant] == wanted);
    on(GauntletSide::Opponent)
        .flat_map(|opponent| {
            on(GauntletSide::Challenger).map(move |challenger| first_leads(challenger, opponent))
        })
        .collect()
}

/// Round robin by the circle method: one entrant stays and the others rotate, so that each plays once per turn. The
/// leads balance colors.
pub(super) fn round_robin(entrants: usize) -> Vec<Encounter> {
    let seats = entrants.next_multiple_of(2);
    let mut circle: Vec<usize> = (0..seats).collect();
    let mut encounters = Vec::new();
    for _ in 1..seats {
        for seat in 0..seats / 2 {
            let (one, other) = (circle[seat], circle[seats - 1 - seat]);
            // With an odd number one entrant meets the empty seat, the last one.
            if one.max(other) < entrants {
                let (first, second) = (one.min(other), one.max(other));
                let lead = Lead::First.flipped_if((first + second) % 2 == 0);
                encounters.push(Encounter { pairing: Pairing { first, second }, lead, first_opening: None });
            }
        }
        circle[1..].rotate_right(1);
    }
    encounters
}

/// Encounters in the order of the list of entrants, with White first for the entrant listed first.
pub(super) fn as_listed(mut encounters: Vec<Encounter>) -> Vec<Encounter> {
    encounters.sort_by_key(|encounter| encounter.pairing);
    encounters.into_iter().map(|encounter| Encounter { lead: Lead::First, ..encounter }).collect()
}

/// Pyramid: each entrant against all before it; results are from the later entrant's view.
pub(super) fn pyramid(entrants: usize) -> Vec<Vec<Encounter>> {
    (1..entrants).map(|newcomer| (0..newcomer).map(|old| first_leads(newcomer, old)).collect()).collect()
}

/// Games of one round, or of its tiebreaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayedRound {
    /// The round, from 0. Tiebreak pairs belong to the same round.
    pub round: u32,
    /// Encounters with their scores.
    pub encounters: Vec<EncounterScore>,
    /// Games of each encounter.
    pub games: u32,
}

/// Score of an encounter in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncounterScore {
    pub pairing: Pairing,
    /// Half points of the first.
    pub first: u32,
    /// Half points of the second.
    pub second: u32,
}

impl EncounterScore {
    /// A score of zero.
    pub(super) fn new(pairing: Pairing) -> EncounterScore {
        EncounterScore { pairing, first: 0, second: 0 }
    }

    /// Half points of one entrant.
    pub fn of(&self, entrant: usize) -> u32 {
        if entrant == self.pairing.first { self.first } else { self.second }
    }

    /// The opponent of this entrant.
    pub(super) fn other(&self, entrant: usize) -> usize {
        if entrant == self.pairing.first { self.pairing.second } else { self.pairing.first }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NextRound {
    pub round: u32,
    pub encounters: Vec<Encounter>,
    pub games: u32,
}

#[cfg(test)]
mod tests {
    use super::GauntletSide::{Challenger, Opponent};
    use super::*;

    fn check(found: &[Encounter], expected: &[(usize, usize)]) {
        let found: Vec<_> =
            found.iter().map(|encounter| (encounter.pairing.first, encounter.pairing.second)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn challengers_meet_opponents() {
        check(&gauntlet(&[Challenger, Opponent, Opponent]), &[(0, 1), (0, 2)]);
        check(&gauntlet(&[Opponent, Challenger, Challenger]), &[(1, 0), (2, 0)]);
        check(&gauntlet(&[Challenger, Opponent, Challenger, Opponent]), &[(0, 1), (2, 1), (0, 3), (2, 3)]);
    }

    #[test]
    fn newcomers_meet_all_before_them() {
        let lists = pyramid(4);
        check(&lists[0], &[(1, 0)]);
        check(&lists[1], &[(2, 0), (2, 1)]);
        check(&lists.concat(), &[(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]);
    }

    #[test]
    fn a_round_robin_pairs_each_two_once_with_balanced_leads() {
        for entrants in 2..30 {
            let encounters = round_robin(entrants);
            let mut pairings: Vec<_> = encounters.iter().map(|encounter| encounter.pairing).collect();
            pairings.sort_unstable();
            let all = (0..entrants)
                .flat_map(|first| (first + 1..entrants).map(move |second| Pairing { first, second }));
            assert_eq!(pairings, all.collect::<Vec<_>>());
            for entrant in 0..entrants {
                let leads = |encounter: &&Encounter| match encounter.lead {
                    Lead::First => encounter.pairing.first == entrant,
                    Lead::Second => encounter.pairing.second == entrant,
                };
                let led = encounters.iter().filter(leads).count();
                assert!(led.abs_diff(entrants - 1 - led) <= 1, "{entrant} of {entrants} leads {led} times");
            }
        }
    }

    #[test]
    fn whenever_a_round_robin_stops_all_have_played_about_as_often() {
        for entrants in 2..30 {
            let mut played = vec![0_usize; entrants];
            for encounter in round_robin(entrants) {
                played[encounter.pairing.first] += 1;
                played[encounter.pairing.second] += 1;
                let most = played.iter().max().unwrap();
                assert!(most - played.iter().min().unwrap() <= 2);
            }
        }
    }
}
