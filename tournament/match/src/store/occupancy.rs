//! Whether a runner has a store open. The file stays open: closing any handle would drop the locks that SQLite holds
//! in this process (SQLite, "How To Corrupt An SQLite Database File", section 2.2).

use std::fs::{File, TryLockError};
use std::path::Path;

use smalt_workbench::file_lock;

/// Checks whether a store is in use, without changing it.
#[derive(Debug)]
pub struct StoreUse {
    file: Option<File>,
}

impl StoreUse {
    /// A check of this store. A file that cannot be opened is not in use; nor is a pipe, since opening it would
    /// block.
    pub fn of(path: &Path) -> StoreUse {
        StoreUse { file: path.is_file().then(|| File::open(path).ok()).flatten() }
    }

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
