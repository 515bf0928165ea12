//! `resume`: applies the changed settings, ends processes left by a killed run, and continues.

use std::num::NonZeroU32;

use anyhow::{Context, anyhow};

use super::datagen::engine_openings;
use super::exit::{Exit, OrRefuse, Refusal};
use super::games;
use super::intent::{given as is_given, make_absolute, refuse_slots};
use super::output::{check_outputs, make_outputs_absolute};
use super::output_style::OutputStyle;
use super::own_program::builder;
use super::play::{Outputs, StartedRun, WorkerPool, check_location, measure_machine, own_binaries};
use super::run_flags::ResumeFlags;
use super::serve::claim_for_run;
use super::stored_run::{read_played_run, refuse_store};
use smalt_dashboard::BoundAddress;
use smalt_match::plan::{Flags, OnFault, OutputSettings, Plan, Settings, merge_settings};
use smalt_match::run::Binaries;
use smalt_match::setup::Prepared;
use smalt_match::store::Store;

/// Resumes a run with the settings of its store, changed by the flags.
pub(super) fn resume(flags: &ResumeFlags, face: OutputStyle) -> Result<Exit, Refusal> {
    let path = &flags.store;
    let store = Store::resume(path).map_err(refuse_store)?;
    let mut prepared = read_played_run(&store)?;
    if change(&mut prepared.plan, flags)? == ResumeChange::OfGames {
        (prepared, _) = Prepared::new(prepared.plan).or_usage()?;
    }
    let allows_mixed = is_given(&flags.settings.0.given, "fleet", "allow-mixed");
    begin_session(store, prepared, allows_mixed, claim_for_run)?.play(face)
}

/// Prepares a run that has grown; the stored plan is the larger one.
pub(super) fn prepare_grown(store: Store, allows_mixed: bool) -> Result<StartedRun, Refusal> {
    let prepared = read_played_run(&store)?;
    // The page is already served.
    begin_session(store, prepared, allows_mixed, |_| Ok(None))
}

/// Prepares a session of an earlier run.
fn begin_session(
    mut store: Store,
    mut prepared: Prepared,
    allows_mixed: bool,
    page: impl FnOnce(&OutputSettings) -> Result<Option<BoundAddress>, Refusal>,
) -> Result<StartedRun, Refusal> {
    prepared.plan.settings.output.store = Some(store.path().to_owned());
    // Commits of a bisection are built when their games are due.
    let is_lazy = prepared.plan.bisection.is_some() && prepared.plan.fleet().is_none();
    for (index, entrant) in prepared.plan.entrants.iter_mut().enumerate().filter(|_| !is_lazy) {
        builder().restore_entrant(&mut entrant.engine).or_usage()?;
        if let Some(program) = entrant.engine.program() {
            entrant.program = program;
        }
        prepared.plan.settings.entrants[index] = entrant.engine.clone();
    }
    check_location(&mut prepared.plan)?;
    // An engine that was added may be the first with a scaled clock.
    measure_machine(&mut prepared.plan)?;
    check_outputs(&prepared.plan)?;
    let page = page(&prepared.plan.settings.output)?;
    let binaries = check_binaries(&prepared.plan, &mut store, allows_mixed)?;
    let pool = WorkerPool::of(&prepared, &store.machines().map_err(refuse_store)?)?;
    let games = games::resume(&mut prepared, &store)?;
    store.change_plan(&prepared.plan.settings.to_toml()).map_err(refuse_store)?;
    for process in store.left_processes().map_err(refuse_store)? {
        let _ = process.sweep();
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

/// Changes of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResumeChange {
    OfGames,
    OfOthers,
}

fn change(plan: &mut Plan, flags: &ResumeFlags) -> Result<ResumeChange, Refusal> {
    let Flags { settings: typed, given } = &flags.settings.0;
    let mut settings = plan.settings.to_layer();
    merge_settings(&mut settings, given.clone());
    let mut settings: Settings = settings.try_into().context("change the settings").or_usage()?;
    if settings.fleet.nats.is_none() && settings.fleet.ssh.is_empty() {
        // Local runs do not store it in the plan.
        settings.fleet.allow_mixed = false;
    }
    if flags.recover {
        settings.run.on_fault = OnFault::Recover;
    }
    refuse_slots(is_given(given, "run", "concurrency"), settings.fleet.on().is_some())?;
    make_absolute(&mut settings);
    make_outputs_absolute(&mut settings.output);
    let games = typed.run.games.get();
    let is_longer = is_given(given, "run", "games") && games != plan.games();
    settings.run.games = plan.settings.run.games;
    *plan = match is_longer {
        true => extend(&Plan::new(settings).or_usage()?, games).or_usage()?,
        false => Plan::new(settings).or_usage()?,
    };
    Ok(if is_longer { ResumeChange::OfGames } else { ResumeChange::OfOthers })
}

/// The plan with this number of games per pairing.
fn extend(plan: &Plan, games: u32) -> anyhow::Result<Plan> {
    check_made_openings(plan).context("--games")?;
    let further = games.checked_sub(plan.games()).and_then(NonZeroU32::new).with_context(|| {
        format!("--games {games}: the run was started with {}, and can only be extended", plan.games())
    })?;
    plan.extended(further).context("--games")
}

/// Refuses more games than there are openings generated by the engine.
pub(super) fn check_made_openings(plan: &Plan) -> anyhow::Result<()> {
    let settings = &plan.settings;
    if settings.data.file.as_deref().map(engine_openings).as_deref() == Some(&settings.openings.file) {
        return Err(anyhow!(
            "the engine made the openings (--genfens) for {} games, and further ones would repeat them; start another run with \
             another --seed",
            plan.games()
        ));
    }
    Ok(())
}
