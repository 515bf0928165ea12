//! One who looks at the games of a run, from any process. While it looks, the run's publisher writes; it writes nothing
//! itself.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use smalt_match::file_lock;

use super::file::{self, LiveGame, path_of};

/// How often a page that was caught in the midst of a write is read again.
const READ_ATTEMPTS: usize = 3;

/// The largest file that is read, in bytes; hundreds of boards need less.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Looks at the games of one run.
#[derive(Debug)]
pub struct LiveReader {
    path: PathBuf,
    file: Option<File>,
}

impl LiveReader {
    /// Of the run of this store; does not look yet.
    pub fn new(store: &Path) -> LiveReader {
        LiveReader { path: path_of(store), file: None }
    }

    /// The games as they stand; none where they cannot be seen. From now on the publisher knows that somebody looks.
    pub fn look(&mut self) -> Option<Vec<LiveGame>> {
        // A run that went on after a stop has a file of its own; the old one is let go only when the new one is held.
        let opened = super::open(File::options().read(true), &self.path).ok()?;
        // The publisher itself may hold the lock, for the instant in which it sees if anybody looks.
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

    /// Whether it looks.
    pub fn is_looking(&self) -> bool {
        self.file.is_some()
    }

    /// Looks away, so that the publisher may rest.
    pub fn rest(&mut self) {
        self.file = None;
    }
}
