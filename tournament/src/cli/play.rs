//! Plays a plan, or goes on with one: store, slots, signals, display, and at the end the tables.

use std::fs::OpenOptions;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use smalt_driver::entrant::Registry;
use smalt_driver::process::Guard;

use super::display::{Display, Loudness};
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{is_standard_output, print, tell, write_json};
use super::signals;
use crate::calendar::Moment;
use crate::fleet::{Local, Processors};
use crate::game::Tablebases;
use crate::pgn::OrderedPgn;
use crate::plan::{OutputFile, Plan, PlanFile};
use crate::run::slot::{Terms, command};
use crate::run::{Conclusion, Coordinator, Prepared, RunError, fingerprint};
use crate::standings::{Standings, json, report};
use crate::store::{Store, StoreError, StoredRun};

/// Begins a run. Whatever can be refused is refused before anything is made.
pub(super) fn play(mut plan: Plan, loudness: Loudness) -> Result<Exit, Refusal> {
    let names = Names::of(&plan);
    names.give(&mut plan, 1);
    let mut prepared = Prepared::new(plan).or_usage()?;
    for skipped in prepared.skipped() {
        tell(&format!("opening file, line {}: skipped, {}", skipped.line, skipped.reason));
    }
    locate_engines(&prepared.plan)?;
    let crew = Crew::of(&prepared)?;
    check_writable(prepared.plan.output.json.as_deref())?;
    let fingerprint = fingerprint(&prepared.book);
    let mut attempt = 1;
    let (store, pgn) = loop {
        match begin(&prepared.plan, &fingerprint) {
            // Another run began in this second.
            Err(BeginError::Taken(_)) if names.are_ours() => attempt += 1,
            begun => break begun?,
        }
        names.give(&mut prepared.plan, attempt);
    };
    conduct(&prepared, crew, store, pgn, loudness)
}

/// Why a run does not begin.
enum BeginError {
    /// There is a file of that name.
    Taken(Refusal),
    Other(Refusal),
}

impl From<BeginError> for Refusal {
    fn from(error: BeginError) -> Refusal {
        match error {
            BeginError::Taken(refusal) | BeginError::Other(refusal) => refusal,
        }
    }
}

/// Makes the files of a run: all of them, or none.
fn begin(plan: &Plan, openings: &str) -> Result<(Store, OrderedPgn), BeginError> {
    let path = output_path(&plan.output.store).map_err(BeginError::Other)?;
    if path.exists() {
        return Err(BeginError::Taken(refuse_store(StoreError::Exists(path))));
    }
    let pgn = match &plan.output.pgn {
        Some(pgn) => OrderedPgn::create(pgn).map_err(|error| refuse_pgn(pgn, error))?,
        None => OrderedPgn::nowhere(),
    };
    let plan_text = plan.to_file().to_toml();
    let run = StoredRun { created: SystemTime::now(), plan: plan_text, openings: openings.to_owned() };
    let store = Store::create(&path, &run).map_err(|error| {
        if let Some(pgn) = plan.output.pgn.as_ref().filter(|pgn| pgn.is_file()) {
            // Made a moment ago, and empty.
            let _ = std::fs::remove_file(pgn);
        }
        match error {
            StoreError::Exists(_) => BeginError::Taken(refuse_store(error)),
            error => BeginError::Other(refuse_store(error)),
        }
    })?;
    Ok((store, pgn))
}

fn refuse_pgn(path: &Path, error: std::io::Error) -> BeginError {
    if error.kind() == std::io::ErrorKind::AlreadyExists {
        let error = anyhow!("create {}: it exists already; choose another --pgn", path.display());
        return BeginError::Taken(Refusal { exit: Exit::Usage, error });
    }
    let error = anyhow::Error::new(error).context(format!("create {}", path.display()));
    BeginError::Other(Refusal { exit: Exit::Usage, error })
}

/// A file of results that could not be written at the end is refused at the begin.
fn check_writable(path: Option<&Path>) -> Result<(), Refusal> {
    let Some(path) = path.filter(|path| !is_standard_output(path)) else { return Ok(()) };
    let existed = path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.with_context(|| format!("write {}", path.display())).or_usage()?;
    if !existed {
        std::fs::remove_file(path).with_context(|| format!("write {}", path.display())).or_usage()?;
    }
    Ok(())
}

/// Goes on with a run.
pub(super) fn resume(
    path: &Path,
    concurrency: Option<usize>,
    json: Option<&Path>,
    loudness: Loudness,
) -> Result<Exit, Refusal> {
    let store = Store::resume(path).map_err(refuse_store)?;
    for process in store.left_processes().or_failed()? {
        let _ = process.sweep();
        store.forget_process(process).or_failed()?;
    }
    let mut prepared = read_run(&store)?;
    locate_engines(&prepared.plan)?;
    if let Some(number) = concurrency {
        let number = NonZeroUsize::new(number).context("--concurrency must be above zero").or_usage()?;
        prepared.plan.concurrency = Some(number);
    }
    check_writable(json)?;
    if let Some(json) = json {
        prepared.plan.output.json = Some(json.to_owned());
    }
    prepared.plan.output.store = Some(path.to_owned());
    let crew = Crew::of(&prepared)?;
    let pgn = match &prepared.plan.output.pgn {
        Some(path) => {
            OrderedPgn::replace(path).with_context(|| format!("write {}", path.display())).or_failed()?
        }
        None => OrderedPgn::nowhere(),
    };
    conduct(&prepared, crew, store, pgn, loudness)
}

/// A misspelled engine is refused before anything is begun.
fn locate_engines(plan: &Plan) -> Result<(), Refusal> {
    let own_program = own_program()?;
    for entrant in &plan.entrants {
        let located = command(entrant, &own_program).locate();
        located.map_err(|error| anyhow!("entrant {:?}: failed to {error}", entrant.name)).or_usage()?;
    }
    Ok(())
}

fn own_program() -> Result<PathBuf, Refusal> {
    std::env::current_exe().context("find this program's own file").or_failed()
}

/// Without a guard the system and the next run still end what a killed one leaves, only not all of it at once.
fn start_guard() -> Option<Guard> {
    let started = std::env::current_exe().and_then(|program| Guard::start(&program, "guard"));
    started.map_err(|error| tell(&format!("Warning: failed to start a guard over engines: {error}"))).ok()
}

/// The run of a store, with its openings as they were.
pub(super) fn read_run(store: &Store) -> Result<Prepared, Refusal> {
    let run = store.run().map_err(refuse_store)?;
    let name = store.path().display().to_string();
    let file = PlanFile::parse(&run.plan, &name).or_usage()?;
    let plan = Plan::check(&file, &Registry::default()).or_usage()?;
    let prepared = Prepared::new(plan).or_usage()?;
    let found = fingerprint(&prepared.book);
    if found != run.openings {
        let error = anyhow!(
            "the openings of this run have changed: it began with {}, and now there are {found}; put the old file back",
            run.openings
        );
        return Err(Refusal { exit: Exit::Usage, error });
    }
    Ok(prepared)
}

/// How many games are played at once, on which processors, and by which tables they end.
struct Crew {
    slots: usize,
    processors: Processors,
    tablebases: Option<Tablebases>,
}

impl Crew {
    fn of(prepared: &Prepared) -> Result<Crew, Refusal> {
        let (slots, plan) = (slots(prepared), &prepared.plan);
        let processors = Processors::assign(&plan.affinity, slots, plan.threads_of_a_game()).or_usage()?;
        let tablebases = plan.tablebases.as_ref().map(Tablebases::open).transpose().or_usage()?;
        Ok(Crew { slots, processors, tablebases })
    }
}

fn conduct(
    prepared: &Prepared,
    crew: Crew,
    store: Store,
    pgn: OrderedPgn,
    loudness: Loudness,
) -> Result<Exit, Refusal> {
    let plan = &prepared.plan;
    let path = store.path().to_owned();
    let Crew { slots, processors, tablebases } = crew;
    if loudness == Loudness::Usual {
        announce(prepared, &path, slots);
    }
    let (sender, events) = mpsc::channel();
    signals::listen(sender.clone()).context("listen to signals").or_failed()?;
    let terms = Arc::new(Terms {
        entrants: plan.entrants.clone(),
        openings: prepared.openings_in_use(),
        variant: plan.variant,
        flow: plan.flow,
        pv: plan.writing.pv_record(),
        adjudication: plan.adjudication,
        tablebases,
        timeouts: plan.timeouts,
        own_program: own_program()?,
        guard: start_guard(),
    });
    let mut queue = Local::start(slots, &terms, &sender, processors).context("start threads").or_failed()?;
    let mut display = Display::new(plan, &path, loudness);
    let coordinator = Coordinator::new(prepared, store, &mut queue, &mut display, pgn).map_err(refuse_run)?;
    let (standings, conclusion) = coordinator.run(&events).map_err(refuse_run)?;
    conclude(plan, &path, &standings, &conclusion)
}

fn conclude(
    plan: &Plan,
    store: &Path,
    standings: &Standings,
    conclusion: &Conclusion,
) -> Result<Exit, Refusal> {
    let tables = report::full(standings);
    match &plan.output.json {
        Some(json) => {
            write_json(json, &json::Results::of(standings))?;
            if is_standard_output(json) { tell(&tables) } else { print(&tables)? }
        }
        None => print(&tables)?,
    }
    tell(&format!("Store: {}", store.display()));
    if let Some(pgn) = &plan.output.pgn {
        tell(&format!("Games: {}", pgn.display()));
    }
    let resume = format!("go on with: smalt-tournament resume {}", store.display());
    Ok(match conclusion {
        Conclusion::Complete | Conclusion::Decided => Exit::Done,
        Conclusion::LeftOut { games, out } => {
            for (entrant, strike) in out {
                tell(&format!("{} {strike}", plan.entrants[*entrant].name));
            }
            tell(&format!("{games} games were left out. Mend what is broken, and {resume}"));
            Exit::LeftOut
        }
        Conclusion::Interrupted => {
            tell(&format!("Interrupted; {resume}"));
            Exit::Interrupted
        }
        Conclusion::Stopped(words) => {
            tell(&format!("Stopped after a fault ({words}); {resume}"));
            Exit::Failed
        }
    })
}

/// A store that cannot be used: the file's fault is the user's to mend, all else a failure.
pub(super) fn refuse_store(error: StoreError) -> Refusal {
    let exit = if error.is_about_the_file() { Exit::Usage } else { Exit::Failed };
    Refusal { exit, error: error.into() }
}

fn refuse_run(error: RunError) -> Refusal {
    match error {
        RunError::Store(error) => refuse_store(error),
        other => Refusal { exit: Exit::Failed, error: other.into() },
    }
}

/// Cores less one, so that no engine waits for a core, unless the plan says otherwise; no more than there are pairs.
fn slots(prepared: &Prepared) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let wanted = prepared.plan.concurrency.map_or_else(|| cores.saturating_sub(1).max(1), NonZeroUsize::get);
    if wanted > cores {
        tell(&format!("Warning: {wanted} games at once on {cores} cores: engines will wait for each other"));
    }
    wanted.min(prepared.schedule.pairs().max(1) as usize)
}

fn announce(prepared: &Prepared, store: &Path, slots: usize) {
    let plan = &prepared.plan;
    tell(&format!(
        "{}: {} games, {} at once, {} entrants, {} openings",
        plan.format,
        prepared.schedule.games(),
        slots,
        plan.entrants.len(),
        prepared.book.openings.len(),
    ));
    for entrant in &plan.entrants {
        tell(&format!("  {} ({})", entrant.name, entrant.clock));
    }
    tell(&format!("Results are kept in {}", store.display()));
    if let Some(pgn) = &plan.output.pgn {
        tell(&format!("Games are written to {}", pgn.display()));
    }
}

/// How the files of a run are called where the plan names none: by format and date; the PGN lies beside the store.
struct Names {
    typed: OutputFile,
    stem: String,
}

impl Names {
    fn of(plan: &Plan) -> Names {
        let kind = if plan.sprt.is_some() { "sprt".to_owned() } else { plan.format.to_string() };
        let stem = format!("{kind}-{}", Moment::of(SystemTime::now()).file_stamp());
        Names { typed: plan.output.clone(), stem }
    }

    /// Whether another attempt gives other names.
    fn are_ours(&self) -> bool {
        self.typed.store.is_none() && self.typed.pgn.is_none()
    }

    /// Names the files; the second attempt and later ones bear a number.
    fn give(&self, plan: &mut Plan, attempt: u32) {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let number = if attempt > 1 { format!("-{attempt}") } else { String::new() };
        let store = self.typed.store.clone();
        let store = store.unwrap_or_else(|| PathBuf::from(format!("{}{number}.db", self.stem)));
        let pgn = self.typed.pgn.clone().unwrap_or_else(|| store.with_extension("pgn"));
        plan.output.store = Some(absolute(store));
        plan.output.pgn = Some(absolute(pgn));
    }
}

fn output_path(path: &Option<PathBuf>) -> Result<PathBuf, Refusal> {
    path.clone().context("no store was named").or_failed()
}
