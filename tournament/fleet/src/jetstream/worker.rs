//! A worker and what it needs to play for a run: its connection, its settings, and the run prepared on this machine.
//! Prints nothing; messages for users go to a callback.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use async_nats::{Client, Subscriber};
use smalt_driver::process::Reaper;
use smalt_workbench::entrant::Registry;
use smalt_workbench::source::{self, Builder, Source};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use super::connection::ConnectionChange;
use super::objects::FileCache;
use super::{Identity, SERVER_TIMEOUT, Subjects};
use crate::rate_limit::RateLimit;
use crate::run_config::{ReceivedFiles, RunConfigError};
use crate::wire::{
    Announcement, FileMessage, FilePurpose, Message, Response, WorkerNotice, WorkerRequest, decode, encode,
    trimmed,
};
use crate::{machine, run_config};
use smalt_match::game::{MachineReport, TablebaseAdjudicator};
use smalt_match::opening::EngineBook;
use smalt_match::plan::{Affinity, FleetSettings, Plan, TablebaseRule};
use smalt_match::run::{Binaries, Event, measure_speed};
use smalt_match::setup::engine_books;
use smalt_workbench::concurrency::cores;

/// Time after which a refused or unplayable run is tried again.
const REFUSED_RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// Maximum number of refused runs that are remembered.
const MAX_REFUSED: usize = 1_000;

/// Configuration of a worker.
#[derive(Debug)]
pub struct WorkerSetup {
    pub server: FleetSettings,
    pub name: String,
    /// Number of concurrent games.
    pub slots: usize,
    /// Run to play for; any if `None`.
    pub run: Option<String>,
    /// Engines that it may start.
    pub registry: Registry,
    /// Nodes per second of Smalt on one core; measured if `None`.
    pub speed: Option<NonZeroU64>,
    pub tables: Option<PathBuf>,
    /// Folder of full transcripts, with a subfolder for each run; `None` for none.
    pub log: Option<PathBuf>,
    pub affinity: Affinity,
    /// Whether it takes files from a run, and starts the programs among them.
    pub accept_files: bool,
    /// Path of this program, which is also the built-in engine.
    pub own_program: PathBuf,
    /// Process that ends the engines when this program is killed.
    pub reaper: Option<Reaper>,
}

/// Input channels of a worker.
pub(super) struct WorkerInputs {
    /// Events of slots and signals.
    pub(super) events: UnboundedReceiver<Event>,
    pub(super) announced: Subscriber,
    pub(super) changes: UnboundedReceiver<ConnectionChange>,
}

pub(super) struct Worker {
    pub(super) identity: Identity,
    pub(super) setup: WorkerSetup,
    pub(super) client: Client,
    pub(super) sender: Sender<Event>,
    show: Box<dyn Fn(&str)>,
    /// Nodes per second of Smalt on one core, once measured.
    pub(super) speed: OnceCell<NonZeroU64>,
    refused: RefusedRuns,
    files: FileCache,
    /// Digests of received programs, and their node counts.
    benches: RefCell<HashSet<(String, u64)>>,
}

/// Refused runs with the time of the next attempt and the reason. Anybody may announce runs, so their number is limited,
/// and that of the lines about them.
#[derive(Debug, Default)]
struct RefusedRuns {
    runs: HashMap<String, (Instant, String)>,
    lines: RateLimit,
}

impl RefusedRuns {
    fn may_try(&self, run: &str, now: Instant) -> bool {
        self.runs.get(run).is_none_or(|(until, _)| now >= *until)
    }

    fn is_known(&self, run: &str, words: &str) -> bool {
        self.runs.get(run).is_some_and(|(_, earlier)| earlier == words)
    }

    /// Adds a refused run; the line for users, if its reason is new.
    fn add(&mut self, run: String, words: String, now: Instant) -> Option<String> {
        if self.runs.len() >= MAX_REFUSED {
            self.runs.retain(|_, (until, _)| now < *until);
        }
        if self.runs.len() >= MAX_REFUSED {
            let oldest = self.runs.iter().min_by_key(|(_, (until, _))| *until).map(|(run, _)| run.clone());
            oldest.and_then(|oldest| self.runs.remove(&oldest));
        }
        let may_pass = !self.is_known(&run, &words) && self.lines.may_pass(now);
        let dropped = if may_pass { self.lines.dropped(now) } else { None };
        let more = dropped
            .map_or_else(String::new, |count| format!(" ({count} more lines about runs were dropped)"));
        let line = may_pass.then(|| format!("Not playing for run {run}: {words}{more}"));
        self.runs.insert(run, (now + REFUSED_RETRY_INTERVAL, words));
        line
    }
}

/// A run prepared on this machine.
pub(super) struct PreparedRun {
    pub(super) plan: Plan,
    pub(super) tablebases: Option<TablebaseAdjudicator>,
    pub(super) binaries: Binaries,
    pub(super) books: Vec<Option<EngineBook>>,
    pub(super) machine: MachineReport,
    /// Digest of the configuration.
    pub(super) config: String,
    pub(super) lease: Duration,
}

impl Worker {
    pub(super) fn new(
        identity: Identity,
        setup: WorkerSetup,
        client: Client,
        sender: Sender<Event>,
        show: Box<dyn Fn(&str)>,
    ) -> Worker {
        Worker {
            identity,
            speed: setup.speed.map_or_else(OnceCell::new, OnceCell::from),
            setup,
            client,
            sender,
            show,
            refused: RefusedRuns::default(),
            files: FileCache::new(),
            benches: RefCell::default(),
        }
    }

    pub(super) fn show(&self, words: &str) {
        (self.show)(words);
    }

    pub(super) fn report_connection(&self, change: ConnectionChange) {
        match change {
            ConnectionChange::Up => self.show("Connected to the NATS server"),
            ConnectionChange::Down => {
                self.show("The NATS server is unreachable; games continue, and results wait")
            }
            ConnectionChange::Forbidden(words) => {
                self.show(&format!("The NATS server refused a request: {words}"))
            }
        }
    }

    /// Whether this worker may play for a run now.
    pub(super) fn may_try(&self, run: &str) -> bool {
        let wanted = self.setup.run.as_ref().is_none_or(|wanted| wanted == run);
        wanted && self.refused.may_try(run, Instant::now())
    }

    pub(super) fn refuse(&mut self, run: String, words: String) {
        if let Some(line) = self.refused.add(run, words, Instant::now()) {
            self.show(&line);
        }
    }

    /// Reports to the coordinator why this worker cannot play, once for each reason.
    pub(super) async fn report_unfit(&self, run: &str, words: &str) {
        if self.refused.is_known(run, words) {
            return;
        }
        let report = WorkerNotice::Unfit { name: self.setup.name.clone(), words: trimmed(words) };
        self.coordinator(&Subjects::of(run)).notify(report).await;
    }

    /// Requests the configuration and prepares the run on this machine.
    pub(super) async fn prepare(&self, run: &Announcement) -> Result<PreparedRun, String> {
        let Response::Config(message) = self.ask(&Subjects::of(&run.run), WorkerRequest::Config).await?
        else {
            return Err("the answer is invalid".to_owned());
        };
        let setup = &self.setup;
        let received = self.receive_files(&Subjects::of(&run.run), &message.files).await?;
        self.check_benches(&message.files, &received).await?;
        let (sent, registry) = (message.clone(), setup.registry.clone());
        let (affinity, tables) = (setup.affinity.clone(), setup.tables.clone());
        let reaper = setup.reaper.clone();
        let (note, mut notes) = unbounded_channel::<String>();
        // This may build engines, which takes time.
        let made = tokio::task::spawn_blocking(move || {
            let mut builder = Builder {
                cache: source::cache_folder(),
                reaper: Box::new(|| reaper.clone()),
                notify: Box::new(move |words| drop(note.send(words.to_owned()))),
            };
            let mut build = |source: &Source| {
                let built = builder.build(source);
                built.map(|built| built.program).map_err(|error| error.to_string())
            };
            run_config::plan(&sent, &registry, affinity, tables.as_ref(), &received, &mut build)
        });
        // The sender is dropped at the end of the build.
        while let Some(words) = notes.recv().await {
            self.show(&words);
        }
        let plan = made.await.map_err(|error| error.to_string())?;
        let plan = plan.map_err(|error| {
            let is_offered = !message.files.is_empty()
                && !setup.accept_files
                && !matches!(error, RunConfigError::OtherPlatform { .. });
            let advice =
                if is_offered { "; the run sends its files to workers with --accept-files" } else { "" };
            format!("failed to {error}{advice}")
        })?;
        let tablebases = plan.tablebases().map(TablebaseAdjudicator::open).transpose();
        let tablebases = tablebases.map_err(|error| format!("failed to {error}"))?;
        check_tables(plan.tablebases(), tablebases.as_ref(), message.tables)?;
        let (known, own_program) = (self.speed.get().copied(), setup.own_program.clone());
        let (examined, reaper) = (plan.clone(), setup.reaper.clone());
        // This starts engines, which takes time.
        let examine = tokio::task::spawn_blocking(move || {
            let books = engine_books(&examined).map_err(|error| format!("failed to {error}"))?;
            let binaries = Binaries::of(&examined, &own_program)?;
            let engines = machine::engines(&examined, &binaries, &own_program, reaper.as_ref())?;
            let speed = known.map_or_else(|| measure_speed(&own_program), Ok);
            let speed = speed.map_err(|error| format!("failed to measure this machine: {error}"))?;
            Ok::<_, String>((binaries, books, engines, speed))
        });
        let (binaries, books, engines, speed) = examine.await.map_err(|error| error.to_string())??;
        let _ = self.speed.set(speed);
        let machine = MachineReport {
            name: setup.name.clone(),
            program: concat!("smalt-tournament ", env!("CARGO_PKG_VERSION")).to_owned(),
            cpu: machine::processor_model(),
            cores: cores() as u32,
            slots: setup.slots as u32,
            speed: speed.get(),
            engines,
        };
        let lease = Duration::from_millis(message.lease_ms);
        Ok(PreparedRun { plan, tablebases, binaries, books, machine, config: message.digest(), lease })
    }

    /// Takes the files that the run sends, if this worker accepts files.
    async fn receive_files(&self, names: &Subjects, sent: &[FileMessage]) -> Result<ReceivedFiles, String> {
        if sent.is_empty() || !self.setup.accept_files {
            return Ok(ReceivedFiles::default());
        }
        let show = |words: &str| self.show(words);
        // The tables of this machine are used if there are some.
        let is_wanted = |file: &&FileMessage| {
            self.setup.tables.is_none() || !matches!(file.purpose, FilePurpose::Table { .. })
        };
        let wanted: Vec<&FileMessage> = sent.iter().filter(is_wanted).collect();
        let received = self.files.receive(&self.client, names, &wanted, &show).await;
        received.map_err(|words| format!("failed to receive {words}"))
    }

    /// Compares the node counts of received programs with those of their commits, once for each program.
    async fn check_benches(&self, sent: &[FileMessage], received: &ReceivedFiles) -> Result<(), String> {
        for file in sent {
            let FilePurpose::Program { entrant, platform, bench: Some(expected) } = &file.purpose else {
                continue;
            };
            let program = received.programs.get(entrant).filter(|_| *platform == machine::platform());
            let checked = (file.sha256.clone(), *expected);
            let Some(program) = program.filter(|_| !self.benches.borrow().contains(&checked)) else {
                continue;
            };
            let (program, expected, reaper) = (program.clone(), *expected, self.setup.reaper.clone());
            let check = move || source::check_bench(&program, expected, reaper.as_ref());
            let result = tokio::task::spawn_blocking(check).await.map_err(|error| error.to_string())?;
            result.map_err(|error| format!("failed to check {}: {error}", file.purpose.words()))?;
            self.benches.borrow_mut().insert(checked);
        }
        Ok(())
    }

    /// Asks the coordinator of a run.
    pub(super) async fn ask(&self, names: &Subjects, question: WorkerRequest) -> Result<Response, String> {
        let answer = self.coordinator(names).ask(&question).await;
        answer.ok_or_else(|| "its coordinator does not answer".to_owned())
    }

    /// The client of a run's coordinator.
    pub(super) fn coordinator(&self, names: &Subjects) -> CoordinatorClient {
        CoordinatorClient { client: self.client.clone(), subject: names.ask(&self.identity) }
    }
}

/// Sends requests to the coordinator of a run.
#[derive(Clone, Debug)]
pub(super) struct CoordinatorClient {
    client: Client,
    subject: String,
}

impl CoordinatorClient {
    /// Sends a request; `None` on timeout.
    pub(super) async fn ask(&self, question: &WorkerRequest) -> Option<Response> {
        let bytes = encode(question).ok()?;
        let answer = self.client.request(self.subject.clone(), bytes.into());
        decode::<Response>(&timeout(SERVER_TIMEOUT, answer).await.ok()?.ok()?.payload).ok()
    }

    /// Sends a notice without waiting.
    pub(super) async fn notify(&self, report: WorkerNotice) {
        let Ok(bytes) = encode(&WorkerRequest::Notify(report)) else { return };
        let _ = timeout(SERVER_TIMEOUT, self.client.publish(self.subject.clone(), bytes.into())).await;
    }
}

/// Checks that the tablebases match the run's.
fn check_tables(
    rule: Option<&TablebaseRule>,
    tables: Option<&TablebaseAdjudicator>,
    wanted: Option<u32>,
) -> Result<(), String> {
    match (rule, tables, wanted) {
        (Some(_), Some(tables), Some(wanted)) if tables.pieces() < wanted => Err(format!(
            "the run needs endgame tables of {wanted} pieces, and those of --tb have {}",
            tables.pieces()
        )),
        _ => Ok(()),
    }
}

/// Whether a message is within the size limit.
pub(super) fn fits<M: Message>(message: &M) -> bool {
    encode(message).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_announced_runs_fills_neither_memory_nor_log() {
        let mut refused = RefusedRuns::default();
        let begun = Instant::now();
        let lines =
            (0..5_000).filter(|number| refused.add(format!("r{number}"), "w".to_owned(), begun).is_some());
        assert_eq!(lines.count(), 200);
        assert_eq!(refused.runs.len(), MAX_REFUSED);
        assert!(!refused.may_try("r4999", begun) && refused.may_try("r4999", begun + REFUSED_RETRY_INTERVAL));
        let later = begun + Duration::from_secs(3600);
        let line = refused.add("honest".to_owned(), "no engine".to_owned(), later);
        assert_eq!(
            line.unwrap(),
            "Not playing for run honest: no engine (4800 more lines about runs were dropped)"
        );
        assert_eq!(refused.add("honest".to_owned(), "no engine".to_owned(), later), None);
        assert_eq!(refused.runs.len(), 1, "the others may be tried again");
    }
}
