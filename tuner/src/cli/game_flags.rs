//! Flags of commands that play games by the tournament program.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::{OrRefuse, Refusal};
use crate::games::{locate, tournament_program};

/// How the games of `prove`, `spsa` and `clop` are played.
#[derive(Debug, Args)]
pub(super) struct GameFlags {
    /// Nodes for each move [default: 10000]
    #[arg(long, value_name = "N")]
    pub(super) nodes: Option<u64>,
    /// Time control in place of --nodes: seconds + increment, e.g. 8+0.08
    #[arg(long, value_name = "TC", conflicts_with = "nodes")]
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

/// The tournament program.
#[derive(Debug, Args)]
pub(super) struct RunnerFlags {
    /// Number of concurrent games [default: that of the tournament program]
    #[arg(long, value_name = "N")]
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
