//! Reading: the run, its games in order, its engines.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::Row;
use smalt_chess::{Color, Outcome};

use super::{Store, StoreError};
use crate::game::{EngineFault, FaultReport, GameRecord, Machine, moves};
use crate::schedule::ScheduledGame;

/// What a store says about its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// When it was begun.
    pub created: SystemTime,
    /// The complete plan, as a file.
    pub plan: String,
    /// What the openings were, so that others are not taken for them: see [`crate::opening::Book::fingerprint`].
    pub openings: String,
}

/// A fault as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the game that it cost; none if it cost none.
    pub game: Option<u32>,
    /// Who did what.
    pub fault: EngineFault,
}

impl Store {
    /// The run.
    ///
    /// # Errors
    /// If the database fails.
    pub fn run(&self) -> Result<StoredRun, StoreError> {
        self.database(self.connection.query_row("SELECT created_ms, plan, openings FROM run", [], |row| {
            Ok(StoredRun { created: from_ms(row.get(0)?), plan: row.get(1)?, openings: row.get(2)? })
        }))
    }

    /// Calls back with each game in the order of their numbers.
    ///
    /// # Errors
    /// If the database fails, or a game makes no sense.
    pub fn for_each_game(&self, mut each: impl FnMut(GameRecord)) -> Result<(), StoreError> {
        self.select_games("ORDER BY number", &mut each)
    }

    /// Calls back with each game with a number from the first to the last of these, in their order.
    ///
    /// # Errors
    /// As [`Self::for_each_game`].
    pub fn for_each_game_of(
        &self,
        numbers: RangeInclusive<u32>,
        mut each: impl FnMut(GameRecord),
    ) -> Result<(), StoreError> {
        let (first, last) = numbers.into_inner();
        self.select_games(&format!("WHERE number BETWEEN {first} AND {last} ORDER BY number"), &mut each)
    }

    /// The numbers of the games that are there, from this one on.
    ///
    /// # Errors
    /// If the database fails.
    pub fn numbers_from(&self, first: u32) -> Result<Vec<u32>, StoreError> {
        let read = || {
            let mut statement =
                self.connection.prepare("SELECT number FROM game WHERE number >= ?1 ORDER BY number")?;
            let rows = statement.query_map([first], |row| row.get(0))?;
            rows.collect()
        };
        self.database(read())
    }

    fn select_games(&self, which: &str, each: &mut dyn FnMut(GameRecord)) -> Result<(), StoreError> {
        let memory = if self.version < 3 { "NULL, NULL" } else { "white_memory_bytes, black_memory_bytes" };
        let machine = if self.version < 4 { "NULL, NULL" } else { "machine, speed_nps" };
        let mut statement = self.database(self.connection.prepare(&format!(
            "SELECT number, pair, round, white, black, opening, fen, outcome, termination, started_ms, duration_us,
                    moves, fault.entrant, fault.name, fault.words, fault.transcript, {memory}, {machine}
             FROM game LEFT JOIN fault ON fault.game = game.number {which}",
        )))?;
        let mut rows = self.database(statement.query([]))?;
        while let Some(row) = self.database(rows.next())? {
            let number: i64 = self.database(row.get(0))?;
            let record = self.database(read_game(row))?;
            each(record.ok_or_else(|| self.damaged(format!("game {number} makes no sense")))?);
        }
        Ok(())
    }

    /// Calls back with each fault, in the order in which they were stored.
    ///
    /// # Errors
    /// If the database fails.
    pub fn for_each_fault(&self, mut each: impl FnMut(Fault)) -> Result<(), StoreError> {
        let mut read = || {
            let mut statement = self
                .connection
                .prepare("SELECT game, entrant, name, words, transcript FROM fault ORDER BY id")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                each(read_fault(row)?);
            }
            Ok(())
        };
        self.database(read())
    }

    /// The last of these many faults, the latest first, and how many there are in all.
    ///
    /// # Errors
    /// If the database fails.
    pub fn last_faults(&self, most: u32) -> Result<(u32, Vec<Fault>), StoreError> {
        let read = || {
            let total = self.connection.query_row("SELECT count(*) FROM fault", [], |row| row.get(0))?;
            let mut statement = self.connection.prepare(
                "SELECT game, entrant, name, words, transcript FROM fault ORDER BY id DESC LIMIT ?1",
            )?;
            let faults = statement.query_map([most], read_fault)?.collect::<rusqlite::Result<_>>()?;
            Ok((total, faults))
        };
        self.database(read())
    }

    /// Who failed to start, or to get ready for a game, after the fault of this id (0 for all of them), in the order in which
    /// it was stored: the id of the fault, and the entrant.
    ///
    /// # Errors
    /// If the database fails.
    pub fn start_faults_after(&self, id: i64) -> Result<Vec<(i64, usize)>, StoreError> {
        let read = || {
            let mut statement = self
                .connection
                .prepare("SELECT id, entrant FROM fault WHERE id > ?1 AND game IS NULL ORDER BY id")?;
            let rows = statement.query_map([id], |row| Ok((row.get(0)?, index(row, 1)?)))?;
            rows.collect()
        };
        self.database(read())
    }

    /// What engines call themselves, by entrant.
    ///
    /// # Errors
    /// If the database fails.
    pub fn engines(&self) -> Result<BTreeMap<usize, String>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare("SELECT entrant, name FROM engine")?;
            let rows = statement.query_map([], |row| Ok((index(row, 0)?, row.get(1)?)))?;
            rows.collect()
        };
        self.database(read())
    }
}

pub(super) fn from_ms(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

fn index(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    row.get::<_, u32>(column).map(|index| index as usize)
}

fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(column)?.and_then(|bytes| u64::try_from(bytes).ok()))
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// A fault of `game, entrant, name, words, transcript`.
fn read_fault(row: &Row<'_>) -> rusqlite::Result<Fault> {
    Ok(Fault {
        game: row.get(0)?,
        fault: EngineFault {
            entrant: index(row, 1)?,
            name: row.get(2)?,
            words: row.get(3)?,
            transcript: lines(&row.get::<_, String>(4)?),
        },
    })
}

/// A game; none if its texts make no sense.
fn read_game(row: &Row<'_>) -> rusqlite::Result<Option<GameRecord>> {
    let game = ScheduledGame {
        number: row.get(0)?,
        pair: row.get(1)?,
        round: row.get(2)?,
        white: index(row, 3)?,
        black: index(row, 4)?,
        opening: index(row, 5)?,
    };
    let fen = row.get(6)?;
    let (outcome, termination): (String, String) = (row.get(7)?, row.get(8)?);
    let started = from_ms(row.get(9)?);
    let duration = Duration::from_micros(u64::try_from(row.get::<_, i64>(10)?).unwrap_or(0));
    let plies = moves::parse(&row.get::<_, String>(11)?);
    let fault = match row.get::<_, Option<u32>>(12)? {
        Some(entrant) => Some(FaultReport {
            color: if entrant as usize == game.white { Color::White } else { Color::Black },
            name: row.get(13)?,
            words: row.get(14)?,
            transcript: lines(&row.get::<_, String>(15)?),
        }),
        None => None,
    };
    let peak_memory = [bytes(row, 16)?, bytes(row, 17)?];
    let machine = match (row.get(18)?, bytes(row, 19)?.and_then(NonZeroU64::new)) {
        (Some(name), Some(speed)) => Some(Machine { name, speed }),
        _ => None,
    };
    let (Some(outcome), Ok(termination), Some(plies)) =
        (Outcome::parse(&outcome), termination.parse(), plies)
    else {
        return Ok(None);
    };
    Ok(Some(GameRecord {
        game,
        fen,
        plies,
        outcome,
        termination,
        started,
        duration,
        fault,
        peak_memory,
        machine,
    }))
}
