//! `-log`: a file of events down to a level, plain or compressed. Engine output goes to one file per game instead.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use smalt_workbench::calendar::UtcTime;
use smalt_workbench::exit::reason;

use crate::cli::output::print_info;

/// The severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Trace,
    /// Games and reports: the same as standard output.
    Info,
    /// Games ended by a fault, and engines that do not play as configured.
    Warn,
    /// Engines that could not be started or are disqualified; unreadable files.
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

/// A log file with its level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogFile {
    pub(super) path: PathBuf,
    pub(super) level: Level,
    pub(super) appends: bool,
    /// Writes gzip, with the time appended to the name.
    pub(super) compresses: bool,
}

pub(super) struct Log {
    /// None after a write error.
    file: Option<Box<dyn Write>>,
    path: PathBuf,
    level: Level,
}

impl Log {
    pub(super) fn open(log: &LogFile) -> io::Result<Log> {
        let mut options = OpenOptions::new();
        let appends = log.appends && !log.compresses;
        let options = if appends { options.append(true) } else { options.write(true).truncate(true) };
        let options = options.create(true);
        let file: Box<dyn Write> = if log.compresses {
            Box::new(GzEncoder::new(create_compressed(log)?, Compression::default()))
        } else {
            Box::new(options.open(&log.path)?)
        };
        Ok(Log { file: Some(file), path: log.path.clone(), level: log.level })
    }

    /// Writes complete lines of this severity. A failure is a warning, once, and does not stop the games.
    pub(super) fn write(&mut self, level: Level, text: &str) {
        let Some(file) = self.file.as_mut().filter(|_| level >= self.level) else { return };
        if let Err(error) = file.write_all(text.as_bytes()).and_then(|()| file.flush()) {
            let (path, reason) = (self.path.display(), reason(&error));
            print_info(&format!("Warning: failed to write {path}: {reason}; the log ends there"));
            self.file = None;
        }
    }
}

/// Creates a compressed log with fastchess's name, `run.log2026-07-29T.19.07.34.gz`; further ones of the same second have a
/// number.
fn create_compressed(log: &LogFile) -> io::Result<File> {
    let time: String = UtcTime::of(SystemTime::now()).pgn_time().chars().take(19).collect();
    let time = time.replace('T', "T.").replace(':', ".");
    let endings = std::iter::once(".gz".to_owned()).chain((2..).map(|number| format!("-{number}.gz")));
    for ending in endings {
        let mut name = log.path.clone().into_os_string();
        name.push(format!("{time}{ending}"));
        match File::create_new(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created,
        }
    }
    unreachable!("there is always another number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_logs_of_one_second_are_different_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.log");
        let log = LogFile { path, level: Level::Info, appends: false, compresses: true };
        let logs: Vec<Log> = (0..3).map(|_| Log::open(&log).unwrap()).collect();
        drop(logs);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
