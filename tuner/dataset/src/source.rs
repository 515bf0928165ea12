//! A file of games or positions as a byte stream, plain or compressed, with the path in errors.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use smalt_workbench::decompress::DecompressReader;
use smalt_workbench::input::BOM;

/// A file that could not be opened.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {error}")]
pub struct OpenError {
    pub path: String,
    /// Error of the system.
    pub error: io::Error,
}

/// A decompressed byte stream of a file. After a termination signal it ends with an error.
pub struct DataSource {
    bytes: DecompressReader,
}

impl DataSource {
    /// Opens a file: plain, gzip or zstd. Compressed files may have several concatenated members.
    ///
    /// # Errors
    /// If it can't be opened or its first bytes can't be read.
    pub fn open(path: &Path) -> Result<DataSource, OpenError> {
        let bytes = DecompressReader::open(path);
        let bytes = bytes.map_err(|error| OpenError { path: path.display().to_string(), error })?;
        Ok(DataSource { bytes })
    }
}

impl Read for DataSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        smalt_workbench::signals::check()?;
        self.bytes.read(buffer)
    }
}

/// Opens a text file, plain or compressed, after its byte order mark.
///
/// # Errors
/// If it can't be opened, or its first bytes can't be read.
pub fn open_text(path: &Path) -> Result<BufReader<DataSource>, OpenError> {
    let mut text = BufReader::with_capacity(1 << 18, DataSource::open(path)?);
    // Damage is reported with the first line.
    if text.fill_buf().is_ok_and(|start| start.starts_with(BOM.as_bytes())) {
        text.consume(BOM.len());
    }
    Ok(text)
}

/// Longest line of a position, in bytes.
pub const MAX_LINE: usize = 1 << 20;

/// Appends the next line with its line feed, as [`BufRead::read_until`] does. Returns the number of bytes, 0 at the end.
///
/// # Errors
/// If reading fails, or the line has more than `limit` bytes.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
    let read = input.take(limit as u64 + 1).read_until(b'\n', line)?;
    if read > limit {
        let words = format!("a line has more than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, words));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_is_refused() {
        let mut line = Vec::new();
        assert_eq!(read_line(&mut &b"four\nmore"[..], &mut line, 5).unwrap(), 5);
        assert_eq!(line, b"four\n");
        let error = read_line(&mut io::BufReader::new(io::repeat(0)), &mut line, 5).unwrap_err();
        assert_eq!(error.to_string(), "a line has more than 5 bytes");
    }
}
