//! The run's store: one SQLite file that holds the plan and every finished game. It is the truth; PGN and tables are
//! views of it.
//!
//! A game counts once it is committed here, and storing it again changes nothing. One runner writes at a time
//! ([`StoreError::Busy`]); readers may look on meanwhile. The only SQL of the program; knows no engines and no display.

mod moves;
mod read;
mod schema;
mod write;

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

pub use read::StoredRun;
pub use write::{EngineFault, Saved};

/// Why the store did not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is a file of that name already.
    #[error("create {}: it exists already; go on with it by `smalt-tournament resume {}`, or choose another --store", .0.display(), .0.display())]
    Exists(PathBuf),
    /// The file cannot be made or opened.
    #[error("open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another runner works on it.
    #[error("lock {}: another run is writing to it", .0.display())]
    Busy(PathBuf),
    /// It is something else.
    #[error("read {}: it is not the store of a run", .0.display())]
    Foreign(PathBuf),
    /// It was written by a newer program.
    #[error("read {}: its format is {found}, and this program knows formats up to {known}; use a newer one", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// The database failed: the disk is full, or the file was damaged.
    #[error("use {}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A row that this program never wrote.
    #[error("read {}: {what} makes no sense", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Which part.
        what: String,
    },
}

/// An open store.
#[derive(Debug)]
pub struct Store {
    // Closed before the lock is: closing any handle of the file drops SQLite's own locks of this process.
    connection: Connection,
    path: PathBuf,
    _lock: Option<File>,
}

impl Store {
    /// Makes the store of a new run, for one writer.
    ///
    /// # Errors
    /// If the file exists, or cannot be made.
    pub fn create(path: &Path, run: &StoredRun) -> Result<Store, StoreError> {
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).open(path).map_err(|source| {
                match source.kind() {
                    std::io::ErrorKind::AlreadyExists => StoreError::Exists(path.to_owned()),
                    _ => StoreError::Open { path: path.to_owned(), source },
                }
            })?;
        lock(&file, path)?;
        let store = Store {
            connection: connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            path: path.to_owned(),
            _lock: Some(file),
        };
        store.make_durable()?;
        store.database(schema::create(&store.connection))?;
        store.write_run(run)?;
        Ok(store)
    }

    /// Opens the store of a run to go on with it.
    ///
    /// # Errors
    /// If it is no store, or another runner has it.
    pub fn resume(path: &Path) -> Result<Store, StoreError> {
        let open = OpenOptions::new().read(true).write(true).open(path);
        let file = open.map_err(|source| StoreError::Open { path: path.to_owned(), source })?;
        lock(&file, path)?;
        let store = Store {
            connection: connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
            path: path.to_owned(),
            _lock: Some(file),
        };
        schema::check(&store.connection, path)?;
        store.make_durable()?;
        Ok(store)
    }

    /// Whether a runner has the store. Asking changes nothing in it.
    pub fn is_in_use(path: &Path) -> bool {
        File::open(path).is_ok_and(|file| matches!(lock(&file, path), Err(StoreError::Busy(_))))
    }

    /// Opens a store to look at it, even while a run goes on.
    ///
    /// # Errors
    /// If it is no store.
    pub fn read(path: &Path) -> Result<Store, StoreError> {
        if let Err(source) = File::open(path) {
            return Err(StoreError::Open { path: path.to_owned(), source });
        }
        let store = Store {
            connection: connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            path: path.to_owned(),
            _lock: None,
        };
        schema::check(&store.connection, path)?;
        Ok(store)
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Readers never wait for the writer, and a committed game survives a power cut.
    fn make_durable(&self) -> Result<(), StoreError> {
        self.database(self.connection.pragma_update(None, "journal_mode", "WAL"))?;
        self.database(self.connection.pragma_update(None, "synchronous", "FULL"))
    }

    fn database<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        result.map_err(|source| StoreError::Database { path: self.path.clone(), source })
    }

    fn corrupt(&self, what: impl Into<String>) -> StoreError {
        StoreError::Corrupt { path: self.path.clone(), what: what.into() }
    }
}

fn lock(file: &File, path: &Path) -> Result<(), StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(StoreError::Open { path: path.to_owned(), source }),
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let connection = connection.and_then(|connection| {
        connection.busy_timeout(Duration::from_secs(5))?;
        Ok(connection)
    });
    connection.map_err(|source| StoreError::Database { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests;
