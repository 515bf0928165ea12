//! The store of a run: one SQLite file with the plan and every finished game. PGN and tables are derived from it.
//!
//! A game counts once it is committed here; storing it again changes nothing. One runner writes at a time
//! ([`StoreError::Busy`]); readers may read in parallel. All SQL of a run is here.

mod checksum;
mod column;
mod machine;
mod occupancy;
mod read;
mod schema;
mod session;
mod write;

use std::cell::OnceCell;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};
use smalt_workbench::sqlite_journal::{LeftJournal, check_left_journal, journal_path, journals};

pub use occupancy::StoreUse;
pub use read::{StoredFault, StoredRun};
pub use schema::{VIEWS, schema_sql};
pub use session::StoredSession;
pub use write::SaveOutcome;

use crate::named_file::{is_in_place, is_removed, numbered};
use smalt_workbench::file_lock;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("create {}: it exists already; resume it with `smalt-tournament resume {}`, or choose another --store", .0.display(), .0.display())]
    Exists(PathBuf),
    #[error("create {}: {journal}", path.display())]
    LeftJournal { path: PathBuf, journal: LeftJournal },
    /// The file cannot be created or opened.
    #[error("open {}: {source}", path.display())]
    Open { path: PathBuf, source: std::io::Error },
    /// Another runner has it open.
    #[error("lock {}: another run is writing to it", .0.display())]
    Busy(PathBuf),
    /// The file is not a store.
    #[error("read {}: it is not the store of a run", .0.display())]
    Foreign(PathBuf),
    /// Written by a newer program.
    #[error("read {}: its format is {found}, and this program knows formats up to {known}; use a newer one", path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    /// The file was removed or renamed during the run.
    #[error("write {}: the file was removed, renamed or replaced during the run; {rescue}", path.display())]
    Moved {
        path: PathBuf,
        /// Sentence about where its games are now.
        rescue: String,
    },
    #[error("write {}: the disk is full; what was stored before is kept: make room", .0.display())]
    Full(PathBuf),
    #[error("use {}: {source}; what was stored before is kept", path.display())]
    Database { path: PathBuf, source: rusqlite::Error },
    #[error("read {}: the file is damaged: {what}", path.display())]
    Damaged {
        path: PathBuf,
        /// The damaged part, or SQLite's message.
        what: String,
    },
}

impl StoreError {
    /// Whether the file is the cause, and not a temporary condition.
    pub fn is_about_the_file(&self) -> bool {
        !matches!(self, StoreError::Database { .. } | StoreError::Full(_) | StoreError::Moved { .. })
    }
}

/// Attempts to leave a single file at the end of a run, and the pause between them.
const CLOSE_TRIES: u32 = 50;
const CLOSE_PAUSE: Duration = Duration::from_millis(20);

/// When a commit returns (SQLite's `synchronous`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Synchronous {
    /// After it is on disk.
    Full,
    /// After the system has it.
    Normal,
}

#[derive(Debug)]
pub struct Store {
    // Closed before the lock file: closing any handle of the file drops this process's SQLite locks.
    connection: Connection,
    path: PathBuf,
    version: i64,
    /// Number of entrants in the stored plan, once read.
    entrants: OnceCell<usize>,
    lock: Option<File>,
}

impl Store {
    /// Creates the store of a new run. The file appears atomically.
    ///
    /// # Errors
    /// If the file or a journal of an earlier one exists, or it cannot be created.
    pub fn create(path: &Path, run: &StoredRun) -> Result<Store, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists(path.to_owned()));
        }
        check_left_journal(path)
            .map_err(|journal| StoreError::LeftJournal { path: path.to_owned(), journal })?;
        write_new(path, &serialize_new(path, run)?).map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => StoreError::Exists(path.to_owned()),
            ErrorKind::StorageFull => StoreError::Full(path.to_owned()),
            _ => StoreError::Open { path: path.to_owned(), source },
        })?;
        Self::resume(path)
    }

    /// Opens the store of a run to resume it; an older format is upgraded. All of it is read first, so that a damaged
    /// file is refused and stays unchanged.
    ///
    /// # Errors
    /// If it is not a store, is damaged, or another runner has it open.
    pub fn resume(path: &Path) -> Result<Store, StoreError> {
        check_is_file(path)?;
        let open = OpenOptions::new().read(true).write(true).open(path);
        let file = open.map_err(|source| StoreError::Open { path: path.to_owned(), source })?;
        lock(&file, path)?;
        // A rollback journal must be applied first, which requires a writer.
        let must_roll_back = journal_path(path, "-journal").exists();
        if !must_roll_back {
            Self::read(path)?.verify()?;
        }
        let mut store = Store {
            connection: connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            path: path.to_owned(),
            version: 0,
            entrants: OnceCell::new(),
            lock: Some(file),
        };
        store.version = schema::check(&store.connection, path)?;
        if must_roll_back {
            store.verify()?;
        }
        store.set_durable()?;
        store.database(schema::migrate(&store.connection, store.version))?;
        let is_older = store.version < schema::VERSION;
        store.version = schema::VERSION;
        if is_older {
            store.write_names(&store.run()?.plan)?;
        }
        Ok(store)
    }

    /// Opens a store for reading, even during a run and on a read-only file system.
    ///
    /// # Errors
    /// If it is not a store.
    pub fn read(path: &Path) -> Result<Store, StoreError> {
        // Opening and closing it as a file would drop SQLite's locks if this process has the store open.
        check_is_file(path)?;
        let mut store = Store {
            connection: connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            path: path.to_owned(),
            version: 0,
            entrants: OnceCell::new(),
            lock: None,
        };
        store.version = match schema::check(&store.connection, path) {
            // On a read-only file system SQLite cannot check for a writer; without a journal there is none.
            Err(StoreError::Database { .. }) if !journal_path(path, "-wal").exists() => {
                store.connection = connect_unchanging(path)?;
                schema::check(&store.connection, path)?
            }
            found => found?,
        };
        Ok(store)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that the file still has its name. If not, all games are written again from the open file: under its name if
    /// that is unused, else beside it.
    fn check_in_place(&self) -> Result<(), StoreError> {
        let Some(file) = self.lock.as_ref().filter(|file| !is_in_place(file, &self.path)) else {
            return Ok(());
        };
        let mut names =
            std::iter::once(self.path.clone()).chain((2..).map(|number| numbered(&self.path, number)));
        // The log of the open file has its first name.
        let is_unused =
            |name: &PathBuf| !name.exists() && (*name == self.path || journals(name).next().is_none());
        let unused = names.find(is_unused).expect("the numbers do not end");
        let copied = self.connection.execute("VACUUM INTO ?1", [unused.to_string_lossy()]);
        // The log has the name of the file, not the file itself: another file of that name would be read with our log.
        let emptied =
            self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        let rescue = match (copied, emptied) {
            (Ok(_), _) => format!("its games were written again to {}", unused.display()),
            (Err(_), Ok(0)) if !is_removed(file) => "its games are in the file under its new name".to_owned(),
            _ => "its games are lost but for those in other files of the run".to_owned(),
        };
        Err(StoreError::Moved { path: self.path.clone(), rescue })
    }

    /// Sets write-ahead logging and sync: readers never wait for the writer, and a committed game survives a power
    /// cut.
    fn set_durable(&self) -> Result<(), StoreError> {
        self.database(self.connection.pragma_update(None, "journal_mode", "WAL"))?;
        self.synchronize(Synchronous::Full)
    }

    fn synchronize(&self, how: Synchronous) -> Result<(), StoreError> {
        let word = match how {
            Synchronous::Full => "FULL",
            Synchronous::Normal => "NORMAL",
        };
        self.database(self.connection.pragma_update(None, "synchronous", word))
    }

    /// Closes the store, leaving a single file unless a reader keeps it open for longer than a query.
    pub fn close(self) {
        // SQLite refuses at once while a reader has the file open.
        let is_closed = || self.connection.pragma_update(None, "journal_mode", "DELETE").is_ok();
        for _ in 0..CLOSE_TRIES {
            if is_closed() {
                break;
            }
            std::thread::sleep(CLOSE_PAUSE);
        }
    }

    fn database<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| failure(&self.path, source))
    }

    /// Converts a result of reading one part of the store, for errors about damage.
    fn part<T>(&self, part: impl Into<String>, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        self.database(result).map_err(|error| match error {
            StoreError::Damaged { path, what } => {
                StoreError::Damaged { path, what: format!("{}: {what}", part.into()) }
            }
            other => other,
        })
    }

    fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: what.into() }
    }
}

/// Rejects pipes and devices, and empty files, whose journal SQLite would delete.
fn check_is_file(path: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > 0 => Ok(()),
        Ok(_) => Err(StoreError::Foreign(path.to_owned())),
        Err(source) => Err(StoreError::Open { path: path.to_owned(), source }),
    }
}

/// Converts an SQLite error.
fn failure(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    match (&source, source.sqlite_error_code()) {
        (_, Some(ErrorCode::DiskFull)) => StoreError::Full(path),
        // SQLite's own message would contain its numbers.
        (_, Some(ErrorCode::NotADatabase)) => StoreError::Foreign(path),
        (_, Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown)) | (_, None) => {
            StoreError::Damaged { path, what: column::explain(&source) }
        }
        _ => StoreError::Database { path, source },
    }
}

/// The bytes of a new store, built in memory; errors name `path`.
fn serialize_new(path: &Path, run: &StoredRun) -> Result<Vec<u8>, StoreError> {
    let connection = Connection::open_in_memory().map_err(|source| failure(path, source))?;
    let mut store = Store {
        connection,
        path: path.to_owned(),
        version: schema::VERSION,
        entrants: OnceCell::new(),
        lock: None,
    };
    store.database(schema::create(&store.connection))?;
    store.write_run(run)?;
    let bytes = store.connection.serialize(MAIN_DB).map_err(|source| failure(path, source))?;
    Ok(bytes.to_vec())
}

/// Creates a file atomically. Until it is complete it has no name, or another where the file system supports neither
/// unnamed files nor hard links.
fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    if let Some(mut file) = unnamed_file(folder) {
        file.write_all(bytes)?;
        file.sync_all()?;
        return name_file(&file, path);
    }
    // Some file systems do not support unnamed files.
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".new.{}", std::process::id()));
    let mut file = File::create_new(&draft)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| {
        // Some do not support hard links either.
        std::fs::hard_link(&draft, path).or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => Err(error),
            _ => rename_to_new(draft.as_ref(), path),
        })
    });
    let _ = std::fs::remove_file(&draft);
    written
}

/// Renames a file to a name that is not in use. An empty file reserves it, since a rename replaces what is there.
fn rename_to_new(draft: &Path, path: &Path) -> std::io::Result<()> {
    drop(File::create_new(path)?);
    std::fs::rename(draft, path).inspect_err(|_| drop(std::fs::remove_file(path)))
}

/// An unnamed file in this folder, if the system supports it.
#[cfg(target_os = "linux")]
fn unnamed_file(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    open(folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from)
}

/// Links the file to a new name (open(2), on O_TMPFILE).
#[cfg(target_os = "linux")]
fn name_file(file: &File, path: &Path) -> std::io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd as _;
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn unnamed_file(_: &Path) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
fn name_file(_: &File, _: &Path) -> std::io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    file_lock::lock_soon(file).map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::Busy(path.to_owned()),
        TryLockError::Error(source) => StoreError::Open { path: path.to_owned(), source },
    })
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let connection = connection.and_then(|connection| {
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(connection)
    });
    connection.map_err(|source| failure(path, source))
}

/// Opens a file that does not change (SQLite's URI parameter `immutable`).
fn connect_unchanging(path: &Path) -> Result<Connection, StoreError> {
    let path_text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file:{path_text}?immutable=1");
    Connection::open_with_flags(uri, flags).map_err(|source| failure(path, source))
}

#[cfg(test)]
mod tests;
