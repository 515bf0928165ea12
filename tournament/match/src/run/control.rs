//! Controls a running run from another process: a file beside the store holds one command, then the run's answer.
//! Format: a line with the version, the command or answer as text, and the line `end`.

use std::fmt;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use smalt_workbench::exit::reason;
use smalt_workbench::input::is_foreign;

/// The first line of a command file.
const VERSION: &str = "smalt-control 2";

/// How that of every version begins.
const MAGIC: &[u8] = b"smalt-control ";

/// Maximum size of a command file in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Polling interval for commands.
const INTERVAL: Duration = Duration::from_millis(200);

/// Timeout of an answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A command for a run in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlCommand {
    /// Start no more games; those in progress are finished.
    Pause,
    /// Resume after a pause.
    Continue,
    /// Change the number of concurrent games, at most to the number at the start of the run.
    Concurrency(usize),
    /// Withdraw this entrant: it plays no more games in this session.
    Withdraw(usize),
    /// Play this number of additional games per pairing.
    Extend(NonZeroU32),
    /// Add an engine: its complete settings as TOML.
    Add(String),
}

/// Success or refusal, as a sentence.
pub(super) type ControlAnswer = Result<String, String>;

/// A command that a run received.
#[derive(Debug)]
pub struct ControlRequest {
    pub(super) command: ControlCommand,
    file: PathBuf,
    answer: Sender<ControlAnswer>,
}

impl ControlRequest {
    /// Whether the sender has given up: it removes its command.
    pub(super) fn is_withdrawn(&self) -> bool {
        read(&self.file).as_deref().and_then(ControlCommand::parse).as_ref() != Some(&self.command)
    }

    pub(super) fn answer(self, answer: ControlAnswer) {
        // The run may be ending.
        let _ = self.answer.send(answer);
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("no run of this store is in progress on this machine")]
    NoRun,
    #[error("write {}: {}", path.display(), reason(source))]
    Write { path: PathBuf, source: io::Error },
    /// A file of the user's has the name of the command file.
    #[error("{0}")]
    Foreign(ForeignFile),
    /// The answer of the run.
    #[error("{0}")]
    Refused(String),
}

/// A file in the place of a command file that no version of this program wrote.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a command file of a run; rename it", .0.display())]
pub struct ForeignFile(PathBuf);

impl fmt::Display for ControlCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlCommand::Pause => f.write_str("pause"),
            ControlCommand::Continue => f.write_str("continue"),
            ControlCommand::Concurrency(games) => write!(f, "concurrency {games}"),
            ControlCommand::Withdraw(entrant) => write!(f, "withdraw {entrant}"),
            ControlCommand::Extend(games) => write!(f, "extend {games}"),
            ControlCommand::Add(engine) => write!(f, "add\n{engine}"),
        }
    }
}

impl ControlCommand {
    fn parse(text: &str) -> Option<ControlCommand> {
        if let Some(engine) = text.strip_prefix("add\n") {
            return Some(ControlCommand::Add(engine.to_owned()));
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(match words[..] {
            ["pause"] => ControlCommand::Pause,
            ["continue"] => ControlCommand::Continue,
            ["concurrency", games] => ControlCommand::Concurrency(games.parse().ok()?),
            ["withdraw", entrant] => ControlCommand::Withdraw(entrant.parse().ok()?),
            ["extend", games] => ControlCommand::Extend(games.parse().ok()?),
            _ => return None,
        })
    }

    /// Sends the command to the run of a store; returns its answer.
    ///
    /// # Errors
    /// If no run answers in time (the command is then withdrawn), or the run refuses.
    pub fn send(&self, store: &Path) -> Result<String, ControlError> {
        let path = command_file(store);
        let refuse = |source| ControlError::Write { path: path.clone(), source };
        let mut file = claim(&path)?;
        file.write_all(frame(&self.to_string()).as_bytes()).map_err(refuse)?;
        drop(file);
        let deadline = Instant::now() + TIMEOUT;
        let answer = loop {
            match read(&path).as_deref().and_then(parse_answer) {
                Some(answer) => break answer.map_err(ControlError::Refused),
                None if Instant::now() >= deadline => break Err(ControlError::NoRun),
                None => thread::sleep(INTERVAL / 4),
            }
        };
        let _ = remove(&path);
        answer
    }
}

/// Creates the command file, after that of another sender is removed.
fn claim(path: &Path) -> Result<fs::File, ControlError> {
    let mut deadline = Instant::now() + TIMEOUT;
    loop {
        match fs::File::options().write(true).create_new(true).open(path) {
            Ok(file) => return Ok(file),
            Err(source) if source.kind() != ErrorKind::AlreadyExists => {
                return Err(ControlError::Write { path: path.to_owned(), source });
            }
            Err(_) if Instant::now() >= deadline => {
                let is_answered = read(path).as_deref().is_some_and(|text| parse_answer(text).is_some());
                remove(path).map_err(ControlError::Foreign)?;
                if !is_answered {
                    return Err(ControlError::NoRun);
                }
                // The other sender has finished.
                deadline = Instant::now() + TIMEOUT;
            }
            Err(_) => thread::sleep(INTERVAL / 4),
        }
    }
}

fn frame(text: &str) -> String {
    format!("{VERSION}\n{text}\nend\n")
}

fn format_answer(answer: &ControlAnswer) -> String {
    match answer {
        Ok(words) => format!("done {words}"),
        Err(words) => format!("refused {words}"),
    }
}

fn parse_answer(text: &str) -> Option<ControlAnswer> {
    let done = text.strip_prefix("done ").map(|words| Ok(words.to_owned()));
    done.or_else(|| text.strip_prefix("refused ").map(|words| Err(words.to_owned())))
}

/// The file of a store's commands: `run.db-ctl` of `run.db`.
fn command_file(store: &Path) -> PathBuf {
    // A link to a store names the same run.
    let mut name = store.canonicalize().unwrap_or_else(|_| store.to_owned()).into_os_string();
    name.push("-ctl");
    PathBuf::from(name)
}

/// A thread that receives commands for a run, until dropped.
#[derive(Debug)]
pub struct ControlListener {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ControlListener {
    /// Starts to listen for commands and passes them to `submit`, which returns whether the run still takes any. A leftover
    /// command of an earlier session is deleted.
    ///
    /// # Errors
    /// If another file has the name of the command file, or the system has no more threads.
    pub fn start(
        store: &Path,
        submit: impl Fn(ControlRequest) -> bool + Send + 'static,
    ) -> io::Result<ControlListener> {
        let path = command_file(store);
        remove(&path).map_err(|foreign| io::Error::new(ErrorKind::AlreadyExists, foreign))?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new().name("control".to_owned()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                if let Some(command) = read(&path).as_deref().and_then(ControlCommand::parse) {
                    // Without an answer the sender withdraws its command.
                    match carry_out(command, &path, &submit, &stopped) {
                        // A sender that gave up has removed the file.
                        Ok(answer) => {
                            let file = fs::File::options().write(true).truncate(true).open(&path);
                            let answer = frame(&format_answer(&answer));
                            let _ = file.and_then(|mut file| file.write_all(answer.as_bytes()));
                        }
                        Err(Unanswered::Withdrawn) => {}
                        Err(Unanswered::RunEnds) => return,
                    }
                }
                thread::park_timeout(INTERVAL);
            }
        })?;
        Ok(ControlListener { stop, thread: Some(thread) })
    }
}

/// Why a command has no answer.
enum Unanswered {
    Withdrawn,
    RunEnds,
}

/// Passes a command to the run and waits for its answer.
fn carry_out(
    command: ControlCommand,
    file: &Path,
    submit: &impl Fn(ControlRequest) -> bool,
    stopped: &AtomicBool,
) -> Result<ControlAnswer, Unanswered> {
    let (sender, answer) = mpsc::channel();
    let request = ControlRequest { command, file: file.to_owned(), answer: sender };
    if !submit(request) {
        return Err(Unanswered::RunEnds);
    }
    loop {
        match answer.recv_timeout(INTERVAL) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) if !stopped.load(Ordering::Relaxed) => {}
            Err(RecvTimeoutError::Disconnected) if !stopped.load(Ordering::Relaxed) => {
                return Err(Unanswered::Withdrawn);
            }
            Err(_) => return Err(Unanswered::RunEnds),
        }
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

/// Deletes a command file, if there is one. An empty one is of a sender that was killed.
fn remove(path: &Path) -> Result<(), ForeignFile> {
    if is_foreign(path, MAGIC) {
        return Err(ForeignFile(path.to_owned()));
    }
    let _ = fs::remove_file(path);
    Ok(())
}

/// Command or answer in a file; `None` if it is incomplete or of another version.
fn read(path: &Path) -> Option<String> {
    // A pipe would not end.
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || found.len() > MAX_FILE_BYTES {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let text = text.strip_prefix(VERSION)?.strip_prefix('\n')?.strip_suffix("\nend\n")?;
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use super::*;

    #[test]
    fn commands_are_read_as_they_were_written() {
        let all = [
            ControlCommand::Pause,
            ControlCommand::Continue,
            ControlCommand::Concurrency(3),
            ControlCommand::Withdraw(1),
            ControlCommand::Extend(NonZeroU32::MIN),
            ControlCommand::Add("cmd = \"a b\"\n[options]\nHash = 1".to_owned()),
        ];
        for command in all {
            assert_eq!(ControlCommand::parse(&command.to_string()), Some(command));
        }
        for text in ["", "stop", "concurrency x", "extend 0", "done paused"] {
            assert_eq!(ControlCommand::parse(text), None, "{text:?}");
        }
    }

    fn listen(store: &Path) -> (ControlListener, Receiver<ControlRequest>) {
        let (requests, taken) = mpsc::channel();
        let listener = ControlListener::start(store, move |request| requests.send(request).is_ok());
        (listener.unwrap(), taken)
    }

    /// Starts a run that answers one command; returns the command it received.
    fn answer_once(store: &Path, answer: ControlAnswer) -> (ControlListener, JoinHandle<ControlCommand>) {
        let (listener, taken) = listen(store);
        let run = thread::spawn(move || {
            let request = taken.recv().unwrap();
            assert!(!request.is_withdrawn());
            let command = request.command.clone();
            request.answer(answer);
            command
        });
        (listener, run)
    }

    #[test]
    fn the_sender_of_a_command_has_the_answer_of_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let (listener, run) = answer_once(&store, Ok("two at most".to_owned()));
        assert_eq!(ControlCommand::Concurrency(2).send(&store).unwrap(), "two at most");
        assert_eq!(run.join().unwrap(), ControlCommand::Concurrency(2));
        drop(listener);
        let (_listener, _run) = answer_once(&store, Err("the run is stopping".to_owned()));
        let refused = ControlCommand::Pause.send(&store).unwrap_err();
        assert_eq!(refused.to_string(), "the run is stopping");
        assert!(!command_file(&store).exists());
    }

    #[test]
    fn a_file_of_the_user_with_the_name_of_the_command_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let file = command_file(&store);
        fs::write(&file, "notes about run.db\n").unwrap();
        let refused = ControlListener::start(&store, |_| true).unwrap_err();
        assert!(refused.to_string().contains(&file.display().to_string()), "{refused}");
        assert!(matches!(ControlCommand::Pause.send(&store), Err(ControlError::Foreign(_))));
        assert_eq!(fs::read_to_string(&file).unwrap(), "notes about run.db\n");
        // What another version or a killed sender left is not.
        for left in ["smalt-control 1\npause\n", ""] {
            fs::write(&file, left).unwrap();
            drop(ControlListener::start(&store, |_| true).unwrap());
            assert!(!file.exists(), "{left:?}");
        }
    }

    #[test]
    fn a_command_whose_sender_gave_up_is_withdrawn() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let file = command_file(&store);
        let (_listener, taken) = listen(&store);
        fs::write(&file, frame("extend 10")).unwrap();
        let request = taken.recv().unwrap();
        fs::write(&file, frame("pause")).unwrap();
        assert!(request.is_withdrawn(), "another sender's command is in its place");
        fs::remove_file(&file).unwrap();
        assert!(request.is_withdrawn());
        drop(request);
        fs::write(&file, frame("pause")).unwrap();
        let next = taken.recv().expect("the listener continues");
        assert_eq!((next.is_withdrawn(), &next.command), (false, &ControlCommand::Pause));
    }

    #[test]
    fn a_command_that_the_run_does_not_know_or_cannot_take_stays_with_its_sender() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let file = command_file(&store);
        fs::write(&file, "smalt-control 1\npause\n").unwrap();
        assert_eq!(read(&file), None);
        fs::write(&file, format!("{VERSION}\npause\n")).unwrap();
        assert_eq!(read(&file), None, "still being written");
        let (listener, taken) = listen(&store);
        drop(taken);
        fs::write(&file, frame("pause")).unwrap();
        while !listener.thread.as_ref().unwrap().is_finished() {
            thread::yield_now();
        }
        assert_eq!(read(&file).as_deref(), Some("pause"));
    }
}
