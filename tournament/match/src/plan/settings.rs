//! All settings of a run. One field is flag, plan file key, default and description of a setting. Each source
//! of settings (file, `--each`, flags) is a layer of TOML; layers are merged and read once.

use clap::builder::PossibleValue;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_data::GAUNTLET;
use smalt_workbench::entrant::{EngineSettings, FileError, has_limit, merge, parse_file, remove_limits};
use toml::{Table, Value};

use super::adjudication::AdjudicationSettings;
use super::clock::ClockSettings;
use super::data::DataSettings;
use super::fleet::FleetSettings;
use super::machine::Timeouts;
use super::openings::OpeningsSettings;
use super::output::OutputSettings;
use super::prior::PriorResults;
use super::run::RunSettings;
use super::sprt::SprtSettings;

/// Keys of earlier versions, which are read like the new ones: section, old name, new name.
const RENAMED_KEYS: [(&str, &str, &str); 2] =
    [("run", "strike-after", "disqualify-after"), ("output", "serve-token", "token-file")];

/// All settings of a run, in sections.
#[derive(Args, Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// Format, number of games, and reaction to faults.
    #[command(flatten)]
    pub run: RunSettings,
    /// Default time control and search limits of the engines.
    #[command(flatten)]
    pub clock: ClockSettings,
    /// Opening book and its order.
    #[command(flatten)]
    pub openings: OpeningsSettings,
    /// Rules that end games early.
    #[command(flatten)]
    pub adjudication: AdjudicationSettings,
    /// Sequential test (SPRT) that ends the run early.
    #[command(flatten)]
    pub sprt: Option<SprtSettings>,
    /// Output files and their formats.
    #[command(flatten)]
    pub output: OutputSettings,
    /// Which positions of the games are kept for tuners and trainers.
    #[command(flatten)]
    pub data: DataSettings,
    /// Timeouts of engines other than those of moves.
    #[command(flatten)]
    pub timeouts: Timeouts,
    /// NATS server of a distributed run.
    #[command(flatten)]
    pub fleet: FleetSettings,
    /// Results of the match before this run.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<PriorResults>,
    /// Default settings of every engine.
    #[arg(skip)]
    pub each: Option<EngineSettings>,
    /// Engines of the run, in order.
    #[arg(skip)]
    #[serde(rename = "entrant", skip_serializing_if = "Vec::is_empty")]
    pub entrants: Vec<EngineSettings>,
}

impl Settings {
    /// Parses a complete plan; `file` is its name in errors.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or a value that does not fit its key.
    pub fn parse(text: &str, file: &str) -> Result<Settings, FileError> {
        parse_file(text, file).map_err(name_both_keys)
    }

    /// Parses a plan as a layer: only the given values, checked.
    ///
    /// # Errors
    /// As [`Settings::parse`].
    pub fn parse_layer(text: &str, file: &str) -> Result<Table, FileError> {
        Settings::parse(text, file)?;
        let mut layer: Table = parse_file(text, file)?;
        for (section, old, new) in RENAMED_KEYS {
            if let Some(Value::Table(section)) = layer.get_mut(section)
                && let Some(value) = section.remove(old)
            {
                section.insert(new.to_owned(), value);
            }
        }
        Ok(layer)
    }

    /// The settings as a plan file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("settings have only tables, texts and numbers")
    }

    /// The settings as a complete layer.
    pub fn to_layer(&self) -> Table {
        Table::try_from(self).expect("settings have only tables, texts and numbers")
    }

    /// The layer of the shipped plan, with its engines.
    pub fn shipped() -> Table {
        Settings::parse_layer(GAUNTLET.text, GAUNTLET.path).expect("the shipped plan is tested")
    }
}

/// Words the error of a file that has a renamed key by both of its names.
fn name_both_keys(mut error: FileError) -> FileError {
    let twice = |new: &str| error.message == format!("duplicate field `{new}`");
    if let Some((section, old, new)) = RENAMED_KEYS.iter().find(|(_, _, new)| twice(new)) {
        error.message =
            format!("{section}.{old} is the earlier name of {section}.{new}: give only one of them");
    }
    error
}

/// Merges a layer over another. Any search limit replaces all limits of its section; a list of engines
/// replaces the other list.
pub fn merge_settings(below: &mut Table, above: Table) {
    for section in ["clock", "each"] {
        if let (Some(Value::Table(below)), Some(Value::Table(above))) =
            (below.get_mut(section), above.get(section))
            && has_limit(above)
        {
            remove_limits(below);
        }
    }
    merge(below, above);
}

/// The flags of a section: all values, and the layer of those given.
#[derive(Clone, Debug, Default)]
pub struct Flags<T> {
    /// All values, with defaults.
    pub settings: T,
    /// Values given on the command line.
    pub given: Table,
}

impl<T: Args + Serialize> Args for Flags<T> {
    /// Common flags come first; advanced ones (`hide_short_help`) follow under their own headings. Help lists no values that
    /// are all hidden.
    fn augment_args(command: clap::Command) -> clap::Command {
        let all = T::augment_args(clap::Command::new("settings"));
        let (advanced, usual): (Vec<Arg>, Vec<Arg>) =
            all.get_arguments().cloned().map(without_hidden_values).partition(Arg::is_hide_short_help_set);
        let advanced = advanced.into_iter().map(|arg| {
            let heading = arg.get_help_heading().and_then(advanced_heading);
            arg.help_heading(heading)
        });
        command.args(usual).args(advanced).groups(all.get_groups().cloned())
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

fn without_hidden_values(arg: Arg) -> Arg {
    let are_hidden = arg.get_possible_values().iter().all(PossibleValue::is_hide_set);
    if are_hidden { arg.hide_possible_values(true) } else { arg }
}

impl<T: Args + Serialize> FromArgMatches for Flags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let settings = T::from_arg_matches(matches)?;
        let all = Table::try_from(&settings)
            .map_err(|error| clap::Error::raw(clap::error::ErrorKind::ValueValidation, error))?;
        // Not `try_contains_id`, which knows the ids in debug builds alone.
        let is_known = |id: &str| matches.ids().any(|known| known.as_str() == id);
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        Ok(Flags { settings, given: part_of(all, "", &is_known, &is_given) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Heading of a section's advanced flags.
fn advanced_heading(usual: &str) -> Option<&'static str> {
    Some(match usual {
        "Run" => "Advanced: run",
        "Time control" => "Advanced: time control",
        "Openings" => "Advanced: openings",
        "Adjudication" => "Advanced: adjudication",
        "Output" => "Advanced: output",
        "Training data" => "Advanced: training data",
        "Timeouts" => "Advanced: timeouts",
        "Other machines" => "Advanced: other machines",
        _ => return None,
    })
}

/// The part of a layer whose flags have these ids.
pub fn settings_of_flags(layer: Table, ids: &[&str]) -> Table {
    let all = Settings::augment_args(clap::Command::new("settings"));
    let is_known = |id: &str| all.get_arguments().any(|arg| arg.get_id() == id);
    part_of(layer, "", &is_known, &|id| ids.contains(&id))
}

/// The part of a section whose flags are wanted.
fn part_of(
    section: Table,
    name: &str,
    is_known: &dyn Fn(&str) -> bool,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Table {
    let part = |(key, value): (String, Value)| match value {
        value if id_of(name, &key, is_known).is_some_and(|id| is_wanted(&id)) => Some((key, value)),
        Value::Table(table) => {
            let table = part_of(table, &key, is_known, is_wanted);
            (!table.is_empty()).then_some((key, Value::Table(table)))
        }
        _ => None,
    };
    section.into_iter().filter_map(part).collect()
}

/// The flag id of a key: its name, prefixed with its section where another key has the same name.
fn id_of(section: &str, key: &str, is_known: &dyn Fn(&str) -> bool) -> Option<String> {
    let key = key.replace('-', "_");
    let short = if section == "tablebases" { "tb" } else { section };
    let path = if key == "path" { short.to_owned() } else { format!("{short}_{key}") };
    [path, key].into_iter().find(|id| is_known(id))
}

#[cfg(test)]
mod tests;
