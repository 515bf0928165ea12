//! The list of finished games: what is kept of each, and which of them a page wants to see.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use smalt_chess::{Color, Outcome};

use smalt_match::game::{GameRecord, Termination};

/// The most games that one answer lists.
const MOST: usize = 200;

/// What is kept of a finished game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
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

impl Row {
    pub(super) fn of(record: &GameRecord) -> Row {
        let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        Row {
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

    /// Its result, as PGN writes it.
    pub(super) fn result(&self) -> String {
        self.outcome.to_string()
    }
}

/// Which games are wanted, as it stands in an address. What is not said does not matter; numbers count from 1, but
/// entrants from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    /// An entrant that plays.
    engine: Option<u16>,
    /// Another one that does.
    against: Option<u16>,
    /// `1-0`, `0-1`, `1/2-1/2`; `win`, `draw` or `loss` of that entrant.
    result: Option<String>,
    /// How it ended, by name; `fault` is any that an engine is to blame for.
    ending: Option<String>,
    /// The number of its opening.
    opening: Option<u32>,
    /// Only games of lower numbers: where the last answer ended.
    before: Option<u32>,
    /// How many at most.
    count: Option<usize>,
}

impl Wanted {
    fn passes(&self, row: &Row) -> bool {
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

    fn is_result(&self, row: &Row, result: &str) -> bool {
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

/// The answer.
#[derive(Debug, Serialize)]
pub(super) struct Listing {
    /// How many games pass, wherever the listing begins.
    total: usize,
    games: Vec<RowJson>,
}

#[derive(Debug, Serialize)]
struct RowJson {
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

/// The games that are wanted, those of the highest numbers first.
pub(super) fn list(games: &BTreeMap<u32, Row>, wanted: &Wanted) -> Listing {
    let passing = || games.iter().rev().filter(|(_, row)| wanted.passes(row));
    let count = wanted.count.unwrap_or(MOST).min(MOST);
    let behind = passing().filter(|(number, _)| wanted.before.is_none_or(|before| **number + 1 < before));
    Listing {
        total: passing().count(),
        games: behind.take(count).map(|(&number, row)| row_json(number, row)).collect(),
    }
}

fn row_json(number: u32, row: &Row) -> RowJson {
    let started = row.started.duration_since(UNIX_EPOCH).unwrap_or_default();
    RowJson {
        number: number + 1,
        white: row.white,
        black: row.black,
        result: row.result(),
        ending: row.termination.name(),
        opening: row.opening.saturating_add(1),
        plies: row.plies,
        fault: row.has_fault,
        started_ms: u64::try_from(started.as_millis()).unwrap_or(0),
        seconds: row.seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games() -> BTreeMap<u32, Row> {
        let row = |white, black, outcome, termination, opening| Row {
            white,
            black,
            outcome,
            termination,
            opening,
            plies: 80,
            has_fault: false,
            started: UNIX_EPOCH,
            seconds: 1.0,
        };
        BTreeMap::from([
            (0, row(0, 1, Outcome::Win(Color::White), Termination::Checkmate, 0)),
            (1, row(1, 0, Outcome::Win(Color::White), Termination::TimeForfeit, 0)),
            (2, row(0, 2, Outcome::Draw, Termination::Repetition, 1)),
            (4, row(2, 0, Outcome::Win(Color::Black), Termination::Checkmate, 1)),
        ])
    }

    fn check(wanted: Wanted, expected: &[u32]) {
        let listing = list(&games(), &wanted);
        let numbers: Vec<u32> = listing.games.iter().map(|game| game.number).collect();
        assert_eq!(numbers, expected, "{wanted:?}");
    }

    fn lost_by(entrant: u16) -> Wanted {
        Wanted { engine: Some(entrant), result: Some("loss".to_owned()), ..Wanted::default() }
    }

    #[test]
    fn filters_mean_what_they_say() {
        let text = |text: &str| Some(text.to_owned());
        check(Wanted::default(), &[5, 3, 2, 1]);
        check(Wanted { engine: Some(1), ..Wanted::default() }, &[2, 1]);
        check(Wanted { engine: Some(0), against: Some(2), ..Wanted::default() }, &[5, 3]);
        let lost_to = |other| Wanted { against: Some(other), ..lost_by(1) };
        check(lost_by(2), &[5]);
        check(lost_to(0), &[1]);
        check(lost_to(2), &[]);
        check(Wanted { ending: text("fault"), ..lost_by(0) }, &[2]);
        check(Wanted { engine: Some(0), result: text("win"), ..Wanted::default() }, &[5, 1]);
        check(Wanted { engine: Some(0), result: text("loss"), ..Wanted::default() }, &[2]);
        check(Wanted { result: text("1/2-1/2"), ..Wanted::default() }, &[3]);
        check(Wanted { result: text("loss"), ..Wanted::default() }, &[]);
        check(Wanted { ending: text("fault"), ..Wanted::default() }, &[2]);
        check(Wanted { ending: text("checkmate"), ..Wanted::default() }, &[5, 1]);
        check(Wanted { opening: Some(2), ..Wanted::default() }, &[5, 3]);
    }

    #[test]
    fn pages_follow_one_another() {
        let first = Wanted { count: Some(3), ..Wanted::default() };
        check(first.clone(), &[5, 3, 2]);
        check(Wanted { before: Some(2), ..first }, &[1]);
        let more = list(&games(), &Wanted { before: Some(2), ..Wanted::default() });
        assert_eq!(more.total, 4);
    }
}
