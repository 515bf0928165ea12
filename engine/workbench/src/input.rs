//! Input files. Reading a pipe, which may stay silent for ever, ends with an error after a stop signal.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The byte order mark that editors of Windows write before a text in UTF-8.
pub const BOM: &str = "\u{feff}";

/// A text without its byte order mark.
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// The bytes of a text without its byte order mark.
pub fn bytes_without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BOM.as_bytes()).unwrap_or(bytes)
}

/// Maximum size in bytes of an input that is read whole. The largest are the puzzles of Lichess, about 1 GB.
pub const MAX_INPUT: u64 = 1 << 31;

/// Maximum size in bytes of a text of settings or parameters.
pub const MAX_TEXT: u64 = 1 << 26;

/// Reads to the end, which a device such as /dev/zero does not have, and a compressed file may have far away.
///
/// # Errors
/// If reading fails, or there are more than `limit` bytes.
pub fn read_all(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let words = format!("it has more than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(bytes)
}

/// Reads a text of settings or parameters.
///
/// # Errors
/// If the file cannot be read, has more than [`MAX_TEXT`] bytes or is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_all(InputFile::open(path)?, MAX_TEXT)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

/// First bytes of an SQLite database (its documentation, *Database File Format*).
pub const SQLITE: &[u8] = b"SQLite format 3\0";

/// Whether this is a regular file with these first bytes. A pipe is not opened.
pub fn begins_with(path: &Path, wanted: &[u8]) -> bool {
    let mut start = Vec::new();
    let mut read = || File::open(path)?.take(wanted.len() as u64).read_to_end(&mut start);
    path.is_file() && read().is_ok() && start == wanted
}

/// Whether this path is taken by something else than an empty file or one with these first bytes. A pipe is not opened.
pub fn is_foreign(path: &Path, wanted: &[u8]) -> bool {
    path.symlink_metadata()
        .is_ok_and(|found| !found.is_file() || found.len() > 0 && !begins_with(path, wanted))
}

/// A file or pipe to read.
pub(crate) struct InputFile {
    file: File,
    /// Pipe, device or socket.
    is_pipe: bool,
}

impl InputFile {
    pub(crate) fn open(path: &Path) -> io::Result<InputFile> {
        let kind = std::fs::metadata(path)?.file_type();
        let is_pipe = !kind.is_file() && !kind.is_dir();
        let mut options = File::options();
        options.read(true);
        // Opening a named pipe waits for its writer otherwise, without regard to signals.
        #[cfg(target_os = "linux")]
        if is_pipe {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        Ok(InputFile { file: options.open(path)?, is_pipe })
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.is_pipe {
            await_data(&self.file)?;
            match self.file.read(buffer) {
                // Another program took the data.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
        self.file.read(buffer)
    }
}

/// Waits until a pipe has data or has ended, or a stop signal comes.
#[cfg(unix)]
fn await_data(file: &File) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    /// Time between two looks at the signals.
    const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    loop {
        crate::signals::check()?;
        match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&PAUSE)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
fn await_data(_: &File) -> io::Result<()> {
    crate::signals::check()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_without_an_end_is_refused() {
        assert_eq!(read_all(&b"four"[..], 4).unwrap(), b"four");
        let error = read_all(io::repeat(0), 4).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 4 bytes");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_without_an_end_is_no_text() {
        let error = read_text(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 67108864 bytes");
    }
}
