//! Runs foreign engines: the only code of the project that starts processes.

pub mod process;
mod transcript;

pub use transcript::{LINES_KEPT, Speaker, Transcript, TranscriptLine, TranscriptSink};
