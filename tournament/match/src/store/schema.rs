//! Tables and format versions. Older formats are readable, and upgraded when a writer opens them; newer ones are
//! refused.

use std::path::Path;

use rusqlite::Connection;

use super::{StoreError, failure};

/// SQLite's application_id of a store: `Smlt`.
const APPLICATION: i64 = 0x536d_6c74;

/// Format version written. Version 2 added the sessions, 3 the engines' memory, 4 the machines of games played by
/// workers, 5 the disqualifications, 6 the checksums of the run and of each game, 7 the illegal moves, 8 the overruns
/// of losses on time, 9 the digest of the training data, 10 whether a session is paused, 11 the
/// names of the plan's engines for queries of others.
pub(super) const VERSION: i64 = 11;

/// `run` has one row. Times are milliseconds since 1970 or microseconds, as their names say. `game.moves` is the text
/// of the module `game::moves`; `game.number` is the game's number in the schedule, and its only key.
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

/// Migrations between consecutive format versions, from 1 to 2 on. A session is one call of the runner, from start or
/// resume to its end; a killed one has no end.
const STEPS: [&str; 10] = [
    "
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    slots INTEGER NOT NULL,
    ended_ms INTEGER
) STRICT;
",
    "
ALTER TABLE game ADD COLUMN white_memory_bytes INTEGER;
ALTER TABLE game ADD COLUMN black_memory_bytes INTEGER;
",
    "
ALTER TABLE game ADD COLUMN machine TEXT;
ALTER TABLE game ADD COLUMN speed_nps INTEGER;
CREATE TABLE machine (
    name TEXT PRIMARY KEY,
    program TEXT NOT NULL,
    cpu TEXT NOT NULL,
    cores INTEGER NOT NULL,
    slots INTEGER NOT NULL,
    speed_nps INTEGER NOT NULL,
    joined_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE binary (
    entrant INTEGER NOT NULL,
    machine TEXT NOT NULL,
    name TEXT NOT NULL,
    author TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (entrant, machine)
) STRICT;
",
    "
CREATE TABLE strike (
    session INTEGER NOT NULL REFERENCES session (id),
    entrant INTEGER NOT NULL,
    words TEXT NOT NULL,
    PRIMARY KEY (session, entrant)
) STRICT;
",
    "
ALTER TABLE run ADD COLUMN checksum INTEGER;
ALTER TABLE game ADD COLUMN checksum INTEGER;
",
    "
ALTER TABLE fault ADD COLUMN illegal_move TEXT;
",
    "
ALTER TABLE fault ADD COLUMN overrun_us INTEGER;
",
    "
CREATE TABLE training_data (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    sha256 TEXT NOT NULL
) STRICT;
",
    "
ALTER TABLE session ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0;
",
    "
CREATE TABLE entrant (
    entrant INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
",
];

/// Views for queries of others, temporary: with a view in the file SQLite's `quick_check` may not find pages that no table has.
pub const VIEWS: &str = "\
CREATE TEMP VIEW names AS
SELECT entrant, entrant.name AS engine, engine.name AS reported FROM entrant LEFT JOIN engine USING (entrant);
CREATE TEMP VIEW games AS
SELECT number + 1 AS game, round + 1 AS round, w.engine AS white, b.engine AS black, outcome, termination,
       datetime(started_ms / 1000, 'unixepoch') AS started, duration_us / 1e6 AS seconds, machine
FROM game JOIN names w ON w.entrant = game.white JOIN names b ON b.entrant = game.black;
CREATE TEMP VIEW standings AS
WITH side AS (
    SELECT white AS entrant, outcome, '1-0' AS win FROM game UNION ALL SELECT black, outcome, '0-1' FROM game
)
SELECT engine, reported, count(*) AS games, sum(outcome = win) AS won, sum(outcome = '1/2-1/2') AS drawn,
       sum(outcome NOT IN (win, '1/2-1/2')) AS lost, sum((outcome = win) + (outcome = '1/2-1/2') / 2.0) AS points
FROM names JOIN side USING (entrant) GROUP BY entrant;
";

pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION)?;
    let steps = STEPS.concat();
    connection
        .execute_batch(&format!("BEGIN IMMEDIATE; {TABLES} {steps} PRAGMA user_version = {VERSION}; COMMIT;"))
}

/// The tables of the store and [`VIEWS`] as SQL, in the current format.
///
/// # Errors
/// If SQLite fails.
pub fn schema_sql() -> rusqlite::Result<String> {
    let connection = Connection::open_in_memory()?;
    create(&connection)?;
    let mut tables =
        connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(format!("-- user_version {VERSION}\n{};\n\n{VIEWS}", tables.join(";\n")))
}

/// Upgrades an older format in one transaction.
pub(super) fn migrate(connection: &Connection, found: i64) -> rusqlite::Result<()> {
    if found >= VERSION {
        return Ok(());
    }
    let steps = STEPS[usize::try_from(found - 1).unwrap_or(0)..].concat();
    connection.execute_batch(&format!("BEGIN IMMEDIATE; {steps} PRAGMA user_version = {VERSION}; COMMIT;"))
}

/// The format version of the file, if it is a store that this program can read.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let number = |name: &str| {
        let value = connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        value.map_err(|source| failure(path, source))
    };
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION, found @ 1..=VERSION) => Ok(found),
        (APPLICATION, found) if found > VERSION => {
            Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION })
        }
        _ => Err(StoreError::Foreign(path.to_owned())),
    }
}
