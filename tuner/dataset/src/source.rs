//! A file of games or positions as a byte stream, plain or compressed, with the path in errors.

use std::io::{self, Read};
use std::path::Path;

use smalt_workbench::decompress::DecompressReader;

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
