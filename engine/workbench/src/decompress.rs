//! Plain, gzip and zstd files as one stream of bytes; the format is detected by the first bytes.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::input::InputFile;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const BUFFER: usize = 1 << 18;

/// The decompressed content of a plain, gzip or zstd file; compressed files may have several members.
pub struct DecompressReader(Box<dyn Read + Send>);

impl DecompressReader {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened, or its first bytes cannot be read.
    pub fn open(path: &Path) -> io::Result<DecompressReader> {
        let mut file = InputFile::open(path)?;
        let mut start = Vec::with_capacity(ZSTD.len());
        file.by_ref().take(ZSTD.len() as u64).read_to_end(&mut start)?;
        let is_gzip = start.starts_with(&GZIP);
        let is_zstd = start == ZSTD;
        let whole = BufReader::with_capacity(BUFFER, Cursor::new(start).chain(file));
        Ok(DecompressReader(if is_gzip {
            Box::new(MultiGzDecoder::new(whole))
        } else if is_zstd {
            Box::new(zstd::Decoder::with_buffer(whole)?)
        } else {
            Box::new(whole)
        }))
    }
}

/// Whether a file exists and is compressed. Does not read from a pipe.
///
/// # Errors
/// If its first bytes cannot be read.
pub fn is_packed(path: &Path) -> io::Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut start = Vec::with_capacity(ZSTD.len());
    File::open(path)?.take(ZSTD.len() as u64).read_to_end(&mut start)?;
    Ok(start.starts_with(&GZIP) || start == ZSTD)
}

impl Read for DecompressReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn every_packing_holds_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let check = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut text = String::new();
            DecompressReader::open(&path).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "hello, world", "{name}");
        };
        let gzip = |text: &str| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let zst = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
        check("plain", b"hello, world");
        check("gz", &[gzip("hello, "), gzip("world")].concat());
        check("zst", &[zst("hello, "), zst("world")].concat());
    }

    #[test]
    fn a_file_shorter_than_any_mark_is_plain() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("short");
        std::fs::write(&path, "\u{1f}").unwrap();
        let mut bytes = Vec::new();
        DecompressReader::open(&path).unwrap().read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, [0x1f]);
    }
}
