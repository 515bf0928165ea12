//! Control of a run in progress by another process: a file beside the store holds one command, which the run takes
//! away within a second. Its form is two lines: a version, and the command in words.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::event::Event;

/// The first line of a command file.
const VERSION: &str = "smalt-control 1";

/// Interval at which a run looks for a command.
const INTERVAL: Duration = Duration::from_millis(200);

/// How long a run may take to take a command.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A command for a run in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlCommand {
    /// Start no more games; those in progress are finished.
    Pause,
    /// Go on after a pause.
    Continue,
    /// Play at most this number of games at the same time, up to the number with which the run started.
    Concurrency(usize),
    /// Withdraw this entrant: it plays no more games in this session.
    Withdraw(usize),
}

/// Why a command did not reach a run.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("no run of this store is in progress on this machine")]
    NoRun,
    #[error("write {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl fmt::Display for ControlCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlCommand::Pause => f.write_str("pause"),
            ControlCommand::Continue => f.write_str("continue"),
            ControlCommand::Concurrency(games) => write!(f, "concurrency {games}"),
            ControlCommand::Withdraw(entrant) => write!(f, "withdraw {entrant}"),
        }
    }
}

impl ControlCommand {
    fn parse(text: &str) -> Option<ControlCommand> {
        let (version, words) = text.split_once('\n')?;
        if version != VERSION {
            return None;
        }
        let words: Vec<&str> = words.split_whitespace().collect();
        Some(match words[..] {
            ["pause"] => ControlCommand::Pause,
            ["continue"] => ControlCommand::Continue,
            ["concurrency", games] => ControlCommand::Concurrency(games.parse().ok()?),
            ["withdraw", entrant] => ControlCommand::Withdraw(entrant.parse().ok()?),
            _ => return None,
        })
    }

    /// Sends the command to the run of a store; returns once the run has taken it.
    ///
    /// # Errors
    /// If no run takes it in time: it is withdrawn then.
    pub fn send(self, store: &Path) -> Result<(), ControlError> {
        let path = command_file(store);
        let refuse = |source| ControlError::Write { path: path.clone(), source };
        let deadline = Instant::now() + TIMEOUT;
        // Another command may be waiting.
        let mut file = loop {
            match fs::File::options().write(true).create_new(true).open(&path) {
                Ok(file) => break file,
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(refuse(error)),
                Err(_) if Instant::now() >= deadline => {
                    let _ = fs::remove_file(&path);
                    return Err(ControlError::NoRun);
                }
                Err(_) => thread::sleep(INTERVAL / 4),
            }
        };
        write!(file, "{VERSION}\n{self}\n").map_err(refuse)?;
        drop(file);
        let deadline = Instant::now() + TIMEOUT;
        while path.exists() {
            if Instant::now() >= deadline {
                let _ = fs::remove_file(&path);
                return Err(ControlError::NoRun);
            }
            thread::sleep(INTERVAL / 4);
        }
        Ok(())
    }
}

/// The file of a store's commands: `run.db-ctl` of `run.db`.
fn command_file(store: &Path) -> PathBuf {
    // A link to a store names the same run.
    let mut name = store.canonicalize().unwrap_or_else(|_| store.to_owned()).into_os_string();
    name.push("-ctl");
    PathBuf::from(name)
}

/// A thread that takes commands for a run, until it is dropped.
#[derive(Debug)]
pub struct ControlListener {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ControlListener {
    /// Starts listening for commands of the run of a store. A command of an earlier session is dropped.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn start(store: &Path, events: Sender<Event>) -> io::Result<ControlListener> {
        let path = command_file(store);
        let _ = fs::remove_file(&path);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("control".to_owned()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                // The file goes once the run has the command: that is the answer to the sender.
                if let Some(command) = read(&path)
                    && (events.send(Event::Control(command)).is_err() || fs::remove_file(&path).is_err())
                {
                    return;
                }
                thread::park_timeout(INTERVAL);
            }
        })?;
        Ok(ControlListener { stop, thread: Some(thread) })
    }
}

impl Drop for ControlListener {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// The command of a file. One that is being written is left for the next look, one of another version to its sender.
fn read(path: &Path) -> Option<ControlCommand> {
    let text = fs::read_to_string(path).ok()?;
    text.strip_suffix('\n').and_then(ControlCommand::parse)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn commands_are_read_as_they_were_written() {
        let all = [
            ControlCommand::Pause,
            ControlCommand::Continue,
            ControlCommand::Concurrency(3),
            ControlCommand::Withdraw(1),
        ];
        for command in all {
            assert_eq!(ControlCommand::parse(&format!("{VERSION}\n{command}\n")), Some(command));
        }
        for text in ["", "pause\n", "smalt-control 2\npause\n", "smalt-control 1\nconcurrency x\n"] {
            assert_eq!(ControlCommand::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_command_reaches_the_run_of_its_store() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let (events, taken) = mpsc::channel();
        let listener = ControlListener::start(&store, events).unwrap();
        ControlCommand::Concurrency(2).send(&store).unwrap();
        assert!(matches!(taken.recv(), Ok(Event::Control(ControlCommand::Concurrency(2)))));
        drop(listener);
        assert!(!command_file(&store).exists());
    }

    #[test]
    fn a_command_that_the_run_does_not_know_or_cannot_take_stays_with_its_sender() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let file = command_file(&store);
        fs::write(&file, "smalt-control 2\npause\n").unwrap();
        assert_eq!(read(&file), None);
        fs::write(&file, format!("{VERSION}\npause")).unwrap();
        assert_eq!(read(&file), None, "still being written");
        let (events, taken) = mpsc::channel();
        drop(taken);
        let listener = ControlListener::start(&store, events).unwrap();
        fs::write(&file, format!("{VERSION}\npause\n")).unwrap();
        while !listener.thread.as_ref().unwrap().is_finished() {
            thread::yield_now();
        }
        assert!(file.exists());
    }
}
