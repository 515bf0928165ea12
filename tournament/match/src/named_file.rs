//! File names: whether a path is a file, a pipe or a device, and whether an open file still has its name.

use std::fs::File;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

pub use smalt_workbench::output_file::is_special;

/// Whether the path still names this open file.
#[cfg(unix)]
pub fn is_in_place(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Windows keeps the names of open files.
#[cfg(windows)]
pub fn is_in_place(_: &File, _: &Path) -> bool {
    true
}

/// Whether this open file was deleted.
#[cfg(unix)]
pub(crate) fn is_removed(file: &File) -> bool {
    file.metadata().is_ok_and(|file| file.nlink() == 0)
}

/// Windows keeps the names of open files.
#[cfg(windows)]
pub(crate) fn is_removed(_: &File) -> bool {
    false
}

/// The path with a number before its extension.
pub fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
