//! Elo curves and their units: the estimate after each pair, in order of pair numbers rather than of finish, so that a curve
//! is the same at any concurrency.

use smalt_stats::{Counts, Estimate, GameResult, Interval, Pentanomial, Wdl};

use crate::schedule::Pairing;

/// A point of an Elo curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloPoint {
    pub games: u64,
    /// Elo against all opponents so far, with the half-width of its 95% interval; `None` while all games were won or
    /// all lost.
    pub elo: Option<Estimate>,
    /// Ends of that interval.
    pub interval: Interval,
}

/// A point of an LLR curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LlrPoint {
    /// Number of games, in complete pairs and order of numbers.
    pub games: u64,
    pub llr: f64,
}

/// Unit of statistics: a pair of games, or one game if openings are not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A game without a partner.
    Game(GameResult),
    /// Two games of one opening.
    Pair(GameResult, GameResult),
}

impl Unit {
    /// From the opponent's point of view.
    pub(super) fn mirrored(self) -> Unit {
        match self {
            Unit::Game(outcome) => Unit::Game(outcome.mirrored()),
            Unit::Pair(first, second) => Unit::Pair(first.mirrored(), second.mirrored()),
        }
    }

    /// Adds its games, and the pair if complete.
    pub fn count(self, games: &mut Wdl, pairs: &mut Pentanomial) {
        match self {
            Unit::Game(outcome) => games.record(outcome),
            Unit::Pair(first, second) => {
                games.record(first);
                games.record(second);
                pairs.record(first, second);
            }
        }
    }
}

/// Elo curve from one side's point of view.
pub fn elo_curve(units: impl IntoIterator<Item = Unit>) -> Vec<EloPoint> {
    let (mut games, mut pairs) = (Wdl::default(), Pentanomial::default());
    let point = |unit: Unit| {
        unit.count(&mut games, &mut pairs);
        let counts = match unit {
            Unit::Game(_) => Counts::Games(games),
            Unit::Pair(..) => Counts::Pairs(pairs),
        };
        let found = counts.statistics();
        let interval = found.map(|found| found.elo_interval).unwrap_or_default();
        EloPoint { games: games.games(), elo: found.and_then(|found| found.elo), interval }
    };
    units.into_iter().map(point).collect()
}

/// All units of a run, in order of finish.
#[derive(Clone, Debug, Default)]
pub struct Units(Vec<(u32, Pairing, Unit)>);

impl Units {
    /// Adds a unit from the view of its pairing's first entrant.
    pub fn add(&mut self, number: u32, pairing: Pairing, unit: Unit) {
        self.0.push((number, pairing, unit));
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Units of one entrant in order of numbers, from its point of view.
    pub fn of(&self, entrant: usize) -> Vec<Unit> {
        let view = |&(number, pairing, unit): &(u32, Pairing, Unit)| match pairing {
            Pairing { first, .. } if first == entrant => Some((number, unit)),
            Pairing { second, .. } if second == entrant => Some((number, unit.mirrored())),
            _ => None,
        };
        let mut units: Vec<(u32, Unit)> = self.0.iter().filter_map(view).collect();
        units.sort_by_key(|&(number, _)| number);
        units.into_iter().map(|(_, unit)| unit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{Draw, Loss, Win};

    #[test]
    fn the_last_point_is_what_the_table_says() {
        let units =
            [Unit::Pair(Win, Loss), Unit::Pair(Win, Draw), Unit::Pair(Draw, Draw), Unit::Pair(Win, Win)];
        let curve = elo_curve(units);
        assert_eq!(curve.iter().map(|point| point.games).collect::<Vec<_>>(), [2, 4, 6, 8]);
        let table = Pentanomial([0, 0, 2, 1, 1]).statistics().unwrap();
        assert_eq!(curve[3].elo, table.elo);
        assert!(table.elo.unwrap().error.is_some());
    }

    #[test]
    fn nothing_but_wins_has_no_elo() {
        let curve = elo_curve([Unit::Game(Win), Unit::Game(Win), Unit::Game(Loss)]);
        assert_eq!(curve.iter().map(|point| point.elo.is_some()).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn the_order_of_the_numbers_counts_and_not_that_of_the_ends() {
        let pairing = |first, second| Pairing { first, second };
        let mut units = Units::default();
        units.add(2, pairing(0, 2), Unit::Pair(Win, Draw));
        units.add(0, pairing(0, 1), Unit::Pair(Loss, Loss));
        units.add(1, pairing(1, 2), Unit::Pair(Draw, Draw));
        assert_eq!(units.of(0), [Unit::Pair(Loss, Loss), Unit::Pair(Win, Draw)]);
        assert_eq!(units.of(2), [Unit::Pair(Draw, Draw), Unit::Pair(Loss, Draw)]);
    }
}
