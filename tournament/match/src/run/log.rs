//! Complete transcripts, one file per game: every line of both engines with time and sender. Lines are written at
//! once, so that a killed run loses none.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use smalt_driver::{Speaker, TranscriptSink};
use smalt_report::sanitize::sanitize;

use crate::named_file::numbered;

/// The log of one game. Both engines write to it, on the game's thread.
#[derive(Clone, Debug)]
pub(super) struct GameLog {
    shared: Arc<Mutex<LogWriter>>,
}

/// Destination of the lines.
#[derive(Debug)]
enum LogOutput {
    File(File, PathBuf),
    /// All games on standard output, in cutechess-cli's format.
    Standard,
}

#[derive(Debug)]
struct LogWriter {
    output: LogOutput,
    begun: Instant,
    line: Vec<u8>,
    failure: Option<String>,
}

impl GameLog {
    /// Creates the file of a game: `game-000001.log` is the first (`number` counts from 0), or
    /// `game-000001-2.log` if that exists. The folder `-` means standard output.
    pub(super) fn create(folder: &Path, number: u32) -> Result<GameLog, String> {
        let output = if folder.as_os_str() == "-" {
            LogOutput::Standard
        } else {
            let first = folder.join(format!("game-{:06}.log", number + 1));
            let names = std::iter::once(first.clone()).chain((2..).map(|attempt| numbered(&first, attempt)));
            let mut created = names.map(|path| (File::create_new(&path), path));
            let is_free = |(file, _): &(std::io::Result<File>, PathBuf)| {
                file.as_ref().is_ok()
                    || file.as_ref().is_err_and(|error| error.kind() != ErrorKind::AlreadyExists)
            };
            let (file, path) = created.find(is_free).expect("there is no end of numbers");
            let file = file.map_err(|error| format!("write {}: {error}", path.display()))?;
            LogOutput::File(file, path)
        };
        let pages = LogWriter { output, begun: Instant::now(), line: Vec::new(), failure: None };
        Ok(GameLog { shared: Arc::new(Mutex::new(pages)) })
    }

    /// The transcript sink of one engine.
    pub(super) fn sink(&self, name: &str) -> Box<dyn TranscriptSink> {
        let (pages, name) = (Arc::clone(&self.shared), name.to_owned());
        Box::new(move |_: Duration, speaker: Speaker, text: &[u8]| {
            pages.lock().unwrap_or_else(PoisonError::into_inner).write(&name, speaker, text);
        })
    }

    /// Why the log is incomplete, or `None`.
    pub(super) fn failure(&self) -> Option<String> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).failure.take()
    }
}

impl LogWriter {
    fn write(&mut self, name: &str, speaker: Speaker, text: &[u8]) {
        let arrow = speaker.mark();
        self.line.clear();
        let time = self.begun.elapsed();
        let _ = match self.output {
            LogOutput::File(..) => write!(self.line, "{:>11.6} {name} {arrow} ", time.as_secs_f64()),
            LogOutput::Standard => write!(self.line, "{} {arrow}{name}: ", time.as_millis()),
        };
        match self.output {
            LogOutput::File(..) => self.line.extend_from_slice(text),
            LogOutput::Standard => self.line.extend(sanitize(&String::from_utf8_lossy(text)).bytes()),
        }
        self.line.push(b'\n');
        match &mut self.output {
            LogOutput::File(file, path) => {
                if let Err(error) = file.write_all(&self.line)
                    && self.failure.is_none()
                {
                    self.failure = Some(format!("write {}: {error}", path.display()));
                }
            }
            // Standard output may be closed; the games continue.
            LogOutput::Standard => {
                let _ = std::io::stdout().lock().write_all(&self.line);
            }
        }
    }
}
