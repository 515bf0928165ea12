//! Remote machines and their engines as of their last join, engine digests of this machine, and the digest of the
//! training data.

use std::time::SystemTime;

use rusqlite::{OptionalExtension as _, params};

use super::column::{from_index, from_number, number, to_ms, whole};
use super::{Store, StoreError};
use crate::game::{BinaryReport, MachineReport};

/// Name of this machine in the table of binaries; no worker has it.
const OWN_MACHINE: &str = "";

impl Store {
    /// Stores a machine that joined.
    ///
    /// # Errors
    /// If the disk is full, or fails.
    pub(crate) fn put_machine(&mut self, machine: &MachineReport) -> Result<(), StoreError> {
        let noted = insert(&mut self.connection, machine);
        self.database(noted)?;
        for (entrant, engine) in machine.engines.iter().enumerate() {
            self.save_engine(entrant, &engine.name, &engine.author)?;
        }
        Ok(())
    }

    /// Stores the SHA-256 of this machine's engine programs, in plan order.
    ///
    /// # Errors
    /// If the disk is full, or fails.
    pub fn put_own_binaries(&mut self, digests: &[Option<String>]) -> Result<(), StoreError> {
        let noted = insert_own(&mut self.connection, digests);
        self.database(noted)
    }

    /// SHA-256 of each entrant's program at the start of the run; `None` if unknown.
    ///
    /// # Errors
    /// If the database fails.
    pub fn own_binaries(&self, entrants: usize) -> Result<Vec<Option<String>>, StoreError> {
        let read = || {
            let mut statement =
                self.connection.prepare("SELECT sha256 FROM binary WHERE machine = ?1 AND entrant = ?2")?;
            let digest = |entrant| {
                statement.query_row(params![OWN_MACHINE, from_index(entrant)], |row| row.get(0)).optional()
            };
            (0..entrants).map(digest).collect()
        };
        self.database(read())
    }

    /// SHA-256 of the training data that this run last wrote.
    ///
    /// # Errors
    /// If the database fails.
    pub fn data_digest(&self) -> Result<Option<String>, StoreError> {
        let read = self.connection.query_row("SELECT sha256 FROM training_data", [], |row| row.get(0));
        self.database(read.optional())
    }

    /// Stores the SHA-256 of the training data.
    ///
    /// # Errors
    /// If the disk is full, or fails.
    pub fn set_data_digest(&self, digest: &str) -> Result<(), StoreError> {
        let replace = "INSERT OR REPLACE INTO training_data (only, sha256) VALUES (1, ?1)";
        self.database(self.connection.execute(replace, [digest])).map(drop)
    }

    /// All machines in order of joining.
    ///
    /// # Errors
    /// If the database fails.
    pub fn machines(&self) -> Result<Vec<MachineReport>, StoreError> {
        if self.version < 4 { Ok(Vec::new()) } else { self.part("the machines", self.read_machines()) }
    }

    fn read_machines(&self) -> rusqlite::Result<Vec<MachineReport>> {
        let mut statement = self.connection.prepare(
            "SELECT name, program, cpu, cores, slots, speed_nps FROM machine ORDER BY joined_ms, name",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(MachineReport {
                name: row.get(0)?,
                program: row.get(1)?,
                cpu: row.get(2)?,
                cores: number(row, 3, "a number of cores")?,
                slots: number(row, 4, "a number of slots")?,
                speed: whole(row, 5, "a speed")?,
                engines: Vec::new(),
            })
        })?;
        let mut machines = rows.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut engines = self
            .connection
            .prepare("SELECT name, author, sha256 FROM binary WHERE machine = ?1 ORDER BY entrant")?;
        for machine in &mut machines {
            let rows = engines.query_map([&machine.name], |row| {
                Ok(BinaryReport { name: row.get(0)?, author: row.get(1)?, sha256: row.get(2)? })
            })?;
            machine.engines = rows.collect::<rusqlite::Result<_>>()?;
        }
        Ok(machines)
    }
}

fn insert_own(connection: &mut rusqlite::Connection, digests: &[Option<String>]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let known = digests.iter().enumerate().filter_map(|(entrant, digest)| Some((entrant, digest.as_ref()?)));
    for (entrant, digest) in known {
        transaction.execute(
            "INSERT OR REPLACE INTO binary (entrant, machine, name, author, sha256) VALUES (?1, ?2, '', '', ?3)",
            params![from_index(entrant), OWN_MACHINE, digest],
        )?;
    }
    transaction.commit()
}

fn insert(connection: &mut rusqlite::Connection, machine: &MachineReport) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    let MachineReport { name, program, cpu, cores, slots, speed, engines } = machine;
    transaction.execute(
        "INSERT OR REPLACE INTO machine (name, program, cpu, cores, slots, speed_nps, joined_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![name, program, cpu, cores, slots, from_number(*speed), to_ms(SystemTime::now())],
    )?;
    for (entrant, engine) in engines.iter().enumerate() {
        transaction.execute(
            "INSERT OR REPLACE INTO binary (entrant, machine, name, author, sha256) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![from_index(entrant), name, engine.name, engine.author, engine.sha256],
        )?;
    }
    transaction.commit()
}
