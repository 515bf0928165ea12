//! Writing: each call is one transaction, on disk when it returns.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Params, params, params_from_iter};
use smalt_driver::process::ProcessIdentity;

use super::checksum::{checksum, run_checksum, summed};
use super::column::{from_index, from_number, to_begin_and_duration, to_ms, to_us};
use super::{Store, StoreError, StoredRun, Synchronous};
use crate::game::{EngineFault, GameRecord, moves};
use crate::plan::Settings;

/// Whether a game was new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaveOutcome {
    /// A new game, which counts from now on.
    New,
    /// A game with this number was already stored; it is unchanged.
    Known,
}

impl Store {
    pub(super) fn write_run(&self, run: &StoredRun) -> Result<(), StoreError> {
        let program = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
        let created = to_ms(run.created);
        self.database(self.connection.execute(
            "INSERT INTO run (only, program, created_ms, plan, openings, checksum) VALUES (1, ?1, ?2, ?3, ?4, ?5)",
            params![program, created, run.plan, run.openings, run_checksum(created, &run.plan, &run.openings)],
        ))?;
        self.write_names(&run.plan)
    }

    /// Writes the names of the plan's engines, for the views.
    pub(super) fn write_names(&self, plan: &str) -> Result<(), StoreError> {
        let plan = Settings::parse(plan, "the plan of the run");
        let entrants = plan.map_err(|error| self.damaged(error.to_string()))?.entrants;
        let write = || {
            let change = self.connection.unchecked_transaction()?;
            change.execute("DELETE FROM entrant", [])?;
            for (index, entrant) in entrants.iter().enumerate() {
                let name = entrant.name.as_deref().unwrap_or_default();
                change.execute(
                    "INSERT INTO entrant (entrant, name) VALUES (?1, ?2)",
                    params![from_index(index), name],
                )?;
            }
            change.commit()
        };
        self.database(write())
    }

    /// Replaces the plan of the run.
    ///
    /// # Errors
    /// As [`Self::save`].
    pub fn change_plan(&mut self, plan: &str) -> Result<(), StoreError> {
        self.entrants.take();
        let run = self.run()?;
        let sum = run_checksum(to_ms(run.created), plan, &run.openings);
        self.database(
            self.connection.execute("UPDATE run SET plan = ?1, checksum = ?2", params![plan, sum]),
        )?;
        self.write_names(plan)
    }

    /// Stores a game; it counts when this returns.
    ///
    /// # Errors
    /// If the disk is full or fails; the game is then not stored.
    pub fn save(&mut self, record: &GameRecord) -> Result<SaveOutcome, StoreError> {
        let saved = insert_game(&mut self.connection, record);
        let saved = self.database(saved)?;
        self.check_in_place()?;
        Ok(saved)
    }

    /// Stores a fault outside a game.
    ///
    /// # Errors
    /// As [`Self::save`].
    pub fn save_fault(&self, fault: &EngineFault) -> Result<(), StoreError> {
        self.database(self.connection.execute(
            "INSERT INTO fault (entrant, name, words, transcript) VALUES (?1, ?2, ?3, ?4)",
            params![from_index(fault.entrant), fault.name, fault.words, fault.transcript.join("\n")],
        ))?;
        Ok(())
    }

    /// Stores the reported name and author of an engine.
    ///
    /// # Errors
    /// As [`Self::save`].
    pub fn save_engine(&self, entrant: usize, name: &str, author: &str) -> Result<(), StoreError> {
        self.database(self.connection.execute(
            "INSERT INTO engine (entrant, name, author) VALUES (?1, ?2, ?3)
             ON CONFLICT (entrant) DO UPDATE SET name = excluded.name, author = excluded.author
             WHERE name <> excluded.name OR author <> excluded.author",
            params![from_index(entrant), name, author],
        ))?;
        Ok(())
    }

    /// Records a running process, so that a later run can end it if this one is killed. Does not wait for the disk:
    /// no process survives a power cut.
    ///
    /// # Errors
    /// As [`Self::save`].
    pub(crate) fn save_process(&self, process: ProcessIdentity) -> Result<(), StoreError> {
        self.change_in_memory(
            "INSERT OR REPLACE INTO process (pid, started, session) VALUES (?1, ?2, ?3)",
            params![process.pid, process.started.cast_signed(), process.session],
        )
    }

    /// Removes a process that has exited. Does not wait for the disk, as [`Self::save_process`].
    ///
    /// # Errors
    /// As [`Self::save`].
    pub fn remove_process(&self, process: ProcessIdentity) -> Result<(), StoreError> {
        self.change_in_memory(
            "DELETE FROM process WHERE pid = ?1 AND started = ?2",
            params![process.pid, process.started.cast_signed()],
        )
    }

    /// Executes a statement without waiting for the disk: it survives the end of this program, but not a power cut
    /// before the next synchronous commit.
    fn change_in_memory(&self, sql: &str, parameters: impl Params) -> Result<(), StoreError> {
        self.synchronize(Synchronous::Normal)?;
        let changed = self.connection.prepare_cached(sql).and_then(|mut change| change.execute(parameters));
        self.synchronize(Synchronous::Full)?;
        self.database(changed)?;
        Ok(())
    }

    /// Processes left by an earlier run that was killed.
    ///
    /// # Errors
    /// If the database fails.
    pub fn left_processes(&self) -> Result<Vec<ProcessIdentity>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare("SELECT pid, started, session FROM process")?;
            let rows = statement.query_map([], |row| {
                Ok(ProcessIdentity {
                    pid: row.get(0)?,
                    started: row.get::<_, i64>(1)?.cast_unsigned(),
                    session: row.get(2)?,
                })
            })?;
            rows.collect()
        };
        self.database(read())
    }
}

/// Inserts a game, with its fault in the same transaction; does nothing for a known game.
fn insert_game(connection: &mut rusqlite::Connection, record: &GameRecord) -> rusqlite::Result<SaveOutcome> {
    let fault = fault_values(record);
    if record.fault.is_none() {
        return insert_record(connection, record, &fault);
    }
    let transaction = connection.transaction()?;
    if insert_record(&transaction, record, &fault)? == SaveOutcome::Known {
        return Ok(SaveOutcome::Known);
    }
    let values = std::iter::once(Value::from(record.game.number)).chain(fault);
    transaction.execute(
        "INSERT INTO fault (game, entrant, name, words, transcript, illegal_move, overrun_us)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params_from_iter(values),
    )?;
    transaction.commit()?;
    Ok(SaveOutcome::New)
}

fn insert_record(
    connection: &rusqlite::Connection,
    record: &GameRecord,
    fault: &[Value; 6],
) -> rusqlite::Result<SaveOutcome> {
    let values = game_values(record);
    let all: Vec<ValueRef<'_>> = values.iter().chain(fault).map(ValueRef::from).collect();
    let sum = checksum(summed(&all, values.len() + 4));
    let inserted = connection
        .prepare_cached(
            "INSERT INTO game (number, pair, round, white, black, opening, fen, outcome, termination, started_ms,
                               duration_us, moves, white_memory_bytes, black_memory_bytes, machine, speed_nps, checksum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
             ON CONFLICT (number) DO NOTHING",
        )?
        .execute(params_from_iter(values.into_iter().chain([sum.into()])))?;
    Ok(if inserted == 0 { SaveOutcome::Known } else { SaveOutcome::New })
}

/// Columns of a game, in the order of reading and of the checksum.
fn game_values(record: &GameRecord) -> [Value; 16] {
    let game = &record.game;
    let index = |number: usize| Value::from(from_index(number));
    let count = |number: u64| Value::from(from_number(number));
    let [white_memory, black_memory] = record.peak_memory.map(|bytes| bytes.map_or(Value::Null, count));
    let machine = record.machine.as_ref();
    let (started, duration) = to_begin_and_duration(record.started, record.duration);
    [
        game.number.into(),
        game.pair.into(),
        game.round.into(),
        index(game.white),
        index(game.black),
        index(game.opening),
        record.fen.clone().into(),
        record.outcome.to_string().into(),
        record.termination.name().to_owned().into(),
        started.into(),
        duration.into(),
        moves::to_text(&record.plies).into(),
        white_memory,
        black_memory,
        machine.map(|machine| machine.name.clone()).into(),
        machine.map_or(Value::Null, |machine| count(machine.speed.get())),
    ]
}

/// Columns of its fault after the number of the game; all null without a fault.
fn fault_values(record: &GameRecord) -> [Value; 6] {
    let Some(fault) = &record.fault else { return [const { Value::Null }; 6] };
    [
        from_index(record.entrant(fault.color)).into(),
        fault.name.clone().into(),
        fault.words.clone().into(),
        fault.transcript.join("\n").into(),
        fault.illegal_move.map(|mv| mv.to_string()).into(),
        fault.overrun.map_or(Value::Null, |time| to_us(time).into()),
    ]
}
