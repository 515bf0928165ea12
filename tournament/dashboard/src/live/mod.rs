//! Live boards: games in progress, which are not in the store yet.
//!
//! Each slot updates a [`LiveBoard`] after every move, in about fifty nanoseconds and without waiting. A
//! [`Publisher`] copies changed boards a few times per second to a small file beside the store, but only while a
//! [`LiveReader`] in any process has it open. Pages therefore never slow a game.

mod board;
mod file;
mod publisher;
mod reader;

use std::fs::{File, OpenOptions};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
#[cfg(windows)]
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;

pub use board::LiveBoard;
pub(crate) use file::{LiveGame, LiveSearchInfo, LiveSide};
pub use publisher::Publisher;
pub(crate) use reader::LiveReader;

/// Opens the live file without following a link or waiting on a pipe.
fn open(options: &mut OpenOptions, path: &Path) -> std::io::Result<File> {
    #[cfg(unix)]
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed();
    // FILE_FLAG_OPEN_REPARSE_POINT: opens a link itself, which is not a regular file.
    #[cfg(windows)]
    let flags = 0x0020_0000;
    let file = options.custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(std::io::ErrorKind::InvalidInput.into()) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::file::path_of;
    use super::*;

    #[test]
    fn a_link_in_the_place_of_the_live_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (folder.path().join("run.db"), folder.path().join("other"));
        std::fs::write(&other, "of somebody else").unwrap();
        std::os::unix::fs::symlink(&other, path_of(&store)).unwrap();
        assert!(Publisher::start(&store, Vec::new()).is_err());
        assert!(LiveReader::new(&store).read().is_none());
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "of somebody else");
    }
}
