//! Queries: the run, its games in order, engines and faults.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime};

use rusqlite::Row;
use rusqlite::types::ValueRef;
use smalt_chess::{Color, Outcome, UciMove};

use super::checksum::{checksum, run_checksum, summed};
use super::column::{duration, entrant, invalid, number, time, to_ms, whole, whole_if_any};
use super::{Store, StoreError};
use crate::game::{EngineFault, FaultReport, GameRecord, Machine, moves};
use crate::plan::{MOST_GAMES, Settings};
use crate::schedule::ScheduledGame;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// Start of the run.
    pub created: SystemTime,
    /// Complete plan as TOML.
    pub plan: String,
    /// Fingerprint of the openings: see [`crate::opening::Book::fingerprint`].
    pub openings: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFault {
    /// Number of the game that it ended; `None` outside of games.
    pub game: Option<u32>,
    pub fault: EngineFault,
}

impl Store {
    /// The run.
    ///
    /// # Errors
    /// If the database fails, or the row is damaged.
    pub fn run(&self) -> Result<StoredRun, StoreError> {
        let sum = if self.version < 6 { "NULL" } else { "checksum" };
        let sql = format!("SELECT created_ms, plan, openings, {sum} FROM run");
        let found = self.connection.query_row(&sql, [], |row| {
            let run =
                StoredRun { created: time(row, 0, "its begin")?, plan: row.get(1)?, openings: row.get(2)? };
            Ok((run, row.get::<_, Option<i64>>(3)?))
        });
        let (run, sum) = self.part("the run", found)?;
        match sum {
            Some(sum) if sum != run_checksum(to_ms(run.created), &run.plan, &run.openings) => {
                Err(self.damaged("the run: its checksum does not match"))
            }
            _ => Ok(run),
        }
    }

    /// Number of entrants in the plan; every entrant index read is below it.
    pub(super) fn entrants(&self) -> Result<usize, StoreError> {
        if let Some(&known) = self.entrants.get() {
            return Ok(known);
        }
        let plan = Settings::parse(&self.run()?.plan, "the plan of the run");
        let count = plan.map_err(|error| self.damaged(error.to_string()))?.entrants.len();
        Ok(*self.entrants.get_or_init(|| count))
    }

    /// Checks the structure of the file (SQLite's `quick_check`), so that no row is missed.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn check_structure(&self) -> Result<(), StoreError> {
        let check = self.connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
        match self.database(check)?.as_str() {
            "ok" => Ok(()),
            answer => Err(self.damaged(answer.lines().last().unwrap_or_default())),
        }
    }

    /// Reads and checks the whole store.
    ///
    /// # Errors
    /// If the file is damaged.
    pub(super) fn verify(&self) -> Result<(), StoreError> {
        self.for_each_game(|_| {})?;
        self.for_each_fault(|_| {})?;
        self.engines()?;
        self.machines()?;
        self.latest_session()?;
        self.disqualifications()?;
        Ok(())
    }

    /// Calls `each` with each game in order of numbers.
    ///
    /// # Errors
    /// If the database fails, or a game is damaged.
    pub fn for_each_game(&self, mut each: impl FnMut(GameRecord)) -> Result<(), StoreError> {
        self.check_structure()?;
        self.select_games("ORDER BY number", &mut each)
    }

    /// Calls `each` with each game in this range of numbers, in order.
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

    /// Numbers of the stored games, from `first` on.
    ///
    /// # Errors
    /// If the database fails.
    pub fn numbers_from(&self, first: u32) -> Result<Vec<u32>, StoreError> {
        let read = || {
            let mut statement =
                self.connection.prepare("SELECT number FROM game WHERE number >= ?1 ORDER BY number")?;
            let rows = statement.query_map([first], |row| number(row, 0, "the number of a game"))?;
            rows.collect()
        };
        self.database(read())
    }

    fn select_games(&self, which: &str, each: &mut dyn FnMut(GameRecord)) -> Result<(), StoreError> {
        let entrants = self.entrants()?;
        let memory = if self.version < 3 { "NULL, NULL" } else { "white_memory_bytes, black_memory_bytes" };
        let machine = if self.version < 4 { "NULL, NULL" } else { "machine, speed_nps" };
        let sum = if self.version < 6 { "NULL" } else { "checksum" };
        let illegal = if self.version < 7 { "NULL" } else { "fault.illegal_move" };
        let overrun = if self.version < 8 { "NULL" } else { "fault.overrun_us" };
        let mut statement = self.database(self.connection.prepare(&format!(
            "SELECT number, pair, round, white, black, opening, fen, outcome, termination, started_ms, duration_us,
                    moves, {memory}, {machine}, fault.entrant, fault.name, fault.words, fault.transcript,
                    {illegal}, {overrun}, {sum}
             FROM game LEFT JOIN fault ON fault.game = game.number {which}",
        )))?;
        let mut rows = self.database(statement.query([]))?;
        while let Some(row) = self.database(rows.next())? {
            let number = self.part("a game", number(row, 0, "its number"))?;
            each(self.part(format!("game {}", number + 1), read_game(row, entrants))?);
        }
        Ok(())
    }

    /// Calls `each` with each fault, in order of storage.
    ///
    /// # Errors
    /// If the database fails.
    pub fn for_each_fault(&self, mut each: impl FnMut(StoredFault)) -> Result<(), StoreError> {
        let entrants = self.entrants()?;
        let mut read = || {
            let mut statement = self
                .connection
                .prepare("SELECT game, entrant, name, words, transcript FROM fault ORDER BY id")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                each(read_fault(row, entrants)?);
            }
            Ok(())
        };
        self.part("a fault", read())
    }

    /// The latest `most` faults, newest first, and the total number.
    ///
    /// # Errors
    /// If the database fails.
    pub fn last_faults(&self, most: u32) -> Result<(u32, Vec<StoredFault>), StoreError> {
        let entrants = self.entrants()?;
        let read = || {
            let total = self.connection.query_row("SELECT count(*) FROM fault", [], |row| row.get(0))?;
            let mut statement = self.connection.prepare(
                "SELECT game, entrant, name, words, transcript FROM fault ORDER BY id DESC LIMIT ?1",
            )?;
            let faults = statement.query_map([most], |row| read_fault(row, entrants))?;
            Ok((total, faults.collect::<rusqlite::Result<_>>()?))
        };
        self.part("a fault", read())
    }

    /// Failed starts after the fault with this id (0 for all): fault id and entrant, in order.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) fn start_faults_after(&self, id: i64) -> Result<Vec<(i64, usize)>, StoreError> {
        let entrants = self.entrants()?;
        let read = || {
            let mut statement = self
                .connection
                .prepare("SELECT id, entrant FROM fault WHERE id > ?1 AND game IS NULL ORDER BY id")?;
            let rows = statement.query_map([id], |row| Ok((row.get(0)?, entrant(row, 1, entrants)?)))?;
            rows.collect()
        };
        self.part("a fault", read())
    }

    /// Reported authors by entrant.
    ///
    /// # Errors
    /// If the database fails.
    pub fn authors(&self) -> Result<BTreeMap<usize, String>, StoreError> {
        self.engine_texts("author")
    }

    /// Reported engine names by entrant.
    ///
    /// # Errors
    /// If the database fails.
    pub fn engines(&self) -> Result<BTreeMap<usize, String>, StoreError> {
        self.engine_texts("name")
    }

    fn engine_texts(&self, column: &str) -> Result<BTreeMap<usize, String>, StoreError> {
        let entrants = self.entrants()?;
        let read = || {
            let mut statement = self.connection.prepare(&format!("SELECT entrant, {column} FROM engine"))?;
            let rows = statement.query_map([], |row| Ok((entrant(row, 0, entrants)?, row.get(1)?)))?;
            rows.collect()
        };
        self.part("an engine", read())
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Parses a fault from `game, entrant, name, words, transcript`.
fn read_fault(row: &Row<'_>, entrants: usize) -> rusqlite::Result<StoredFault> {
    let is_of_game = row.get_ref(0)? != ValueRef::Null;
    Ok(StoredFault {
        game: is_of_game.then(|| number(row, 0, "its game")).transpose()?,
        fault: EngineFault {
            entrant: entrant(row, 1, entrants)?,
            name: row.get(2)?,
            words: row.get(3)?,
            transcript: lines(row.get_ref(4)?.as_str()?),
        },
    })
}

/// Up to format 6 the illegal move was part of the text.
fn illegal_move_before_form_7(words: &str) -> Option<UciMove> {
    let (mv, _) = words.strip_prefix("answered ")?.split_once(", which is illegal in ")?;
    mv.parse().ok()
}

/// The columns of illegal move and overrun, the last of a game with its fault, and that of their checksum.
const ILLEGAL_MOVE: usize = 20;
const OVERRUN: usize = 21;
const CHECKSUM: usize = 22;

/// Parses a game of a plan with this number of entrants.
fn read_game(row: &Row<'_>, entrants: usize) -> rusqlite::Result<GameRecord> {
    if let Some(sum) = row.get::<_, Option<i64>>(CHECKSUM)? {
        let values = (0..CHECKSUM).map(|column| row.get_ref(column)).collect::<rusqlite::Result<Vec<_>>>()?;
        if sum != checksum(summed(&values, ILLEGAL_MOVE)) {
            return Err(invalid(CHECKSUM, "its checksum does not match"));
        }
    }
    let game = ScheduledGame {
        number: number(row, 0, "its number")?,
        pair: number(row, 1, "its pair")?,
        round: number(row, 2, "its round")?,
        white: entrant(row, 3, entrants)?,
        black: entrant(row, 4, entrants)?,
        opening: number(row, 5, "its opening")? as usize,
    };
    if u64::from(game.number) >= MOST_GAMES {
        return Err(invalid(0, "its number is out of range"));
    }
    if game.white == game.black {
        return Err(invalid(4, "an engine plays itself"));
    }
    let text = |column: usize| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_str()?);
    let outcome = Outcome::parse(text(7)?).ok_or_else(|| invalid(7, "its result is not valid"))?;
    let termination = text(8)?.parse().map_err(|_| invalid(8, "its termination is not valid"))?;
    let plies = moves::parse(text(11)?).ok_or_else(|| invalid(11, "its list of moves is not valid"))?;
    let peak_memory = [whole_if_any(row, 12, "memory")?, whole_if_any(row, 13, "memory")?];
    let machine = match row.get(14)? {
        Some(name) => {
            let speed = NonZeroU64::new(whole(row, 15, "a speed")?);
            Some(Machine {
                name,
                speed: speed.ok_or_else(|| invalid(15, "the speed of its machine is out of range"))?,
            })
        }
        None => None,
    };
    let fault = if row.get_ref(16)? == ValueRef::Null {
        None
    } else {
        let color = match entrant(row, 16, entrants)? {
            culprit if culprit == game.white => Color::White,
            culprit if culprit == game.black => Color::Black,
            _ => return Err(invalid(16, "the engine at fault does not play in it")),
        };
        let words: String = row.get(18)?;
        let illegal_move = match row.get::<_, Option<String>>(ILLEGAL_MOVE)? {
            Some(mv) => Some(mv.parse().map_err(|_| invalid(ILLEGAL_MOVE, "its illegal move is not valid"))?),
            None => illegal_move_before_form_7(&words),
        };
        let overrun = whole_if_any(row, OVERRUN, "an overrun")?.map(Duration::from_micros);
        let transcript = lines(text(19)?);
        Some(FaultReport { color, name: row.get(17)?, words, transcript, illegal_move, overrun })
    };
    Ok(GameRecord {
        game,
        fen: row.get(6)?,
        plies,
        outcome,
        termination,
        started: time(row, 9, "its begin")?,
        duration: duration(row, 10, "its duration")?,
        fault,
        peak_memory,
        machine,
    })
}
