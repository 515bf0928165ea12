//! A job: a command line of this workbench with settings and state, and how it is started or resumed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use smalt_match::plan::{FleetSettings, Settings};
use smalt_match::store::Store;

/// Commands that play games into a store and are resumed with `resume`.
const PLAYING: [&str; 11] = [
    "sprt", "gauntlet", "match", "round-robin", "race", "bisect", "datagen", "swiss", "knockout", "pyramid",
    "run",
];

/// Other commands, by program. Except tunings and `resume` they start over after an interruption.
const OTHERS: [(&str, &str); 4] = [
    ("smalt-tournament", "resume"),
    ("smalt-tuner", "spsa"),
    ("smalt-tuner", "clop"),
    ("smalt-suites", "score"),
];

/// Flags of `resume` without a value.
pub const RESUME_SWITCHES: [&str; 7] =
    ["-q", "--quiet", "--recover", "--serve-after", "--exit-on-verdict", "--allow-mixed", "--send-files"];

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobState {
    /// Running, or waiting for slots.
    Waiting,
    /// Stopped by a user.
    Paused,
    Done,
    /// Ended with an error.
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

/// Why a command line is not a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The command cannot be queued.
    #[error("{0:?} cannot be queued: a job begins with {list}", list = commands())]
    Command(String),
    /// A `resume` without a store.
    #[error("resume needs the store of a run: resume RUN.db")]
    NoStore,
    /// The value of `--concurrency` is not a number above 0.
    #[error("--concurrency {0:?}: expected a number above 0")]
    Concurrency(String),
}

/// Names of all queueable commands.
fn commands() -> String {
    let others = OTHERS.iter().map(|(_, command)| *command);
    PLAYING.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

/// A job to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    pub name: String,
    /// Command and flags, without the program's name and `--concurrency`.
    pub command: Vec<String>,
    /// Folder in which the job was added, for relative paths.
    pub folder: PathBuf,
    /// Jobs with a higher priority get their slots first.
    pub priority: i64,
    /// Maximum number of slots.
    pub slots: Option<usize>,
    pub budget: Option<Duration>,
}

impl NewJob {
    /// A job from a command line, with or without the program's name in front.
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
        let job = NewJob { name: first, command, folder, priority: 0, slots, budget: None };
        if job.command() == "resume" && job.named_output().is_none() {
            return Err(JobError::NoStore);
        }
        Ok(job)
    }

    fn command(&self) -> &str {
        self.command.first().map(String::as_str).unwrap_or_default()
    }

    /// Whether it is a tuning, whose state is in a checkpoint.
    fn is_tuning(&self) -> bool {
        matches!(self.command(), "spsa" | "clop")
    }

    /// Whether its command resumes an existing run or tuning.
    pub(crate) fn resumes(&self) -> bool {
        self.command() == "resume" || self.command.iter().any(|word| word == "--resume")
    }

    /// Store or checkpoint named in its command line.
    pub(crate) fn named_output(&self) -> Option<PathBuf> {
        let name = match self.command() {
            "resume" => self.resumed_store(),
            "spsa" | "clop" => self.flag("--checkpoint"),
            command if PLAYING.contains(&command) => self.flag("--store"),
            _ => None,
        };
        name.map(|name| self.folder.join(name))
    }

    /// Values of a flag of its command line.
    fn flags(&self, flag: &str) -> impl Iterator<Item = &str> {
        self.command.iter().enumerate().filter_map(move |(index, word)| match word.strip_prefix(flag)? {
            "" => self.command.get(index + 1).map(String::as_str),
            rest => rest.strip_prefix('='),
        })
    }

    /// Value of a flag of its command line.
    fn flag(&self, flag: &str) -> Option<&str> {
        self.flags(flag).next()
    }

    /// The store argument of `resume`: the first word that is neither a flag nor a flag's value.
    fn resumed_store(&self) -> Option<&str> {
        let mut words = self.command[1..].iter().map(String::as_str);
        while let Some(word) = words.next() {
            if !word.starts_with('-') {
                return Some(word);
            }
            if !word.contains('=') && !RESUME_SWITCHES.contains(&word) {
                words.next();
            }
        }
        None
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
    pub id: i64,
    pub added: NewJob,
    /// Total time it has played.
    pub used: Duration,
    /// Whether it created its store or checkpoint.
    pub has_begun: bool,
    pub state: JobState,
    /// Slots it plays on now; 0 if it is not running.
    pub running: usize,
    /// Games, score and test as text.
    pub progress: String,
    /// Reason to look at it; empty if there is none.
    pub flag: String,
}

/// Program and arguments to start a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Name of the program.
    pub program: &'static str,
    pub arguments: Vec<String>,
}

impl Job {
    /// Its store or checkpoint; `home` is the queue's folder.
    pub(crate) fn output(&self, home: &Path) -> Option<PathBuf> {
        let extension = match self.added.command() {
            "score" => return None,
            "spsa" | "clop" => "json",
            _ => "db",
        };
        let own = || home.join(format!("job-{}.{extension}", self.id));
        Some(self.added.named_output().unwrap_or_else(own))
    }

    /// The store of its run, if it plays games.
    pub fn store(&self, home: &Path) -> Option<PathBuf> {
        self.output(home).filter(|_| !self.added.is_tuning())
    }

    /// Whether its budget is used up.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.added.budget.is_some_and(|budget| self.used >= budget)
    }

    /// Whether it can resume after a stop.
    pub(crate) fn is_resumable(&self) -> bool {
        self.added.command() != "score"
    }

    /// Log file of its output.
    pub fn log(&self, home: &Path) -> PathBuf {
        home.join(format!("job-{}.log", self.id))
    }

    /// Program and arguments to start it on this number of slots, or to resume it; `slots` is `None` if other machines play,
    /// which have their own concurrency.
    pub(crate) fn launch(&self, home: &Path, slots: Option<usize>) -> Launch {
        let command = self.added.command();
        let program = program_of(command).unwrap_or("smalt-tournament");
        let mut arguments = self.added.command.clone();
        if let Some(output) = self.output(home) {
            let (is_tuning, text) = (self.added.is_tuning(), output.display().to_string());
            let goes_on = self.has_begun && !self.added.resumes() && output.exists();
            if goes_on && !is_tuning {
                arguments = vec!["resume".to_owned(), text];
            } else {
                if goes_on {
                    arguments.push("--resume".to_owned());
                }
                if self.added.named_output().is_none() {
                    let flag = if is_tuning { "--checkpoint" } else { "--store" };
                    arguments.extend([flag.to_owned(), text]);
                }
            }
        }
        arguments.extend(slots.into_iter().flat_map(|slots| ["--concurrency".to_owned(), slots.to_string()]));
        Launch { program, arguments }
    }

    /// NATS server and ssh hosts that play for it: of the plan of its store, or its plan file, and of its flags. Empty if this
    /// machine plays. Reads files.
    pub(crate) fn machines(&self, home: &Path) -> Vec<String> {
        let mut fleet = self.plan(home).and_then(|plan| fleet_of(&plan)).unwrap_or_default();
        if let Some(server) = self.added.flag("--nats") {
            fleet.nats = Some(server.to_owned());
        }
        let hosts = self.added.flags("--ssh").flat_map(|hosts| hosts.split(','));
        let hosts: Vec<_> = hosts.filter_map(|host| host.parse().ok()).collect();
        if !hosts.is_empty() {
            fleet.ssh = hosts;
        }
        fleet.machines()
    }

    /// The plan of a `run` or `resume`, as text: of its store, once there is one, else its plan file.
    fn plan(&self, home: &Path) -> Option<String> {
        let command = self.added.command();
        if !matches!(command, "run" | "resume") {
            return None;
        }
        let is_played = self.has_begun || self.added.resumes();
        let store = self.store(home).filter(|store| is_played && store.exists());
        let stored = store.and_then(|store| Some(Store::read(&store).ok()?.run().ok()?.plan));
        let file = || {
            let plan = self.added.command.get(1).filter(|_| command == "run")?;
            let file = self.added.folder.join(plan);
            // A pipe could make the daemon wait for ever.
            if file.is_file() { std::fs::read_to_string(&file).ok() } else { None }
        };
        stored.or_else(file)
    }
}

/// The fleet of a plan.
fn fleet_of(plan: &str) -> Option<FleetSettings> {
    Settings::parse_layer(plan, "").ok()?.remove("fleet")?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(words: &str) -> Job {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let added = NewJob::new(&words, PathBuf::from("/work")).unwrap();
        let (used, state) = (Duration::ZERO, JobState::Waiting);
        let (progress, flag) = (String::new(), String::new());
        Job { id: 7, added, used, has_begun: false, state, running: 0, progress, flag }
    }

    /// Its command line on three slots, or on other machines.
    fn started(job: &Job, home: &Path) -> String {
        let Launch { program, arguments } = job.launch(home, job.machines(home).is_empty().then_some(3));
        format!("{program} {}", arguments.join(" "))
    }

    #[test]
    fn a_job_is_started_with_a_store_and_resumed_from_it() {
        let home = tempfile::tempdir().unwrap();
        let store = home.path().join("job-7.db");
        let mut job = job("smalt-tournament sprt --engine a --engine b --concurrency 5");
        assert_eq!(job.added.slots, Some(5));
        let shown = store.display();
        let fresh = format!("smalt-tournament sprt --engine a --engine b --store {shown} --concurrency 3");
        assert_eq!(started(&job, home.path()), fresh);
        std::fs::write(&store, "").unwrap();
        assert_eq!(started(&job, home.path()), fresh, "the store of another run");
        job.has_begun = true;
        let resumed = format!("smalt-tournament resume {shown} --concurrency 3");
        assert_eq!(started(&job, home.path()), resumed);
    }

    #[test]
    fn the_words_of_a_resume_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let store = home.path().join("y.db");
        std::fs::write(&store, "").unwrap();
        let shown = store.display();
        for words in [
            format!("resume --games 40 --serve-after {shown} --strike-after=3"),
            format!("resume -q --json - {shown} --games 40"),
            format!("resume --games=40 {shown}"),
        ] {
            let mut job = job(&words);
            assert_eq!(job.store(home.path()).as_ref(), Some(&store), "{words}");
            for has_begun in [false, true] {
                job.has_begun = has_begun;
                assert_eq!(started(&job, home.path()), format!("smalt-tournament {words} --concurrency 3"));
            }
        }
        let words = ["resume", "--games", "40"].map(str::to_owned);
        assert_eq!(NewJob::new(&words, PathBuf::new()), Err(JobError::NoStore));
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
        assert_eq!(started(&job("clop --games 20"), home), tuned.replace("spsa", "clop"));
        assert_eq!(
            started(&job("sprt --ssh=host"), home),
            "smalt-tournament sprt --ssh=host --store /none/job-7.db"
        );
        let fleet = job("sprt --nats host");
        assert_eq!(fleet.machines(home), ["nats://host:4222"]);
        assert_eq!(started(&fleet, home), "smalt-tournament sprt --nats host --store /none/job-7.db");
        assert_eq!(started(&job("score wac"), home), "smalt-suites score wac --concurrency 3");
    }

    #[test]
    fn a_plan_or_store_with_workers_gets_no_concurrency() {
        let home = tempfile::tempdir().unwrap();
        let in_home = |words: &str| {
            let mut job = job(words);
            job.added.folder = home.path().to_owned();
            job
        };
        let fleet = "[fleet]\nnats = 'nats://host'\n";
        std::fs::write(home.path().join("fleet.toml"), fleet).unwrap();
        std::fs::write(home.path().join("local.toml"), "[run]\ngames = 2\n").unwrap();
        for (name, plan) in [("fleet.db", fleet), ("local.db", "")] {
            let (created, openings) = (std::time::SystemTime::now(), String::new());
            let run = smalt_match::store::StoredRun { created, plan: plan.to_owned(), openings };
            Store::create(&home.path().join(name), &run).unwrap();
        }
        for (words, machines) in [
            ("run fleet.toml", &["nats://host:4222"][..]),
            ("run fleet.toml --nats off", &[]),
            ("run fleet.toml --ssh=a,me@b/2 --ssh c", &["nats://host:4222", "ssh://a", "ssh://b", "ssh://c"]),
            ("run fleet.toml --resume --store local.db", &[]),
            ("run local.toml", &[]),
            ("resume fleet.db", &["nats://host:4222"]),
            ("resume local.db --nats host:1", &["nats://host:1"]),
            ("resume --games 4 local.db", &[]),
        ] {
            let job = in_home(words);
            assert_eq!(job.machines(home.path()), machines, "{words}");
            assert_eq!(started(&job, home.path()).contains("--concurrency"), machines.is_empty(), "{words}");
        }
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
