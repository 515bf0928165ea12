//! A running clock: time left before each move, the time sent to the engine, and time forfeits. Pure: the
//! time used by a move is passed in.

use std::num::NonZeroU32;
use std::time::Duration;

use smalt_protocol::Clock;

use crate::plan::MoveClock;

/// A game is void if the stalls of this process took a tenth of the time that an engine had left (within these
/// bounds), or if an engine lost on time only because of them.
const MIN_DISTURBANCE: Duration = Duration::from_millis(200);
const MAX_DISTURBANCE: Duration = Duration::from_secs(1);

/// The clock of one side in one game.
#[derive(Clone, Debug)]
pub struct RunningClock<'a> {
    terms: &'a MoveClock,
    moves: u32,
    remaining: Duration,
    stalled: Duration,
}

/// Whether the stalls of this process make a game void.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stalled {
    Tolerably,
    TooLong,
}

/// Whether a move was made in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockFlag {
    Up,
    /// Late by this much, beyond the margin.
    Fallen(Duration),
}

impl<'a> RunningClock<'a> {
    /// The clock at the start of a game.
    pub fn new(terms: &'a MoveClock) -> RunningClock<'a> {
        let remaining = terms.control.period_after(0).map_or(Duration::ZERO, |(period, _)| period.time);
        RunningClock { terms, moves: 0, remaining, stalled: Duration::ZERO }
    }

    pub(crate) fn terms(&self) -> &'a MoveClock {
        self.terms
    }

    /// Time left before the next move and its increment; `None` if time is unlimited.
    pub fn time_left(&self) -> Option<Clock> {
        let (period, _) = self.terms.control.period_after(self.moves)?;
        // The increment is added after the move; engines expect the time without it.
        Some(Clock { remaining: self.remaining, increment: period.increment })
    }

    /// Moves to the next time control; `None` in sudden death.
    pub fn moves_to_go(&self) -> Option<NonZeroU32> {
        self.terms.control.period_after(self.moves)?.1
    }

    /// Longest time for the next move, without the margin; `None` if time is unlimited.
    pub fn time_limit(&self) -> Option<Duration> {
        let of_game = self.time_left().map(|time_left| time_left.remaining);
        match (of_game, self.terms.move_time) {
            (Some(game), Some(each)) => Some(game.min(each)),
            (game, each) => game.or(each),
        }
    }

    /// Records that this process was suspended for this time during a search. The stalls of a game add up, since they
    /// were charged to the clock; a fixed time for each move is affected by those of the same search alone.
    pub(crate) fn stall(&mut self, stall: Duration) -> Stalled {
        let before = if self.time_left().is_some() { self.stalled } else { Duration::ZERO };
        self.stalled = before + stall;
        match self.time_limit() {
            Some(limit) if !stall.is_zero() => {
                let tolerated = ((limit + before) / 10).clamp(MIN_DISTURBANCE, MAX_DISTURBANCE);
                if self.stalled >= tolerated { Stalled::TooLong } else { Stalled::Tolerably }
            }
            _ => Stalled::Tolerably,
        }
    }

    /// Total stalls that the clock was charged with.
    pub(crate) fn stalled(&self) -> Duration {
        self.stalled
    }

    /// Hourglass: adds the time that the opponent has used.
    pub fn gain(&mut self, elapsed: Duration) {
        if self.time_left().is_some() {
            self.remaining += elapsed;
        }
    }

    /// Deducts the time of a move. The margin allows a late move; the time left is never below zero.
    pub fn spend(&mut self, elapsed: Duration) -> ClockFlag {
        let late = self
            .time_limit()
            .and_then(|time_limit| elapsed.checked_sub(time_limit))
            .unwrap_or(Duration::ZERO);
        if late > self.terms.margin {
            return ClockFlag::Fallen(late);
        }
        if let Some((period, moves_left)) = self.terms.control.period_after(self.moves) {
            self.remaining = self.remaining.saturating_sub(elapsed) + period.increment;
            self.moves += 1;
            if moves_left == NonZeroU32::new(1)
                && let Some((next, _)) = self.terms.control.period_after(self.moves)
            {
                self.remaining += next.time;
            }
        }
        ClockFlag::Up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(tc: &str, margin: u64) -> MoveClock {
        MoveClock {
            control: tc.parse().unwrap(),
            move_time: None,
            nodes: None,
            depth: None,
            margin: Duration::from_millis(margin),
            longest_move: Duration::from_secs(60),
            reference: None,
        }
    }

    /// Makes moves of these durations in milliseconds; returns the time left after each.
    fn check(terms: &MoveClock, moves: &[u64], expected: &[u128]) {
        let mut clock = RunningClock::new(terms);
        for (&took, &left) in moves.iter().zip(expected) {
            assert_eq!(clock.spend(Duration::from_millis(took)), ClockFlag::Up);
            assert_eq!(clock.time_left().unwrap().remaining.as_millis(), left);
        }
    }

    #[test]
    fn increments_are_added_after_the_move() {
        check(&terms("1+0.1", 0), &[500, 600, 100], &[600, 100, 100]);
    }

    #[test]
    fn a_period_adds_its_time_when_it_begins() {
        check(&terms("2/1", 0), &[500, 400, 1000], &[500, 1100, 100]);
        check(&terms("1/1,0.5+0.2", 0), &[900, 100], &[600, 700]);
    }

    #[test]
    fn short_stalls_of_one_game_add_up() {
        let stalls = |terms: &MoveClock, stalls: [u64; 3]| {
            let mut clock = RunningClock::new(terms);
            stalls.map(|stall| clock.stall(Duration::from_millis(stall)))
        };
        let [ok, void] = [Stalled::Tolerably, Stalled::TooLong];
        assert_eq!(stalls(&terms("8+0.08", 0), [300, 300, 300]), [ok, ok, void]);
        assert_eq!(stalls(&terms("1+0.01", 0), [150, 0, 150]), [ok, ok, void]);
        assert_eq!(stalls(&terms("60+0.6", 0), [900, 50, 60]), [ok, ok, void]);
        let each = MoveClock { move_time: Some(Duration::from_secs(1)), ..terms("inf", 0) };
        assert_eq!(stalls(&each, [150, 150, 250]), [ok, ok, void]);
        assert_eq!(stalls(&terms("inf", 0), [5000, 5000, 5000]), [ok, ok, ok]);
    }

    #[test]
    fn an_hourglass_gives_what_the_other_loses() {
        let terms = terms("1", 0);
        let mut clocks = [RunningClock::new(&terms), RunningClock::new(&terms)];
        for (mover, took) in [(0, 300), (1, 500), (0, 100)] {
            assert_eq!(clocks[mover].spend(Duration::from_millis(took)), ClockFlag::Up);
            clocks[1 - mover].gain(Duration::from_millis(took));
        }
        assert_eq!(clocks.map(|clock| clock.time_left().unwrap().remaining.as_millis()), [1100, 900]);
    }

    #[test]
    fn moves_to_go_are_counted_down() {
        let terms = terms("2/1", 0);
        let mut clock = RunningClock::new(&terms);
        for left in [2, 1, 2, 1] {
            assert_eq!(clock.moves_to_go(), NonZeroU32::new(left));
            assert_eq!(clock.spend(Duration::from_millis(1)), ClockFlag::Up);
        }
    }

    #[test]
    fn the_flag_falls_behind_the_margin_only() {
        let terms = terms("1+0.1", 20);
        let late = |by: u64| RunningClock::new(&terms).spend(Duration::from_millis(1000 + by));
        assert_eq!((late(0), late(20)), (ClockFlag::Up, ClockFlag::Up));
        assert_eq!(late(21), ClockFlag::Fallen(Duration::from_millis(21)));
    }

    #[test]
    fn time_that_the_margin_lent_is_not_given_twice() {
        check(&terms("1+0.1", 20), &[1010, 100], &[100, 100]);
    }

    #[test]
    fn a_time_for_each_move_is_kept_without_a_clock() {
        let mut terms = terms("inf", 5);
        terms.move_time = Some(Duration::from_millis(100));
        let mut clock = RunningClock::new(&terms);
        for _ in 0..3 {
            assert_eq!(clock.spend(Duration::from_millis(105)), ClockFlag::Up);
        }
        assert_eq!((clock.time_left(), clock.moves_to_go()), (None, None));
        assert_eq!(clock.spend(Duration::from_millis(106)), ClockFlag::Fallen(Duration::from_millis(6)));
    }
}
