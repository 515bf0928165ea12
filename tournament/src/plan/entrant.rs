//! An entrant: an engine with all that makes it play as it does. Starts nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use smalt_driver::Pondering;
use smalt_driver::entrant::{BUILTIN, OptionText, Protocol, Restart};
use smalt_protocol::{OptionDeclaration, OptionKind};

use super::clock::MoveClock;
use super::file::EntrantFile;

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

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// Smalt itself: this executable again, as an engine.
    Builtin,
    /// A program by its path, or by its name in the search path.
    Command(PathBuf),
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
