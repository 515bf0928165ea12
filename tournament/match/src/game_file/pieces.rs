//! The games of an existing file, recognized by their digests.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};

use ring::digest::SHA256;

use super::GameFormat;

pub(super) type Digest = [u8; 32];

/// SHA-256 of a game's text without trailing white space.
pub(super) fn digest(game: &[u8]) -> Digest {
    ring::digest::digest(&SHA256, game.trim_ascii_end()).as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// A file split at the first lines of games.
#[derive(Default)]
pub(super) struct FilePieces {
    pub(super) all: Vec<FilePiece>,
    /// The text of the last one.
    last: Vec<u8>,
}

pub(super) struct FilePiece {
    pub(super) start: u64,
    pub(super) digest: Digest,
}

impl FilePieces {
    /// Reads a file from this offset, or from the start if it is shorter (it was replaced).
    pub(super) fn read(mut file: &File, start: u64, text: &GameFormat) -> io::Result<FilePieces> {
        let start = if start <= file.metadata()?.len() { start } else { 0 };
        file.seek(SeekFrom::Start(start))?;
        let mut lines = BufReader::new(file);
        let mut pieces = FilePieces::default();
        let (mut line, mut piece, mut end) = (Vec::new(), Vec::new(), start);
        loop {
            line.clear();
            let count = lines.read_until(b'\n', &mut line)?;
            if count == 0 || text.begins_with(&line) {
                pieces.push(end, std::mem::take(&mut piece));
            }
            if count == 0 {
                return Ok(pieces);
            }
            piece.extend_from_slice(&line);
            end += count as u64;
        }
    }

    /// Adds the piece that ends here unless it is blank.
    fn push(&mut self, end: u64, piece: Vec<u8>) {
        if !piece.trim_ascii_end().is_empty() {
            self.all.push(FilePiece { start: end - piece.len() as u64, digest: digest(&piece) });
            self.last = piece;
        }
    }

    /// Whether the last piece is a truncated copy of this game.
    pub(super) fn is_torn(&self, game: &[u8]) -> bool {
        let is_shorter = self.last.trim_ascii_end().len() < game.trim_ascii_end().len();
        !self.last.is_empty() && is_shorter && game.starts_with(&self.last)
    }
}
