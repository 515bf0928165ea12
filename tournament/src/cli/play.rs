//! Plays a plan, or goes on with one: store, slots, signals, display, and at the end the tables.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use smalt_driver::entrant::Registry;

use super::display::{Display, Loudness};
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{is_standard_output, print, tell, write_json};
use super::signals;
use crate::calendar::Moment;
use crate::fleet::Local;
use crate::pgn::OrderedPgn;
use crate::plan::{Plan, PlanFile};
use crate::run::slot::{Terms, command};
use crate::run::{Conclusion, Coordinator, Prepared, fingerprint};
use crate::standings::{Standings, json, report};
use crate::store::{Store, StoreError, StoredRun};

/// Begins a run.
pub(super) fn play(mut plan: Plan, loudness: Loudness) -> Result<Exit, Refusal> {
    name_outputs(&mut plan);
    let prepared = Prepared::new(plan).or_usage()?;
    for skipped in prepared.skipped() {
        tell(&format!("opening file, line {}: skipped, {}", skipped.line, skipped.reason));
    }
    locate_engines(&prepared.plan)?;
    let path = output_path(&prepared.plan.output.store)?;
    let run = StoredRun {
        created: SystemTime::now(),
        plan: prepared.plan.to_file().to_toml(),
        openings: fingerprint(&prepared.book),
    };
    if let Some(pgn) = prepared.plan.output.pgn.as_ref().filter(|pgn| pgn.exists()) {
        return Err(anyhow!("create {}: it exists already; choose another --pgn", pgn.display())).or_usage();
    }
    let store = Store::create(&path, &run).map_err(refuse_store)?;
    let pgn = match &prepared.plan.output.pgn {
        Some(path) => {
            OrderedPgn::create(path).with_context(|| format!("create {}", path.display())).or_usage()?
        }
        None => OrderedPgn::nowhere(),
    };
    conduct(&prepared, store, pgn, loudness)
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
    if let Some(json) = json {
        prepared.plan.output.json = Some(json.to_owned());
    }
    prepared.plan.output.store = Some(path.to_owned());
    let pgn = match &prepared.plan.output.pgn {
        Some(path) => {
            OrderedPgn::replace(path).with_context(|| format!("write {}", path.display())).or_failed()?
        }
        None => OrderedPgn::nowhere(),
    };
    conduct(&prepared, store, pgn, loudness)
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

/// The run of a store, with its openings as they were.
pub(super) fn read_run(store: &Store) -> Result<Prepared, Refusal> {
    let run = store.run().or_failed()?;
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

fn conduct(prepared: &Prepared, store: Store, pgn: OrderedPgn, loudness: Loudness) -> Result<Exit, Refusal> {
    let plan = &prepared.plan;
    let path = store.path().to_owned();
    let slots = slots(prepared);
    if loudness == Loudness::Usual {
        announce(prepared, &path, slots);
    }
    let (sender, events) = mpsc::channel();
    signals::listen(sender.clone()).context("listen to signals").or_failed()?;
    let terms = Arc::new(Terms {
        entrants: plan.entrants.clone(),
        openings: prepared.book.openings.clone(),
        adjudication: plan.adjudication,
        own_program: own_program()?,
    });
    let mut queue = Local::start(slots, &terms, &sender).context("start threads").or_failed()?;
    let mut display = Display::new(plan, &path, loudness);
    let coordinator = Coordinator::new(prepared, store, &mut queue, &mut display, pgn).or_failed()?;
    let (standings, conclusion) = coordinator.run(&events).or_failed()?;
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
        Conclusion::LeftOut { games } => {
            tell(&format!(
                "{games} games were left out: an engine could not be started. Mend it, and {resume}"
            ));
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

fn refuse_store(error: StoreError) -> Refusal {
    let exit = match error {
        StoreError::Database { .. } | StoreError::Corrupt { .. } => Exit::Failed,
        _ => Exit::Usage,
    };
    Refusal { exit, error: error.into() }
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

/// Files by format and date where the plan names none; the PGN lies beside the store.
fn name_outputs(plan: &mut Plan) {
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let stamp = Moment::of(SystemTime::now()).file_stamp();
    let kind = if plan.sprt.is_some() { "sprt".to_owned() } else { plan.format.to_string() };
    let store = plan.output.store.take().unwrap_or_else(|| PathBuf::from(format!("{kind}-{stamp}.db")));
    let pgn = plan.output.pgn.take().unwrap_or_else(|| store.with_extension("pgn"));
    plan.output.store = Some(absolute(store));
    plan.output.pgn = Some(absolute(pgn));
}

fn output_path(path: &Option<PathBuf>) -> Result<PathBuf, Refusal> {
    path.clone().context("no store was named").or_failed()
}
