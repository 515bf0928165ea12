//! Pairings of gauntlet, round robin and pyramid, in order, and rounds of pairings with their scores.

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
pub(super) struct ScheduledPairing {
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

fn first_leads(first: usize, second: usize) -> ScheduledPairing {
    ScheduledPairing { pairing: Pairing { first, second }, lead: Lead::First, first_opening: None }
}

/// Gauntlet: every challenger meets its first opponent before any meets its second.
pub(super) fn gauntlet(sides: &[GauntletSide]) -> Vec<ScheduledPairing> {
    let on = |wanted: GauntletSide| (0..sides.len()).filter(move |&entrant| sides[entrant] == wanted);
    on(GauntletSide::Opponent)
        .flat_map(|opponent| {
            on(GauntletSide::Challenger).map(move |challenger| first_leads(challenger, opponent))
        })
        .collect()
}

/// Round robin by the circle method: one entrant stays and the others rotate, so that each plays once per turn. The
/// leads balance colors.
pub(super) fn round_robin(entrants: usize) -> Vec<ScheduledPairing> {
    let seats = entrants.next_multiple_of(2);
    let mut circle: Vec<usize> = (0..seats).collect();
    let mut pairings = Vec::new();
    for _ in 1..seats {
        for seat in 0..seats / 2 {
            let (one, other) = (circle[seat], circle[seats - 1 - seat]);
            // With an odd number one entrant meets the empty seat, the last one.
            if one.max(other) < entrants {
                let (first, second) = (one.min(other), one.max(other));
                let lead = Lead::First.flipped_if((first + second) % 2 == 0);
                pairings.push(ScheduledPairing {
                    pairing: Pairing { first, second },
                    lead,
                    first_opening: None,
                });
            }
        }
        circle[1..].rotate_right(1);
    }
    pairings
}

/// Pairings in the order of the list of entrants, with White first for the entrant listed first.
pub(super) fn as_listed(mut pairings: Vec<ScheduledPairing>) -> Vec<ScheduledPairing> {
    pairings.sort_by_key(|scheduled| scheduled.pairing);
    pairings.into_iter().map(|scheduled| ScheduledPairing { lead: Lead::First, ..scheduled }).collect()
}

/// Pyramid: each entrant against all before it; results are from the later entrant's view.
pub(super) fn pyramid(entrants: usize) -> Vec<Vec<ScheduledPairing>> {
    (1..entrants).map(|newcomer| (0..newcomer).map(|old| first_leads(newcomer, old)).collect()).collect()
}

/// Games of one round, or of its tiebreaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayedRound {
    /// The round, from 0. Tiebreak pairs belong to the same round.
    pub round: u32,
    /// Pairings with their scores.
    pub pairings: Vec<PairingScore>,
    /// Games of each pairing.
    pub games: u32,
}

/// Score of a pairing in half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairingScore {
    pub pairing: Pairing,
    /// Half points of the first.
    pub first: u32,
    /// Half points of the second.
    pub second: u32,
}

impl PairingScore {
    /// A score of zero.
    pub(super) fn new(pairing: Pairing) -> PairingScore {
        PairingScore { pairing, first: 0, second: 0 }
    }

    /// Half points of one entrant.
    pub(crate) fn of(&self, entrant: usize) -> u32 {
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
    pub pairings: Vec<ScheduledPairing>,
    pub games: u32,
}

#[cfg(test)]
mod tests {
    use super::GauntletSide::{Challenger, Opponent};
    use super::*;

    fn check(found: &[ScheduledPairing], expected: &[(usize, usize)]) {
        let found: Vec<_> =
            found.iter().map(|scheduled| (scheduled.pairing.first, scheduled.pairing.second)).collect();
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
            let scheduled = round_robin(entrants);
            let mut pairings: Vec<_> = scheduled.iter().map(|scheduled| scheduled.pairing).collect();
            pairings.sort_unstable();
            let all = (0..entrants)
                .flat_map(|first| (first + 1..entrants).map(move |second| Pairing { first, second }));
            assert_eq!(pairings, all.collect::<Vec<_>>());
            for entrant in 0..entrants {
                let leads = |scheduled: &&ScheduledPairing| match scheduled.lead {
                    Lead::First => scheduled.pairing.first == entrant,
                    Lead::Second => scheduled.pairing.second == entrant,
                };
                let led = scheduled.iter().filter(leads).count();
                assert!(led.abs_diff(entrants - 1 - led) <= 1, "{entrant} of {entrants} leads {led} times");
            }
        }
    }

    #[test]
    fn whenever_a_round_robin_stops_all_have_played_about_as_often() {
        for entrants in 2..30 {
            let mut played = vec![0_usize; entrants];
            for scheduled in round_robin(entrants) {
                played[scheduled.pairing.first] += 1;
                played[scheduled.pairing.second] += 1;
                let most = played.iter().max().unwrap();
                assert!(most - played.iter().min().unwrap() <= 2);
            }
        }
    }
}
