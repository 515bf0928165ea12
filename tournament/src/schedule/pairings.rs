//! Who meets whom, in which order.

/// Two who meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// Whose view results are counted in: an index of the plan's entrants.
    pub first: usize,
    /// The other.
    pub second: usize,
}

/// Which side of a gauntlet somebody is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Meets all opponents.
    Challenger,
    /// Meets all challengers.
    Opponent,
}

/// Who meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Challengers and opponents.
    Gauntlet,
    /// Everybody and everybody, whatever their sides.
    RoundRobin,
}

/// All pairings in the order of the entrants.
pub fn pairings(sides: &[Side], meeting: Meeting) -> Vec<Pairing> {
    let mut pairings = Vec::new();
    for (first, &side) in sides.iter().enumerate() {
        for (second, &other) in sides.iter().enumerate() {
            let meets = match meeting {
                Meeting::Gauntlet => side == Side::Challenger && other == Side::Opponent,
                Meeting::RoundRobin => first < second,
            };
            if meets {
                pairings.push(Pairing { first, second });
            }
        }
    }
    pairings
}

#[cfg(test)]
mod tests {
    use super::Side::{Challenger, Opponent};
    use super::*;

    fn check(sides: &[Side], meeting: Meeting, expected: &[(usize, usize)]) {
        let found: Vec<_> =
            pairings(sides, meeting).iter().map(|pairing| (pairing.first, pairing.second)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn challengers_meet_opponents() {
        check(&[Challenger, Opponent, Opponent], Meeting::Gauntlet, &[(0, 1), (0, 2)]);
        check(&[Opponent, Challenger, Challenger], Meeting::Gauntlet, &[(1, 0), (2, 0)]);
    }

    #[test]
    fn everybody_meets_everybody_once() {
        check(&[Challenger, Opponent, Opponent], Meeting::RoundRobin, &[(0, 1), (0, 2), (1, 2)]);
    }
}
