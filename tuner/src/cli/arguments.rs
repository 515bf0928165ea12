//! What was typed: commands and flags, and nothing of what they mean.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Where the engine's numbers stand, seen from the top of the project.
pub(super) const PARAMETERS: &str = "engine/params/evaluation.toml";

const EXIT_CODES: &str = "Exit codes:
  0    all that was asked was done
  1    failed while running
  2    wrong usage or input file
  3    finished, but something was left out: games or lines that could not be read
  130  interrupted; `texel` still writes the best that it found";

/// From games to better tables.
#[derive(Debug, Parser)]
#[command(
    name = "smalt-tuner",
    version,
    about = "Tunes the evaluation of the engine on positions from games"
)]
#[command(after_help = EXIT_CODES, max_term_width = 110)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Games to quiet, labelled positions
    #[command(after_help = "Example:
  smalt-tuner extract data/games/ethereal12-stockfish15.pgn.zst -o /tmp/positions.bin")]
    Extract(ExtractFlags),
    /// Positions to better weights
    #[command(after_help = "Examples:
  smalt-tuner texel /tmp/positions.bin --out /tmp/tuned.toml
  smalt-tuner texel quiet.epd --only 'mobility.*' --write")]
    Texel(TexelFlags),
    /// What changed from one parameter file to another
    Diff(DiffFlags),
    /// What positions say of the weights: coverage, pairs that can't be told apart, outliers
    Check(CheckFlags),
}

#[derive(Debug, Args)]
pub(super) struct ExtractFlags {
    /// Files of games: PGN, plain, gzip or zstd
    #[arg(required = true, value_name = "GAMES")]
    pub(super) games: Vec<PathBuf>,
    /// Where the positions go
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Replace positions in which something hangs by the quiet end of the engine's quiescence search
    #[arg(long)]
    pub(super) resolve: bool,
    /// The most positions of a game, spread over it
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(super) per_game: usize,
    /// Plies from the start position that count as opening
    #[arg(long, value_name = "PLIES", default_value_t = 10)]
    pub(super) opening: u32,
    /// Plies at the end of decided games that are left out
    #[arg(long, value_name = "PLIES", default_value_t = 6)]
    pub(super) last: usize,
    /// Give no phase more than so many times the mean of all phases
    #[arg(long, value_name = "FACTOR")]
    pub(super) balance: Option<f64>,
    /// Decides which positions of a game are taken
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Threads; as many as processors if not given
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Write the report as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum MethodName {
    /// L-BFGS: some dozens of passes, seconds
    Lbfgs,
    /// Gauss-Newton: fewer steps with the whole matrix, each dearer
    Newton,
    /// Mini-batches: for sets too large for the others
    Adam,
}

#[derive(Debug, Args)]
pub(super) struct TexelFlags {
    /// Positions: what `extract` wrote, or text (`FEN | score | result`, `c9 "1-0"`, `[1.0]`), plain or compressed
    #[arg(value_name = "POSITIONS")]
    pub(super) positions: PathBuf,
    /// Weights to begin with; those built in if not given
    #[arg(long, value_name = "FILE")]
    pub(super) params: Option<PathBuf>,
    /// Begin with material only: 100, 300, 300, 500, 900, all else zero
    #[arg(long, conflicts_with = "params")]
    pub(super) scratch: bool,
    /// Write the tuned weights into the engine's file (the one of --params if given)
    #[arg(long)]
    pub(super) write: bool,
    /// Write the tuned weights to another file
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    pub(super) out: Option<PathBuf>,
    /// Tune these groups or terms only, as in 'mobility.*'; may be given often
    #[arg(long, value_name = "NAME")]
    pub(super) only: Vec<String>,
    /// Leave these groups or terms alone; may be given often
    #[arg(long, value_name = "NAME")]
    pub(super) freeze: Vec<String>,
    /// How the least error is sought
    #[arg(long, value_enum, default_value_t = MethodName::Lbfgs)]
    pub(super) method: MethodName,
    /// The most iterations; 500 for lbfgs, 50 for newton, 200 for adam if not given
    #[arg(long, value_name = "N")]
    pub(super) epochs: Option<u64>,
    /// Iterations without a better validation error after which to stop
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(super) patience: u64,
    /// Steepness of the sigmoid; fitted first if not given
    #[arg(long)]
    pub(super) k: Option<f64>,
    /// Share of the result in the target; the rest is the sigmoid of the score in the data
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(super) lambda: f64,
    /// What leaving the start costs: squared errors for each number 100 centipawns away
    #[arg(long, value_name = "STRENGTH", default_value_t = 10.0)]
    pub(super) l2: f64,
    /// Share of the games held out for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub(super) validation: f64,
    /// Adam: centipawns of the first steps
    #[arg(long, default_value_t = 1.0)]
    pub(super) rate: f64,
    /// Adam: positions of a mini-batch
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    pub(super) batch: usize,
    /// Decides which games are held out, and the order of mini-batches
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Threads; as many as processors if not given
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Write the result as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct DiffFlags {
    /// The file before
    pub(super) before: PathBuf,
    /// The file after
    pub(super) after: PathBuf,
    /// Name every weight that changed
    #[arg(long)]
    pub(super) all: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckFlags {
    /// Positions, in any form that `texel` reads
    #[arg(value_name = "POSITIONS")]
    pub(super) positions: PathBuf,
    /// Weights to judge by; those built in if not given
    #[arg(long, value_name = "FILE")]
    pub(super) params: Option<PathBuf>,
    /// Write the positions with the largest errors as EPD
    #[arg(long, value_name = "FILE")]
    pub(super) outliers: Option<PathBuf>,
    /// How many of them
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(super) count: usize,
    /// Threads; as many as processors if not given
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
}
