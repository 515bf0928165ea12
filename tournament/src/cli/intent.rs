//! Makes a plan from flags and plan files, each a layer of settings.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use smalt_driver::EngineCommand;
use smalt_workbench::entrant::{BUILTIN, Registry, WordsError, parse_keys, split_words, table_of_words};
use smalt_workbench::input::read_text;
use smalt_workbench::program::own_program;
use smalt_workbench::source::{self, Builder, Source};
use toml::{Table, Value};

use super::exit::{OrRefuse, Refusal};
use super::output::bytes_of;
use super::registry::registry;
use super::run_files::check_apart;
use super::run_flags::{Commits, RunFlags};
use smalt_match::plan::{Entrant, Format, Plan, Role, SECOND_PLAYER, Settings, Timeouts, merge_settings};
use smalt_match::run::engine_command;

/// The plan of flags.
pub(super) fn plan_of_flags(format: Format, flags: &RunFlags) -> Result<Plan, Refusal> {
    let registry = registry(flags.engines.path.as_deref())?;
    plan_of(format, layer_of_flags(flags, &registry)?, flags, &registry)
}

/// The plan of `sprt`: a match under a sequential test.
pub(super) fn plan_of_test(flags: &RunFlags) -> Result<Plan, Refusal> {
    let registry = registry(flags.engines.path.as_deref())?;
    let mut layer = layer_of_flags(flags, &registry)?;
    section(&mut layer, "sprt");
    plan_of(Format::Match, layer, flags, &registry)
}

/// The plan of games for training data: one engine against itself, or a round robin of several.
pub(super) fn plan_of_data(mut layer: Table, flags: &RunFlags) -> Result<Plan, Refusal> {
    let registry = registry(flags.engines.path.as_deref())?;
    merge_settings(&mut layer, layer_of_flags(flags, &registry)?);
    let engines = entrants(&mut layer);
    if engines.is_empty() {
        engines.push(Value::Table(Table::from_iter([("cmd".to_owned(), Value::from(BUILTIN))])));
    }
    resolve_sources(&mut layer, &registry, flags.commits)?;
    let engines = entrants(&mut layer);
    if let [Value::Table(only)] = engines.as_slice() {
        let mut second = only.clone();
        if let Some(Value::String(name)) = second.get_mut("name") {
            name.push_str(SECOND_PLAYER);
        }
        engines.push(Value::Table(second));
    }
    let format = if engines.len() == 2 { Format::Match } else { Format::RoundRobin };
    section(&mut layer, "run").insert("format".to_owned(), Value::from(format.to_string()));
    let plan = Plan::of_layers(layer, &registry).or_usage()?;
    finish(plan, flags, None)
}

pub(super) fn plan_of(
    format: Format,
    mut layer: Table,
    flags: &RunFlags,
    registry: &Registry,
) -> Result<Plan, Refusal> {
    section(&mut layer, "run").insert("format".to_owned(), Value::from(format.to_string()));
    if format == Format::Gauntlet {
        let mut shipped = Settings::shipped();
        if !layer.contains_key("entrant") {
            merge_settings(&mut shipped, layer);
            layer = shipped;
        } else if !section(&mut layer, "run").contains_key("seeds") {
            add_missing_side(entrants(&mut layer), entrants(&mut shipped));
        }
    }
    // The command builds those of a bisection.
    let commits = if format == Format::Bisect { Commits::Locate } else { flags.commits };
    resolve_sources(&mut layer, registry, commits)?;
    let plan = Plan::of_layers(layer, registry).or_usage()?;
    finish(plan, flags, None)
}

/// The plan of a file, overridden by flags.
pub(super) fn plan_of_file(path: &Path, flags: &RunFlags) -> Result<Plan, Refusal> {
    plan_and_layer_of_file(path, flags).map(|(plan, _)| plan)
}

/// The plan of a file, and the layer of the settings that it and the flags give.
pub(super) fn plan_and_layer_of_file(path: &Path, flags: &RunFlags) -> Result<(Plan, Table), Refusal> {
    let name = path.display().to_string();
    let text = read_text(path).with_context(|| format!("read {name}")).or_usage()?;
    let mut layers = Settings::parse_layer(&text, &name).or_usage()?;
    let registry = registry(flags.engines.path.as_deref())?;
    merge_settings(&mut layers, layer_of_flags(flags, &registry)?);
    let given = layers.clone();
    resolve_sources(&mut layers, &registry, flags.commits)?;
    let plan = Plan::of_layers(layers, &registry).context(name).or_usage()?;
    Ok((finish(plan, flags, Some(path))?, given))
}

/// The plan with absolute paths. Its outputs are neither its plan file nor the registry.
fn finish(plan: Plan, flags: &RunFlags, file: Option<&Path>) -> Result<Plan, Refusal> {
    let mut settings = plan.settings;
    refuse_slots(given(&flags.settings.given, "run", "concurrency"), settings.fleet.on().is_some())?;
    make_absolute(&mut settings);
    let plan = Plan::new(settings).or_usage()?;
    let registry = Registry::path(flags.engines.path.as_deref());
    let inputs: Vec<&Path> = file.into_iter().chain(registry.as_deref()).collect();
    check_apart(&plan, &[], &inputs)?;
    Ok(plan)
}

/// Concurrency of a distributed run is set for each worker. A plan may hold it for local runs.
pub(super) fn refuse_slots(is_typed: bool, is_elsewhere: bool) -> Result<(), Refusal> {
    if is_typed && is_elsewhere {
        return Err(anyhow!(
            "--concurrency: leave it out with --nats, and give it to each worker; with --ssh write HOST/N"
        ))
        .or_usage();
    }
    Ok(())
}

/// The missing side of a gauntlet is Smalt: full strength as challenger, weakened as opponents.
fn add_missing_side(typed: &mut Vec<Value>, shipped: &mut Vec<Value>) {
    let is_challenger = |engine: &Value| engine.get("role").and_then(Value::as_str) == Some("challenger");
    let opponent = typed.iter().find(|engine| engine.get("role").is_some() && !is_challenger(engine));
    match (typed.iter().any(is_challenger), opponent.is_some()) {
        (true, true) => {}
        (false, _) => drop(typed.splice(0..0, shipped.extract_if(.., |engine| is_challenger(engine)))),
        (true, false) => typed.extend(shipped.extract_if(.., |engine| !is_challenger(engine))),
    }
}

/// A section of a layer, created if missing.
pub(super) fn section<'a>(layer: &'a mut Table, name: &str) -> &'a mut Table {
    let section = layer.entry(name).or_insert_with(|| Value::Table(Table::new()));
    section.as_table_mut().expect("sections are tables in every layer")
}

/// The engines of a layer.
fn entrants(layer: &mut Table) -> &mut Vec<Value> {
    let entrants = layer.entry("entrant").or_insert_with(|| Value::Array(Vec::new()));
    entrants.as_array_mut().expect("engines are a list in every layer")
}

/// Whether a layer has this key.
pub(super) fn given(layer: &Table, section: &str, key: &str) -> bool {
    layer.get(section).is_some_and(|section| section.get(key).is_some())
}

/// One engine as a plan would have it, and the command that starts it.
pub(super) fn single_engine(engine: Table, registry: &Registry) -> Result<(Entrant, EngineCommand), Refusal> {
    let partner = Table::from_iter([("cmd".to_owned(), Value::from(BUILTIN))]);
    let mut settings = Settings::default();
    settings.run.format = Format::Match;
    let plan = Plan::of_engines(settings, &[engine, partner], &Table::new(), registry).or_usage()?;
    let mut settings = plan.settings;
    make_absolute(&mut settings);
    let mut plan = Plan::new(settings).or_usage()?;
    let entrant = plan.entrants.swap_remove(0);
    let command = command_of(&entrant)?;
    Ok((entrant, command))
}

/// The command that starts an entrant.
pub(super) fn command_of(entrant: &Entrant) -> Result<EngineCommand, Refusal> {
    let command = engine_command(entrant, &own_program()?);
    command.locate().map_err(|error| anyhow!("failed to {error}")).or_usage()?;
    Ok(command)
}

/// Makes paths absolute, so that a run can be resumed from another folder.
pub(super) fn make_absolute(settings: &mut Settings) {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    if !settings.openings.is_embedded() {
        settings.openings.file = absolute(&settings.openings.file);
    }
    settings.data.file = settings.data.file.as_ref().map(absolute);
    if let Some(path) = &mut settings.adjudication.tablebases.path {
        let folders = std::env::split_paths(path).map(|folder| absolute(&folder));
        // Folders that cannot be joined had no colon to split at.
        *path = std::env::join_paths(folders).map_or_else(|_| path.clone(), PathBuf::from);
    }
    let fleet = &mut settings.fleet;
    let files = [&mut fleet.password_file, &mut fleet.creds, &mut fleet.nkey];
    for path in files.into_iter().chain([&mut fleet.ca, &mut fleet.cert, &mut fleet.key]).flatten() {
        *path = absolute(path);
    }
    for engine in &mut settings.entrants {
        engine.stderr = engine.stderr.as_ref().map(absolute);
        engine.book = engine.book.as_ref().map(absolute);
        engine.dir = engine.dir.as_ref().map(absolute);
        let Some(cmd) = &mut engine.cmd else { continue };
        let path = Path::new(cmd);
        if path.components().count() > 1
            && path.exists()
            && !engine.dir.as_ref().is_some_and(|folder| folder.join(path).exists())
        {
            *cmd = absolute(&path.to_owned()).display().to_string();
        }
    }
}

/// The layer of flags.
pub(super) fn layer_of_flags(flags: &RunFlags, registry: &Registry) -> Result<Table, Refusal> {
    let mut layer = flags.settings.given.clone();
    if flags.recover {
        section(&mut layer, "run").insert("on-fault".to_owned(), Value::from("recover"));
    }
    if let Some(words) = &flags.timeouts {
        let words = table_of_words::<Timeouts>(words).context("--timeouts").or_usage()?;
        section(&mut layer, "timeouts").extend(words);
    }
    if flags.append {
        let output = section(&mut layer, "output");
        for file in ["pgn", "epd"] {
            let path = output.get(file).and_then(Value::as_str).map(PathBuf::from);
            let bytes = path.and_then(|path| i64::try_from(bytes_of(&path)).ok());
            output.extend(bytes.map(|bytes| (format!("{file}-after"), Value::from(bytes))));
        }
    }
    if let Some(words) = &flags.each {
        let each = each(words).context("--each").or_usage()?;
        layer.insert("each".to_owned(), Value::Table(each));
    }
    if let Some(command) = &flags.build {
        section(&mut layer, "each").insert("build".to_owned(), Value::from(command.as_str()));
    }
    // With --seeds all entrants are in one list.
    let is_sided = !given(&layer, "run", "seeds");
    let engines = flags.engine.iter().map(|text| ("--engine", text, is_sided.then_some(Role::Challenger)));
    let opponents = flags.opponent.iter().map(|text| ("--opponent", text, Some(Role::Opponent)));
    let mut typed = Vec::new();
    for (flag, text, role) in engines.chain(opponents) {
        let mut engine =
            registry.parse_engine(text).with_context(|| format!("{flag} {text:?}")).or_usage()?;
        if let Some(role) = role {
            let role = Value::try_from(role).context("write a role").or_failed()?;
            engine.entry("role").or_insert(role);
        }
        typed.push(Value::Table(engine));
    }
    if let Some(range) = &flags.git {
        typed = revisions(range).or_usage()?.into();
    }
    if !typed.is_empty() {
        *entrants(&mut layer) = typed;
    }
    Ok(layer)
}

/// The engines of `--git BASE..NEW`: the new revision against the base, of the repository in the current folder.
fn revisions(range: &str) -> anyhow::Result<[Value; 2]> {
    let (base, new) = ends_of_range(range)?;
    Ok([revision(new, "challenger"), revision(base, "opponent")])
}

/// The entrant of a commit of the repository in the current folder.
pub(super) fn revision(revision: &str, role: &str) -> Value {
    let words = [("repo", "."), ("ref", revision), ("role", role)];
    Value::Table(words.map(|(key, word)| (key.to_owned(), Value::from(word))).into_iter().collect())
}

/// The two revisions of `--git BASE..NEW`.
pub(super) fn ends_of_range(range: &str) -> anyhow::Result<(&str, &str)> {
    range
        .split_once("..")
        .filter(|(base, new)| !base.is_empty() && !new.is_empty() && !new.starts_with('.'))
        .ok_or_else(|| anyhow!("--git {range}: expected two revisions BASE..NEW, such as main..HEAD"))
}

/// Sets the programs of the engines that are given as commits.
fn resolve_sources(layers: &mut Table, registry: &Registry, commits: Commits) -> Result<(), Refusal> {
    let each = each_of(layers);
    let Some(Value::Array(engines)) = layers.get_mut("entrant") else { return Ok(()) };
    let engines = engines.iter_mut().filter_map(Value::as_table_mut);
    let mut program_of = |source: &Source| match commits {
        Commits::Build => Builder::default().build(source),
        Commits::Locate => source::locate(source, &source::cache_folder()),
    };
    source::resolve_entrants(engines, &each, registry, &mut program_of).or_usage()
}

/// The settings of every entrant of a layer.
pub(super) fn each_of(layer: &Table) -> Table {
    layer.get("each").and_then(Value::as_table).cloned().unwrap_or_default()
}

/// Settings of every entrant: only `key=value` words.
fn each(text: &str) -> Result<Table, WordsError> {
    parse_keys(&split_words(text)?)
}
