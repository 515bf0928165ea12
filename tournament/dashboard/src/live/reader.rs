//! Reads the live file of a run, from any process. The publisher writes while a reader has the file open.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use smalt_workbench::file_lock;

use super::file::{self, LiveGame, path_of};

/// Attempts to read a file during a write.
const READ_ATTEMPTS: usize = 3;

/// Maximum file size in bytes; hundreds of boards need less.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reader of a run's live file.
#[derive(Debug)]
pub(crate) struct LiveReader {
    path: PathBuf,
    file: Option<File>,
}

impl LiveReader {
    /// A reader for the run of this store; opens no file yet.
    pub(crate) fn new(store: &Path) -> LiveReader {
        LiveReader { path: path_of(store), file: None }
    }

    /// The games in progress; `None` if unavailable. Opens the file, which starts the publisher.
    pub(crate) fn read(&mut self) -> Option<Vec<LiveGame>> {
        // A resumed run has a new file; the old one is closed only when the new one is locked.
        let opened = super::open(File::options().read(true), &self.path).ok()?;
        // The publisher holds the lock briefly while it checks for readers.
        if file_lock::try_lock_shared(&opened).is_ok() || self.file.is_none() {
            self.file = Some(opened);
        }
        let file = self.file.as_mut()?;
        for _ in 0..READ_ATTEMPTS {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(0)).ok()?;
            file.by_ref().take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
            if let Some(page) = file::read(&bytes) {
                return Some(page.games);
            }
        }
        None
    }

    pub(crate) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Closes the file, so that the publisher may stop writing.
    pub(crate) fn close(&mut self) {
        self.file = None;
    }
}
