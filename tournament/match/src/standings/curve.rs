//! How an estimate came about: Elo after each pair, in the order in which pairs are numbered and not in that in which
//! they ended, so that a curve is the same at any concurrency. The live page, plots and reports draw these points.

use smalt_stats::{Counts, Estimate, Interval, Outcome, Pentanomial, Sprt, Wdl};

use super::sequential::SequentialTest;
use crate::schedule::Pairing;

/// Where an estimate stood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloPoint {
    /// After so many games of the one in view.
    pub games: u64,
    /// The difference to all whom it had met, and the half-width of its 95 % interval. None as long as all games were won
    /// or all lost.
    pub elo: Option<Estimate>,
    /// The ends of that interval.
    pub interval: Interval,
}

/// Where a sequential test stood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LlrPoint {
    /// After so many games, in whole pairs and in the order of their numbers.
    pub games: u64,
    /// The log-likelihood ratio.
    pub llr: f64,
}

/// What counts at once: both games of a pair, or one game where openings are not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A game without a partner.
    Game(Outcome),
    /// Two games of one opening.
    Pair(Outcome, Outcome),
}

impl Unit {
    /// The same from the opponent's view.
    pub fn mirrored(self) -> Unit {
        match self {
            Unit::Game(outcome) => Unit::Game(outcome.mirrored()),
            Unit::Pair(first, second) => Unit::Pair(first.mirrored(), second.mirrored()),
        }
    }

    /// Counts its games, and itself if it is a pair.
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

/// The points after each of these, all in the view of one side.
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

/// The points of a sequential test after each of these, in the view of the first, up to its verdict.
pub fn llr_curve(sprt: Sprt, units: impl IntoIterator<Item = Unit>) -> Vec<LlrPoint> {
    let mut test = SequentialTest::new(sprt);
    (0..).zip(units).for_each(|(number, unit)| test.add(number, unit));
    test.curve().to_vec()
}

/// All units of a run, as they come.
#[derive(Clone, Debug, Default)]
pub struct Units(Vec<(u32, Pairing, Unit)>);

impl Units {
    /// Takes one of this number, in the view of the first of its pairing.
    pub fn add(&mut self, number: u32, pairing: Pairing, unit: Unit) {
        self.0.push((number, pairing, unit));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those of one entrant by their numbers, in its view.
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
    use Outcome::{Draw, Loss, Win};

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
