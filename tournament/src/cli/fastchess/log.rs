//! `-log`: a file of what happens, as far as its level goes. What engines say is not here: that goes into files of the
//! games.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

/// How much a line matters, and from where on a log has it; the later the fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Trace,
    /// What standard output gets.
    Info,
    /// Games that a fault ended, and engines that play otherwise than was asked.
    Warn,
    /// Engines that could not be started, or play no more; files that could not be read.
    Err,
    /// What stops the run.
    Fatal,
}

impl Level {
    /// The level of this name.
    pub(super) fn named(name: &str) -> Option<Level> {
        Some(match name {
            "trace" => Level::Trace,
            "info" => Level::Info,
            "warn" => Level::Warn,
            "err" => Level::Err,
            "fatal" => Level::Fatal,
            _ => return None,
        })
    }
}

/// A log as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    /// What matters less is not written.
    pub(super) level: Level,
    /// Whether what the file holds stays.
    pub(super) appends: bool,
}

#[derive(Debug)]
pub(super) struct Log {
    file: File,
    level: Level,
}

impl Log {
    pub(super) fn open(log: &LogFile) -> io::Result<Log> {
        let mut options = OpenOptions::new();
        let options = if log.appends { options.append(true) } else { options.write(true).truncate(true) };
        Ok(Log { file: options.create(true).open(&log.path)?, level: log.level })
    }

    /// Writes whole lines, if they matter enough. Games go on where it fails.
    pub(super) fn write(&mut self, level: Level, text: &str) {
        if level >= self.level {
            let _ = self.file.write_all(text.as_bytes());
        }
    }
}
