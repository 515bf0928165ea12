//! Goes on with a run: what may be changed is changed, what a killed run left is ended, and the rest is as at the begin.

use std::num::{NonZeroU32, NonZeroUsize};

use anyhow::{Context, anyhow};

use super::arguments::ResumeFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::games;
use super::intent::refuse_slots;
use super::output::{check_outputs, make_outputs_absolute};
use super::play::{Crew, Face, conduct, prepare_place, read_played_run, refuse_store};
use super::serve::claim_for_run;
use smalt_match::plan::{FleetPlan, Format, OnFault, OutputFile, Plan};
use smalt_match::setup::Prepared;
use smalt_match::store::Store;

/// Goes on with a run. What the flags do not change stays as it was begun.
pub(super) fn resume(flags: &ResumeFlags, face: Face) -> Result<Exit, Refusal> {
    let path = &flags.store;
    let store = Store::resume(path).map_err(refuse_store)?;
    let mut prepared = read_played_run(&store)?;
    if change(&mut prepared.plan, flags)? == Change::OfGames {
        (prepared, _) = Prepared::new(prepared.plan).or_usage()?;
    }
    prepared.plan.output.store = Some(path.to_owned());
    prepare_place(&mut prepared.plan)?;
    check_outputs(&prepared.plan)?;
    let page = claim_for_run(&prepared.plan.output)?;
    let crew = Crew::of(&prepared, &store.machines().map_err(refuse_store)?)?;
    let games = games::resume(&mut prepared, &store)?;
    store.change_plan(&prepared.plan.to_file().to_toml()).map_err(refuse_store)?;
    for process in store.left_processes().map_err(refuse_store)? {
        let _ = process.sweep();
        store.forget_process(process).map_err(refuse_store)?;
    }
    conduct(&prepared, crew, store, games, page, face)
}

/// What became of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    OfGames,
    OfOthers,
}

fn change(plan: &mut Plan, flags: &ResumeFlags) -> Result<Change, Refusal> {
    if let Some(number) = flags.concurrency {
        let number = NonZeroUsize::new(number).context("--concurrency must be above zero").or_usage()?;
        plan.concurrency = Some(number);
    }
    if let Some(policy) = flags.on_fault.or(flags.recover.then_some(OnFault::Recover)) {
        plan.on_fault = policy;
    }
    if let Some(faults) = flags.strike_after {
        plan.strike_after = NonZeroU32::new(faults);
    }
    let fleet = plan.fleet.as_ref().map(FleetPlan::to_file).unwrap_or_default();
    let fleet = flags.fleet.file().or(fleet).check();
    plan.fleet = fleet.map_err(|error| anyhow!("--nats: {error}")).or_usage()?;
    refuse_slots(flags.concurrency, plan.fleet.is_some())?;
    let show = flags.show.clone();
    let kept = plan.output.clone();
    plan.output = OutputFile {
        json: show.json.or(kept.json),
        events: show.events.or(kept.events),
        epd: show.epd.or(kept.epd),
        log: show.log.or(kept.log),
        serve: show.serve.or(kept.serve),
        serve_token: show.serve_token.or(kept.serve_token),
        serve_after: show.serve_after.then_some(true).or(kept.serve_after),
        rating_interval: show.rating_interval.or(kept.rating_interval),
        ..kept
    };
    make_outputs_absolute(&mut plan.output);
    match flags.games {
        Some(games) if games != plan.games => {
            check_growth(plan, games).or_usage()?;
            plan.games = games;
            Ok(Change::OfGames)
        }
        _ => Ok(Change::OfOthers),
    }
}

/// Games keep their numbers only if whole pairs are added behind the last of each pairing.
fn check_growth(plan: &Plan, games: u32) -> anyhow::Result<()> {
    if !matches!(plan.format, Format::Gauntlet | Format::RoundRobin | Format::Match) {
        return Err(anyhow!("--games: a {} cannot be made longer", plan.format));
    }
    if plan.rounds > 1 {
        return Err(anyhow!("--games: a run of several rounds cannot be made longer"));
    }
    if games < plan.games {
        return Err(anyhow!(
            "--games {games}: the run was begun with {}, and can only be made longer",
            plan.games
        ));
    }
    if !games.is_multiple_of(2) || !plan.games.is_multiple_of(2) {
        return Err(anyhow!("--games {games}: only even numbers can be changed (it was {})", plan.games));
    }
    Ok(())
}
