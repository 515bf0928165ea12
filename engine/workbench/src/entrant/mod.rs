//! Entrants as people write them: one argument of a command line, or a name in a registry of engines. Every program
//! that runs engines reads them here, so that the same words mean the same everywhere. Starts nothing, compares nothing
//! with anything else: what a program makes of a clock or an option is its own business. What an entrant inherits is filled
//! in by [`Registry::resolve`].

mod cutechess;
mod naming;
mod registry;
mod resolve;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;

use smalt_driver::{Pondering, Protocol, Restart};
use smalt_protocol::TimeControl;

pub use cutechess::LeftOutEngine;
pub use naming::{NameError, Names, default_name};
pub use registry::{OptionText, Registry, RegistryEngine, RegistryError};
pub use resolve::{Program, ResolveError, ResolvedEntrant};
pub use words::{WordsError, parse_entrant, parse_keys, split_words};

/// The command that means Smalt itself: the running executable again, as an engine.
pub const BUILTIN: &str = "builtin";

/// All that was written about an entrant; what was not written is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntrantText {
    /// A program, a name in the registry, or [`BUILTIN`].
    pub cmd: Option<String>,
    /// Its name in this run.
    pub name: Option<String>,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Its working folder.
    pub dir: Option<PathBuf>,
    /// What it speaks.
    pub proto: Option<Protocol>,
    /// Its clock.
    pub tc: Option<TimeControl>,
    /// Milliseconds for each move.
    pub movetime: Option<u64>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Plies for each move.
    pub depth: Option<u32>,
    /// Milliseconds that a move may be late.
    pub timemargin: Option<u64>,
    /// Whether it is started anew for each game or position.
    pub restart: Option<Restart>,
    /// Whether it thinks on its opponent's time.
    pub ponder: Option<Pondering>,
    /// The file to which its standard error is appended.
    pub stderr: Option<PathBuf>,
    /// Nodes a second of Smalt on the machine for which its times are meant.
    pub scale: Option<u64>,
    /// Whether the scores that it tells are from White's view, whoever is to move.
    pub whitepov: Option<bool>,
    /// Its options and their values.
    pub options: BTreeMap<String, String>,
}
