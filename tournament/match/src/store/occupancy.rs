//! Whether a runner has a store. The file stays open: closing any handle of it would drop the locks that SQLite holds in
//! this process (SQLite, "How To Corrupt An SQLite Database File", section 2.2).

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::file_lock;

/// Asks whether a store is in use; asking changes nothing in it.
#[derive(Debug)]
pub struct StoreUse {
    file: Option<File>,
}

impl StoreUse {
    /// Of this store. One that cannot be opened is used by nobody.
    pub fn of(path: &Path) -> StoreUse {
        StoreUse { file: File::open(path).ok() }
    }

    /// Whether a runner has it now.
    pub fn is_in_use(&self) -> bool {
        let Some(file) = &self.file else { return false };
        match file_lock::try_lock_shared(file) {
            Ok(()) => {
                let _ = file_lock::unlock(file);
                false
            }
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => false,
        }
    }
}
