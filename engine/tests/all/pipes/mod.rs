//! An engine in this process, connected by two pipes.

use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Maximum wait for an answer; only a failure takes this long.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// An engine connected by two pipes.
pub(crate) struct Conversation {
    to_engine: Option<PipeWriter>,
    lines: Receiver<String>,
    served: JoinHandle<()>,
}

impl Conversation {
    pub(crate) fn begin() -> Conversation {
        let (input, to_engine) = std::io::pipe().unwrap();
        let (from_engine, output) = std::io::pipe().unwrap();
        let served = std::thread::spawn(move || smalt::serve::serve(BufReader::new(input), output));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(from_engine).lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        Conversation { to_engine: Some(to_engine), lines, served }
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.to_engine.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn read_line(&self) -> String {
        self.lines.recv_timeout(ANSWER_TIMEOUT).unwrap_or_else(|error| panic!("{error}: no line"))
    }

    /// All lines up to and including the first with this prefix.
    pub(crate) fn read_until(&self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = match self.lines.recv_timeout(ANSWER_TIMEOUT) {
                Ok(line) => line,
                Err(error) => panic!("{error} while waiting for {start:?} after {lines:#?}"),
            };
            let is_last = line.starts_with(start);
            lines.push(line);
            if is_last {
                return lines;
            }
        }
    }

    /// Waits until the engine has ended.
    pub(crate) fn end(mut self) -> Vec<String> {
        self.to_engine = None;
        self.served.join().unwrap();
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(ANSWER_TIMEOUT) {
                Ok(line) => rest.push(line),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the output was not closed after {rest:#?}"),
            }
        }
    }
}
