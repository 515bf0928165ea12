//! The list of finished games and its filter.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use smalt_chess::{Color, Outcome};
use smalt_workbench::calendar::unix_ms;

use smalt_match::game::{GameRecord, Termination};

/// Maximum number of games of one answer.
const MAX_LISTED: usize = 200;

/// A finished game in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameRow {
    white: u16,
    black: u16,
    outcome: Outcome,
    termination: Termination,
    opening: u32,
    plies: u16,
    has_fault: bool,
    started: SystemTime,
    seconds: f32,
}

impl GameRow {
    pub(super) fn of(record: &GameRecord) -> GameRow {
        let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        GameRow {
            white: small(record.game.white),
            black: small(record.game.black),
            outcome: record.outcome,
            termination: record.termination,
            opening: u32::try_from(record.game.opening).unwrap_or(u32::MAX),
            plies: small(record.plies.len()),
            has_fault: record.fault.is_some(),
            started: record.started,
            seconds: record.duration.as_secs_f32(),
        }
    }

    pub(super) fn ended(&self) -> SystemTime {
        let length = Duration::try_from_secs_f32(self.seconds).unwrap_or_default();
        self.started.checked_add(length).unwrap_or(self.started)
    }

    pub(super) fn result(&self) -> String {
        self.outcome.to_string()
    }
}

/// Filter of games from a query string. Missing fields match everything; games and openings are numbered from
/// 1, entrants from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(super) struct GameFilter {
    /// One of the players.
    engine: Option<u16>,
    against: Option<u16>,
    /// Result `1-0`, `0-1`, `1/2-1/2`, or `win`, `draw`, `loss` of `engine`.
    result: Option<String>,
    /// Termination by name; `fault` for any fault.
    ending: Option<String>,
    /// Number of its opening.
    opening: Option<u32>,
    /// Only games with lower numbers, to continue a list.
    before: Option<u32>,
    /// Maximum number of games.
    count: Option<usize>,
}

impl GameFilter {
    fn passes(&self, row: &GameRow) -> bool {
        let plays = |entrant| entrant == row.white || entrant == row.black;
        self.engine.is_none_or(plays)
            && self.against.is_none_or(plays)
            && self.result.as_deref().is_none_or(|result| self.is_result(row, result))
            && self.ending.as_deref().is_none_or(|ending| match ending {
                "fault" => row.termination.is_fault(),
                name => row.termination.name() == name,
            })
            && self.opening.is_none_or(|number| number == row.opening.saturating_add(1))
    }

    fn is_result(&self, row: &GameRow, result: &str) -> bool {
        let wins = |color: Color| {
            let winner = if color == Color::White { row.white } else { row.black };
            row.outcome == Outcome::Win(color) && self.engine == Some(winner)
        };
        let is_won = wins(Color::White) || wins(Color::Black);
        match result {
            "win" => is_won,
            "draw" => row.outcome == Outcome::Draw,
            "loss" => self.engine.is_some() && !is_won && row.outcome != Outcome::Draw,
            text => row.outcome.to_string() == text,
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct GameListJson {
    /// Number of matching games, regardless of `before`.
    total: usize,
    games: Vec<GameRowJson>,
}

#[derive(Debug, Serialize)]
struct GameRowJson {
    number: u32,
    white: u16,
    black: u16,
    result: String,
    ending: &'static str,
    opening: u32,
    plies: u16,
    fault: bool,
    started_ms: u64,
    seconds: f32,
}

/// The matching games, latest first.
pub(super) fn list(games: &BTreeMap<u32, GameRow>, filter: &GameFilter) -> GameListJson {
    let passing = || games.iter().rev().filter(|(_, row)| filter.passes(row));
    let count = filter.count.unwrap_or(MAX_LISTED).min(MAX_LISTED);
    let behind = passing().filter(|(number, _)| filter.before.is_none_or(|before| **number + 1 < before));
    GameListJson {
        total: passing().count(),
        games: behind.take(count).map(|(&number, row)| row_json(number, row)).collect(),
    }
}

fn row_json(number: u32, row: &GameRow) -> GameRowJson {
    GameRowJson {
        number: number + 1,
        white: row.white,
        black: row.black,
        result: row.result(),
        ending: row.termination.name(),
        opening: row.opening.saturating_add(1),
        plies: row.plies,
        fault: row.has_fault,
        started_ms: unix_ms(row.started),
        seconds: row.seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games() -> BTreeMap<u32, GameRow> {
        let row = |white, black, outcome, termination, opening| GameRow {
            white,
            black,
            outcome,
            termination,
            opening,
            plies: 80,
            has_fault: false,
            started: SystemTime::UNIX_EPOCH,
            seconds: 1.0,
        };
        BTreeMap::from([
            (0, row(0, 1, Outcome::Win(Color::White), Termination::Checkmate, 0)),
            (1, row(1, 0, Outcome::Win(Color::White), Termination::TimeForfeit, 0)),
            (2, row(0, 2, Outcome::Draw, Termination::Repetition, 1)),
            (4, row(2, 0, Outcome::Win(Color::Black), Termination::Checkmate, 1)),
        ])
    }

    fn check(filter: GameFilter, expected: &[u32]) {
        let listing = list(&games(), &filter);
        let numbers: Vec<u32> = listing.games.iter().map(|game| game.number).collect();
        assert_eq!(numbers, expected, "{filter:?}");
    }

    fn lost_by(entrant: u16) -> GameFilter {
        GameFilter { engine: Some(entrant), result: Some("loss".to_owned()), ..GameFilter::default() }
    }

    #[test]
    fn filters_mean_what_they_say() {
        let text = |text: &str| Some(text.to_owned());
        check(GameFilter::default(), &[5, 3, 2, 1]);
        check(GameFilter { engine: Some(1), ..GameFilter::default() }, &[2, 1]);
        check(GameFilter { engine: Some(0), against: Some(2), ..GameFilter::default() }, &[5, 3]);
        let lost_to = |other| GameFilter { against: Some(other), ..lost_by(1) };
        check(lost_by(2), &[5]);
        check(lost_to(0), &[1]);
        check(lost_to(2), &[]);
        check(GameFilter { ending: text("fault"), ..lost_by(0) }, &[2]);
        check(GameFilter { engine: Some(0), result: text("win"), ..GameFilter::default() }, &[5, 1]);
        check(GameFilter { engine: Some(0), result: text("loss"), ..GameFilter::default() }, &[2]);
        check(GameFilter { result: text("1/2-1/2"), ..GameFilter::default() }, &[3]);
        check(GameFilter { result: text("loss"), ..GameFilter::default() }, &[]);
        check(GameFilter { ending: text("fault"), ..GameFilter::default() }, &[2]);
        check(GameFilter { ending: text("checkmate"), ..GameFilter::default() }, &[5, 1]);
        check(GameFilter { opening: Some(2), ..GameFilter::default() }, &[5, 3]);
    }

    #[test]
    fn pages_follow_one_another() {
        let first = GameFilter { count: Some(3), ..GameFilter::default() };
        check(first.clone(), &[5, 3, 2]);
        check(GameFilter { before: Some(2), ..first }, &[1]);
        let more = list(&games(), &GameFilter { before: Some(2), ..GameFilter::default() });
        assert_eq!(more.total, 4);
    }
}
