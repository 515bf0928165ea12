//! `-log`: a file of events down to a level, plain or compressed. The output of engines goes into files of the games
//! instead.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use smalt_workbench::calendar::UtcTime;

/// The severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Output of engines.
    Trace,
    /// Games and reports: what standard output gets.
    Info,
    /// Games that a fault ended, and engines that do not play as configured.
    Warn,
    /// Engines that could not be started, or are disqualified; files that could not be read.
    Err,
    /// The reason why a run stops.
    Fatal,
}

impl Level {
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

/// A log file and what goes into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    pub(super) level: Level,
    pub(super) appends: bool,
    /// Writes gzip, to a name with the time behind it.
    pub(super) compresses: bool,
}

pub(super) struct Log {
    file: Box<dyn Write>,
    level: Level,
}

impl Log {
    pub(super) fn open(log: &LogFile) -> io::Result<Log> {
        let mut options = OpenOptions::new();
        let appends = log.appends && !log.compresses;
        let options = if appends { options.append(true) } else { options.write(true).truncate(true) };
        let options = options.create(true);
        let file: Box<dyn Write> = if log.compresses {
            Box::new(GzEncoder::new(options.open(compressed_name(log))?, Compression::default()))
        } else {
            Box::new(options.open(&log.path)?)
        };
        Ok(Log { file, level: log.level })
    }

    /// Writes whole lines of this severity. Games go on where it fails.
    pub(super) fn write(&mut self, level: Level, text: &str) {
        if level >= self.level {
            let _ = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        }
    }
}

/// `run.log2026-07-29T.19.07.34.gz`, as fastchess names it.
fn compressed_name(log: &LogFile) -> PathBuf {
    let time: String = UtcTime::of(SystemTime::now()).pgn_time().chars().take(19).collect();
    let mut name = log.path.clone().into_os_string();
    name.push(format!("{}.gz", time.replace('T', "T.").replace(':', ".")));
    PathBuf::from(name)
}
