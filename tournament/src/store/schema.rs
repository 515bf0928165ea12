//! The tables, and the versions of their form. Older forms are brought up to date when a writer opens them (there are
//! none yet); newer ones are refused.

use std::path::Path;

use rusqlite::Connection;

use super::StoreError;

/// What marks the file as ours, in SQLite's application_id: `Smlt`.
const APPLICATION: i64 = 0x536d_6c74;

/// The form that this program writes.
const VERSION: i64 = 1;

/// `run` has one row. Times are milliseconds since 1970 or microseconds, as their names say. `game.moves` is the text
/// of the module `moves`; `game.number` is the game's number in the schedule, and its only key.
const TABLES: &str = "
CREATE TABLE run (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    program TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    plan TEXT NOT NULL,
    openings TEXT NOT NULL
) STRICT;
CREATE TABLE engine (
    entrant INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    author TEXT NOT NULL
) STRICT;
CREATE TABLE game (
    number INTEGER PRIMARY KEY,
    pair INTEGER NOT NULL,
    round INTEGER NOT NULL,
    white INTEGER NOT NULL,
    black INTEGER NOT NULL,
    opening INTEGER NOT NULL,
    fen TEXT,
    outcome TEXT NOT NULL,
    termination TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    moves TEXT NOT NULL
) STRICT;
CREATE TABLE fault (
    id INTEGER PRIMARY KEY,
    game INTEGER UNIQUE REFERENCES game (number),
    entrant INTEGER NOT NULL,
    name TEXT NOT NULL,
    words TEXT NOT NULL,
    transcript TEXT NOT NULL
) STRICT;
CREATE TABLE process (
    pid INTEGER NOT NULL,
    started INTEGER NOT NULL,
    session INTEGER NOT NULL,
    PRIMARY KEY (pid, started)
) STRICT;
";

pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.execute_batch(&format!("BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))
}

/// Whether the file is a store that this program can read.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    match (number("application_id"), number("user_version")) {
        (Ok(APPLICATION), Ok(1..=VERSION)) => Ok(()),
        (Ok(APPLICATION), Ok(found)) if found > VERSION => {
            Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION })
        }
        (Err(source), _) if source.sqlite_error_code() != Some(rusqlite::ErrorCode::NotADatabase) => {
            Err(StoreError::Database { path: path.to_owned(), source })
        }
        _ => Err(StoreError::Foreign(path.to_owned())),
    }
}
