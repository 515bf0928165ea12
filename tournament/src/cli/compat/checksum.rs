//! `-crc32 pgn=true`: the checksum of the PGN file after each game, which fishtest's server uses to detect incomplete
//! uploads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::Crc;

/// CRC32 of a growing file.
pub(super) struct PgnChecksum {
    path: PathBuf,
    length: u64,
    crc: Crc,
}

impl PgnChecksum {
    pub(super) fn new(path: &Path) -> PgnChecksum {
        PgnChecksum { path: path.to_owned(), length: 0, crc: Crc::new() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads new bytes since the last call; returns fastchess's line if there were any.
    pub(super) fn update(&mut self) -> io::Result<Option<String>> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        if length < self.length {
            *self = PgnChecksum::new(&self.path);
        }
        file.seek(SeekFrom::Start(self.length))?;
        let mut appended = Vec::new();
        file.take(length - self.length).read_to_end(&mut appended)?;
        self.crc.update(&appended);
        self.length += appended.len() as u64;
        let line = format!("File {} has CRC32: {:#x}\n", self.path.display(), self.crc.sum());
        Ok((!appended.is_empty()).then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_whole_file_after_each_addition() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let mut checksum = PgnChecksum::new(&path);
        let mut check = |text: &str, expected: Option<&str>| {
            std::fs::write(&path, text).unwrap();
            let line = checksum.update().unwrap();
            let found = line.as_ref().map(|line| line.split_whitespace().next_back().unwrap());
            assert_eq!(found, expected, "{text}");
        };
        // CRC-32's check value is that of the digits 1 to 9 (Williams, A painless guide to CRC error detection
        // algorithms).
        check("1234", Some("0x9be3e0a3"));
        check("1234", None);
        check("123456789", Some("0xcbf43926"));
        check("", None);
        check("123456789", Some("0xcbf43926"));
    }
}
