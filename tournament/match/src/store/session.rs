//! Sessions: calls of the runner on a store, with start and, unless killed, end. They give the speed of a run and the
//! disqualified engines.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use rusqlite::{OptionalExtension, params};

use super::column::{entrant, from_index, number, time, time_if_any, to_ms};
use super::{Store, StoreError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSession {
    pub pid: u32,
    pub started: SystemTime,
    /// Maximum number of concurrent games at present; 0 for a distributed run.
    pub slots: u32,
    /// Whether it starts no more games for now.
    pub is_paused: bool,
    /// End; `None` if it is running or was killed.
    pub ended: Option<SystemTime>,
    /// Number of games that started and ended in it.
    pub games: u32,
    /// End of the last of these games.
    pub last_game: Option<SystemTime>,
}

impl StoredSession {
    /// Duration; of a killed session until the end of its last game, of a running one until now.
    pub(crate) fn length(&self, now: SystemTime, runs: bool) -> Duration {
        let end = match self.ended {
            Some(ended) => ended,
            None if runs => now,
            None => self.last_game.unwrap_or(self.started),
        };
        end.duration_since(self.started).unwrap_or_default()
    }
}

impl Store {
    /// Records the start of a session.
    ///
    /// # Errors
    /// If the disk is full, or fails.
    pub fn begin_session(&self, slots: usize) -> Result<(), StoreError> {
        self.database(self.connection.execute(
            "INSERT INTO session (pid, started_ms, slots) VALUES (?1, ?2, ?3)",
            params![std::process::id(), to_ms(SystemTime::now()), from_index(slots)],
        ))?;
        Ok(())
    }

    /// Records the maximum number of concurrent games of the latest session, and whether it is paused.
    ///
    /// # Errors
    /// As [`Self::begin_session`].
    pub fn update_session(&self, slots: usize, is_paused: bool) -> Result<(), StoreError> {
        self.database(self.connection.execute(
            "UPDATE session SET slots = ?1, is_paused = ?2 WHERE id = (SELECT max(id) FROM session)",
            params![from_index(slots), is_paused],
        ))?;
        Ok(())
    }

    /// Records the end of the latest session.
    ///
    /// # Errors
    /// As [`Self::begin_session`].
    pub fn end_session(&self) -> Result<(), StoreError> {
        self.database(self.connection.execute(
            "UPDATE session SET ended_ms = ?1 WHERE id = (SELECT max(id) FROM session)",
            [to_ms(SystemTime::now())],
        ))?;
        Ok(())
    }

    /// Records the disqualification of an entrant in the latest session; the text follows its name.
    ///
    /// # Errors
    /// As [`Self::begin_session`].
    pub fn save_disqualification(&self, entrant: usize, words: &str) -> Result<(), StoreError> {
        self.database(self.connection.execute(
            "INSERT OR IGNORE INTO strike (session, entrant, words) SELECT max(id), ?1, ?2 FROM session",
            params![from_index(entrant), words],
        ))?;
        Ok(())
    }

    /// Disqualified entrants of the latest session, with reasons.
    ///
    /// # Errors
    /// If the database fails.
    pub fn disqualifications(&self) -> Result<BTreeMap<usize, String>, StoreError> {
        if self.version < 5 {
            return Ok(BTreeMap::new());
        }
        let entrants = self.entrants()?;
        let read = || {
            let mut statement = self
                .connection
                .prepare("SELECT entrant, words FROM strike WHERE session = (SELECT max(id) FROM session)")?;
            let rows = statement.query_map([], |row| Ok((entrant(row, 0, entrants)?, row.get(1)?)))?;
            rows.collect()
        };
        self.part("the disqualified entrants", read())
    }

    /// The latest session; `None` in a store of format 1.
    ///
    /// # Errors
    /// If the database fails.
    pub fn latest_session(&self) -> Result<Option<StoredSession>, StoreError> {
        if self.version < 2 {
            return Ok(None);
        }
        let is_paused = if self.version < 10 { "0" } else { "session.is_paused" };
        let query = format!(
            "SELECT session.pid, session.started_ms, session.slots, session.ended_ms, count(game.number),
                    max(game.started_ms + game.duration_us / 1000) AS last_game, {is_paused}
             FROM session LEFT JOIN game ON game.started_ms >= session.started_ms
             WHERE session.id = (SELECT max(id) FROM session) GROUP BY session.id"
        );
        let found = self.connection.query_row(&query, [], |row| {
            Ok(StoredSession {
                pid: row.get(0)?,
                started: time(row, 1, "its begin")?,
                slots: number(row, 2, "its number of slots")?,
                is_paused: row.get(6)?,
                ended: time_if_any(row, 3, "its end")?,
                games: row.get(4)?,
                last_game: time_if_any(row, 5, "the end of its last game")?,
            })
        });
        self.part("the latest session", found.optional())
    }
}
