//! `resume`: applies the changed settings, ends processes that a killed run left, and plays on.

use anyhow::{Context, anyhow};

use super::arguments::ResumeFlags;
use super::datagen::engine_openings;
use super::exit::{Exit, OrRefuse, Refusal};
use super::games;
use super::intent::{given as is_given, make_absolute, refuse_slots};
use super::output::{check_outputs, inform, make_outputs_absolute};
use super::play::{
    OutputStyle, Outputs, WorkerPool, check_location, own_binaries, read_played_run, refuse_store, run_games,
};
use super::serve::claim_for_run;
use smalt_match::plan::{Flags, Format, OnFault, Plan, Settings, merge_settings};
use smalt_match::run::Binaries;
use smalt_match::setup::Prepared;
use smalt_match::store::Store;
use smalt_workbench::source;

/// Resumes a run with the settings of its store, changed by the flags.
pub(super) fn resume(flags: &ResumeFlags, face: OutputStyle) -> Result<Exit, Refusal> {
    let path = &flags.store;
    let mut store = Store::resume(path).map_err(refuse_store)?;
    let mut prepared = read_played_run(&store)?;
    if change(&mut prepared.plan, flags)? == ResumeChange::OfGames {
        (prepared, _) = Prepared::new(prepared.plan).or_usage()?;
    }
    prepared.plan.settings.output.store = Some(path.to_owned());
    for (index, entrant) in prepared.plan.entrants.iter_mut().enumerate() {
        source::restore_entrant(&mut entrant.engine, &source::cache_folder(), &mut inform).or_usage()?;
        if let Some(program) = entrant.engine.program() {
            entrant.program = program;
        }
        prepared.plan.settings.entrants[index] = entrant.engine.clone();
    }
    check_location(&mut prepared.plan)?;
    check_outputs(&prepared.plan)?;
    let page = claim_for_run(&prepared.plan.settings.output)?;
    let allow_mixed = is_given(&flags.settings.0.given, "fleet", "allow-mixed");
    let binaries = check_binaries(&prepared.plan, &mut store, allow_mixed)?;
    let pool = WorkerPool::of(&prepared, &store.machines().map_err(refuse_store)?)?;
    let games = games::resume(&mut prepared, &store)?;
    store.change_plan(&prepared.plan.settings.to_toml()).map_err(refuse_store)?;
    for process in store.left_processes().map_err(refuse_store)? {
        let _ = process.sweep();
        store.remove_process(process).map_err(refuse_store)?;
    }
    run_games(&prepared, pool, store, Outputs { games, page }, binaries, face)
}

/// Checks that the engine programs are those of the start of the run.
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
        // Local runs do not keep it in the plan.
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
    if is_longer {
        check_growth(plan, games).or_usage()?;
    }
    *plan = Plan::new(settings).or_usage()?;
    Ok(if is_longer { ResumeChange::OfGames } else { ResumeChange::OfOthers })
}

/// Games keep their numbers only if whole pairs are added after the last of each pairing.
fn check_growth(plan: &Plan, games: u32) -> anyhow::Result<()> {
    if !matches!(plan.format(), Format::Gauntlet | Format::RoundRobin | Format::Match) {
        return Err(anyhow!("--games: a {} cannot be extended", plan.format()));
    }
    let settings = &plan.settings;
    if settings.data.file.as_deref().map(engine_openings).as_deref() == Some(&settings.openings.file) {
        return Err(anyhow!(
            "--games: the engine made the openings (--genfens) for {} games, and further ones would repeat them; start another \
             run with another --seed",
            plan.games()
        ));
    }
    if plan.rounds > 1 {
        return Err(anyhow!("--games: a run of several rounds cannot be extended"));
    }
    if games < plan.games() {
        return Err(anyhow!(
            "--games {games}: the run was started with {}, and can only be extended",
            plan.games()
        ));
    }
    if !games.is_multiple_of(2) || !plan.games().is_multiple_of(2) {
        return Err(anyhow!("--games {games}: only even numbers can be changed (it was {})", plan.games()));
    }
    Ok(())
}
