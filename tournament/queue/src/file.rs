//! The jobs in one SQLite file. Commands, the page and the daemon share it; each change is one transaction, and the daemon
//! alone writes what becomes of running jobs.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params};
use serde::Serialize;
use smalt_workbench::calendar::unix_ms;
use smalt_workbench::exit::reason;
use smalt_workbench::file_lock::try_lock_shared;
use smalt_workbench::output_file::resolved;
use smalt_workbench::sqlite_journal::{LeftJournal, check_left_journal};

use crate::job::{Job, JobState, NewJob};

/// SQLite's application_id of queue files: `Smlq`.
const APPLICATION: i64 = 0x536d_6c71;

const VERSION: i64 = 2;

const TABLES: &str = "
CREATE TABLE job (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    folder TEXT NOT NULL,
    priority INTEGER NOT NULL,
    slots INTEGER,
    budget_ms INTEGER,
    used_ms INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL,
    running INTEGER NOT NULL DEFAULT 0,
    progress TEXT NOT NULL DEFAULT '',
    flag TEXT NOT NULL DEFAULT '',
    has_begun INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE event (
    job INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    words TEXT NOT NULL
) STRICT;
CREATE INDEX event_of_job ON event (job);
";

/// Migrates format 1 to 2.
const FROM_1: &str = "
ALTER TABLE job ADD COLUMN has_begun INTEGER NOT NULL DEFAULT 0;
UPDATE job SET has_begun = EXISTS (SELECT 1 FROM event WHERE event.job = job.id AND words LIKE 'started %');
";

/// An error of the queue's file.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// Its folder cannot be created.
    #[error("make {}: {}", path.display(), reason(source))]
    Folder {
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    #[error("use {}: {source}", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
    #[error("create {}: {journal}", path.display())]
    LeftJournal { path: PathBuf, journal: LeftJournal },
    /// It is not a queue file.
    #[error("read {}: it is not a queue", .0.display())]
    Foreign(PathBuf),
    /// A newer program wrote it.
    #[error("read {}: its format is {found}, and this program knows formats up to {VERSION}; use a newer one", path.display())]
    Newer { path: PathBuf, found: i64 },
    /// No job has this number.
    #[error("there is no job {0}")]
    Unknown(i64),
    /// The store or checkpoint of a new job exists.
    #[error("{} exists already: queue `resume {}` to continue its run, or name another file", .0.display(), .0.display())]
    Exists(PathBuf),
    /// Another job has the store or checkpoint of a new one.
    #[error("job {job} has {} already: name another file", path.display())]
    Taken { job: i64, path: PathBuf },
    /// A job whose budget is used up cannot be resumed.
    #[error("job {0} is out of time: give it more by `queue budget {0} HOURS`")]
    OutOfTime(i64),
}

/// An event in the history of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobEvent {
    /// Milliseconds since 1970.
    pub at_ms: i64,
    pub words: String,
}

/// An open queue file.
#[derive(Debug)]
pub struct QueueFile {
    connection: Connection,
    path: PathBuf,
}

impl QueueFile {
    /// Opens the file; creates it if missing.
    ///
    /// # Errors
    /// If it is not a queue file, or cannot be used.
    pub fn open(path: &Path) -> Result<QueueFile, QueueError> {
        if let Some(folder) = path.parent() {
            let failed = |source| QueueError::Folder { path: folder.to_owned(), source };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        // All paths to one queue have one lock.
        let path = &resolved(path);
        check_left_journal(path)
            .map_err(|journal| QueueError::LeftJournal { path: path.to_owned(), journal })?;
        QueueFile::of(Connection::open(path), path)
    }

    /// Opens the file; an empty queue, which is not kept, if it is missing.
    ///
    /// # Errors
    /// If it is not a queue file, or cannot be used.
    pub fn open_or_empty(path: &Path) -> Result<QueueFile, QueueError> {
        if path.exists() { QueueFile::open(path) } else { QueueFile::of(Connection::open_in_memory(), path) }
    }

    fn of(connection: rusqlite::Result<Connection>, path: &Path) -> Result<QueueFile, QueueError> {
        let failed = |source| QueueError::Database { path: path.to_owned(), source };
        let mut connection = connection.map_err(failed)?;
        let prepared = prepare(&mut connection).map_err(|source| match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => QueueError::Foreign(path.to_owned()),
            _ => failed(source),
        });
        match prepared? {
            (APPLICATION, VERSION) => Ok(QueueFile { connection, path: path.to_owned() }),
            (APPLICATION, found) => Err(QueueError::Newer { path: path.to_owned(), found }),
            _ => Err(QueueError::Foreign(path.to_owned())),
        }
    }

    /// The file's path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of stores, checkpoints and logs of jobs: beside the file.
    pub fn home(&self) -> PathBuf {
        let mut name = self.path.file_stem().unwrap_or_default().to_owned();
        name.push("-jobs");
        self.path.with_file_name(name)
    }

    fn database<T>(&self, result: rusqlite::Result<T>) -> Result<T, QueueError> {
        result.map_err(|source| QueueError::Database { path: self.path.clone(), source })
    }

    /// All jobs: by priority, then in the order of the queue.
    ///
    /// # Errors
    /// If SQLite fails.
    pub fn jobs(&self) -> Result<Vec<Job>, QueueError> {
        let mut jobs = self.database(read_jobs(&self.connection))?;
        self.clear_stale_running(&mut jobs);
        Ok(jobs)
    }

    /// A killed daemon leaves its jobs marked as running, and they ended with it.
    fn clear_stale_running(&self, jobs: &mut [Job]) {
        if jobs.iter().any(|job| job.running > 0) && !self.has_daemon() {
            jobs.iter_mut().for_each(|job| job.running = 0);
        }
    }

    /// Whether a daemon holds the lock of the queue.
    fn has_daemon(&self) -> bool {
        let is_locked = |lock| matches!(try_lock_shared(&lock), Err(TryLockError::WouldBlock));
        File::open(self.lock_path()).is_ok_and(is_locked)
    }

    /// The file that a daemon locks.
    pub(crate) fn lock_path(&self) -> PathBuf {
        self.home().join("lock")
    }

    /// One job.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn job(&self, id: i64) -> Result<Job, QueueError> {
        let found = self.connection.query_row("SELECT * FROM job WHERE id = ?1", [id], job).optional();
        let mut job = self.database(found)?.ok_or(QueueError::Unknown(id))?;
        self.clear_stale_running(std::slice::from_mut(&mut job));
        Ok(job)
    }

    /// Adds a job after all others of its priority; returns its number.
    ///
    /// # Errors
    /// If its store or checkpoint exists or is another job's, unless it resumes it, or SQLite fails.
    pub fn add(&mut self, new: &NewJob) -> Result<i64, QueueError> {
        let output = new.named_output().filter(|_| !new.resumes());
        if let Some(output) = output.as_ref().filter(|output| output.exists()) {
            return Err(QueueError::Exists(output.clone()));
        }
        let home = self.home();
        let mut add = || {
            let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if let Some(path) = &output {
                let is_same =
                    |job: &Job| job.output(&home).is_some_and(|its| resolved(&its) == resolved(path));
                if let Some(Job { id: job, .. }) = read_jobs(&change)?.into_iter().find(is_same) {
                    return Ok(Err(QueueError::Taken { job, path: path.clone() }));
                }
            }
            change.execute(
                "INSERT INTO job (place, name, command, folder, priority, slots, budget_ms, state)
                 VALUES ((SELECT coalesce(max(place), 0) + 1 FROM job), ?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    new.name,
                    serde_json::to_string(&new.command).unwrap_or_default(),
                    new.folder.display().to_string(),
                    new.priority,
                    new.slots.map(saturated),
                    new.budget.map(milliseconds),
                    JobState::Waiting.to_string(),
                ],
            )?;
            let id = change.last_insert_rowid();
            note(&change, id, "added")?;
            change.commit()?;
            Ok(Ok(id))
        };
        let added = add();
        self.database(added)?
    }

    /// Changes a job and records it in the history.
    fn change(
        &mut self,
        id: i64,
        words: &str,
        set: &str,
        value: impl rusqlite::ToSql,
    ) -> Result<(), QueueError> {
        let mut change = || {
            let change = self.connection.transaction()?;
            let changed =
                change.execute(&format!("UPDATE job SET {set} WHERE id = ?1"), params![id, value])?;
            if changed > 0 {
                note(&change, id, words)?;
            }
            change.commit()?;
            Ok(changed)
        };
        let changed = change();
        if self.database(changed)? == 0 { Err(QueueError::Unknown(id)) } else { Ok(()) }
    }

    /// Stops a job until it is resumed. A job that has ended stays as it is.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn pause(&mut self, id: i64) -> Result<(), QueueError> {
        let set = "state = CASE state WHEN 'waiting' THEN ?2 ELSE state END";
        self.change(id, "paused", set, JobState::Paused.to_string())
    }

    /// Resumes a paused or failed job.
    ///
    /// # Errors
    /// If there is no such job, or its budget is used up.
    pub fn resume(&mut self, id: i64) -> Result<(), QueueError> {
        let job = self.job(id)?;
        if job.state != JobState::Done && job.is_out_of_time() {
            return Err(QueueError::OutOfTime(id));
        }
        let set = "flag = CASE state WHEN 'done' THEN flag ELSE '' END, \
                   state = CASE state WHEN 'done' THEN state ELSE ?2 END";
        self.change(id, "resumed", set, JobState::Waiting.to_string())
    }

    /// Sets the priority of a job.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn set_priority(&mut self, id: i64, priority: i64) -> Result<(), QueueError> {
        self.change(id, &format!("priority {priority}"), "priority = ?2", priority)
    }

    /// Sets the time that a job may play in all; `None`: without limit. A job that was out of time continues if there is more now.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn set_budget(&mut self, id: i64, budget: Option<Duration>) -> Result<(), QueueError> {
        let set = "budget_ms = ?2, flag = CASE WHEN state = 'out-of-time' AND (?2 IS NULL OR ?2 > used_ms) \
                   THEN '' ELSE flag END, state = CASE WHEN state = 'out-of-time' AND (?2 IS NULL OR ?2 > used_ms) \
                   THEN 'waiting' ELSE state END";
        self.change(id, "budget changed", set, budget.map(milliseconds))
    }

    /// Moves a job to the front of those of its priority, or right before another job.
    ///
    /// # Errors
    /// If one of them does not exist.
    pub fn reorder(&mut self, id: i64, before: Option<i64>) -> Result<(), QueueError> {
        self.job(id)?;
        let mut order: Vec<i64> =
            self.jobs()?.iter().map(|job| job.id).filter(|&other| other != id).collect();
        let at = match before {
            Some(before) => {
                order.iter().position(|&other| other == before).ok_or(QueueError::Unknown(before))?
            }
            None => 0,
        };
        order.insert(at, id);
        let mut write = || {
            let change = self.connection.transaction()?;
            for (place, job) in (1_i64..).zip(&order) {
                change.execute("UPDATE job SET place = ?2 WHERE id = ?1", params![job, place])?;
            }
            note(&change, id, "reordered")?;
            change.commit()
        };
        let written = write();
        self.database(written)
    }

    /// Removes a job; its store and log stay.
    ///
    /// # Errors
    /// If there is no such job.
    pub fn remove(&mut self, id: i64) -> Result<(), QueueError> {
        let removed = self.connection.execute("DELETE FROM job WHERE id = ?1", [id]);
        if self.database(removed)? == 0 { Err(QueueError::Unknown(id)) } else { Ok(()) }
    }

    /// The history of a job, oldest event first.
    ///
    /// # Errors
    /// If SQLite fails.
    pub fn events(&self, id: i64) -> Result<Vec<JobEvent>, QueueError> {
        let read = || {
            let mut rows =
                self.connection.prepare("SELECT at_ms, words FROM event WHERE job = ?1 ORDER BY rowid")?;
            rows.query_map([id], |row| Ok(JobEvent { at_ms: row.get(0)?, words: row.get(1)? }))?.collect()
        };
        self.database(read())
    }

    /// Marks all jobs as not running, when a daemon starts.
    pub(crate) fn reset_running(&mut self) -> Result<(), QueueError> {
        let reset = self.connection.execute("UPDATE job SET running = 0", []);
        self.database(reset).map(drop)
    }

    /// Changes a job, unless it was removed meanwhile.
    fn change_if_known(
        &mut self,
        id: i64,
        words: &str,
        set: &str,
        value: impl rusqlite::ToSql,
    ) -> Result<(), QueueError> {
        match self.change(id, words, set, value) {
            Err(QueueError::Unknown(_)) => Ok(()),
            other => other,
        }
    }

    /// Records that the store or checkpoint of a job is its own.
    pub(crate) fn note_begun(&mut self, id: i64) -> Result<(), QueueError> {
        let set = self.connection.execute("UPDATE job SET has_begun = 1 WHERE id = ?1", [id]);
        self.database(set).map(drop)
    }

    /// Records the start of a job and its number of slots.
    pub(crate) fn note_started(&mut self, id: i64, slots: usize) -> Result<(), QueueError> {
        let words = format!("started with concurrency {slots}");
        self.change_if_known(id, &words, "running = ?2", saturated(slots))
    }

    /// Records that it stopped and can be resumed.
    pub(crate) fn note_stopped(&mut self, id: i64) -> Result<(), QueueError> {
        self.change_if_known(id, "stopped", "running = ?2", 0)
    }

    /// Records its end.
    pub(crate) fn note_ended(&mut self, id: i64, state: JobState, flag: &str) -> Result<(), QueueError> {
        let words = if flag.is_empty() { state.to_string() } else { format!("{state}: {flag}") };
        let set = "running = 0, state = ?2";
        self.change_if_known(id, &words, set, state.to_string())?;
        self.note_flag(id, flag)
    }

    /// Flags it with a reason.
    pub(crate) fn note_flag(&mut self, id: i64, flag: &str) -> Result<(), QueueError> {
        let set = self.connection.execute("UPDATE job SET flag = ?2 WHERE id = ?1", params![id, flag]);
        self.database(set).map(drop)
    }

    pub(crate) fn note_progress(&mut self, id: i64, progress: &str) -> Result<(), QueueError> {
        let set =
            self.connection.execute("UPDATE job SET progress = ?2 WHERE id = ?1", params![id, progress]);
        self.database(set).map(drop)
    }

    /// Adds to the time that it has played.
    pub(crate) fn add_used(&mut self, id: i64, time: Duration) -> Result<(), QueueError> {
        let set = "UPDATE job SET used_ms = used_ms + ?2 WHERE id = ?1";
        let added = self.connection.execute(set, params![id, milliseconds(time)]);
        self.database(added).map(drop)
    }
}

/// Creates the tables, application_id and version of a new file. Other files stay unchanged.
fn prepare(connection: &mut Connection) -> rusqlite::Result<(i64, i64)> {
    connection.busy_timeout(Duration::from_secs(10))?;
    let read = |connection: &Connection, name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))
    };
    let tables = |connection: &Connection| -> rusqlite::Result<i64> {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
    };
    let mark = read(connection, "application_id")?;
    if mark != APPLICATION && tables(connection)? > 0 {
        return Ok((mark, 0));
    }
    // A file that this program does not know is left as it is.
    let version = read(connection, "user_version")?;
    if mark == APPLICATION && version > VERSION {
        return Ok((mark, version));
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if tables(&change)? == 0 {
        change.execute_batch(TABLES)?;
        change.pragma_update(None, "application_id", APPLICATION)?;
        change.pragma_update(None, "user_version", VERSION)?;
    } else if read(&change, "user_version")? == 1 {
        change.execute_batch(FROM_1)?;
        change.pragma_update(None, "user_version", VERSION)?;
    }
    change.commit()?;
    Ok((read(connection, "application_id")?, read(connection, "user_version")?))
}

fn note(connection: &Connection, id: i64, words: &str) -> rusqlite::Result<()> {
    let now = unix_ms(SystemTime::now()) as i64;
    let insert = "INSERT INTO event (job, at_ms, words) VALUES (?1, ?2, ?3)";
    connection.execute(insert, params![id, now, words]).map(drop)
}

fn read_jobs(connection: &Connection) -> rusqlite::Result<Vec<Job>> {
    let mut rows = connection.prepare_cached("SELECT * FROM job ORDER BY priority DESC, place, id")?;
    rows.query_map([], job)?.collect()
}

fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    let command: String = row.get("command")?;
    let state: String = row.get("state")?;
    let duration = |time: i64| Duration::from_millis(u64::try_from(time).unwrap_or(0));
    let count = |number: i64| usize::try_from(number).unwrap_or(0);
    Ok(Job {
        id: row.get("id")?,
        added: NewJob {
            name: row.get("name")?,
            command: serde_json::from_str(&command).unwrap_or_default(),
            folder: PathBuf::from(row.get::<_, String>("folder")?),
            priority: row.get("priority")?,
            slots: row.get::<_, Option<i64>>("slots")?.map(count),
            budget: row.get::<_, Option<i64>>("budget_ms")?.map(duration),
        },
        used: duration(row.get("used_ms")?),
        has_begun: row.get("has_begun")?,
        state: state.parse().unwrap_or(JobState::Paused),
        running: count(row.get("running")?),
        progress: row.get("progress")?,
        flag: row.get("flag")?,
    })
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn saturated(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
