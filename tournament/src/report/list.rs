//! The list of games of a report, one line per game, with a maximum length.

use std::collections::BTreeSet;

use smalt_report::{Cell, Column, ColumnKind, Table};

use smalt_match::game::GameRecord;

/// Maximum number of listed games; games ended by a fault are always listed.
const LISTED: usize = 2_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct GameList {
    lines: Vec<GameLine>,
    skipped: usize,
}

/// A game with the cells after its number.
#[derive(Clone, Debug)]
struct GameLine {
    number: u32,
    cells: [Cell; 8],
}

impl GameList {
    /// Adds a game with the names of the entrants and of its opening.
    pub(crate) fn add(&mut self, record: &GameRecord, names: &[String], opening: &str) {
        if self.lines.len() >= LISTED && !record.termination.is_fault() {
            self.skipped += 1;
            return;
        }
        let game = &record.game;
        let cells = [
            record.outcome.to_string().into(),
            names[game.white].as_str().into(),
            names[game.black].as_str().into(),
            record.sentence().into(),
            (record.plies.len() as u64).into(),
            record.duration.into(),
            u64::from(game.round + 1).into(),
            opening.into(),
        ];
        self.lines.push(GameLine { number: game.number + 1, cells });
    }

    /// The table; the numbers of games with charts are links.
    pub(super) fn table(&self, shown: &BTreeSet<u32>) -> Table {
        let number = |header: &str| Column::new(header, ColumnKind::Integer);
        let text = |header: &str| Column::new(header, ColumnKind::Text);
        let mut table = Table::new([
            number("game"),
            text("result"),
            text("white"),
            text("black"),
            text("ending"),
            number("plies"),
            Column::new("time", ColumnKind::Duration),
            number("round"),
            text("opening"),
        ]);
        for GameLine { number, cells } in &self.lines {
            let place = match shown.contains(number) {
                true => Cell::Reference(i64::from(*number), place_of(*number)),
                false => u64::from(*number).into(),
            };
            table.push(std::iter::once(place).chain(cells.iter().cloned()));
        }
        table
    }

    pub(super) fn skipped(&self) -> usize {
        self.skipped
    }
}

/// The id of a game's charts.
pub(super) fn place_of(number: u32) -> String {
    format!("game-{number}")
}
