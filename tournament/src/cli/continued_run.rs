//! Prepares another session of a run: after a stop, after it has grown, or when a commit of a bisection has been built.

use anyhow::anyhow;
use smalt_dashboard::BoundAddress;
use smalt_match::plan::{OutputSettings, Plan};
use smalt_match::run::Binaries;
use smalt_match::setup::Prepared;
use smalt_match::store::Store;
use smalt_workbench::source::Builder;

use super::exit::{OrRefuse, Refusal};
use super::games;
use super::run_files::check_outputs;
use super::started_run::{Outputs, StartedRun, WorkerPool, check_location, measure_machine, own_binaries};
use super::stored_run::{read_played_run, refuse_store};

/// Prepares a run that has grown; the stored plan is the larger one.
pub(super) fn prepare_grown(store: Store, allows_mixed: bool) -> Result<StartedRun, Refusal> {
    let prepared = read_played_run(&store)?;
    // The page is already served.
    begin_session(store, prepared, allows_mixed, |_| Ok(None))
}

/// Prepares a session of an earlier run.
pub(super) fn begin_session(
    mut store: Store,
    mut prepared: Prepared,
    allows_mixed: bool,
    page: impl FnOnce(&OutputSettings) -> Result<Option<BoundAddress>, Refusal>,
) -> Result<StartedRun, Refusal> {
    prepared.plan.settings.output.store = Some(store.path().to_owned());
    // Commits of a bisection are built when their games are due.
    let is_lazy = prepared.plan.bisection.is_some() && prepared.plan.fleet().is_none();
    for (index, entrant) in prepared.plan.entrants.iter_mut().enumerate().filter(|_| !is_lazy) {
        Builder::default().restore_entrant(&mut entrant.engine).or_usage()?;
        if let Some(program) = entrant.engine.program() {
            entrant.program = program;
        }
        prepared.plan.settings.entrants[index] = entrant.engine.clone();
    }
    check_location(&mut prepared.plan)?;
    // An engine that was added may be the first with a scaled clock.
    measure_machine(&mut prepared.plan)?;
    check_outputs(&prepared.plan, &[])?;
    let page = page(&prepared.plan.settings.output)?;
    let binaries = check_binaries(&prepared.plan, &mut store, allows_mixed)?;
    let pool = WorkerPool::of(&prepared, &store.machines().map_err(refuse_store)?)?;
    let games = games::resume(&mut prepared, &store)?;
    store.change_plan(&prepared.plan.settings.to_toml()).map_err(refuse_store)?;
    for process in store.left_processes().map_err(refuse_store)? {
        let _ = process.sweep_stored();
        store.remove_process(process).map_err(refuse_store)?;
    }
    Ok(StartedRun { prepared, pool, store, outputs: Outputs { games, page }, binaries })
}

/// Checks that the engine programs are unchanged since the start of the run.
fn check_binaries(plan: &Plan, store: &mut Store, allow_mixed: bool) -> Result<Option<Binaries>, Refusal> {
    let Some(binaries) = own_binaries(plan)? else { return Ok(None) };
    let begun = store.own_binaries(plan.entrants.len()).map_err(refuse_store)?;
    if !allow_mixed {
        binaries.compare(&begun).map_err(|words| anyhow!(words)).or_usage()?;
    }
    store.put_own_binaries(&binaries.digests()).map_err(refuse_store)?;
    Ok((!allow_mixed).then_some(binaries))
}
