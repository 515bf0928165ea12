//! The one pipe out, shared by the threads that write to it: whole lines, each sent at once.

use std::fmt::Display;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use super::Event;

/// A handle on the output.
#[derive(Clone)]
pub(crate) struct Output {
    pipe: Arc<Mutex<Box<dyn Write + Send>>>,
    events: mpsc::Sender<Event>,
}

impl Output {
    /// An output that tells on `events` when nobody reads it any more.
    pub(crate) fn new(pipe: impl Write + Send + 'static, events: mpsc::Sender<Event>) -> Output {
        Output { pipe: Arc::new(Mutex::new(Box::new(pipe))), events }
    }

    /// Writes one message and the end of its line.
    pub(crate) fn say(&self, message: impl Display) {
        let text = format!("{message}\n");
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let written = pipe.write_all(text.as_bytes()).and_then(|()| pipe.flush());
        if written.is_err() {
            // A dispatcher that has gone needs no news.
            let _ = self.events.send(Event::OutputClosed);
        }
    }

    /// Says something for people.
    pub(crate) fn tell(&self, text: impl Display) {
        self.say(format_args!("info string {text}"));
    }
}
