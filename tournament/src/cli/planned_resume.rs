//! `run PLAN --resume` with an existing store: resumes its run if it is one of this plan.

use std::path::Path;

use anyhow::anyhow;
use smalt_workbench::entrant::EngineSettings;
use toml::{Table, Value};

use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::section;
use super::output::print_info;
use super::output_style::OutputStyle;
use super::resume;
use super::run_flags::{ResumableFlags, ResumeFlags};
use super::stored_run::{read_plan, refuse_store};
use smalt_match::named_file::numbered;
use smalt_match::plan::{Flags, Format, Plan, Settings};
use smalt_match::store::Store;

/// Maximum number of differences that a refusal names.
const MOST_NAMED: usize = 3;

/// Highest number of a game file whose first name was taken.
const MOST_NUMBERED: u32 = 99;

/// Resumes the run of a store. Settings of `layer` (plan file and flags) that `resume` can change are changed; a plan that
/// differs from the stored one in others is refused.
pub(super) fn resume_plan(
    plan: Plan,
    layer: Table,
    store: &Path,
    style: OutputStyle,
) -> Result<Exit, Refusal> {
    let stored = read_plan(&Store::read(store).map_err(refuse_store)?)?;
    let has_games = stored.games() == plan.games()
        || stored.settings.run.grown.iter().any(|size| size.games == plan.games());
    let further = plan.games().checked_sub(stored.games()).and_then(|games| games.try_into().ok());
    let is_longer = !has_games && further.is_some_and(|games| stored.extended(games).is_ok());
    let differences = differences(&plan, &stored, has_games || is_longer)?;
    if !differences.is_empty() {
        let named = differences[..differences.len().min(MOST_NAMED)].join("; ");
        let more = match differences.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let store = store.display();
        return Err(anyhow!(
            "the plan with its flags differs from that of the run in {store}: {named}{more}; give another --store to start a run \
             of this plan, or resume the run as it is with: smalt-tournament resume {store}"
        ))
        .or_usage();
    }
    let mut given = ResumableFlags::part_of(layer);
    let run = section(&mut given, "run");
    match is_longer {
        true => drop(run.insert("games".to_owned(), Value::from(plan.games()))),
        false => drop(run.remove("games")),
    }
    if plan.fleet().is_some() {
        // A plan may hold it for local runs.
        run.remove("concurrency");
    }
    let settings = ResumableFlags(Flags { settings: plan.settings, given });
    resume::resume(&ResumeFlags { store: store.to_owned(), settings, ..ResumeFlags::default() }, style)
}

/// Differences between a plan and the stored one, in words; settings that `resume` may change, and those that a run adds to
/// its plan, are not compared.
fn differences(plan: &Plan, stored: &Plan, are_games_equal: bool) -> Result<Vec<String>, Refusal> {
    let (mut new, mut old) = (plan.settings.clone(), stored.settings.clone());
    let is_untitled = is_untitled(&new)?;
    forget_added(&mut new, &mut old);
    if are_games_equal {
        new.run.games = old.run.games;
    }
    if is_untitled {
        new.run.name.clone_from(&old.run.name);
    }
    let names = |engines: &[EngineSettings]| {
        let names = engines.iter().map(|engine| engine.name.as_deref().unwrap_or_default());
        names.collect::<Vec<_>>().join(", ")
    };
    let (new_engines, old_engines) = (std::mem::take(&mut new.entrants), std::mem::take(&mut old.entrants));
    let mut found = Vec::new();
    compare("", &fixed(&new), &fixed(&old), &mut found);
    if new_engines.len() == old_engines.len() {
        for (new, old) in new_engines.into_iter().zip(old_engines) {
            let name = old.name.clone().unwrap_or_default();
            for (key, words) in engine_differences(new, old)? {
                // Engines inherit the time control.
                if !found.iter().any(|(other, _)| *other == format!("clock.{key}")) {
                    found.push((format!("engine {name}: {key}"), words));
                }
            }
        }
    } else {
        found.push(("engines".to_owned(), versus(&names(&new_engines), &names(&old_engines))));
    }
    Ok(found.into_iter().map(|(key, words)| format!("{key}: {words}")).collect())
}

/// Makes settings equal that a run adds to its plan, or that do not change it.
fn forget_added(new: &mut Settings, old: &mut Settings) {
    let sizes = std::mem::take(&mut old.run.grown);
    let is_earlier = sizes.iter().any(|size| size.engines == new.entrants.len());
    if is_earlier && new.entrants.len() < old.entrants.len() {
        old.entrants.truncate(new.entrants.len());
        if new.run.format == Format::Match {
            old.run.format = Format::Match;
        }
    }
    new.run.skipped.clone_from(&old.run.skipped);
    new.clock.measured = old.clock.measured;
    new.fleet.run.clone_from(&old.fleet.run);
    let (written, named) = (&old.output, &mut new.output);
    named.store.clone_from(&written.store);
    (named.pgn_after, named.epd_after) = (written.pgn_after, written.epd_after);
    let is_same = |pgn: &std::path::PathBuf| {
        let pgn = std::path::absolute(pgn).unwrap_or_else(|_| pgn.clone());
        let other = |number| written.pgn.as_ref() == Some(&numbered(&pgn, number));
        written.pgn.as_ref() == Some(&pgn) || (2..=MOST_NUMBERED).any(other)
    };
    if named.pgn.as_ref().is_none_or(is_same) {
        named.pgn.clone_from(&written.pgn);
    }
}

/// Whether the name of the event is the default.
fn is_untitled(settings: &Settings) -> Result<bool, Refusal> {
    let mut untitled = settings.clone();
    let name = untitled.run.name.take();
    Ok(Plan::new(untitled).or_usage()?.settings.run.name == name)
}

/// Differences of an engine. A branch may have moved since the start of the run, which continues with its commit.
fn engine_differences(
    mut new: EngineSettings,
    mut old: EngineSettings,
) -> Result<Vec<(String, String)>, Refusal> {
    for engine in [&mut new, &mut old] {
        let EngineSettings { package, source, note, rating, rating_error, .. } = engine;
        (*package, *source, *note, *rating, *rating_error) = (None, None, None, None, None);
    }
    if new.repo.is_some() && (&new.repo, &new.build) == (&old.repo, &old.build) {
        if let (Some(commit), Some(begun)) = (&new.revision, &old.revision)
            && commit != begun
        {
            let name = old.name.as_deref().unwrap_or_default();
            print_info(&format!(
                "Warning: {name}: the revision of the plan is commit {commit} now, and the run goes on with {begun}"
            ));
        }
        new.cmd.clone_from(&old.cmd);
        new.name.clone_from(&old.name);
        new.revision.clone_from(&old.revision);
    }
    let table = |engine| Table::try_from(engine).or_failed();
    let mut found = Vec::new();
    compare("", &table(new)?, &table(old)?, &mut found);
    Ok(found)
}

/// The settings that `resume` cannot change.
fn fixed(settings: &Settings) -> Table {
    let mut layer = settings.to_layer();
    let games = layer["run"].get("games").cloned();
    remove(&mut layer, &ResumableFlags::part_of(settings.to_layer()));
    section(&mut layer, "run").extend(games.map(|games| ("games".to_owned(), games)));
    layer
}

fn remove(layer: &mut Table, part: &Table) {
    for (key, value) in part {
        match (layer.get_mut(key), value) {
            (Some(Value::Table(layer)), Value::Table(part)) => remove(layer, part),
            _ => drop(layer.remove(key)),
        }
    }
}

/// Adds the different settings of two tables, with both values.
fn compare(path: &str, new: &Table, old: &Table, found: &mut Vec<(String, String)>) {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added) {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match (new.get(key), old.get(key)) {
            (new, old) if new == old => {}
            (Some(Value::Table(new)), Some(Value::Table(old))) => compare(&path, new, old, found),
            (new, old) => {
                let words = |value: Option<&Value>| value.map_or("not set".to_owned(), Value::to_string);
                found.push((path, versus(&words(new), &words(old))));
            }
        }
    }
}

fn versus(new: &str, old: &str) -> String {
    format!("{new} in the plan, {old} in the run")
}
