//! `engines`: the registry, and which of its engines are installed.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use smalt_driver::EngineCommand;
use smalt_report::sanitize::sanitize;
use smalt_report::{Cell, Column, ColumnKind, Table};
use smalt_workbench::entrant::Registry;
use smalt_workbench::flags::RegistryFlag;

use super::exit::{Exit, Refusal};
use super::output::{is_standard_output, print, write_json};
use super::registry;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament engines
  smalt-tournament engines --engines engines.json --json - | jq -r '.engines[] | select(.path).name'

To add an engine, write it into smalt/engines.toml in your configuration folder (the command's last line names the file):
  [[engine]]
  name = \"mine\"
  cmd = \"/path/to/mine\"";

#[derive(Args, Clone, Debug)]
pub(super) struct EnginesFlags {
    #[command(flatten)]
    engines: RegistryFlag,
    /// JSON file of the list (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The engines of the registry.
#[derive(Serialize, JsonSchema)]
pub(super) struct EngineList {
    /// One table per engine.
    engines: Vec<ListedEngine>,
}

/// An engine of the registry.
#[derive(Serialize, JsonSchema)]
struct ListedEngine {
    /// Name of the engine.
    name: String,
    /// Its command.
    command: String,
    /// Its protocol: `uci`, `xboard` or `auto`.
    protocol: String,
    /// Its rating; null if the registry has none.
    rating: Option<f64>,
    /// The program that would be started; null if it is missing.
    path: Option<PathBuf>,
    /// Why there is no program; null if there is one.
    missing: Option<String>,
}

pub(super) fn engines(flags: &EnginesFlags) -> Result<Exit, Refusal> {
    let registry = registry::registry(flags.engines.path.as_deref())?;
    let mut names: Vec<&str> = Vec::new();
    for name in registry.names() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let engines = names.into_iter().filter_map(|name| listed(&registry, name)).collect();
    let list = EngineList { engines };
    if let Some(file) = &flags.json {
        write_json(file, &list)?;
    }
    if !flags.json.as_deref().is_some_and(is_standard_output) {
        print(&text(&list))?;
    }
    Ok(Exit::Done)
}

fn listed(registry: &Registry, name: &str) -> Option<ListedEngine> {
    let settings = registry.settings(name)?;
    let command = settings.cmd?;
    let mut program = EngineCommand::new(&command);
    if let Some(folder) = settings.dir {
        program = program.directory(folder);
    }
    let located = program.locate();
    let missing = located.as_ref().err().map(ToString::to_string);
    Some(ListedEngine {
        name: name.to_owned(),
        command,
        protocol: settings.proto.name().to_owned(),
        rating: settings.rating,
        path: located.ok(),
        missing,
    })
}

fn text(list: &EngineList) -> String {
    let columns = [
        ("Engine", ColumnKind::Text),
        ("Protocol", ColumnKind::Text),
        ("Rating", ColumnKind::Integer),
        ("Program", ColumnKind::Text),
    ];
    let mut table = Table::new(columns.map(|(head, kind)| Column::new(head, kind)));
    for engine in &list.engines {
        let program = match (&engine.path, &engine.missing) {
            (Some(path), _) => path.display().to_string(),
            (None, missing) => format!("missing: {}", missing.as_deref().unwrap_or_default()),
        };
        let rating = engine.rating.map_or(Cell::Missing, |rating| Cell::from(rating.round() as i64));
        table.push([
            sanitize(&engine.name).into(),
            engine.protocol.as_str().into(),
            rating,
            sanitize(&program).into(),
        ]);
    }
    let own = smalt_workbench::config_folder()
        .map(|path| format!("\nYour own: {}\n", path.join("smalt").join("engines.toml").display()));
    table.to_text() + &own.unwrap_or_default()
}
