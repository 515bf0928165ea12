//! Output of the engine: whole lines in one system call each, and output faults.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::process;
use std::thread;
use std::time::{Duration, Instant};

/// After this time what hangs or sends for ever ends by itself, so that a failed test leaves nothing behind for long.
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
    /// The protocol of xboard, in this version.
    Xboard(u32),
}

/// Lines to be sent together.
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
        // A string takes all that is written to it.
        let _never_fails = write!(self.text, "{message}{}", self.end);
    }

    /// What would be sent.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Puts another text, ends of lines included, in the place of all lines.
    pub(crate) fn replace(&mut self, text: String) {
        self.text = text;
    }

    /// The lines, to be sent elsewhere.
    pub(crate) fn take(&mut self) -> Lines {
        Lines { text: std::mem::take(&mut self.text), end: self.end }
    }

    /// Sends the lines and forgets them.
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
    // A reader that is gone misses it.
    let _ = io::stderr().write_all(words.as_bytes());
}

/// Repeats a sample of text up to this number of bytes or a little more.
pub(crate) fn flood(mut to: impl Write, sample: &str, bytes: usize) {
    let block = sample.repeat((1 << 16) / sample.len().max(1) + 1);
    for _ in 0..bytes.div_ceil(block.len()) {
        if to.write_all(block.as_bytes()).is_err() {
            process::exit(0);
        }
    }
}

/// Sends a sample of text for ever, with a pause after each.
pub(crate) fn send_forever(sample: &str, pause: Duration) {
    let start = Instant::now();
    while start.elapsed() < HANG {
        send(sample.as_bytes());
        thread::sleep(pause);
    }
    process::exit(1);
}

/// Neither reads nor writes any more.
pub(crate) fn hang() -> ! {
    thread::sleep(HANG);
    process::exit(1);
}

/// Closes the pipe of standard output; what is sent later is lost.
pub(crate) fn close_stdout() {
    #[cfg(unix)]
    if let Ok(nowhere) = std::fs::File::create("/dev/null") {
        // Should it fail, the fault does not show, and the test that waits for it says so.
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
        // SAFETY: The handle is the process's own, and its standard output looks it up at each write, which then fails.
        #[expect(unsafe_code, reason = "the fault is to close it")]
        drop(unsafe { OwnedHandle::from_raw_handle(std::io::stdout().as_raw_handle()) });
    }
}
