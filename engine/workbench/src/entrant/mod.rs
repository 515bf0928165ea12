//! Engines as users write them: `key=value` words of a command line, an entry of a registry, a table of a plan. All
//! three use the same keys and are parsed into the same [`EngineSettings`]. Layers are merged as TOML tables
//! ([`merge_engine`]) before parsing. Starts nothing.

mod command;
mod cutechess;
mod file;
mod file_options;
mod layers;
mod naming;
mod registry;
mod resolve;
mod split_words;
pub mod text;
mod word_reader;
mod words;

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use smalt_driver::{Pondering, Protocol, Restart};
pub use smalt_protocol::TimeControl;

pub use cutechess::SkippedEngine;
pub use file::{FileError, parse_file};
pub use file_options::{is_file_option, is_input_option};
pub(crate) use layers::merge_engine;
pub use layers::{has_limit, merge, remove_limits};
pub use naming::{NameError, Names, check_new_name, default_name};
pub use registry::{Registry, RegistryError, RegistryFile};
pub use resolve::{Program, ResolveError};
pub use split_words::{WordsError, join_words, split_words};
pub use text::OptionText;
pub use word_reader::{from_words, table_of_words};
pub use words::{parse_keys, to_words};

/// The command for Smalt itself: the running executable, started as an engine.
pub const BUILTIN: &str = "builtin";

/// Keys that describe an engine of the registry to readers and change nothing of a game.
pub const REMARKS: [&str; 5] = ["package", "rating", "rating-error", "source", "note"];

/// The settings of one engine. What a layer does not set is inherited.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct EngineSettings {
    /// Name in tables and PGN [default: the file name of the command]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Side in a gauntlet: challenger or opponent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Command: a program, a name of the registry, or `builtin`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    /// Path or URL of a git repository from which the engine is built; `git` in words
    #[serde(alias = "git", skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Branch, tag or commit that is built [default: HEAD]
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Shell command that builds the program {exe}, for example make EXE={exe}
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Arguments of the program
    pub args: Vec<String>,
    /// Working folder
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Protocol: uci, xboard, or auto
    pub proto: Protocol,
    /// Restart of the process for each game or position: on or off
    pub restart: Restart,
    /// Thinking on the opponent's time: on or off
    pub ponder: Pondering,
    /// Lines sent to it before the first of its protocol; \n separates them
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initstr: Option<String>,
    /// `debug on` for a UCI engine: on or off
    pub debug: bool,
    /// Results that it claims are taken unchecked: on or off
    pub trust: bool,
    /// Factor of its timeouts, 0.2 to 120 [default: 1]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tscale: Option<f64>,
    /// Polyglot book from which its moves come while it has some
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book: Option<PathBuf>,
    /// Number of moves of each side up to which its book is used [default: all]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bookdepth: Option<NonZeroU32>,
    /// File to which standard error is appended
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<PathBuf>,
    /// Time control: moves/seconds+increment
    #[serde(with = "text::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub tc: Option<TimeControl>,
    /// Time for each move, in milliseconds
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<NonZeroU64>,
    /// Nodes for each move
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NonZeroU64>,
    /// Depth of each search, in plies
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<NonZeroU32>,
    /// Time by which a move may be late, in milliseconds
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timemargin: Option<u64>,
    /// Longest search without a limit of time, in seconds
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_move: Option<NonZeroU64>,
    /// Nodes a second of Smalt on the machine for which the times are meant
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<NonZeroU64>,
    /// Scores from White's point of view: true or false
    pub whitepov: bool,
    /// Options by name
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub options: BTreeMap<String, OptionText>,
    /// Package that installs the engine
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Rating on the list that `source` names
    #[serde(deserialize_with = "rating", skip_serializing_if = "Option::is_none")]
    pub rating: Option<f64>,
    /// Half-width of the 95 % interval of the rating [default: 20]
    #[serde(deserialize_with = "rating_error", skip_serializing_if = "Option::is_none")]
    pub rating_error: Option<f64>,
    /// Source of the rating
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Note for readers
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl EngineSettings {
    /// Keys of an engine on the command line, without [`REMARKS`].
    #[must_use]
    pub fn word_keys() -> Vec<String> {
        let schema = schemars::schema_for!(EngineSettings);
        let keys = schema.get("properties").and_then(|keys| keys.as_object()).into_iter().flatten();
        let keys = keys.map(|(key, _)| key.as_str()).filter(|key| !REMARKS.contains(key));
        keys.map(|key| if key == "options" { "option.NAME" } else { key }.to_owned()).collect()
    }

    /// The program of its command; `None` without a command.
    #[must_use]
    pub fn program(&self) -> Option<Program> {
        self.cmd.as_deref().map(|command| match command {
            BUILTIN => Program::Builtin,
            path => Program::Command(path.into()),
        })
    }

    /// Lines sent before the first line of its protocol, separated by line feeds.
    #[must_use]
    pub fn initial_lines(&self) -> String {
        self.initstr.as_deref().unwrap_or_default().replace("\\n", "\n")
    }

    /// The options as texts.
    #[must_use]
    pub fn option_texts(&self) -> BTreeMap<String, String> {
        self.options.iter().map(|(name, text)| (name.clone(), text.0.clone())).collect()
    }
}

/// Reads a rating: no list has larger numbers, and they must be finite.
fn rating<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    number_within(deserializer, -100_000.0..=100_000.0, "expected a rating between -100000 and 100000")
}

fn rating_error<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    number_within(deserializer, 0.0..=100_000.0, "expected an error between 0 and 100000")
}

fn number_within<'de, D: Deserializer<'de>>(
    deserializer: D,
    range: RangeInclusive<f64>,
    reason: &str,
) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(deserializer)? {
        Some(number) if !range.contains(&number) => Err(D::Error::custom(reason)),
        number => Ok(number),
    }
}

/// Side in a gauntlet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Plays all opponents; statistics are from its point of view.
    Challenger,
    /// Plays all challengers.
    Opponent,
}
