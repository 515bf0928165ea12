//! The output pipe, shared by threads: whole lines, each flushed.

use std::fmt::Display;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use super::ServeEvent;

/// Handle of the output.
#[derive(Clone)]
pub(crate) struct Output {
    pipe: Arc<Mutex<Box<dyn Write + Send>>>,
    events: mpsc::Sender<ServeEvent>,
}

impl Output {
    /// An output that sends [`ServeEvent::OutputClosed`] when the pipe is closed.
    pub(crate) fn new(pipe: impl Write + Send + 'static, events: mpsc::Sender<ServeEvent>) -> Output {
        Output { pipe: Arc::new(Mutex::new(Box::new(pipe))), events }
    }

    /// Writes a message as one line.
    pub(crate) fn send(&self, message: impl Display) {
        let text = format!("{message}\n");
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let written = pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush());
        if written.is_err() {
            // The receiver may be closed.
            let _ = self.events.send(ServeEvent::OutputClosed);
        }
    }

    /// Writes a prompt, without a line end.
    pub(crate) fn prompt(&self, text: &str) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        // The next message detects a closed output.
        let _ = pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush());
    }

    /// Writes an `info string`.
    pub(crate) fn info_string(&self, text: impl Display) {
        self.send(format_args!("info string {text}"));
    }
}
