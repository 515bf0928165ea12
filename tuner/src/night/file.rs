//! The file of a night, `night.db`: its settings and the steps that were begun and finished. Each change is one
//! transaction, and only one program has the file open for a night.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;
use smalt_workbench::calendar::unix_ms;
use smalt_workbench::file_lock::lock_soon;
use smalt_workbench::sqlite_journal::{LeftJournal, check_left_journal};

use super::{Step, StepKind, StepResult};

/// SQLite's application_id of these files: `Smln`.
const APPLICATION: i64 = 0x536d_6c6e;

const VERSION: i64 = 1;

/// Extension of the file that is locked while a night runs.
pub(crate) const LOCK: &str = "lock";

const TABLES: &str = "
CREATE TABLE night (
    created_ms INTEGER NOT NULL,
    settings TEXT NOT NULL
) STRICT;
CREATE TABLE step (
    number INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL,
    kind TEXT NOT NULL,
    begun_ms INTEGER NOT NULL,
    used_ms INTEGER NOT NULL DEFAULT 0,
    ended_ms INTEGER,
    result TEXT,
    UNIQUE (generation, kind)
) STRICT;
";

/// An error of the file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NightError {
    #[error("open {}: {source}", path.display())]
    Open { path: PathBuf, source: std::io::Error },
    #[error("{}: another night is running with it", .0.display())]
    Busy(PathBuf),
    #[error("use {}: {source}", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
    #[error("create {}: {journal}", path.display())]
    LeftJournal { path: PathBuf, journal: LeftJournal },
    #[error("read {}: it is not the file of a night", .0.display())]
    Foreign(PathBuf),
    #[error("read {}: its format is {found}, and this program knows formats up to {VERSION}; use a newer one", path.display())]
    Newer { path: PathBuf, found: i64 },
    #[error("read {}: the file is damaged: {source}", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
}

/// The open file of a night.
#[derive(Debug)]
pub(crate) struct NightFile {
    connection: Connection,
    path: PathBuf,
    _lock: File,
}

impl NightFile {
    /// Opens the file; creates it if missing.
    ///
    /// # Errors
    /// If another program has it open for a night, or it is another file.
    pub(crate) fn open(path: &Path) -> Result<NightFile, NightError> {
        // A separate file: SQLite locks the database itself.
        let lock_path = path.with_extension(LOCK);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&lock_path);
        let failed = |source| NightError::Open { path: lock_path.clone(), source };
        let lock = opened.map_err(failed)?;
        lock_soon(&lock).map_err(|error| match error {
            TryLockError::WouldBlock => NightError::Busy(path.to_owned()),
            TryLockError::Error(source) => failed(source),
        })?;
        let failed = |source: rusqlite::Error| match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => NightError::Foreign(path.to_owned()),
            _ => NightError::Database { path: path.to_owned(), source },
        };
        check_left_journal(path)
            .map_err(|journal| NightError::LeftJournal { path: path.to_owned(), journal })?;
        let mut connection = Connection::open(path).map_err(failed)?;
        match prepare(&mut connection).map_err(failed)? {
            (APPLICATION, VERSION) => Ok(NightFile { connection, path: path.to_owned(), _lock: lock }),
            (APPLICATION, found) => Err(NightError::Newer { path: path.to_owned(), found }),
            _ => Err(NightError::Foreign(path.to_owned())),
        }
    }

    /// The settings; `None` before the night has begun.
    pub(crate) fn settings(&self) -> Result<Option<Value>, NightError> {
        let read = self.connection.query_row("SELECT settings FROM night", [], |row| row.get(0)).optional();
        let text: Option<String> = self.database(read)?;
        text.map(|text| serde_json::from_str(&text).map_err(|source| self.damaged(source))).transpose()
    }

    /// Begins the night with these settings.
    pub(crate) fn begin(&self, settings: &Value) -> Result<(), NightError> {
        let insert = "INSERT INTO night (created_ms, settings) VALUES (?1, ?2)";
        self.change(insert, params![now(), settings.to_string()])
    }

    /// The finished steps, in their order.
    pub(crate) fn steps(&self) -> Result<Vec<Step>, NightError> {
        let select = "SELECT generation, used_ms, result FROM step WHERE result IS NOT NULL ORDER BY number";
        let mut rows = self.database(self.connection.prepare_cached(select))?;
        let read = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        let rows: Vec<(u32, i64, String)> = self.database(read.and_then(Iterator::collect))?;
        let step = |(generation, used, result): (u32, i64, String)| {
            let result = serde_json::from_str(&result).map_err(|source| self.damaged(source))?;
            Ok(Step { generation, time: Duration::from_millis(used.max(0) as u64), result })
        };
        rows.into_iter().map(step).collect()
    }

    /// Records that a step begins, or is continued.
    pub(crate) fn begin_step(&self, generation: u32, kind: StepKind) -> Result<(), NightError> {
        let insert = "INSERT OR IGNORE INTO step (generation, kind, begun_ms) VALUES (?1, ?2, ?3)";
        self.change(insert, params![generation, kind.name(), now()])
    }

    /// The time that a step has taken; zero before it begins.
    pub(crate) fn time_of(&self, generation: u32, kind: StepKind) -> Result<Duration, NightError> {
        let select = "SELECT used_ms FROM step WHERE generation = ?1 AND kind = ?2";
        let read = self.connection.query_row(select, params![generation, kind.name()], |row| row.get(0));
        let used: Option<i64> = self.database(read.optional())?;
        Ok(Duration::from_millis(used.unwrap_or_default().max(0) as u64))
    }

    /// Adds to the time that a step has taken.
    pub(crate) fn add_time(&self, generation: u32, kind: StepKind, time: Duration) -> Result<(), NightError> {
        let update = "UPDATE step SET used_ms = used_ms + ?3 WHERE generation = ?1 AND kind = ?2";
        self.change(update, params![generation, kind.name(), time.as_millis() as i64])
    }

    /// Finishes a step.
    pub(crate) fn finish_step(&self, generation: u32, result: &StepResult) -> Result<(), NightError> {
        let text = serde_json::to_string(result).map_err(|source| self.damaged(source))?;
        let update = "UPDATE step SET ended_ms = ?3, result = ?4 WHERE generation = ?1 AND kind = ?2";
        self.change(update, params![generation, result.kind().name(), now(), text])
    }

    fn change(&self, statement: &str, values: impl rusqlite::Params) -> Result<(), NightError> {
        self.database(self.connection.execute(statement, values)).map(drop)
    }

    fn database<T>(&self, result: rusqlite::Result<T>) -> Result<T, NightError> {
        result.map_err(|source| NightError::Database { path: self.path.clone(), source })
    }

    fn damaged(&self, source: serde_json::Error) -> NightError {
        NightError::Damaged { path: self.path.clone(), source }
    }
}

/// Creates the tables of a new file; returns application_id and version. Other files stay unchanged.
fn prepare(connection: &mut Connection) -> rusqlite::Result<(i64, i64)> {
    let read = |connection: &Connection, name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))
    };
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let found = (read(connection, "application_id")?, read(connection, "user_version")?);
    if tables > 0 && found != (APPLICATION, VERSION) {
        return Ok(found);
    }
    // A commit is on disk when it returns.
    connection.pragma_update(None, "synchronous", "FULL")?;
    if tables == 0 {
        let change = connection.transaction()?;
        change.execute_batch(TABLES)?;
        change.pragma_update(None, "application_id", APPLICATION)?;
        change.pragma_update(None, "user_version", VERSION)?;
        change.commit()?;
    }
    Ok((APPLICATION, VERSION))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    unix_ms(SystemTime::now()) as i64
}

#[cfg(test)]
mod tests {
    use super::super::tests::results;
    use super::super::{Change, OptionalSteps, next_step};
    use super::*;
    use crate::prove::Verdict;

    #[test]
    fn a_step_is_finished_once_its_result_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("night.db");
        let file = NightFile::open(&path).unwrap();
        assert_eq!(file.settings().unwrap(), None);
        let settings = serde_json::json!({"games": 100});
        file.begin(&settings).unwrap();
        assert!(matches!(NightFile::open(&path), Err(NightError::Busy(_))));
        let results = results(Verdict::Better, Change::Changed);
        let all = OptionalSteps { rescore: true, spsa: true };
        for (index, result) in results.iter().enumerate() {
            assert_eq!(next_step(&file.steps().unwrap(), all), (1, result.kind()));
            assert_eq!(file.time_of(1, result.kind()).unwrap(), Duration::ZERO);
            // Begun twice: the first session was killed.
            for _ in 0..2 {
                file.begin_step(1, result.kind()).unwrap();
                file.add_time(1, result.kind(), Duration::from_secs(2)).unwrap();
                assert!(file.time_of(1, result.kind()).unwrap() > Duration::ZERO);
                assert_eq!(file.steps().unwrap().len(), index);
            }
            file.finish_step(1, result).unwrap();
        }
        drop(file);
        let file = NightFile::open(&path).unwrap();
        assert_eq!(file.settings().unwrap(), Some(settings));
        let steps = file.steps().unwrap();
        assert!(steps.iter().all(|step| step.generation == 1 && step.time == Duration::from_secs(4)));
        assert!(steps.iter().map(|step| &step.result).eq(&results));
    }

    #[test]
    fn other_files_are_refused_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let [text, other, newer] = ["text", "other.db", "newer.db"].map(|name| folder.path().join(name));
        std::fs::write(&text, "no database at all, but long enough to have been one").unwrap();
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
        drop(NightFile::open(&newer).unwrap());
        Connection::open(&newer).unwrap().pragma_update(None, "user_version", 9).unwrap();
        for path in [&text, &other] {
            let before = std::fs::read(path).unwrap();
            assert!(matches!(NightFile::open(path), Err(NightError::Foreign(_))), "{path:?}");
            assert!(std::fs::read(path).unwrap() == before);
        }
        assert!(matches!(NightFile::open(&newer), Err(NightError::Newer { found: 9, .. })));
    }
}
