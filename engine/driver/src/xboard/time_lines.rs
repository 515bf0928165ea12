//! The time commands of xboard: `level`, `st` and `sd` when they change, `time` and `otim` before each move.

use std::time::Duration;

use smalt_chess::Color;
use smalt_protocol::xboard::ClientMessage;
use smalt_protocol::{Clock, SearchLimits};

use super::board::push;
use super::features::Features;

/// A move time that no search with another limit ever reaches.
const FOREVER: Duration = Duration::from_secs(36_000);

/// The time settings last sent in this game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct TimeLines {
    agreed: Option<Agreed>,
    depth: Option<u32>,
    /// Nodes per second, if the engine measures time in nodes.
    node_rate: Option<u64>,
    /// Whether a new game began since the depth was sent, so that the engine may have reset it.
    is_depth_stale: bool,
    /// Moves to the next time control at the last search.
    moves_to_go: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Agreed {
    MoveTime(Duration),
    Level { moves: u32, increment: Duration },
}

impl TimeLines {
    /// The engine has reset its clock. It should reset its depth limit too, but many engines keep it: the limit is sent
    /// again, or removed.
    pub(super) fn begin_game(&mut self) {
        *self = Self { depth: self.depth, is_depth_stale: true, ..Self::default() };
    }

    /// Adds the commands for whatever changed with this search.
    pub(super) fn update(
        &mut self,
        limits: &SearchLimits,
        node_rate: Option<u64>,
        mover: Color,
        lines: &mut String,
    ) {
        if let Some(rate) = node_rate.filter(|_| node_rate != self.node_rate) {
            push(lines, &ClientMessage::NodeRate(rate));
            self.node_rate = node_rate;
        }
        let own = own_clock(limits, mover);
        let wanted = match (limits.move_time, own) {
            (Some(time), _) => Agreed::MoveTime(whole_seconds(time)),
            (None, Some(clock)) => self.level(limits, clock),
            (None, None) => Agreed::MoveTime(FOREVER),
        };
        if self.agreed != Some(wanted) {
            match wanted {
                Agreed::MoveTime(time) => push(lines, &ClientMessage::MoveTime(time)),
                Agreed::Level { moves, increment } => {
                    // The base is the remaining time: this is how the protocol defines `level` in the middle of a game.
                    let base = whole_seconds(own.unwrap_or_default().remaining);
                    push(lines, &ClientMessage::Level { moves, base, increment });
                }
            }
            self.agreed = Some(wanted);
        }
        if self.depth != limits.depth || self.is_depth_stale && limits.depth.is_some() {
            push(lines, &ClientMessage::Depth(limits.depth.unwrap_or(MOST_PLIES)));
            self.depth = limits.depth;
        }
        self.is_depth_stale = false;
    }

    /// The current time control, or a new one if a new period has begun.
    fn level(&mut self, limits: &SearchLimits, clock: Clock) -> Agreed {
        let moves = limits.moves_to_go.map_or(0, std::num::NonZeroU32::get);
        let has_begun = moves > self.moves_to_go;
        self.moves_to_go = moves;
        let increment = clock.increment;
        match self.agreed {
            Some(Agreed::Level { moves: agreed, increment: same })
                if same == increment && (agreed == 0) == (moves == 0) && (!has_begun || moves == agreed) =>
            {
                Agreed::Level { moves: agreed, increment }
            }
            _ => Agreed::Level { moves, increment },
        }
    }
}

/// A depth that removes the limit.
const MOST_PLIES: u32 = 100;

/// Adds both clocks, if the engine wants them and the game has any.
pub(super) fn clocks(limits: &SearchLimits, mover: Color, features: &Features, lines: &mut String) {
    let Some(own) = own_clock(limits, mover).filter(|_| features.time) else { return };
    let other = own_clock(limits, mover.opposite()).unwrap_or(own);
    push(lines, &ClientMessage::Time(own.remaining));
    push(lines, &ClientMessage::OpponentTime(other.remaining));
}

fn own_clock(limits: &SearchLimits, color: Color) -> Option<Clock> {
    match color {
        Color::White => limits.white,
        Color::Black => limits.black,
    }
}

/// Rounded up: engines read whole numbers here, and take zero for nothing or for no limit.
fn whole_seconds(time: Duration) -> Duration {
    Duration::from_secs(time.as_secs() + u64::from(time.subsec_nanos() > 0)).max(Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    fn clock(seconds: u64, moves: u32) -> SearchLimits {
        let clock = Clock { remaining: Duration::from_secs(seconds), increment: Duration::from_millis(100) };
        SearchLimits {
            white: Some(clock),
            black: Some(clock),
            moves_to_go: NonZeroU32::new(moves),
            ..SearchLimits::default()
        }
    }

    #[test]
    fn a_time_control_is_sent_when_it_changes() {
        let mut time = TimeLines::default();
        let mut check = |limits: SearchLimits, expected: &str| {
            let mut lines = String::new();
            time.update(&limits, None, Color::White, &mut lines);
            assert_eq!(lines, expected);
        };
        check(clock(60, 40), "level 40 1 0.1\n");
        check(clock(50, 39), "");
        check(clock(3, 1), "");
        check(clock(62, 40), "");
        check(clock(10, 3), "");
        check(clock(30, 20), "level 20 0:30 0.1\n");
        check(clock(12, 0), "level 0 0:12 0.1\n");
        check(clock(5, 0), "");
        let depth = SearchLimits { depth: Some(7), ..SearchLimits::default() };
        check(depth, "st 36000\nsd 7\n");
        let short = SearchLimits { move_time: Some(Duration::from_millis(200)), ..SearchLimits::default() };
        check(short, "st 1\nsd 100\n");
    }

    #[test]
    fn a_depth_is_sent_in_every_game() {
        let mut time = TimeLines::default();
        let depth = SearchLimits { depth: Some(7), ..SearchLimits::default() };
        for _ in 0..2 {
            time.begin_game();
            for expected in ["st 36000\nsd 7\n", ""] {
                let mut lines = String::new();
                time.update(&depth, None, Color::White, &mut lines);
                assert_eq!(lines, expected);
            }
        }
        time.begin_game();
        let mut lines = String::new();
        time.update(&clock(12, 0), None, Color::White, &mut lines);
        assert_eq!(lines, "level 0 0:12 0.1\nsd 100\n");
    }

    #[test]
    fn a_node_rate_is_sent_in_every_game() {
        let mut time = TimeLines::default();
        let limits = SearchLimits { move_time: Some(Duration::from_secs(1)), ..SearchLimits::default() };
        for _ in 0..2 {
            time.begin_game();
            for expected in ["nps 5000\nst 1\n", ""] {
                let mut lines = String::new();
                time.update(&limits, Some(5000), Color::White, &mut lines);
                assert_eq!(lines, expected);
            }
        }
    }

    #[test]
    fn the_engine_s_own_clock_comes_first() {
        let mut limits = clock(60, 0);
        limits.black = Some(Clock { remaining: Duration::from_millis(1239), increment: Duration::ZERO });
        let mut lines = String::new();
        clocks(&limits, Color::Black, &Features::default(), &mut lines);
        assert_eq!(lines, "time 123\notim 6000\n");
    }
}
