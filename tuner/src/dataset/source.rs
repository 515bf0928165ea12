//! Bytes from a file, plain or compressed; the first bytes tell which. Knows nothing of what they mean.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const BUFFER: usize = 1 << 18;

/// A file that could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct OpenError {
    /// The file.
    pub path: String,
    /// What the system says.
    pub error: io::Error,
}

/// A stream of the bytes that a file holds, unpacked.
pub struct Source {
    bytes: Box<dyn Read + Send>,
}

impl Source {
    /// Opens a file: plain, gzip or zstd. Compressed files may consist of several parts one after the other.
    ///
    /// # Errors
    /// If it can't be opened or its first bytes can't be read.
    pub fn open(path: &Path) -> Result<Source, OpenError> {
        open(path).map_err(|error| OpenError { path: path.display().to_string(), error })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.read(buffer)
    }
}

fn open(path: &Path) -> io::Result<Source> {
    let mut file = File::open(path)?;
    let mut start = Vec::with_capacity(ZSTD.len());
    file.by_ref().take(ZSTD.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start.starts_with(&GZIP);
    let is_zstd = start == ZSTD;
    let whole = BufReader::with_capacity(BUFFER, Cursor::new(start).chain(file));
    let bytes: Box<dyn Read + Send> = if is_gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else if is_zstd {
        Box::new(zstd::Decoder::with_buffer(whole)?)
    } else {
        Box::new(whole)
    };
    Ok(Source { bytes })
}
