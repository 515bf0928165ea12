//! A clock that counts nodes instead of time (`nodestime`): the speed and load of the machine do not change games at such a
//! clock, with one thread.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use smalt_chess::Color;
use smalt_protocol::{Clock, SearchLimits};

/// The engine's own clock of a game, in milliseconds of a fixed number of nodes each. The clock of the first search sets
/// it; later ones add only their increment, and the time of a new time control. A search that ponders or is infinite uses
/// real time.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct NodeClock {
    nodes_per_ms: Option<NonZeroU64>,
    game: Option<Game>,
}

/// The clock of a game that has begun.
#[derive(Clone, Copy, Debug)]
struct Game {
    /// Time at the start of each time control.
    base: Duration,
    remaining: Duration,
    /// Moves to go at the last search.
    moves_to_go: Option<NonZeroU32>,
}

impl NodeClock {
    /// Sets the nodes for each millisecond; 0: the clock is real time.
    pub(crate) fn set_rate(&mut self, nodes_per_ms: u64) {
        *self = NodeClock { nodes_per_ms: NonZeroU64::new(nodes_per_ms), game: None };
    }

    /// A new game begins.
    pub(crate) fn reset(&mut self) {
        self.game = None;
    }

    /// Puts the time left on this clock in place of the one given. Returns the nodes for each millisecond, if the search
    /// counts nodes.
    pub(crate) fn apply(&mut self, limits: &mut SearchLimits, turn: Color) -> Option<NonZeroU64> {
        let rate = self.nodes_per_ms.filter(|_| !limits.ponder && !limits.infinite)?;
        let moves_to_go = limits.moves_to_go;
        let own = match turn {
            Color::White => &mut limits.white,
            Color::Black => &mut limits.black,
        };
        if let Some(clock) = own {
            let begun = Game { base: clock.remaining, remaining: clock.remaining, moves_to_go };
            let game = self.game.get_or_insert(begun);
            if moves_to_go > game.moves_to_go {
                game.remaining = game.remaining.saturating_add(game.base);
            }
            game.moves_to_go = moves_to_go;
            clock.remaining = game.remaining;
        }
        Some(rate)
    }

    /// Deducts the nodes of a search that counted them from the clock, and adds its increment.
    pub(crate) fn spend(&mut self, nodes: u64, rate: NonZeroU64, clock: Option<Clock>) {
        if let (Some(game), Some(clock)) = (&mut self.game, clock) {
            let left = game.remaining.saturating_sub(node_time(nodes, rate));
            game.remaining = left.saturating_add(clock.increment);
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

    const RATE: NonZeroU64 = NonZeroU64::new(100).unwrap();

    fn limits(remaining_ms: u64, moves_to_go: u32) -> SearchLimits {
        let clock =
            Clock { remaining: Duration::from_millis(remaining_ms), increment: Duration::from_millis(80) };
        let moves_to_go = NonZeroU32::new(moves_to_go);
        SearchLimits { white: Some(clock), moves_to_go, ..SearchLimits::default() }
    }

    fn left(clock: &mut NodeClock, mut limits: SearchLimits) -> u128 {
        clock.apply(&mut limits, Color::White);
        limits.white.unwrap().remaining.as_millis()
    }

    #[test]
    fn the_first_search_of_a_game_sets_the_clock_and_nodes_run_it_down() {
        let mut clock = NodeClock::default();
        clock.set_rate(RATE.get());
        assert_eq!(left(&mut clock, limits(8000, 0)), 8000);
        clock.spend(50_000, RATE, limits(0, 0).white);
        assert_eq!(left(&mut clock, limits(3, 0)), 8000 - 500 + 80);
        clock.spend(u64::MAX, RATE, limits(0, 0).white);
        assert_eq!(left(&mut clock, limits(3, 0)), 80);
        clock.reset();
        assert_eq!(left(&mut clock, limits(3, 0)), 3);
        clock.set_rate(0);
        assert_eq!(left(&mut clock, limits(5, 0)), 5);
    }

    #[test]
    fn a_new_time_control_adds_its_time() {
        let mut clock = NodeClock::default();
        clock.set_rate(RATE.get());
        assert_eq!(left(&mut clock, limits(8000, 2)), 8000);
        clock.spend(300_000, RATE, limits(0, 0).white);
        assert_eq!(left(&mut clock, limits(3, 1)), 5080);
        assert_eq!(left(&mut clock, limits(3, 2)), 13_080);
    }

    #[test]
    fn a_search_that_ponders_or_is_infinite_uses_real_time() {
        let mut clock = NodeClock::default();
        clock.set_rate(RATE.get());
        let ponder = SearchLimits { ponder: true, ..limits(7, 0) };
        let infinite = SearchLimits { infinite: true, ..limits(7, 0) };
        assert_eq!(left(&mut clock, limits(8000, 0)), 8000);
        for mut limits in [ponder, infinite] {
            assert_eq!(clock.apply(&mut limits, Color::White), None);
            assert_eq!(limits.white.unwrap().remaining.as_millis(), 7);
        }
    }

    #[test]
    fn nodes_and_time_convert() {
        assert_eq!(time_nodes(Duration::from_millis(95), RATE), 9_500);
        assert_eq!(node_time(9_500, RATE), Duration::from_millis(95));
        assert_eq!(time_nodes(Duration::MAX, RATE), u64::MAX);
    }
}
