//! Flags of commands that play games by the tournament program.

use std::fs::File;
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
    /// File of openings [default: those of the tournament program]
    #[arg(long, value_name = "FILE")]
    pub(super) openings: Option<PathBuf>,
    /// Random seed of openings, and of the values that are tried [default: 1]
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

/// Refuses openings that can't be read, before the first game.
pub(super) fn check_openings(openings: Option<&Path>) -> Result<(), Refusal> {
    let Some(path) = openings else { return Ok(()) };
    let opened = if path.is_dir() { Err(io::ErrorKind::IsADirectory.into()) } else { File::open(path) };
    opened.map(drop).with_context(|| format!("--openings {}", path.display())).or_usage()
}

/// Checks a time control. The tournament program reads it again.
fn time_control(text: &str) -> Result<String, String> {
    TimeControl::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn positive(text: &str) -> Result<usize, String> {
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
