//! The list of games: a line a game, as many as a page can bear.

use smalt_report::{Column, Kind, Table};

use crate::game::GameRecord;

/// More games than these are not listed, but those that a fault ended.
const LISTED: usize = 2_000;

/// Lines on games.
#[derive(Clone, Debug)]
pub struct GameList {
    table: Table,
    left_out: usize,
}

impl Default for GameList {
    fn default() -> GameList {
        let number = |header: &str| Column::new(header, Kind::Integer);
        let text = |header: &str| Column::new(header, Kind::Text);
        let columns = [
            number("game"),
            number("round"),
            text("white"),
            text("black"),
            text("result"),
            text("ending"),
            number("plies"),
            Column::new("time", Kind::Duration),
            text("opening"),
        ];
        GameList { table: Table::new(columns), left_out: 0 }
    }
}

impl GameList {
    /// Adds a game with the names of the entrants and of its opening.
    pub fn add(&mut self, record: &GameRecord, names: &[String], opening: &str) {
        if self.table.len() >= LISTED && !record.termination.is_fault() {
            self.left_out += 1;
            return;
        }
        let game = &record.game;
        self.table.push([
            u64::from(game.number + 1).into(),
            u64::from(game.round + 1).into(),
            names[game.white].as_str().into(),
            names[game.black].as_str().into(),
            record.outcome.to_string().into(),
            record.sentence().into(),
            (record.plies.len() as u64).into(),
            record.duration.into(),
            opening.into(),
        ]);
    }

    pub(super) fn table(&self) -> &Table {
        &self.table
    }

    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }
}
