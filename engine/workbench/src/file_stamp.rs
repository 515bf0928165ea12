//! Whether a file has changed, without reading it.

use std::fs::Metadata;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
#[cfg(windows)]
use std::os::windows::fs::MetadataExt as _;

/// Differs after any change of a file, and after its replacement by another: device, inode, length, time of the last change
/// in seconds and nanoseconds.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp(u64, u64, u64, i64, i64);

/// Differs after any change of a file, and after its replacement by another: length, and times of creation and of the last
/// write in units of 100 nanoseconds.
#[cfg(windows)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp(u64, u64, u64);

impl FileStamp {
    /// The stamp of a file.
    #[cfg(unix)]
    #[must_use]
    pub fn of(file: &Metadata) -> FileStamp {
        FileStamp(file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec())
    }

    /// The stamp of a file.
    #[cfg(windows)]
    #[must_use]
    pub fn of(file: &Metadata) -> FileStamp {
        FileStamp(file.file_size(), file.creation_time(), file.last_write_time())
    }
}
