//! Clock use of engines: time left after their moves.

use std::time::Duration;

use serde::Serialize;
use smalt_chess::{Color, Position};

use smalt_match::game::GameRecord;

/// Counts of one entrant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClockUse {
    lowest: Option<Duration>,
    at_the_end: Duration,
    games: u32,
}

/// Clock use in seconds for the page; null without clocks.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct ClockUseJson {
    lowest_left: Option<f64>,
    mean_left_at_end: Option<f64>,
}

impl ClockUse {
    /// Adds a game for both entrants.
    pub(super) fn count(all: &mut [ClockUse], record: &GameRecord) {
        let mut mover = first_mover(record);
        let mut last = [None; 2];
        for ply in &record.plies {
            if let Some(left) = ply.search.as_ref().and_then(|search| search.left) {
                last[mover.index()] = Some(left);
                if let Some(tally) = all.get_mut(record.entrant(mover)) {
                    tally.lowest = Some(tally.lowest.map_or(left, |lowest| lowest.min(left)));
                }
            }
            mover = mover.opposite();
        }
        for color in Color::ALL {
            if let (Some(left), Some(tally)) = (last[color.index()], all.get_mut(record.entrant(color))) {
                tally.at_the_end = tally.at_the_end.saturating_add(left);
                tally.games += 1;
            }
        }
    }

    pub(super) fn to_json(self) -> ClockUseJson {
        let mean = (self.games > 0).then(|| self.at_the_end.as_secs_f64() / f64::from(self.games));
        ClockUseJson { lowest_left: self.lowest.map(|left| left.as_secs_f64()), mean_left_at_end: mean }
    }
}

fn first_mover(record: &GameRecord) -> Color {
    let start = record.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok());
    start.map_or(Color::White, |position| position.turn())
}
