//! `resume`: applies the changed settings, and continues.

use std::num::NonZeroU32;

use anyhow::Context;

use super::continued_run::begin_session;
use super::data::check_made_openings;
use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{given as is_given, make_absolute, refuse_slots};
use super::output::make_outputs_absolute;
use super::output_style::OutputStyle;
use super::page_address::claim_for_run;
use super::play::run_games;
use super::run_files::check_apart;
use super::run_flags::ResumeFlags;
use super::stored_run::{read_played_run, refuse_store};
use smalt_match::plan::{Flags, OnFault, Plan, Settings, merge_settings};
use smalt_match::setup::Prepared;
use smalt_match::store::Store;

/// Resumes a run with the settings of its store, changed by the flags.
pub(super) fn resume(flags: &ResumeFlags, style: OutputStyle) -> Result<Exit, Refusal> {
    let path = &flags.store;
    let store = Store::resume(path).map_err(refuse_store)?;
    let mut prepared = read_played_run(&store)?;
    if change(&mut prepared.plan, flags)? == ResumeChange::OfGames {
        (prepared, _) = Prepared::new(prepared.plan).or_usage()?;
    }
    check_apart(&prepared.plan, &style.further_outputs(), &[])?;
    let Flags { settings, given } = &flags.settings.0;
    let allows_mixed = settings.fleet.allow_mixed && is_given(given, "fleet", "allow-mixed");
    run_games(begin_session(store, prepared, allows_mixed, claim_for_run)?, style)
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
    if settings.fleet.on().is_none() {
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
