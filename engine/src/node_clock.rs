//! A clock that counts nodes instead of time (`nodestime`): games at a clock that the speed and load of the machine do not
//! change.

use std::num::NonZeroU64;
use std::time::Duration;

use smalt_chess::Color;
use smalt_protocol::SearchLimits;

/// The engine's own clock of a game, in milliseconds of a fixed number of nodes each. The clock of the first `go` sets
/// it; later ones only add their increment.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct NodeClock {
    nodes_per_ms: Option<NonZeroU64>,
    /// Time left; `None` before the first move of a game.
    remaining: Option<Duration>,
}

impl NodeClock {
    /// Sets the nodes for each millisecond; 0: the clock is real time.
    pub(crate) fn set_rate(&mut self, nodes_per_ms: u64) {
        *self = NodeClock { nodes_per_ms: NonZeroU64::new(nodes_per_ms), remaining: None };
    }

    pub(crate) fn rate(&self) -> Option<NonZeroU64> {
        self.nodes_per_ms
    }

    /// A new game begins.
    pub(crate) fn reset(&mut self) {
        self.remaining = None;
    }

    /// Puts the time left on this clock in place of the one given, if it counts nodes.
    pub(crate) fn apply(&mut self, limits: &mut SearchLimits, turn: Color) {
        let given = match turn {
            Color::White => &mut limits.white,
            Color::Black => &mut limits.black,
        };
        if let (Some(_), Some(clock)) = (self.nodes_per_ms, given) {
            clock.remaining = *self.remaining.get_or_insert(clock.remaining);
        }
    }

    /// Deducts the nodes of a search and adds the increment.
    pub(crate) fn spend(&mut self, nodes: u64, limits: &SearchLimits, turn: Color) {
        let clock = match turn {
            Color::White => limits.white,
            Color::Black => limits.black,
        };
        if let (Some(rate), Some(remaining), Some(clock)) = (self.nodes_per_ms, self.remaining, clock) {
            self.remaining = Some(remaining.saturating_sub(node_time(nodes, rate)) + clock.increment);
        }
    }
}

/// Time that this many nodes stand for.
pub(crate) fn node_time(nodes: u64, nodes_per_ms: NonZeroU64) -> Duration {
    Duration::from_micros(nodes.saturating_mul(1000) / nodes_per_ms)
}

/// Nodes that this time stands for.
pub(crate) fn time_nodes(time: Duration, nodes_per_ms: NonZeroU64) -> u64 {
    let nodes = time.as_micros() * u128::from(nodes_per_ms.get()) / 1000;
    u64::try_from(nodes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_protocol::Clock;

    fn limits(remaining_ms: u64) -> SearchLimits {
        let clock =
            Clock { remaining: Duration::from_millis(remaining_ms), increment: Duration::from_millis(80) };
        SearchLimits { white: Some(clock), ..SearchLimits::default() }
    }

    #[test]
    fn the_first_go_of_a_game_sets_the_clock_and_nodes_run_it_down() {
        let mut clock = NodeClock::default();
        clock.set_rate(100);
        let left = |clock: &mut NodeClock, given: u64| {
            let mut limits = limits(given);
            clock.apply(&mut limits, Color::White);
            limits.white.unwrap().remaining.as_millis()
        };
        assert_eq!(left(&mut clock, 8000), 8000);
        clock.spend(50_000, &limits(0), Color::White);
        assert_eq!(left(&mut clock, 3), 8000 - 500 + 80);
        clock.spend(u64::MAX, &limits(0), Color::White);
        assert_eq!(left(&mut clock, 3), 80);
        clock.reset();
        assert_eq!(left(&mut clock, 3), 3);
        clock.set_rate(0);
        assert_eq!(left(&mut clock, 5), 5);
    }

    #[test]
    fn nodes_and_time_convert() {
        let rate = NonZeroU64::new(100).unwrap();
        assert_eq!(time_nodes(Duration::from_millis(95), rate), 9_500);
        assert_eq!(node_time(9_500, rate), Duration::from_millis(95));
        assert_eq!(time_nodes(Duration::MAX, rate), u64::MAX);
    }
}
