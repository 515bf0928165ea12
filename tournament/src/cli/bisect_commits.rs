//! The commits of a bisection: built when their games are due, skipped if they cannot be played or have the program of another.

use std::fs::File;
use std::sync::mpsc::{Receiver, Sender};

use anyhow::{Context, anyhow};
use smalt_match::plan::{EngineSettings, Entrant, Plan, Role, SkippedEntrant};
use smalt_match::run::{Event, UnbuiltEntrant, check_start};
use smalt_match::store::Store;
use smalt_report::format::count;
use smalt_workbench::engine_files::sha256;
use smalt_workbench::program::own_program;
use smalt_workbench::source::{BuildError, Builder};

use super::continued_run::prepare_grown;
use super::exit::{OrRefuse, Refusal};
use super::output::print_info;
use super::started_run::StartedRun;
use super::stored_run::{read_plan, refuse_store};

/// Builds a commit whose games are due, and prepares the session that plays them. A commit without a program that plays is skipped,
/// and so are those that have the same program as another.
pub(super) fn prepare_commit(
    mut store: Store,
    unbuilt: UnbuiltEntrant,
    allows_mixed: bool,
    (sender, events): &(Sender<Event>, Receiver<Event>),
) -> Result<StartedRun, Refusal> {
    let plan = read_plan(&store)?;
    let digests = store.own_binaries(plan.entrants.len()).map_err(refuse_store)?;
    let (built, skipped) = build_commit(&plan, unbuilt, &digests)?;
    // The stop request of an interrupted build is among them.
    let pending: Vec<Event> = events.try_iter().collect();
    let is_stopped = pending.iter().any(|event| matches!(event, Event::Stop(_) | Event::Kill));
    pending.into_iter().for_each(|event| drop(sender.send(event)));
    if !is_stopped {
        let mut settings = plan.settings;
        settings.entrants[unbuilt.entrant] = built;
        settings.run.skipped.extend(skipped);
        let plan = Plan::new(settings).or_failed()?;
        // With one program in all of them there is no change; without any there is no answer.
        let are_same = plan.settings.run.skipped.iter().all(|skipped| skipped.same);
        if commits_left(&plan).is_empty() && !are_same {
            return Err(nothing_left(&plan)).or_failed();
        }
        store.change_plan(&plan.settings.to_toml()).map_err(refuse_store)?;
    }
    prepare_grown(store, allows_mixed)
}

pub(super) fn nothing_left(plan: &Plan) -> anyhow::Error {
    let good = &plan.entrants[in_order(plan)[0]].name;
    anyhow!("no commit after {good} can be built and has another program")
}

/// The commits that are not skipped.
pub(super) fn commits_left(plan: &Plan) -> Vec<usize> {
    let is_skipped =
        |entrant: usize| plan.settings.run.skipped.iter().any(|skipped| skipped.entrant == entrant);
    in_order(plan)[1..].iter().copied().filter(|&entrant| !is_skipped(entrant)).collect()
}

/// The entrants of a bisection: the good commit, then the others, oldest first.
fn in_order(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.entrants.len()).collect();
    order.sort_by_key(|&entrant| plan.entrants[entrant].role != Role::Opponent);
    order
}

/// Builds an entrant and starts it once; returns it, and the commits that need no games now. A build that a stop request has ended
/// leaves it unbuilt.
pub(super) fn build_commit(
    plan: &Plan,
    unbuilt: UnbuiltEntrant,
    digests: &[Option<String>],
) -> Result<(EngineSettings, Vec<SkippedEntrant>), Refusal> {
    let UnbuiltEntrant { entrant, rounds, has_played } = unbuilt;
    let skip = |entrant: usize, same: bool| SkippedEntrant { entrant, rounds, same };
    let mut built = plan.entrants[entrant].clone();
    let name = &built.name;
    let words = match Builder::default().restore_entrant(&mut built.engine) {
        Ok(()) => {
            built.program = built.engine.program().unwrap_or(built.program);
            match check_start(&built, plan, &own_program()?) {
                Ok(()) if has_played => return Ok((built.engine, Vec::new())),
                Ok(()) => {
                    let same = same_programs(plan, &built, entrant, digests).or_failed()?;
                    return Ok((built.engine, same.into_iter().map(|entrant| skip(entrant, true)).collect()));
                }
                Err(error) => format!("{name}: {error}"),
            }
        }
        Err(error @ BuildError::Interrupted { .. }) => {
            print_info(&format!("Stopped: {error}"));
            return Ok((built.engine, Vec::new()));
        }
        Err(error) if is_of_commit(&error) => error.to_string(),
        Err(error) => return Err(error).or_failed(),
    };
    if has_played {
        return Err(anyhow!("the games of {name} continue with its program: {words}")).or_failed();
    }
    print_info(&format!("Skipped: {words}"));
    let (order, left) = (in_order(plan), commits_left(plan));
    let is_skipped = |other: &&usize| **other == entrant || !left.contains(other);
    let tail: Vec<usize> = order[1..].iter().rev().take_while(is_skipped).copied().collect();
    if tail.contains(&entrant) {
        let first = tail.last().map_or(name, |&first| &plan.entrants[first].name);
        print_info(&format!(
            "Warning: {first} and all later commits are skipped: the result does not cover them"
        ));
    }
    Ok((plan.settings.entrants[entrant].clone(), vec![skip(entrant, false)]))
}

/// Commits that are not the change, since a program has the same bytes before and after them. `digests` are those of the programs
/// that were built before.
fn same_programs(
    plan: &Plan,
    built: &Entrant,
    entrant: usize,
    digests: &[Option<String>],
) -> anyhow::Result<Vec<usize>> {
    let own = digest(&built.engine)?;
    let order = in_order(plan);
    let place = order.iter().position(|&other| other == entrant).unwrap_or_default();
    let mut same = Vec::new();
    for (other_place, &other) in order.iter().enumerate() {
        if other == entrant || digests[other].as_ref() != Some(&own) {
            continue;
        }
        let [earlier, later] = if other_place < place { [other_place, place] } else { [place, other_place] };
        let [first, last] = [earlier, later].map(|place| &plan.entrants[order[place]].name);
        print_info(&format!(
            "Skipped: {}: {last} has the program of {first}",
            count(later - earlier, "commit")
        ));
        same.extend(&order[earlier + 1..=later]);
    }
    Ok(same)
}

/// SHA-256 of the program of an engine.
pub(super) fn digest(engine: &EngineSettings) -> anyhow::Result<String> {
    let program = engine.cmd.as_deref().unwrap_or_default();
    let digest = File::open(program).and_then(|mut file| sha256(&mut file));
    digest.with_context(|| format!("read {program}"))
}

/// Whether the commit is at fault, not this machine.
fn is_of_commit(error: &BuildError) -> bool {
    matches!(error, BuildError::Failed { .. } | BuildError::NoProgram { .. } | BuildError::Bench { .. })
}
