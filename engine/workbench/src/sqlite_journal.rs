//! Journals that SQLite keeps beside a database, and that belong to it alone.

use std::path::{Path, PathBuf};

/// What SQLite appends to the name of a database for its write-ahead log, rollback journal and shared memory.
const SUFFIXES: [&str; 3] = ["-wal", "-journal", "-shm"];

/// A journal without its database. SQLite would delete it, or apply it to a new database of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} exists without its database, which may have been renamed, and may hold the newest data; rename it to match (the \
     name of the database, followed by {suffix}), or delete it",
    path.display()
)]
pub struct LeftJournal {
    path: PathBuf,
    suffix: &'static str,
}

/// Checks that a missing database has left no journal.
///
/// # Errors
/// If it has.
pub fn check_left_journal(database: &Path) -> Result<(), LeftJournal> {
    // Another program may be creating it: the database is there before its journal.
    match journals(database).next() {
        Some((suffix, path)) if !database.exists() => Err(LeftJournal { path, suffix }),
        _ => Ok(()),
    }
}

/// The existing journals of a database, with their suffixes.
pub fn journals(database: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    let journal = |suffix| (suffix, journal_path(database, suffix));
    SUFFIXES.map(journal).into_iter().filter(|(_, path)| path.symlink_metadata().is_ok())
}

/// The path of a journal beside its database: `-wal`, `-journal` or `-shm` behind the name.
pub fn journal_path(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
