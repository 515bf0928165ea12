//! Flags of commands that play games by the tournament program.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use smalt_workbench::entrant::TimeControl;

use super::{OrRefuse, Refusal};
use crate::games::{locate, tournament_program};

/// How the games of `prove`, `spsa` and `clop` are played.
#[derive(Debug, Args)]
pub(super) struct GameFlags {
    /// Nodes for each move [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: Option<u64>,
    /// Time control in place of --nodes: seconds + increment, e.g. 8+0.08
    #[arg(long, value_name = "TC", conflicts_with = "nodes", value_parser = time_control)]
    pub(super) tc: Option<String>,
    /// File of openings, or builtin, chess960 or startpos [default: those of the tournament program]
    #[arg(long, value_name = "FILE")]
    pub(super) openings: Option<PathBuf>,
    /// Random seed [default: 1]
    #[arg(long)]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) runner: RunnerFlags,
}

impl GameFlags {
    /// Nodes for each move; `None` where there is a time control.
    pub(super) fn nodes(&self) -> Option<u64> {
        self.tc.is_none().then(|| self.nodes.unwrap_or(10_000))
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }
}

/// Built-in openings of the tournament program.
const BUILT_IN_OPENINGS: [&str; 3] = ["builtin", "chess960", "startpos"];

/// Refuses openings that are missing or a folder, before the first game.
pub(super) fn check_openings(openings: Option<&Path>) -> Result<(), Refusal> {
    let is_built_in = |path: &&Path| BUILT_IN_OPENINGS.iter().any(|name| path.as_os_str() == *name);
    let Some(path) = openings.filter(|path| !is_built_in(path)) else { return Ok(()) };
    let found = match path.metadata() {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        found => found.map(drop),
    };
    found.with_context(|| format!("--openings {}", path.display())).or_usage()
}

/// Checks a time control. The tournament program reads it again.
fn time_control(text: &str) -> Result<String, String> {
    TimeControl::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

pub(super) fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| "expected a number above 0".to_owned())
}

/// The tournament program.
#[derive(Debug, Args)]
pub(super) struct RunnerFlags {
    /// Number of concurrent games [default: that of the tournament program]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) concurrency: Option<usize>,
    /// Tournament program [default: `smalt-tournament` beside this one, or on the path]
    #[arg(long, value_name = "PROGRAM")]
    pub(super) tournament: Option<PathBuf>,
}

impl RunnerFlags {
    /// The program, which can be found.
    pub(super) fn program(&self) -> Result<PathBuf, Refusal> {
        let program = self.tournament.clone().unwrap_or_else(tournament_program);
        let words =
            "the tournament program: build it (`cargo build --release`), or give --tournament PROGRAM";
        locate(&program).context(words).or_usage()?;
        Ok(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_a_file_or_built_in() {
        let is_taken = |name: &str| check_openings(Some(Path::new(name))).is_ok();
        assert!(BUILT_IN_OPENINGS.iter().all(|name| is_taken(name)) && is_taken("Cargo.toml"));
        assert!(!is_taken("nowhere.epd") && !is_taken("src"));
    }
}
