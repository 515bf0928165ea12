//! Time controls and clocks of xboard, and the resulting search limits. It reads no clock.

use std::num::NonZeroU32;
use std::time::Duration;

use smalt_chess::Color;
use smalt_protocol::{Clock, SearchLimits};

use crate::search::TimeBudget;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Control {
    /// `level`: time for a number of moves or for the game, and an increment.
    Level { moves: Option<NonZeroU32>, base: Duration, increment: Duration },
    /// `st`: time per move.
    EachMove(Duration),
}

/// Time control and clocks of the engine and its opponent, whatever their colors.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    control: Control,
    depth: Option<u32>,
    /// `nps`: number of nodes that count as one second.
    node_rate: Option<u64>,
    own: Duration,
    other: Duration,
    /// Ply at which the time control started.
    since: usize,
}

/// Time per move before any time control is set.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(2);

impl Clocks {
    pub(super) fn new() -> Clocks {
        Clocks {
            control: Control::EachMove(DEFAULT_MOVE_TIME),
            depth: None,
            node_rate: None,
            own: Duration::ZERO,
            other: Duration::ZERO,
            since: 0,
        }
    }

    /// New game: full clocks, no depth limit, no node rate.
    pub(super) fn restart(&mut self) {
        (self.depth, self.node_rate) = (None, None);
        self.begin(0);
    }

    /// Resets the clocks; moves count from this ply on.
    fn begin(&mut self, ply: usize) {
        self.since = ply;
        if let Control::Level { base, .. } = self.control {
            (self.own, self.other) = (base, base);
        }
    }

    /// Counts moves from ply 0.
    pub(super) fn count_from_start(&mut self) {
        self.since = 0;
    }

    pub(super) fn set_level(&mut self, moves: u32, base: Duration, increment: Duration, ply: usize) {
        self.control = Control::Level { moves: NonZeroU32::new(moves), base, increment };
        self.begin(ply);
    }

    pub(super) fn set_move_time(&mut self, time: Duration) {
        self.control = Control::EachMove(time);
    }

    pub(super) fn set_depth(&mut self, plies: u32) {
        self.depth = Some(plies);
    }

    pub(super) fn set_node_rate(&mut self, nodes_per_second: u64) {
        self.node_rate = Some(nodes_per_second);
    }

    pub(super) fn set_own(&mut self, time: Duration) {
        self.own = time;
    }

    pub(super) fn set_other(&mut self, time: Duration) {
        self.other = time;
    }

    /// The ply at which the time control started.
    pub(super) fn since(&self) -> usize {
        self.since
    }

    pub(super) fn own(&self) -> Duration {
        self.own
    }

    /// Deducts the time of an engine move, the one after `moves_before` others of this time control. Interfaces that
    /// send `time` overwrite it.
    pub(super) fn spend(&mut self, used: Duration, moves_before: u32) {
        let Control::Level { moves, base, increment } = self.control else { return };
        let has_reached = moves.is_some_and(|moves| (moves_before + 1).is_multiple_of(moves.get()));
        let added = if has_reached { base } else { Duration::ZERO };
        self.own = self.own.saturating_sub(used) + increment + added;
    }

    /// Search limits for the engine's color after `moves_before` moves of this time control, at this move number of the game.
    pub(super) fn limits(&self, color: Color, moves_before: u32, move_number: u32) -> SearchLimits {
        let mut limits = SearchLimits { depth: self.depth, ..SearchLimits::default() };
        match self.control {
            Control::EachMove(time) => limits.move_time = Some(time),
            Control::Level { moves, increment, .. } => {
                let [own, other] =
                    [self.own, self.other].map(|remaining| Some(Clock { remaining, increment }));
                (limits.white, limits.black) = match color {
                    Color::White => (own, other),
                    Color::Black => (other, own),
                };
                limits.moves_to_go =
                    moves.and_then(|moves| NonZeroU32::new(moves.get() - moves_before % moves));
            }
        }
        match self.node_rate {
            Some(rate) => count_nodes(limits, color, move_number, rate),
            None => limits,
        }
    }
}

/// Converts time limits to node limits (`nps`).
fn count_nodes(limits: SearchLimits, color: Color, move_number: u32, rate: u64) -> SearchLimits {
    let time_budget = TimeBudget::new(&limits, color, move_number, Duration::ZERO);
    let time = limits.move_time.or(time_budget.soft).unwrap_or_default();
    let nodes = (time.as_secs_f64() * rate as f64) as u64;
    SearchLimits { nodes: Some(nodes.max(1)), depth: limits.depth, ..SearchLimits::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_clock_of_moves_counts_them_and_is_filled_again() {
        let mut clocks = Clocks::new();
        clocks.set_level(40, seconds(300), Duration::ZERO, 0);
        let limits = clocks.limits(Color::Black, 0, 1);
        assert_eq!(limits.black, Some(Clock { remaining: seconds(300), increment: Duration::ZERO }));
        assert_eq!(limits.moves_to_go, NonZeroU32::new(40));
        clocks.spend(seconds(20), 0);
        assert_eq!(clocks.own(), seconds(280));
        assert_eq!(clocks.limits(Color::Black, 39, 1).moves_to_go, NonZeroU32::new(1));
        clocks.spend(seconds(30), 39);
        assert_eq!(clocks.own(), seconds(550));
        assert_eq!(clocks.limits(Color::Black, 40, 1).moves_to_go, NonZeroU32::new(40));
    }

    #[test]
    fn the_clock_belongs_to_the_engine_with_either_color() {
        let mut clocks = Clocks::new();
        clocks.set_level(0, seconds(120), seconds(12), 0);
        clocks.set_own(seconds(7));
        clocks.set_other(seconds(9));
        assert_eq!(clocks.limits(Color::White, 3, 1).white.unwrap().remaining, seconds(7));
        assert_eq!(clocks.limits(Color::Black, 3, 1).black.unwrap().remaining, seconds(7));
        assert_eq!(clocks.limits(Color::Black, 3, 1).moves_to_go, None);
    }

    #[test]
    fn a_depth_goes_with_either_control_until_the_next_game() {
        let mut clocks = Clocks::new();
        clocks.set_move_time(seconds(3));
        clocks.set_depth(5);
        let limits = clocks.limits(Color::White, 0, 1);
        assert_eq!((limits.depth, limits.move_time), (Some(5), Some(seconds(3))));
        clocks.restart();
        let limits = clocks.limits(Color::White, 0, 1);
        assert_eq!((limits.depth, limits.move_time), (None, Some(seconds(3))));
    }

    #[test]
    fn a_rate_makes_nodes_of_time() {
        let mut clocks = Clocks::new();
        clocks.set_move_time(seconds(8));
        clocks.set_node_rate(10_000);
        let limits = clocks.limits(Color::White, 0, 1);
        assert_eq!((limits.nodes, limits.move_time), (Some(80_000), None));
        clocks.set_level(0, seconds(60), Duration::ZERO, 0);
        let limits = clocks.limits(Color::White, 0, 1);
        assert!(limits.white.is_none() && limits.nodes.is_some_and(|nodes| nodes > 1_000 && nodes < 600_000));
        assert!(clocks.limits(Color::White, 0, 30).nodes > limits.nodes);
    }
}
