//! Plays a plan: opens the store, starts slots, signals and display, and prints the tables at the end.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::SystemTime;

use anyhow::Context;
use smalt_workbench::entrant::EngineSettings;

use super::bisect_commits::prepare_commit;
use super::continued_run::prepare_grown;
use super::data::write_run_data;
use super::display::Verbosity;
use super::exit::{Exit, OrRefuse, Refusal};
use super::games::BeginError;
use super::outcome::report_outcome;
use super::output::{TextSink, check_output, make_outputs_absolute, print_info, write_json};
use super::output_names::{OutputNames, set_aside};
use super::output_style::OutputStyle;
use super::page_address::claim_for_run;
use super::run_files::check_outputs;
use super::session::{Session, Workers};
use super::started_run::{Outputs, StartedRun, WorkerPool, check_location, measure_machine, own_binaries};
use super::stored_run::{read_plan, refuse_store};
use super::webhook::post_end;
use super::{games, serve, signals};
use smalt_dashboard::Dashboard;
use smalt_match::game_file::GameFiles;
use smalt_match::opening::Book;
use smalt_match::plan::{Entrant, Plan};
use smalt_match::run::{Event, RunEnd, RunOutcome, check_engines};
use smalt_match::setup::{Prepared, SetupError};
use smalt_match::standings::{Standings, json, report};
use smalt_match::store::{Store, StoredRun};
use smalt_report::format::count;
use smalt_report::sanitize::sanitize_lines;
use smalt_workbench::output_file::Existing;
use smalt_workbench::program::own_program;

pub(super) fn play(plan: Plan, style: OutputStyle) -> Result<Exit, Refusal> {
    run_games(start(plan, &style)?, style)
}

/// Starts a run. All checks precede the creation of files.
pub(super) fn start(mut plan: Plan, style: &OutputStyle) -> Result<StartedRun, Refusal> {
    // A match that is continued from its results already has its names.
    if plan.settings.prior.is_none() {
        plan.check_new_names().or_usage()?;
    }
    let names = OutputNames::of(&plan, style);
    names.set(&mut plan, 1);
    let (mut prepared, book) = prepare(plan, style).or_usage()?;
    report_openings(&prepared, &book);
    check_location(&mut prepared.plan)?;
    make_outputs_absolute(&mut prepared.plan.settings.output);
    check_outputs(&prepared.plan, &style.further_outputs())?;
    if let Some(data) = &prepared.plan.settings.data.file {
        check_output(data, Existing::Keep)?;
    }
    let page = claim_for_run(&prepared.plan.settings.output)?;
    let pool = WorkerPool::of(&prepared, &[])?;
    if prepared.plan.fleet().is_none() {
        check_engines(&prepared.plan, &own_program()?).or_usage()?;
    }
    measure_machine(&mut prepared.plan)?;
    let fingerprint = book.fingerprint();
    let mut attempt = 1;
    let emptied = match style {
        OutputStyle::Native(_) => Vec::new(),
        OutputStyle::Compat(shown) => shown.emptied(),
    };
    let binaries = own_binaries(&prepared.plan)?;
    if let (OutputStyle::Compat(shown), Some(store)) = (style, &prepared.plan.settings.output.store)
        && shown.keeps_store
    {
        set_aside(store)?;
    }
    let (mut store, games) = loop {
        match begin(&prepared, &fingerprint, &emptied) {
            // Another run started in this second.
            Err(BeginError::Taken(_)) if names.are_defaults() => attempt += 1,
            begun => break begun?,
        }
        names.set(&mut prepared.plan, attempt);
    };
    if let Some(binaries) = &binaries {
        store.put_own_binaries(&binaries.digests()).map_err(refuse_store)?;
    }
    Ok(StartedRun { prepared, pool, store, outputs: Outputs { games, page }, binaries })
}

/// Other runners wrap around if the first opening lies beyond the end of the book.
fn prepare(plan: Plan, style: &OutputStyle) -> Result<(Prepared, Book), SetupError> {
    match (Prepared::new(plan.clone()), style) {
        (Err(SetupError::Start { start, openings }), OutputStyle::Compat(_)) => {
            let start = 1 + (start - 1) % openings as usize;
            let mut plan = plan;
            plan.settings.openings.start = NonZeroUsize::new(start).unwrap_or(NonZeroUsize::MIN);
            Prepared::new(plan)
        }
        (prepared, _) => prepared,
    }
}

/// Creates all files of a run, or none. The store comes first: with it a run that is killed here can be resumed. Files of
/// `emptied` lose their content last.
fn begin(prepared: &Prepared, openings: &str, emptied: &[PathBuf]) -> Result<(Store, GameFiles), BeginError> {
    let plan = &prepared.plan;
    let path = output_path(&plan.settings.output.store)?;
    let plan_text = plan.settings.to_toml();
    let run = StoredRun { created: SystemTime::now(), plan: plan_text, openings: openings.to_owned() };
    let store = Store::create(&path, &run)?;
    let games = games::begin(prepared, emptied).and_then(|games| {
        games.empty(emptied).context("empty the files of append=false").or_failed()?;
        Ok(games)
    });
    match games {
        Ok(games) => Ok((store, games)),
        Err(error) => {
            drop(store);
            let _ = std::fs::remove_file(&path);
            Err(error)
        }
    }
}

/// Reports skipped and repeated openings.
fn report_openings(prepared: &Prepared, book: &Book) {
    let file = prepared.plan.settings.openings.file.display();
    for skipped in book.skipped() {
        print_info(&format!("{file}, line {}: skipped, {}", skipped.line, skipped.reason));
    }
    let (skipped, count) = (book.skipped_count(), book.count());
    if skipped > book.skipped().len() {
        print_info(&format!("{file}: … and {} more lines", skipped - book.skipped().len()));
    }
    if skipped > 0 {
        print_info(&format!(
            "{file}: {skipped} of {} were skipped, {count} openings are left",
            skipped + count as usize
        ));
    }
    let wanted = prepared.schedule.openings();
    if prepared.openings_known.is_none_or(|known| wanted <= known) {
        return;
    }
    if prepared.plan.bisection.is_some() {
        print_info(&format!(
            "{file}: {count} openings; they repeat if the bisection plays more pairs, and commits that play the same moves \
             repeat games: a larger book or --random-plies avoids it"
        ));
    } else if prepared.plan.sprt.is_none() {
        // A sequential test seldom needs its maximum of games.
        print_info(&format!(
            "{file}: the games need {wanted} openings and there are {count}: they will repeat"
        ));
    }
}

/// Plays a run to its end. It is prepared anew and continues when it has grown, or when a commit of a bisection must be built.
pub(super) fn run_games(mut started: StartedRun, style: OutputStyle) -> Result<Exit, Refusal> {
    let path = started.store.path().to_owned();
    if matches!(style, OutputStyle::Native(Verbosity::Usual)) {
        announce(&started.prepared, &path, &started.pool.players);
    }
    let page = started.outputs.page.take();
    let StartedRun { prepared, pool: WorkerPool { players, events: channel }, store, outputs, binaries } =
        started;
    let mut session = Session { prepared, players, store, games: outputs.games, binaries };
    signals::listen(channel.0.clone()).context("listen to signals").or_failed()?;
    let control = super::ctl::listen(&path, &channel.0);
    let page = page.and_then(|place| {
        let page = serve::serve_run(&path, place);
        // A failed page does not stop the run; another process can serve it.
        page.map_err(|refusal| print_info(&format!("Warning: {refusal}"))).ok()
    });
    let (mut state, mut events) = (None, Ok(()));
    let (plan, standings, conclusion) = loop {
        let allows_mixed = session.binaries.is_none();
        let (plan, end, written) = session.play(&channel, &style, state)?;
        events = events.and(written);
        let (started, left) = match end {
            RunEnd::Ended(standings, conclusion) => break (plan, standings, conclusion),
            RunEnd::Grown(store, left) => (prepare_grown(*store, allows_mixed)?, left),
            RunEnd::Unbuilt(store, left, unbuilt) => {
                (prepare_commit(*store, unbuilt, allows_mixed, &channel)?, left)
            }
        };
        let StartedRun { prepared, pool, store, outputs, binaries } = started;
        session = Session { prepared, players: pool.players, store, games: outputs.games, binaries };
        state = Some(left);
    };
    drop(control);
    // Its game files have other names now if the first ones were taken.
    let stored = Store::read(&path).map_err(refuse_store).and_then(|store| read_plan(&store));
    let plan = stored.unwrap_or(plan);
    let exit = finish(&plan, &path, &standings, &conclusion, &style, page, &channel.1)?;
    events.map(|()| exit)
}

/// Shows the results of a run that has ended.
fn finish(
    plan: &Plan,
    path: &Path,
    standings: &Standings,
    conclusion: &RunOutcome,
    style: &OutputStyle,
    page: Option<Dashboard>,
    events: &Receiver<Event>,
) -> Result<Exit, Refusal> {
    // Before all that takes long or may fail.
    if let Some(url) = &plan.settings.output.webhook {
        post_end(url, conclusion, standings);
    }
    // It takes minutes for millions of positions: a run that is to end in seconds leaves it to the next stop.
    let is_late = matches!(conclusion, RunOutcome::Interrupted) && smalt_workbench::signals::is_terminated();
    let data = if is_late { Ok(None) } else { write_run_data(plan, path) };
    let stays = plan.settings.output.serve_after && !matches!(conclusion, RunOutcome::Interrupted);
    // The page ends here: it shows how the run ended, and closes the store.
    let page = page.filter(|_| stays);
    // The outcome is shown whatever fails.
    let mut results = Ok(());
    let keeps_store = match style {
        OutputStyle::Native(_) => {
            results = show_results(plan, path, standings, data.as_ref().ok().and_then(Option::as_deref));
            true
        }
        OutputStyle::Compat(shown) => shown.keeps_store,
    };
    if !keeps_store && conclusion.is_final() {
        drop(page);
        // Other runners leave only requested files.
        let _ = std::fs::remove_file(path);
        return Ok(report_outcome(plan, None, conclusion, standings));
    }
    let exit = report_outcome(plan, Some(path), conclusion, standings);
    let again = format!("show it again with: smalt-tournament serve {}", path.display());
    match page {
        Some(page) => {
            print_info(&format!("The page is served until Ctrl-C; {again}"));
            await_end(events);
            drop(page);
        }
        None if plan.settings.output.serve.is_some() => {
            print_info(&format!("The page has ended with the run; {again}"))
        }
        None => {}
    }
    results.and(data).map(|_| exit)
}

/// Waits for a signal after the run.
fn await_end(events: &Receiver<Event>) {
    while !matches!(events.recv(), Ok(Event::Stop(_) | Event::Kill) | Err(_)) {}
}

/// Prints the final tables and writes the JSON results.
fn show_results(plan: &Plan, store: &Path, standings: &Standings, data: Option<&str>) -> Result<(), Refusal> {
    // Elo of an engine against itself says nothing of the data.
    let elo = if data.is_some() && is_self_play(plan) { String::new() } else { report::full(standings) };
    let faults = faults(store, standings)?;
    let parts = [elo.as_str(), &faults, data.unwrap_or_default()];
    let tables = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n");
    let json = plan.settings.output.json.as_ref();
    let written = json.map_or(Ok(()), |json| write_json(json, &json::ResultsJson::of(standings)));
    let views = [&plan.settings.output.json, &plan.settings.output.events].into_iter().flatten();
    TextSink::beside(views.map(PathBuf::as_path)).show(&tables)?;
    written
}

/// Whether an engine plays itself: two entrants that differ in their names alone.
fn is_self_play(plan: &Plan) -> bool {
    let [first, second] = plan.entrants.as_slice() else { return false };
    let engine = |entrant: &Entrant| EngineSettings { name: None, ..entrant.engine.clone() };
    (first.role, &first.program, &first.clock) == (second.role, &second.program, &second.clock)
        && engine(first) == engine(second)
}

/// The list of faults; empty without any.
fn faults(store: &Path, standings: &Standings) -> Result<String, Refusal> {
    let mut list = report::FaultList::default();
    let reader = Store::read(store).map_err(refuse_store)?;
    reader.for_each_fault(|fault| list.add(fault)).map_err(refuse_store)?;
    let faults = report::faults(&list, standings, &store.display().to_string());
    Ok(faults.map_or_else(String::new, |faults| sanitize_lines(&faults)))
}

fn announce(prepared: &Prepared, store: &Path, players: &Workers) {
    let plan = &prepared.plan;
    let place = match (players, plan.fleet()) {
        (Workers::Local { slots, .. }, _) => format!("concurrency {slots}"),
        (Workers::Remote(_), fleet) => {
            let run = fleet.as_ref().and_then(|fleet| fleet.run.as_deref()).unwrap_or_default();
            format!("on other machines (run {run})")
        }
    };
    let most = if plan.sprt.is_some() { "at most " } else { "" };
    print_info(&format!(
        "{}: {most}{}, {place}, {}, {}",
        plan.format(),
        count(prepared.schedule.games() as usize, "game"),
        count(plan.entrants.len(), "engine"),
        prepared
            .openings_known
            .map_or_else(|| "random openings".to_owned(), |openings| count(openings as usize, "opening")),
    ));
    for entrant in &plan.entrants {
        print_info(&format!("  {} ({})", entrant.name, entrant.clock));
    }
    print_info(&format!("Openings: {}; seed {}", crate::report::openings(plan), plan.settings.run.seed));
    let rules = crate::report::adjudication(&plan.settings.adjudication.rules());
    print_info(&format!("Adjudication: {}", if rules.is_empty() { "off" } else { &rules }));
    if let Some(test) = &plan.sprt {
        print_info(&format!("SPRT of {}: {}", plan.entrants[plan.tested()].name, report::test_terms(test)));
    }
    print_info(&format!("Store: {}", store.display()));
    if let Some(pgn) = &plan.settings.output.pgn {
        print_info(&format!("Games: {}", pgn.display()));
    }
}

fn output_path(path: &Option<PathBuf>) -> Result<PathBuf, Refusal> {
    path.clone().context("no store was named").or_failed()
}
