//! A job: a command line of this workbench, with its settings and state, and how it is started or resumed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;

/// Commands that play games into a store, and go on with `resume`.
const PLAYING: [&str; 11] = [
    "sprt",
    "gauntlet",
    "match",
    "round-robin",
    "race",
    "bisect",
    "datagen",
    "swiss",
    "knockout",
    "pyramid",
    "run",
];

/// Other commands, by program. Those but `spsa` and `resume` begin anew when they were interrupted.
const OTHERS: [(&str, &str); 3] =
    [("smalt-tournament", "resume"), ("smalt-tuner", "spsa"), ("smalt-suites", "score")];

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// It plays, or will when slots are free.
    Waiting,
    /// A user stopped it.
    Paused,
    /// It has ended.
    Done,
    /// It ended with an error.
    Failed,
    /// Its budget is used up.
    OutOfTime,
}

const STATES: [(JobState, &str); 5] = [
    (JobState::Waiting, "waiting"),
    (JobState::Paused, "paused"),
    (JobState::Done, "done"),
    (JobState::Failed, "failed"),
    (JobState::OutOfTime, "out-of-time"),
];

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = STATES.iter().find(|(state, _)| state == self).map_or("", |(_, word)| word);
        f.pad(word)
    }
}

impl FromStr for JobState {
    type Err = ();

    fn from_str(text: &str) -> Result<JobState, ()> {
        STATES.iter().find(|(_, word)| *word == text).map(|(state, _)| *state).ok_or(())
    }
}

/// Why a command line is no job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// It does not begin with a command that can be queued.
    #[error("{0:?} cannot be queued: a job begins with {list}", list = commands())]
    Command(String),
    /// The value of `--concurrency` is no number above 0.
    #[error("--concurrency {0:?}: expected a number above 0")]
    Concurrency(String),
}

/// Names of all commands that can be queued.
fn commands() -> String {
    let others = OTHERS.iter().map(|(_, command)| *command);
    PLAYING.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// A job to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// How it is listed.
    pub name: String,
    /// Command and flags of a program, without its name and without `--concurrency`.
    pub command: Vec<String>,
    /// The folder in which it was added: paths of the command begin there.
    pub folder: PathBuf,
    /// Jobs with a higher priority get their slots first.
    pub priority: i64,
    /// The most slots that it gets.
    pub slots: Option<usize>,
    /// Time that it may play.
    pub budget: Option<Duration>,
}

impl NewJob {
    /// A job of this command line, with or without the program's name in front.
    ///
    /// # Errors
    /// If it cannot be queued.
    pub fn new(words: &[String], folder: PathBuf) -> Result<NewJob, JobError> {
        let is_program = |word: &&String| OTHERS.iter().any(|(program, _)| program == word);
        let words = if words.first().is_some_and(|word| is_program(&word)) { &words[1..] } else { words };
        let first = words.first().cloned().unwrap_or_default();
        if program_of(&first).is_none() {
            return Err(JobError::Command(first));
        }
        let (mut command, mut slots) = (Vec::new(), None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let value = match word.strip_prefix("--concurrency") {
                Some("") => words.next().map(String::as_str).unwrap_or_default(),
                Some(rest) if rest.starts_with('=') => &rest[1..],
                _ => {
                    command.push(word.clone());
                    continue;
                }
            };
            let number = value.parse().ok().filter(|&number| number > 0);
            slots = Some(number.ok_or_else(|| JobError::Concurrency(value.to_owned()))?);
        }
        Ok(NewJob { name: first, command, folder, priority: 0, slots, budget: None })
    }
}

fn program_of(command: &str) -> Option<&'static str> {
    if PLAYING.contains(&command) {
        return Some("smalt-tournament");
    }
    OTHERS.iter().find(|(_, other)| *other == command).map(|(program, _)| *program)
}

/// A job of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: i64,
    /// What was added.
    pub added: NewJob,
    /// Time that it has played.
    pub used: Duration,
    /// Its state.
    pub state: JobState,
    /// Slots on which it plays now; 0 if it does not.
    pub running: usize,
    /// Games, score and test, in words.
    pub progress: String,
    /// Why somebody should look at it; empty if nobody needs to.
    pub flag: String,
}

/// How a job is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Name of the program.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Job {
    fn command(&self) -> &str {
        self.added.command.first().map(String::as_str).unwrap_or_default()
    }

    /// The value of a flag of its command line, as a path.
    fn path_flag(&self, flag: &str) -> Option<PathBuf> {
        let command = &self.added.command;
        let value = command.iter().enumerate().find_map(|(index, word)| match word.strip_prefix(flag)? {
            "" => command.get(index + 1).map(String::as_str),
            rest => rest.strip_prefix('='),
        });
        value.map(|path| self.added.folder.join(path))
    }

    /// The store of its run, if it plays games; `home` is the folder of the queue's own files.
    pub fn store(&self, home: &Path) -> Option<PathBuf> {
        match self.command() {
            "resume" => self.added.command.get(1).map(|path| self.added.folder.join(path)),
            command if PLAYING.contains(&command) => {
                Some(self.path_flag("--store").unwrap_or_else(|| home.join(format!("job-{}.db", self.id))))
            }
            _ => None,
        }
    }

    /// The file of what it prints.
    pub fn log(&self, home: &Path) -> PathBuf {
        home.join(format!("job-{}.log", self.id))
    }

    /// How it is started on this number of slots, or resumed if it has played before.
    pub fn launch(&self, home: &Path, slots: usize) -> Launch {
        let program = program_of(self.command()).unwrap_or("smalt-tournament");
        let text = |path: PathBuf| path.display().to_string();
        let mut arguments = self.added.command.clone();
        match self.store(home) {
            Some(store) if store.exists() => arguments = vec!["resume".to_owned(), text(store)],
            Some(store) if self.command() != "resume" && self.path_flag("--store").is_none() => {
                arguments.extend(["--store".to_owned(), text(store)]);
            }
            _ => {}
        }
        if self.command() == "spsa" {
            let checkpoint = self.path_flag("--checkpoint");
            let is_own = checkpoint.is_none();
            let checkpoint = checkpoint.unwrap_or_else(|| home.join(format!("job-{}.json", self.id)));
            if checkpoint.exists() && !arguments.iter().any(|word| word == "--resume") {
                arguments.push("--resume".to_owned());
            }
            if is_own {
                arguments.extend(["--checkpoint".to_owned(), text(checkpoint)]);
            }
        }
        // Workers on other machines have their own.
        if !self.is_elsewhere() {
            arguments.extend(["--concurrency".to_owned(), slots.to_string()]);
        }
        Launch { program, arguments }
    }

    /// Whether its games are played by workers on other machines.
    fn is_elsewhere(&self) -> bool {
        self.added.command.iter().any(|word| word == "--nats" || word.starts_with("--nats="))
    }

    /// The most slots that it can use here.
    pub(crate) fn most_slots(&self) -> Option<usize> {
        if self.is_elsewhere() { Some(1) } else { self.added.slots }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(words: &str) -> Job {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let added = NewJob::new(&words, PathBuf::from("/work")).unwrap();
        let (used, state) = (Duration::ZERO, JobState::Waiting);
        Job { id: 7, added, used, state, running: 0, progress: String::new(), flag: String::new() }
    }

    fn started(job: &Job, home: &Path) -> String {
        let Launch { program, arguments } = job.launch(home, 3);
        format!("{program} {}", arguments.join(" "))
    }

    #[test]
    fn a_job_is_started_with_a_store_and_resumed_from_it() {
        let home = tempfile::tempdir().unwrap();
        let store = home.path().join("job-7.db");
        let job = job("smalt-tournament sprt --engine a --engine b --concurrency 5");
        assert_eq!(job.most_slots(), Some(5));
        let shown = store.display();
        let fresh = format!("smalt-tournament sprt --engine a --engine b --store {shown} --concurrency 3");
        assert_eq!(started(&job, home.path()), fresh);
        std::fs::write(&store, "").unwrap();
        let resumed = format!("smalt-tournament resume {shown} --concurrency 3");
        assert_eq!(started(&job, home.path()), resumed);
    }

    #[test]
    fn named_stores_checkpoints_and_fleets_are_kept() {
        let home = Path::new("/none");
        let named = job("gauntlet --store=x.db");
        assert_eq!(named.store(home), Some(PathBuf::from("/work/x.db")));
        assert_eq!(started(&named, home), "smalt-tournament gauntlet --store=x.db --concurrency 3");
        assert_eq!(started(&job("resume y.db"), home), "smalt-tournament resume y.db --concurrency 3");
        let tuned = "smalt-tuner spsa --games 20 --checkpoint /none/job-7.json --concurrency 3";
        assert_eq!(started(&job("spsa --games 20"), home), tuned);
        let fleet = job("sprt --nats host");
        assert_eq!(fleet.most_slots(), Some(1));
        assert_eq!(started(&fleet, home), "smalt-tournament sprt --nats host --store /none/job-7.db");
        assert_eq!(started(&job("score wac"), home), "smalt-suites score wac --concurrency 3");
    }

    #[test]
    fn other_commands_are_refused() {
        let refuse = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            NewJob::new(&words, PathBuf::new()).unwrap_err().to_string()
        };
        assert!(refuse(&["rm", "-rf"]).contains("\"rm\" cannot be queued"));
        assert!(refuse(&["smalt-tournament"]).contains("cannot be queued"));
        assert!(refuse(&["sprt", "--concurrency", "many"]).contains("expected a number above 0"));
    }

    #[test]
    fn states_are_read_as_they_are_written() {
        for (state, _) in STATES {
            assert_eq!(state.to_string().parse(), Ok(state));
        }
    }
}
