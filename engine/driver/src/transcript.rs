//! The last lines of a conversation in both directions, with timestamps, for fault reports; and a sink for a full log.

mod kept_lines;

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::process::text;
use kept_lines::KeptLines;

const LINES_KEPT: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Speaker {
    /// Sent to the engine.
    Driver,
    Engine,
    /// Read from the engine's standard error.
    Stderr,
}

impl Speaker {
    /// Prefix of a line in logs and reports.
    #[must_use]
    pub fn mark(self) -> char {
        match self {
            Speaker::Driver => '>',
            Speaker::Engine => '<',
            Speaker::Stderr => '!',
        }
    }
}

/// One line of a conversation, for reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TranscriptLine {
    /// Since the conversation began.
    pub after: Duration,
    pub speaker: Speaker,
    /// Cut after four kilobytes; U+FFFD replaces invalid UTF-8.
    pub text: String,
}

impl fmt::Display for TranscriptLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>11.6} {} {}", self.after.as_secs_f64(), self.speaker.mark(), self.text)
    }
}

/// Receives every line of a conversation for a full log; called on the game's thread, so it must be fast.
pub trait TranscriptSink: Send {
    /// One line, without its line feed; `after` counts from the beginning of the conversation.
    fn line(&mut self, after: Duration, speaker: Speaker, text: &[u8]);
}

impl<F: FnMut(Duration, Speaker, &[u8]) + Send> TranscriptSink for F {
    fn line(&mut self, after: Duration, speaker: Speaker, text: &[u8]) {
        self(after, speaker, text);
    }
}

/// One sink for several conversations, one after the other.
#[derive(Clone)]
pub(crate) struct SharedSink(Arc<Mutex<Box<dyn TranscriptSink>>>);

impl SharedSink {
    pub(crate) fn new(sink: Box<dyn TranscriptSink>) -> Self {
        Self(Arc::new(Mutex::new(sink)))
    }
}

impl TranscriptSink for SharedSink {
    fn line(&mut self, after: Duration, speaker: Speaker, text: &[u8]) {
        if let Ok(mut sink) = self.0.lock() {
            sink.line(after, speaker, text);
        }
    }
}

/// The last `LINES_KEPT` lines; of consecutive empty ones only the first.
pub struct Transcript {
    begun: Instant,
    kept: KeptLines,
    sink: Option<Box<dyn TranscriptSink>>,
}

impl Transcript {
    pub(crate) fn new() -> Self {
        Self { begun: Instant::now(), kept: KeptLines::default(), sink: None }
    }

    /// Copies every later line to this sink, which replaces the last one.
    pub(crate) fn set_sink(&mut self, sink: Option<Box<dyn TranscriptSink>>) {
        self.sink = sink;
    }

    pub(crate) fn has_sink(&self) -> bool {
        self.sink.is_some()
    }

    /// Copies a line of standard error to the sink; the process keeps the last ones.
    pub(crate) fn push_stderr(&mut self, line: &[u8]) {
        if let Some(sink) = &mut self.sink {
            sink.line(self.begun.elapsed(), Speaker::Stderr, line);
        }
    }

    pub(crate) fn push(&mut self, at: Instant, speaker: Speaker, line: &[u8]) {
        self.keep(at, speaker, line, None);
    }

    /// A line to the engine whose first `shared` bytes are those of the last one pushed this way.
    pub(crate) fn push_growing(&mut self, at: Instant, line: &[u8], shared: usize) {
        self.keep(at, Speaker::Driver, line, Some(shared));
    }

    fn keep(&mut self, at: Instant, speaker: Speaker, line: &[u8], shared: Option<usize>) {
        if let Some(sink) = &mut self.sink {
            sink.line(at.saturating_duration_since(self.begun), speaker, line);
        }
        if !(line.is_empty() && self.kept.ends_empty(speaker)) {
            self.kept.push(at, speaker, line, shared);
        }
    }

    /// The last lines, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<TranscriptLine> {
        let mut lines = Vec::with_capacity(self.kept.len());
        self.kept.for_each(|at, speaker, line| {
            let after = at.saturating_duration_since(self.begun);
            lines.push(TranscriptLine { after, speaker, text: text(line).into_owned() });
        });
        lines
    }
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcript").field("lines", &self.kept.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// An empty transcript with a sink.
    fn watched() -> (Transcript, mpsc::Receiver<Vec<u8>>) {
        let mut transcript = Transcript::new();
        let (sender, receiver) = mpsc::channel();
        transcript.set_sink(Some(Box::new(move |_: Duration, _: Speaker, text: &[u8]| {
            sender.send(text.to_vec()).unwrap();
        })));
        (transcript, receiver)
    }

    #[test]
    fn the_last_fifty_lines_stay_and_the_sink_gets_all() {
        let (mut transcript, receiver) = watched();
        for number in 0..120 {
            transcript.push(Instant::now(), Speaker::Engine, format!("info depth {number}").as_bytes());
        }
        let lines = transcript.lines();
        assert_eq!(lines.len(), LINES_KEPT);
        assert_eq!(lines[0].text, "info depth 70");
        assert_eq!(receiver.try_iter().count(), 120);
    }

    #[test]
    fn empty_lines_in_a_row_leave_room_for_others() {
        let (mut transcript, receiver) = watched();
        for line in ["xboard", "", "", "", "protover 2", "", "new"] {
            transcript.push(Instant::now(), Speaker::Driver, line.as_bytes());
        }
        let texts: Vec<String> = transcript.lines().into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["xboard", "", "protover 2", "", "new"]);
        assert_eq!(receiver.try_iter().count(), 7);
    }

    #[test]
    fn a_line_shows_time_speaker_and_text() {
        let line = TranscriptLine {
            after: Duration::from_micros(1500),
            speaker: Speaker::Driver,
            text: "uci".into(),
        };
        assert_eq!(line.to_string(), "   0.001500 > uci");
    }
}
