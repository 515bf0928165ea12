//! Output of the engine: whole lines in one system call each, and output faults.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

/// Hanging and endless output stop after this time, so that a failed test leaves no process behind for long.
pub(crate) const HANG: Duration = Duration::from_secs(600);

#[derive(Clone, Copy)]
pub(crate) enum LineEnd {
    Unix,
    Windows,
}

/// Protocol of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Uci,
    /// xboard, with its protocol version.
    Xboard(u32),
}

/// Lines to send together.
pub(crate) struct Lines {
    text: String,
    end: &'static str,
}

impl Lines {
    pub(crate) fn new(end: LineEnd) -> Lines {
        let end = match end {
            LineEnd::Unix => "\n",
            LineEnd::Windows => "\r\n",
        };
        Lines { text: String::new(), end }
    }

    /// Appends a message of the protocol.
    pub(crate) fn push(&mut self, message: &impl fmt::Display) {
        // Writing to a string never fails.
        let _never_fails = write!(self.text, "{message}{}", self.end);
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces all lines by this text, line feeds included.
    pub(crate) fn replace(&mut self, text: String) {
        self.text = text;
    }

    /// Takes the lines, to send them elsewhere.
    pub(crate) fn take(&mut self) -> Lines {
        Lines { text: std::mem::take(&mut self.text), end: self.end }
    }

    /// Sends and clears the lines.
    pub(crate) fn send(&mut self) {
        send(self.text.as_bytes());
        self.text.clear();
    }
}

/// Sends raw bytes. The engine exits quietly if the pipe is closed.
pub(crate) fn send(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        process::exit(0);
    }
}

/// Writes to standard error.
pub(crate) fn complain(words: &str) {
    // The reader may have exited.
    let _ = io::stderr().write_all(words.as_bytes());
}

/// Repeats a sample until it has this many bytes or slightly more.
pub(crate) fn flood(mut to: impl Write, sample: &str, bytes: usize) {
    let block = sample.repeat((1 << 16) / sample.len().max(1) + 1);
    for _ in 0..bytes.div_ceil(block.len()) {
        if to.write_all(block.as_bytes()).is_err() {
            process::exit(0);
        }
    }
}

/// Sends a sample forever, with a pause after each.
pub(crate) fn send_forever(sample: &str, pause: Duration) {
    let start = Instant::now();
    while start.elapsed() < HANG {
        send(sample.as_bytes());
        thread::sleep(pause);
    }
    process::exit(1);
}

/// Stops reading and writing.
pub(crate) fn hang() -> ! {
    thread::sleep(HANG);
    process::exit(1);
}

/// Closes standard output; later output is lost.
pub(crate) fn close_stdout() {
    #[cfg(unix)]
    if let Ok(nowhere) = std::fs::File::create("/dev/null") {
        // If this fails, the fault does not occur and its test fails.
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
        // SAFETY: The handle belongs to this process, and standard output looks it up at each write, which then fails.
        #[expect(unsafe_code, reason = "the fault is to close it")]
        drop(unsafe { OwnedHandle::from_raw_handle(std::io::stdout().as_raw_handle()) });
    }
}
