//! `queue`: adds, lists and changes the jobs of a queue, and plays them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;
use smalt_dashboard::{ClientLimits, Dashboard, DashboardSettings, JobForm, QueuePage, to_page_json};
use smalt_match::plan::parse_address;
use smalt_queue::file::JobEvent;
use smalt_queue::{
    Daemon, DaemonError, DaemonEvent, DaemonSettings, Job, JobState, NewJob, QueueError, QueueFile,
};
use smalt_report::sanitize::sanitize;
use smalt_report::{Column, ColumnKind, Sign, Table, format};
use smalt_workbench::calendar::UtcTime;
use smalt_workbench::concurrency::spare_cores;
use smalt_workbench::entrant::{join_words, split_words};
use smalt_workbench::program::own_program;

use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{is_standard_output, print, print_info, write_json};
use super::{page_address, serve};

/// Default address of the page.
const PORT: u16 = 8065;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament queue add --name 'deeper LMR' -- sprt --git main..lmr --build 'make EXE={exe}' --tc 8+0.08
  smalt-tournament queue add --priority -1 --hours 10 -- gauntlet --engine ./new --opponent stockfish --games 1000
  smalt-tournament queue add -- spsa --engine ./tune --parameters lmr.txt
  smalt-tournament queue run --listen 8065
  smalt-tournament queue list

A job is a command line of sprt, gauntlet, match, round-robin, race, bisect, datagen, swiss, knockout, pyramid, run, resume, \
spsa, clop or score, without --concurrency (or with the most that it shall get). `queue run` plays them: jobs of the highest priority share the slots \
of the machine evenly, and the next priority gets what they leave. It may be stopped or killed at any time; the next `queue run` \
resumes all jobs; `score` alone begins anew, and keeps its slots while it plays. Stores and logs are beside the queue's file, \
unless the command line has --store, which must be new.";

/// The queue and the command.
#[derive(Args, Clone, Debug)]
pub(super) struct QueueFlags {
    /// File of the queue, created if missing [default: smalt/queue.db in your configuration folder]
    #[arg(long, value_name = "FILE", global = true)]
    queue: Option<PathBuf>,
    #[command(subcommand)]
    command: QueueCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum QueueCommand {
    /// Add a job: a command line without the program's name
    Add {
        /// Name in lists [default: the command]
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Priority: jobs with a higher one get their slots first
        #[arg(long, value_name = "N", default_value = "0", allow_negative_numbers = true)]
        priority: i64,
        /// Budget in hours of play, e.g. 10 [default: no limit]
        #[arg(long, value_name = "HOURS", value_parser = parse_hours)]
        hours: Option<Duration>,
        /// Command line, e.g. -- sprt --engine ./new --engine ./old
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        line: Vec<String>,
    },
    /// List all jobs
    List {
        /// JSON file of the list (`-`: standard output)
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Show a job: its command line and its history
    Show {
        /// Number of the job
        job: i64,
    },
    /// Stop a job until it is resumed
    Pause {
        /// Number of the job
        job: i64,
    },
    /// Resume a paused or failed job; one that is out of time needs a larger budget
    Resume {
        /// Number of the job
        job: i64,
    },
    /// Set the priority of a job
    Priority {
        /// Number of the job
        job: i64,
        /// Priority, e.g. 5; jobs with a higher one get their slots first
        #[arg(allow_negative_numbers = true)]
        priority: i64,
    },
    /// Set the budget of a job in hours; no limit without a number
    Budget {
        /// Number of the job
        job: i64,
        /// Budget in hours of play, e.g. 10 [default: no limit]
        #[arg(value_parser = parse_hours)]
        hours: Option<Duration>,
    },
    /// Move a job to the front of those of its priority, or before another one of the same priority
    Reorder {
        /// Number of the job
        job: i64,
        /// Number of the job to place it before [default: the first of its priority]
        #[arg(long, value_name = "JOB")]
        before: Option<i64>,
    },
    /// Remove a job from the queue; its store and log stay
    Remove {
        /// Number of the job
        job: i64,
    },
    /// Play the jobs until Ctrl-C, with a page that shows them
    Run(RunQueueFlags),
}

/// Settings of the daemon.
#[derive(Args, Clone, Debug)]
struct RunQueueFlags {
    /// Number of concurrent games of all jobs together [default: cores less one]
    #[arg(long = "concurrency", alias = "slots", value_name = "N")]
    slots: Option<NonZeroUsize>,
    /// Address of the page: a port of this machine, or ADDRESS:PORT [default: 127.0.0.1:8065]
    #[arg(long, alias = "serve", value_name = "ADDR", value_parser = parse_address)]
    listen: Option<SocketAddr>,
    /// File with the token that browsers must present; created if missing [default: page-token beside the queue's jobs]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Host name under which other machines reach this one, e.g. mybox.lan; may be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Serve no page
    #[arg(long, conflicts_with_all = ["listen", "token_file", "host"])]
    no_page: bool,
}

fn parse_hours(text: &str) -> Result<Duration, String> {
    let hours: Option<f64> = text.parse().ok().filter(|&hours| hours > 0.0);
    let time = hours.and_then(|hours| Duration::try_from_secs_f64(3600.0 * hours).ok());
    time.ok_or_else(|| format!("{text:?}: expected hours above 0, such as 10 or 0.5"))
}

/// Checks the command line of a new job and returns it with its revisions replaced by hashes.
pub(super) type CheckJob = fn(&[String], &mut dyn FnMut(&str)) -> Result<Vec<String>, Refusal>;

pub(super) fn queue(flags: &QueueFlags, check: CheckJob) -> Result<Exit, Refusal> {
    let path = match &flags.queue {
        Some(path) => path.clone(),
        None => {
            let folder =
                smalt_workbench::config_folder().context("find your configuration folder; give --queue FILE");
            folder.or_usage()?.join("smalt").join("queue.db")
        }
    };
    // Jobs start in other folders.
    let path = std::path::absolute(&path).unwrap_or(path);
    let creates = matches!(flags.command, QueueCommand::Add { .. } | QueueCommand::Run(_));
    let opened = if creates { QueueFile::open(&path) } else { QueueFile::open_or_empty(&path) };
    let mut file = opened.map_err(refuse)?;
    match &flags.command {
        QueueCommand::Add { name, priority, hours, line } => {
            let folder = std::env::current_dir().context("find the current folder").or_failed()?;
            let mut job = NewJob::new(line, folder).or_usage()?;
            job.command = check(&job.command, &mut print_info)?;
            let name = name.clone().unwrap_or_else(|| job.name.clone());
            let job = NewJob { name, priority: *priority, budget: *hours, ..job };
            let id = file.add(&job).map_err(refuse)?;
            print(&format!("Job {id}\n"))?;
        }
        QueueCommand::List { json } => list(&file, json.as_deref())?,
        QueueCommand::Show { job } => show(&file, *job)?,
        QueueCommand::Pause { job } => file.pause(*job).map_err(refuse)?,
        QueueCommand::Resume { job } => file.resume(*job).map_err(refuse)?,
        QueueCommand::Priority { job, priority } => file.set_priority(*job, *priority).map_err(refuse)?,
        QueueCommand::Budget { job, hours } => file.set_budget(*job, *hours).map_err(refuse)?,
        QueueCommand::Reorder { job, before } => file.reorder(*job, *before).map_err(refuse)?,
        QueueCommand::Remove { job } => file.remove(*job).map_err(refuse)?,
        QueueCommand::Run(run) => play(file, run, check)?,
    }
    Ok(Exit::Done)
}

fn refuse(error: QueueError) -> Refusal {
    let exit = if matches!(error, QueueError::Database { .. }) { Exit::Failed } else { Exit::Usage };
    Refusal { exit, error: error.into() }
}

/// A job.
#[derive(Serialize, JsonSchema)]
struct JobJson<'a> {
    /// Number of the job.
    id: i64,
    /// Name of the job.
    name: &'a str,
    /// Its command line, without the name of the program.
    command: &'a [String],
    /// Folder in which it was added.
    folder: &'a Path,
    /// Priority; jobs with a higher one get their slots first.
    priority: i64,
    /// `waiting`, `paused`, `done`, `failed` or `out-of-time`.
    #[schemars(with = "String")]
    state: JobState,
    /// Number of slots on which it plays now.
    running: usize,
    /// Hours of play.
    used_hours: f64,
    /// Budget in hours of play; null without a limit.
    budget_hours: Option<f64>,
    /// Progress in words; empty before it starts.
    progress: &'a str,
    /// Why a user should look at it; empty if there is no reason.
    flag: &'a str,
    /// Its store; null if its command has none.
    store: Option<PathBuf>,
    /// Number of its run on the page; in the list of the page only.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<usize>,
}

impl JobJson<'_> {
    fn of<'a>(job: &'a Job, home: &Path, run: Option<usize>) -> JobJson<'a> {
        let hours = |time: Duration| time.as_secs_f64() / 3600.0;
        let added = &job.added;
        JobJson {
            id: job.id,
            name: &added.name,
            command: &added.command,
            folder: &added.folder,
            priority: added.priority,
            state: job.state,
            running: job.running,
            used_hours: hours(job.used),
            budget_hours: added.budget.map(hours),
            progress: &job.progress,
            flag: &job.flag,
            store: job.store(home),
            run,
        }
    }
}

fn list(file: &QueueFile, json: Option<&Path>) -> Result<(), Refusal> {
    let (jobs, home) = (file.jobs().map_err(refuse)?, file.home());
    if let Some(json) = json {
        let jobs: Vec<JobJson<'_>> = jobs.iter().map(|job| JobJson::of(job, &home, None)).collect();
        write_json(json, &Jobs { jobs })?;
        if is_standard_output(json) {
            return Ok(());
        }
    }
    let mut table = Table::new([
        Column::new("job", ColumnKind::Integer),
        Column::new("name", ColumnKind::Text),
        Column::new("priority", ColumnKind::Integer),
        Column::new("state", ColumnKind::Text),
        Column::new("hours", ColumnKind::Number(1, Sign::Negative)),
        Column::new("progress", ColumnKind::Text),
        Column::new("look at it", ColumnKind::Text),
    ]);
    for job in &jobs {
        table.push([
            job.id.into(),
            job.added.name.clone().into(),
            job.added.priority.into(),
            state(job).into(),
            (job.used.as_secs_f64() / 3600.0).into(),
            job.progress.clone().into(),
            job.flag.clone().into(),
        ]);
    }
    print(&if jobs.is_empty() { "No jobs\n".to_owned() } else { table.to_text() })
}

/// All jobs of a queue.
#[derive(Serialize, JsonSchema)]
pub(super) struct Jobs<'a> {
    /// One table per job.
    jobs: Vec<JobJson<'a>>,
}

fn state(job: &Job) -> String {
    match job.running {
        0 => job.state.to_string(),
        slots => format!("playing, concurrency {slots}"),
    }
}

fn show(file: &QueueFile, id: i64) -> Result<(), Refusal> {
    let job = file.job(id).map_err(refuse)?;
    let mut text = format!("Job {id}, {}: {}\n", sanitize(&job.added.name), state(&job));
    let mut line = |what: &str, words: &str| {
        if !words.is_empty() {
            text.push_str(&format!("{what}: {}\n", sanitize(words)));
        }
    };
    line("Command", &join_words(&job.added.command));
    line("Folder", &job.added.folder.display().to_string());
    line("Progress", &job.progress);
    line("Look at it", &job.flag);
    let played = Some(job.used).filter(|used| !used.is_zero()).map(format::duration);
    line("Played", &played.unwrap_or_default());
    line("Budget", &job.added.budget.map(format::duration).unwrap_or_default());
    let home = file.home();
    line("Store", &job.store(&home).map(|store| store.display().to_string()).unwrap_or_default());
    line("Log", &job.log(&home).display().to_string());
    for JobEvent { at_ms, words } in file.events(id).map_err(refuse)? {
        let at = Duration::from_millis(u64::try_from(at_ms).unwrap_or(0));
        let at = UtcTime::of(std::time::UNIX_EPOCH + at);
        text.push_str(&format!("  {} {}\n", at.pgn_time(), sanitize(&words)));
    }
    print(&text)
}

/// The runs on the page, by job.
#[derive(Clone, Default)]
struct ShownRuns(Arc<Mutex<BTreeMap<i64, usize>>>);

impl ShownRuns {
    fn of(&self, job: i64) -> Option<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&job).copied()
    }

    /// Whether it was just added.
    fn add(&self, job: i64) -> bool {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = runs.len();
        let is_new = !runs.contains_key(&job);
        runs.entry(job).or_insert(next);
        is_new
    }
}

/// The queue behind the page.
struct Page {
    path: PathBuf,
    /// Folder of jobs that the page adds.
    folder: PathBuf,
    runs: ShownRuns,
    check: CheckJob,
}

impl Page {
    fn file(&self) -> Result<QueueFile, String> {
        QueueFile::open(&self.path).map_err(|error| error.to_string())
    }
}

impl QueuePage for Page {
    fn jobs(&self) -> Result<String, String> {
        let file = self.file()?;
        let (jobs, home) = (file.jobs().map_err(|error| error.to_string())?, file.home());
        let jobs = jobs.iter().map(|job| JobJson::of(job, &home, self.runs.of(job.id))).collect();
        Ok(to_page_json(&Jobs { jobs }))
    }

    fn add(&self, form: &JobForm) -> Result<(), String> {
        let words = split_words(&form.command).map_err(|error| error.to_string())?;
        let mut job = NewJob::new(&words, self.folder.clone()).map_err(|error| error.to_string())?;
        job.command = (self.check)(&job.command, &mut print_info).map_err(|refusal| refusal.to_string())?;
        let name = if form.name.trim().is_empty() { job.name.clone() } else { form.name.trim().to_owned() };
        let job = NewJob { name, priority: form.priority, ..job };
        self.file()?.add(&job).map(drop).map_err(|error| error.to_string())
    }

    fn set_paused(&self, job: i64, paused: bool) -> Result<(), String> {
        let mut file = self.file()?;
        let changed = if paused { file.pause(job) } else { file.resume(job) };
        changed.map_err(|error| error.to_string())
    }
}

/// Plays the queue until a signal comes.
fn play(file: QueueFile, flags: &RunQueueFlags, check: CheckJob) -> Result<(), Refusal> {
    let slots = flags.slots.map_or_else(spare_cores, NonZeroUsize::get);
    let program = own_program()?;
    let programs = program.parent().context("find the folder of this program").or_failed()?.to_owned();
    let runs = ShownRuns::default();
    let page = page(&file, flags, &runs, check)?;
    let mut store_found = |job: i64, store: &Path| {
        if let Some(page) = &page
            && runs.add(job)
        {
            page.add(store);
        }
    };
    let path = file.path().to_owned();
    let mut notify = |words: &str| print_info(words);
    let daemon = Daemon::new(file, DaemonSettings { slots, programs }, &mut notify, &mut store_found);
    let daemon = daemon.map_err(refuse_daemon)?;
    let stop = daemon.sender();
    smalt_workbench::signals::handle(move || drop(stop.send(DaemonEvent::Stop)), || ())
        .context("listen to signals")
        .or_failed()?;
    print_info(&format!("{} is played with concurrency {slots} until Ctrl-C", path.display()));
    daemon.run().map_err(refuse_daemon)
}

fn refuse_daemon(error: DaemonError) -> Refusal {
    match error {
        DaemonError::Queue(error) => refuse(error),
        other => Refusal { exit: Exit::Usage, error: other.into() },
    }
}

/// The page of the queue; it always has a token, since it can add jobs.
fn page(
    file: &QueueFile,
    flags: &RunQueueFlags,
    runs: &ShownRuns,
    check: CheckJob,
) -> Result<Option<Dashboard>, Refusal> {
    if flags.no_page {
        return Ok(None);
    }
    let home = file.home();
    std::fs::create_dir_all(&home).with_context(|| format!("make {}", home.display())).or_usage()?;
    let token_file = flags.token_file.clone().unwrap_or_else(|| home.join("page-token"));
    let place = page_address::claim(flags.listen, PORT, Some(&token_file))?;
    let folder =
        std::env::current_dir().map_err(|error| anyhow!("find the current folder: {error}")).or_failed()?;
    let queue = Page { path: file.path().to_owned(), folder, runs: runs.clone(), check };
    let settings = DashboardSettings {
        commands: Some(super::ctl::page_commands(
            None,
            &place,
            &flags.host,
            super::play_page::StartableEngines::OfRun,
        )),
        stores: Vec::new(),
        hosts: flags.host.clone(),
        limits: ClientLimits::default(),
        queue: Some(Arc::new(queue)),
    };
    serve::start(place, settings, "--listen").map(Some)
}
