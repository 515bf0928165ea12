//! Time management: soft and hard limit of a move from the clock, with the soft limit scaled by best move stability,
//! node share and score trend. Times are arguments and results; it reads no clock.

use std::num::NonZeroU32;
use std::time::Duration;

use smalt_chess::Color;
use smalt_protocol::SearchLimits;

use super::params::PARAMETERS as P;

/// Reserve on the clock in multiples of the move overhead, against pauses of a busy machine (about a tenth of a second;
/// the default overhead is a third of that). At most two thirds of the clock.
const RESERVED_OVERHEADS: u32 = 3;

/// Soft limits that must fit between the clock and its reserve. With an increment, the clock converges to about this
/// many increments above the reserve.
const MOVES_ABOVE_RESERVE: u32 = 4;

/// Time budget of a move, counted from the start of our clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeBudget {
    /// Soft limit: no new iteration starts after this time, scaled by the stability of the search.
    pub soft: Option<Duration>,
    /// Hard limit: the search stops here.
    pub hard: Option<Duration>,
}

/// Stability of the best move over the iterations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SearchStability {
    /// Consecutive iterations with the same best move.
    pub stable_iterations: u32,
    /// Share of the nodes spent on the best move, 0 to 1.
    pub node_share: f64,
    /// Drop of the score since earlier iterations, in centipawns; negative when it rose.
    pub score_drop: i32,
}

impl TimeBudget {
    /// The time budget of a move. `move_number` is that of the game, from 1: without moves to go, the soft limit is a share
    /// of the clock that grows with it. `overhead` is the move overhead (`Move Overhead`); a reserve of three times that
    /// stays on the clock.
    pub(crate) fn new(
        limits: &SearchLimits,
        turn: Color,
        move_number: u32,
        overhead: Duration,
    ) -> TimeBudget {
        if let Some(move_time) = limits.move_time {
            let kept = overhead.min(move_time / 20);
            return TimeBudget { soft: None, hard: Some(move_time - kept) };
        }
        let Some(clock) = limits.clock_of(turn) else { return TimeBudget::default() };
        let usable = clock.remaining.saturating_sub(overhead);
        let free = usable - overhead.saturating_mul(RESERVED_OVERHEADS).min(usable / 3 * 2);
        let (soft, limit) = match limits.moves_to_go {
            Some(moves) => for_moves(usable, clock.increment, overhead, moves.get()),
            None => (
                share_of_clock(usable, move_number) + thousandths(clock.increment, P.time_increment_share()),
                thousandths(usable, P.time_hard_share()),
            ),
        };
        let moves = limits.moves_to_go.map_or(u32::MAX, NonZeroU32::get);
        let soft = soft.min(free / moves.min(MOVES_ABOVE_RESERVE));
        let hard = thousandths(soft, P.time_hard_factor()).min(limit).min(free);
        TimeBudget { soft: Some(soft.min(hard)), hard: Some(hard) }
    }

    /// Whether another iteration may start.
    pub(super) fn allows_iteration(&self, elapsed: Duration, stability: SearchStability) -> bool {
        self.soft.is_none_or(|soft| elapsed < soft.mul_f64(stability.factor()))
    }

    /// Whether the hard limit is reached.
    pub(super) fn is_used_up(&self, elapsed: Duration) -> bool {
        self.hard.is_some_and(|hard| elapsed >= hard)
    }
}

impl SearchStability {
    /// Factor of the soft limit: smaller if the best move is clear.
    fn factor(self) -> f64 {
        let share = |thousandths: i32| f64::from(thousandths) / 1000.0;
        let stability = share(P.time_stability_base())
            - share(P.time_stability_step())
                * f64::from(self.stable_iterations.min(P.time_stability_max() as u32));
        let effort = (share(P.time_effort_base()) - share(P.time_effort_factor()) * self.node_share)
            .clamp(share(P.time_effort_min()), share(P.time_effort_max()));
        let trend = (1.0 + f64::from(self.score_drop) / f64::from(P.time_drop_divisor()))
            .clamp(share(P.time_drop_min()), share(P.time_drop_max()));
        stability * effort * trend
    }
}

/// Soft limit and maximum hard limit with a number of moves to go to the next time control.
fn for_moves(usable: Duration, increment: Duration, overhead: Duration, moves: u32) -> (Duration, Duration) {
    let moves = moves.min(P.time_moves_max() as u32);
    let later = (increment.saturating_sub(overhead)).saturating_mul(moves - 1);
    let soft = usable.saturating_add(later) / (moves + 1);
    let limit = if moves == 1 { P.time_last_move_share() } else { P.time_control_share() };
    (soft, thousandths(usable, limit))
}

/// Share of the clock for a move without a number of moves to go: small in the opening, growing up to a move
/// number. A position without move numbers counts as move 1.
fn share_of_clock(usable: Duration, move_number: u32) -> Duration {
    let (first, full) = (f64::from(P.time_first_share()), f64::from(P.time_share()));
    let progress = (f64::from(move_number) / f64::from(P.time_full_share_move())).min(1.0);
    usable.mul_f64((first + (full - first) * progress) / 1000.0)
}

fn thousandths(time: Duration, share: i32) -> Duration {
    time.mul_f64(f64::from(share) / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use smalt_protocol::Clock;

    const OVERHEAD: Duration = Duration::from_millis(10);
    const MOVE: u32 = 30;

    fn limits(remaining_ms: u64, increment_ms: u64, moves: u32) -> SearchLimits {
        let clock = Clock {
            remaining: Duration::from_millis(remaining_ms),
            increment: Duration::from_millis(increment_ms),
        };
        SearchLimits { white: Some(clock), moves_to_go: NonZeroU32::new(moves), ..SearchLimits::default() }
    }

    proptest! {
        #[test]
        fn the_hard_limit_never_exceeds_the_clock(
            remaining in 0_u64..100_000_000, increment in 0_u64..100_000, moves in 0_u32..200, number in 0_u32..300,
        ) {
            let clock = Duration::from_millis(remaining);
            let allotted = TimeBudget::new(&limits(remaining, increment, moves), Color::White, number, OVERHEAD);
            let (soft, hard) = (allotted.soft.unwrap(), allotted.hard.unwrap());
            prop_assert!(soft <= hard);
            prop_assert!(hard <= clock.saturating_sub(OVERHEAD));
            let usable = clock.saturating_sub(OVERHEAD);
            let free = usable - (OVERHEAD * RESERVED_OVERHEADS).min(usable / 3 * 2);
            let left = if moves == 0 { MOVES_ABOVE_RESERVE } else { moves.min(MOVES_ABOVE_RESERVE) };
            prop_assert!(hard <= free && soft * left <= free);
            prop_assert!(clock - hard >= (OVERHEAD * RESERVED_OVERHEADS).min(clock / 3 * 2));
        }

        /// A whole game on a fake clock, each move using its hard limit.
        #[test]
        fn a_game_on_hard_limits_keeps_time(start in 50_u64..60_000, increment in 0_u64..1_000) {
            let mut clock = Duration::from_millis(start);
            for _ in 0..200 {
                let given = limits(clock.as_millis() as u64, increment, 0);
                let used = TimeBudget::new(&given, Color::White, MOVE, OVERHEAD).hard.unwrap();
                prop_assert!(used <= clock);
                clock = clock - used + Duration::from_millis(increment);
            }
        }
    }

    #[test]
    fn with_an_increment_the_clock_settles_above_the_reserve() {
        for (start, increment) in [(1_000, 10), (60, 10), (1_000, 20), (60_000, 40), (300_000, 1_000)] {
            let mut clock = Duration::from_millis(start);
            for _ in 0..500 {
                let given = SearchLimits {
                    white: Some(Clock { remaining: clock, increment: Duration::from_millis(increment) }),
                    ..SearchLimits::default()
                };
                clock = clock - TimeBudget::new(&given, Color::White, MOVE, OVERHEAD).soft.unwrap()
                    + Duration::from_millis(increment);
            }
            let rest = OVERHEAD
                + OVERHEAD * RESERVED_OVERHEADS
                + Duration::from_millis(increment) * MOVES_ABOVE_RESERVE;
            assert!(clock >= rest - Duration::from_millis(1), "{clock:?} after {start}+{increment}");
        }
    }

    #[test]
    fn the_longest_clock_does_not_overflow() {
        let clock = Some(Clock { remaining: Duration::MAX, increment: Duration::ZERO });
        let given = SearchLimits { white: clock, ..SearchLimits::default() };
        assert!(TimeBudget::new(&given, Color::White, MOVE, OVERHEAD).hard.is_some());
    }

    #[test]
    fn movetime_is_used_but_for_the_overhead() {
        let given = SearchLimits { move_time: Some(Duration::from_millis(1000)), ..SearchLimits::default() };
        let allotted = TimeBudget::new(&given, Color::Black, MOVE, OVERHEAD);
        assert_eq!(allotted, TimeBudget { soft: None, hard: Some(Duration::from_millis(990)) });
        let tiny = SearchLimits { move_time: Some(Duration::ZERO), ..SearchLimits::default() };
        assert_eq!(TimeBudget::new(&tiny, Color::Black, MOVE, OVERHEAD).hard, Some(Duration::ZERO));
    }

    #[test]
    fn only_our_own_clock_counts() {
        assert_eq!(TimeBudget::new(&limits(1000, 0, 0), Color::Black, MOVE, OVERHEAD), TimeBudget::default());
    }

    #[test]
    fn a_stable_best_move_takes_less_time() {
        let allotted = TimeBudget::new(&limits(60_000, 600, 0), Color::White, MOVE, OVERHEAD);
        let soft = allotted.soft.unwrap();
        let clear = SearchStability { stable_iterations: 8, node_share: 0.95, score_drop: -20 };
        let unclear = SearchStability { stable_iterations: 0, node_share: 0.3, score_drop: 60 };
        assert!(!allotted.allows_iteration(soft * 7 / 10, clear));
        assert!(allotted.allows_iteration(soft * 2, unclear));
        assert!(!allotted.is_used_up(soft) && allotted.is_used_up(soft * 5));
    }

    #[test]
    fn the_share_of_the_clock_grows_in_the_opening() {
        let soft =
            |number| TimeBudget::new(&limits(60_000, 0, 0), Color::White, number, OVERHEAD).soft.unwrap();
        assert!(soft(1) * 2 < soft(15) && soft(15) < soft(25));
        assert_eq!(soft(25), soft(200));
        let with_moves_to_go =
            |number| TimeBudget::new(&limits(60_000, 0, 40), Color::White, number, OVERHEAD).soft.unwrap();
        assert_eq!(with_moves_to_go(1), with_moves_to_go(30));
    }

    #[test]
    fn more_moves_to_go_leave_less_for_each() {
        let soft =
            |moves| TimeBudget::new(&limits(60_000, 0, moves), Color::White, MOVE, OVERHEAD).soft.unwrap();
        assert!(soft(40) < soft(20) && soft(20) < soft(1));
    }
}
