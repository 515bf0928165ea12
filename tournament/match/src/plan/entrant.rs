//! An entrant, as it is typed and as it is meant: an engine with all that makes it play as it does. Starts nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use smalt_driver::Pondering;
use smalt_driver::{Protocol, Restart};
use smalt_protocol::{OptionDeclaration, OptionKind, TimeControl};
pub use smalt_workbench::entrant::Program;
use smalt_workbench::entrant::{BUILTIN, EntrantText, OptionText};

use super::clock::MoveClock;
use super::file::ClockFile;
use super::value::Text;

/// One engine, or what holds for each.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct EntrantFile {
    /// Its name in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Which side of a gauntlet it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// A program, a name in the registry, or `builtin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cmd: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Its working folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// What it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proto: Option<Protocol>,
    /// Whether it is started anew for each game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<Restart>,
    /// Whether it thinks on its opponent's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ponder: Option<Pondering>,
    /// The file to which its standard error is appended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<PathBuf>,
    /// Its own clock: see [`ClockFile::tc`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<Text<TimeControl>>,
    /// See [`ClockFile::movetime`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// See [`ClockFile::nodes`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// See [`ClockFile::depth`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// See [`ClockFile::timemargin`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timemargin: Option<u64>,
    /// See [`ClockFile::longest_move`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_move: Option<u64>,
    /// See [`ClockFile::scale`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<u64>,
    /// Whether the scores that it tells are from White's view, whoever is to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whitepov: Option<bool>,
    /// Its options by their names, set in the order of the alphabet.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, OptionText>,
}

impl EntrantFile {
    /// What it says about its clock.
    pub fn clock(&self) -> ClockFile {
        ClockFile {
            tc: self.tc.clone(),
            movetime: self.movetime,
            nodes: self.nodes,
            depth: self.depth,
            timemargin: self.timemargin,
            longest_move: self.longest_move,
            scale: self.scale,
            ..ClockFile::default()
        }
    }

    /// What it says about its engine.
    pub(super) fn engine(&self) -> EntrantText {
        EntrantText {
            cmd: self.cmd.clone(),
            name: self.name.clone(),
            args: self.args.clone(),
            dir: self.dir.clone(),
            proto: self.proto,
            restart: self.restart,
            ponder: self.ponder,
            stderr: self.stderr.clone(),
            whitepov: self.whitepov,
            options: self.options.iter().map(|(name, text)| (name.clone(), text.0.clone())).collect(),
            ..EntrantText::default()
        }
    }
}

impl From<EntrantText> for EntrantFile {
    fn from(text: EntrantText) -> EntrantFile {
        EntrantFile {
            name: text.name,
            role: None,
            cmd: text.cmd,
            args: text.args,
            dir: text.dir,
            proto: text.proto,
            restart: text.restart,
            ponder: text.ponder,
            stderr: text.stderr,
            tc: text.tc.map(Text),
            movetime: text.movetime,
            nodes: text.nodes,
            depth: text.depth,
            timemargin: text.timemargin,
            longest_move: None,
            scale: text.scale,
            whitepov: text.whitepov,
            options: text.options.into_iter().map(|(name, value)| (name, OptionText(value))).collect(),
        }
    }
}

/// One of those who play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name in this run; no other has it.
    pub name: String,
    /// Which side of a gauntlet it is on.
    pub role: Role,
    /// What is run.
    pub program: Program,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// Its working folder; the current one if none.
    pub directory: Option<PathBuf>,
    /// What it speaks.
    pub protocol: Protocol,
    /// Whether it is started anew for each game.
    pub restart: Restart,
    /// Whether it thinks on its opponent's time.
    pub pondering: Pondering,
    /// The file to which its standard error is appended; the last lines are kept for reports of faults if none.
    pub stderr: Option<PathBuf>,
    /// From whose view it tells its scores.
    pub scores: ScoreView,
    /// Its time.
    pub clock: MoveClock,
    /// Its options and their values, as texts.
    pub options: BTreeMap<String, String>,
}

/// From whose view an engine tells its scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreView {
    /// From the mover's, as both protocols want it.
    #[default]
    Mover,
    /// From White's.
    White,
}

/// Which side of a gauntlet an entrant is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It meets all opponents; statistics take its view.
    Challenger,
    /// It meets all challengers.
    Opponent,
}

/// What engines call the number of their threads.
const THREADS: [&str; 2] = ["Threads", "Cores"];

fn is_threads(name: &str) -> bool {
    THREADS.iter().any(|threads| threads.eq_ignore_ascii_case(name))
}

/// Whether an engine that declares these options uses more threads by its default than its entrant's plan says.
pub fn declares_more_threads(entrant: &Entrant, options: &[OptionDeclaration]) -> bool {
    let is_set = entrant.options.keys().any(|name| is_threads(name));
    let more = |option: &OptionDeclaration| match option.kind {
        OptionKind::Spin { default, .. } => is_threads(&option.name) && default > 1,
        _ => false,
    };
    !is_set && options.iter().any(more)
}

impl Entrant {
    /// How many threads of its engine work at the same time, as far as its options say.
    pub fn threads(&self) -> usize {
        let set = self.options.iter().find(|(name, _)| is_threads(name));
        set.and_then(|(_, text)| text.parse().ok()).unwrap_or(1).max(1)
    }

    pub(super) fn to_file(&self) -> EntrantFile {
        let clock = self.clock.to_file();
        EntrantFile {
            name: Some(self.name.clone()),
            role: Some(self.role),
            cmd: Some(match &self.program {
                Program::Builtin => BUILTIN.to_owned(),
                Program::Command(path) => path.display().to_string(),
            }),
            args: (!self.arguments.is_empty()).then(|| self.arguments.clone()),
            dir: self.directory.clone(),
            proto: Some(self.protocol),
            restart: Some(self.restart),
            ponder: Some(self.pondering),
            stderr: self.stderr.clone(),
            tc: clock.tc,
            movetime: clock.movetime,
            nodes: clock.nodes,
            depth: clock.depth,
            timemargin: clock.timemargin,
            longest_move: clock.longest_move,
            scale: clock.scale,
            whitepov: (self.scores == ScoreView::White).then_some(true),
            options: self
                .options
                .iter()
                .map(|(name, text)| (name.clone(), OptionText(text.clone())))
                .collect(),
        }
    }
}
