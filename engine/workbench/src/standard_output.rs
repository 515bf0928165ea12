//! Results on standard output, and messages on standard error. A closed pipe is no error: the reader has seen enough.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context as _;
use smalt_report::sanitize::{sanitize_lines, sanitize_message};

use crate::exit::{OrRefuse as _, Refusal};

/// Whether a path stands for standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Writes a text to standard output.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: &str) -> Result<(), Refusal> {
    print_with(|out| out.write_all(text.as_bytes()))
}

/// Runs a function that writes to standard output.
///
/// # Errors
/// If it cannot be written.
pub fn print_with(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Refusal> {
    let mut output = io::stdout().lock();
    finished(write(&mut output).and_then(|()| output.flush()))
}

/// Writes a message as a line to standard error.
pub fn print_info(text: &str) {
    let _ = writeln!(io::stderr(), "{}", sanitize_message(text));
}

/// Destination of a text for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextSink {
    Output,
    /// Standard error, since scripts read standard output.
    Error,
}

impl TextSink {
    /// The destination beside these files, of which one may be standard output.
    pub fn beside<'a>(files: impl IntoIterator<Item = &'a Path>) -> TextSink {
        if files.into_iter().any(is_standard_output) { TextSink::Error } else { TextSink::Output }
    }

    /// Writes a text.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn show(self, text: &str) -> Result<(), Refusal> {
        let text = sanitize_lines(text);
        match self {
            TextSink::Output => print(&text),
            TextSink::Error => {
                let _ = io::stderr().write_all(text.as_bytes());
                Ok(())
            }
        }
    }
}

fn finished(written: io::Result<()>) -> Result<(), Refusal> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("failed to write the result").or_failed()
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is_one() {
        assert!(finished(Err(io::ErrorKind::BrokenPipe.into())).is_ok());
        let refusal = finished(Err(io::ErrorKind::StorageFull.into())).unwrap_err();
        assert_eq!(refusal.exit, Exit::Failed);
        assert!(refusal.to_string().starts_with("failed to write the result: "), "{refusal}");
    }
}
