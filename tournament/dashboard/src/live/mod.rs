//! The games being played, for those who look on: they are not in the store before they are over.
//!
//! Each slot has a [`LiveBoard`], on which it shows the state of its game after every move; that costs the game some
//! fifty nanoseconds and no wait. A [`Publisher`] looks at the boards a few times a second and copies what changed to a
//! small file beside the store, but only while somebody has that file open ([`LiveReader`]). So pages of this process and
//! of others see the same, and no page can slow a game. Knows no HTTP and no chess but moves.

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

pub use board::{LiveBoard, SearchInfo, SideState};
pub use file::{LiveGame, LiveSearchInfo, LiveSide, path_of};
pub use publisher::Publisher;
pub use reader::LiveReader;

/// Opens the file beside a store, but no other one to which a link of that name leads, and without waiting where it is a
/// pipe.
fn open(options: &mut OpenOptions, path: &Path) -> std::io::Result<File> {
    #[cfg(unix)]
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed();
    // FILE_FLAG_OPEN_REPARSE_POINT: a link is opened itself, and is no file.
    #[cfg(windows)]
    let flags = 0x0020_0000;
    let file = options.custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(std::io::ErrorKind::InvalidInput.into()) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_the_place_of_the_live_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (folder.path().join("run.db"), folder.path().join("other"));
        std::fs::write(&other, "of somebody else").unwrap();
        std::os::unix::fs::symlink(&other, path_of(&store)).unwrap();
        assert!(Publisher::start(&store, Vec::new()).is_err());
        assert!(LiveReader::new(&store).look().is_none());
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "of somebody else");
    }
}
