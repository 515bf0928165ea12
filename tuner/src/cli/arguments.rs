//! What was typed: commands and flags, and nothing of what they mean.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use smalt_about::{AboutCommand, ColorFlag};

use crate::dataset::format::Format;

/// Where the engine's numbers stand, seen from the top of the project.
pub(super) const PARAMETERS: &str = "engine/params/evaluation.toml";

/// Where the constants of its search stand.
pub(super) const SEARCH_CONSTANTS: &str = "engine/params/search.toml";

const EXIT_CODES: &str = "Exit codes:
  0    all that was asked was done
  1    failed while running
  2    wrong usage or input file
  3    finished, but something was left out: games or lines that could not be read; `prove`: not accepted
  130  interrupted by Ctrl-C; `texel` still writes the best that it found
  143  ended by SIGTERM; likewise";

/// From games to better numbers.
#[derive(Debug, Parser)]
#[command(
    name = "smalt-tuner",
    version = smalt_about::VERSION,
    about = "Tunes the evaluation of the engine on positions from games, and its search by games"
)]
#[command(after_help = EXIT_CODES, max_term_width = 110)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
    /// Colours of help and errors.
    #[command(flatten)]
    _color: ColorFlag,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Games to quiet, labelled positions
    #[command(after_help = "Example:
  smalt-tuner extract data/games/ethereal12-stockfish15.pgn.zst -o /tmp/positions.bin")]
    Extract(ExtractFlags),
    /// Positions from one format to another
    #[command(after_help = "Examples:
  smalt-tuner convert positions.bin -o positions.plain
  smalt-tuner convert a.binpack b.viri -o all.csv
  smalt-tuner convert quiet-labeled.epd -o data.txt --format fen

Formats, by the ending of the name or by --format:
  smalt .bin; fen .txt (FEN | score | result); epd .epd (c9); book .book (FEN [1.0]); csv .csv;
  plain .plain and binpack .binpack (Stockfish); bullet .bullet (bulletformat);
  viri .viri (viriformat)
Text is read compressed (.gz, .zst) as well. A format that needs a score, a move or a whole
result leaves out the positions without, and says how many (exit code 3).")]
    Convert(ConvertFlags),
    /// Positions to better weights
    #[command(after_help = "Examples:
  smalt-tuner texel /tmp/positions.bin -o /tmp/tuned.toml
  smalt-tuner texel quiet.epd --only 'mobility.*' --write")]
    Texel(TexelFlags),
    /// What changed from one parameter file to another
    Diff(DiffFlags),
    /// What positions say of the weights: coverage, pairs that can't be told apart, outliers
    Check(CheckFlags),
    /// A fit as a picture: its errors, its boards before and after, what moved most
    #[command(after_help = "Examples:
  smalt-tuner texel positions.bin -o tuned.toml --json run.json && smalt-tuner plot run.json -o loss.svg
  smalt-tuner plot tuned.toml -o boards.svg
  smalt-tuner plot spsa.json -o spsa.svg
  smalt-tuner plot old.toml tuned.toml --kind moved -o moved.svg")]
    Plot(PlotFlags),
    /// Games between a tuned table and the one that it is to replace, until a sequential test is decided
    #[command(after_help = "From games to a proven table, from the top of the project:
  smalt-tuner extract GAMES.pgn -o positions.bin && smalt-tuner texel positions.bin -o tuned.toml &&
    smalt-tuner prove tuned.toml --write

Exit code 0: the table was accepted; 3: it was not, and nothing was written.")]
    Prove(ProveFlags),
    /// Games that turn the constants of a search: all at once, by chance, following what wins (SPSA)
    #[command(after_help = "Examples:
  cargo build --release -p smalt --features tune && smalt-tuner spsa --engine target/release/smalt --write
  smalt-tuner spsa --engine ./mine --knobs knobs.txt --tc 5+0.05 --games 40000 -o tuned.txt

Knobs of any engine are told as OpenBench takes them, one a line: name, int|float, value, min, max, c_end, r_end.
Afterwards let the tuned engine play the old one: `smalt-tournament sprt`.")]
    Spsa(SpsaFlags),
    /// Completions, manual pages and reference.
    #[command(flatten)]
    About(AboutCommand),
}

#[derive(Debug, Args)]
pub(super) struct ExtractFlags {
    /// Files of games: PGN, plain, gzip or zstd, or stores of runs
    #[arg(required = true, value_name = "GAMES")]
    pub(super) games: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Format of the output, as for `convert` [default: by the ending of its name]
    #[arg(long, value_name = "FORMAT", value_parser = super::convert::parse_format)]
    pub(super) format: Option<Format>,
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
    /// Greatest number of positions of a phase, as a multiple of the mean of all phases
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

#[derive(Debug, Args)]
pub(super) struct ConvertFlags {
    /// Files of positions
    #[arg(required = true, value_name = "POSITIONS")]
    pub(super) positions: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Format of the output [default: by the ending of its name]
    #[arg(long, value_name = "FORMAT", value_parser = super::convert::parse_format)]
    pub(super) format: Option<Format>,
    /// Format of the inputs [default: by their first bytes and the endings of their names]
    #[arg(long, value_name = "FORMAT", value_parser = super::convert::parse_format)]
    pub(super) from: Option<Format>,
    /// Write the result as JSON; `-` for standard output
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ScheduleName {
    /// It stays
    Constant,
    /// It falls along a cosine to a hundredth
    Cosine,
    /// A tenth after half of them, a hundredth after three quarters
    Step,
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
    #[arg(long, alias = "from-scratch", conflicts_with = "params")]
    pub(super) scratch: bool,
    /// Write the tuned weights into the engine's file (the one of --params if given)
    #[arg(long)]
    pub(super) write: bool,
    /// Write the tuned weights to another file
    #[arg(short, long, alias = "out", value_name = "FILE", conflicts_with = "write")]
    pub(super) output: Option<PathBuf>,
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
    /// Hold numbers between bounds, as in 'material.pawn=80..120'; may be given often
    #[arg(long, value_name = "NAME=LEAST..MOST")]
    pub(super) bound: Vec<String>,
    /// Do not hold boards to mirrored files, nor lists to rising numbers, where the schema says so
    #[arg(long)]
    pub(super) unconstrained: bool,
    /// Fit a strength for each player too, and take it out of the results: where unequal players met, the stronger
    /// one wins from positions that are not won, and that misleads the weights
    #[arg(long)]
    pub(super) adjust_for_players: bool,
    /// Share of the games held out for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub(super) validation: f64,
    /// Adam: centipawns of the first steps
    #[arg(long, default_value_t = 1.0)]
    pub(super) rate: f64,
    /// Adam: how the rate changes over the epochs
    #[arg(long, value_enum, default_value_t = ScheduleName::Cosine)]
    pub(super) schedule: ScheduleName,
    /// Adam: positions of a mini-batch
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    pub(super) batch: usize,
    /// Keep the fit in this file while it goes on, so that `--resume` can go on with it
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Go on with the fit in this file, and keep it there
    #[arg(long, value_name = "FILE", conflicts_with = "checkpoint")]
    pub(super) resume: Option<PathBuf>,
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
    /// Show in how many positions each weight occurs, of all weights
    #[arg(long)]
    pub(super) all: bool,
    /// Write the findings as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// How many outliers
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(super) count: usize,
    /// Threads; as many as processors if not given
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(super) struct PlotFlags {
    /// What `texel --json FILE` wrote, or a checkpoint of `spsa`; or a parameter file, and before it the one that it is
    /// compared with (default: the numbers built in)
    #[arg(value_name = "RUN.json|SPSA.json|[BEFORE.toml] AFTER.toml", required = true, num_args = 1..=2)]
    pub(super) files: Vec<PathBuf>,
    /// What is drawn (default: loss of a fit, parameters of a checkpoint of `spsa`, boards of parameter files)
    #[arg(short, long, value_enum, value_name = "KIND")]
    pub(super) kind: Option<PlotKind>,
    /// Where the SVG goes; standard output if not given
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum PlotKind {
    /// The errors of a fit by epoch
    Loss,
    /// The numbers of each square, before and after
    Boards,
    /// The numbers that moved most
    Moved,
}

#[derive(Debug, Args)]
pub(super) struct ProveFlags {
    /// The tuned table
    #[arg(value_name = "TUNED.toml")]
    pub(super) tuned: PathBuf,
    /// The table that it must beat; engine/params/evaluation.toml if there, else the one built in
    #[arg(long, value_name = "FILE")]
    pub(super) base: Option<PathBuf>,
    /// Replace the base by the tuned table if it is accepted
    #[arg(long)]
    pub(super) write: bool,
    /// The engine that plays with both, as `smalt-tournament` names engines; it must know the option EvalFile
    #[arg(long, value_name = "E", default_value = "builtin")]
    pub(super) engine: String,
    /// Nodes for each move
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(super) nodes: u64,
    /// A clock instead, as in 8+0.08
    #[arg(long, value_name = "TC", conflicts_with = "nodes")]
    pub(super) tc: Option<String>,
    /// The hypothesis that rejects it: normalized Elo
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(super) elo0: f64,
    /// The hypothesis that accepts it: normalized Elo
    #[arg(long, value_name = "ELO", default_value_t = 5.0, allow_negative_numbers = true)]
    pub(super) elo1: f64,
    /// The most games
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(super) games: u64,
    /// Games at the same time; the tournament program's default if not given
    #[arg(long, value_name = "N")]
    pub(super) concurrency: Option<usize>,
    /// Openings; the tournament program's if not given
    #[arg(long, value_name = "FILE")]
    pub(super) openings: Option<PathBuf>,
    /// Where the games are kept, to be resumed by `smalt-tournament resume` and looked at by `smalt-tournament serve`
    #[arg(long, value_name = "RUN.db")]
    pub(super) store: Option<PathBuf>,
    /// Decides the order of openings
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// The program that plays; `smalt-tournament` beside this one, or on the path, if not given
    #[arg(long, value_name = "PROGRAM")]
    pub(super) tournament: Option<PathBuf>,
    /// Write the result as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct SpsaFlags {
    /// The engine that plays itself, as `smalt-tournament` names engines; each parameter must be an option of it
    #[arg(long, value_name = "E", required_unless_present = "resume")]
    pub(super) engine: Option<String>,
    /// The parameters: our own constants (.toml), or lines as OpenBench takes them [default: engine/params/search.toml]
    #[arg(long, value_name = "FILE")]
    pub(super) knobs: Option<PathBuf>,
    /// Turn these only, as in 'reduction_*'; may be given often
    #[arg(long, value_name = "NAME")]
    pub(super) only: Vec<String>,
    /// Leave these alone; may be given often
    #[arg(long, value_name = "NAME")]
    pub(super) freeze: Vec<String>,
    /// Games in all [default: 20000]
    #[arg(long, value_name = "N")]
    pub(super) games: Option<u64>,
    /// Games of a round: both sides play them with one perturbation [default: 16]
    #[arg(long, value_name = "N")]
    pub(super) batch: Option<u64>,
    /// Nodes for each move [default: 10000]
    #[arg(long, value_name = "N")]
    pub(super) nodes: Option<u64>,
    /// A clock instead, as in 8+0.08
    #[arg(long, value_name = "TC", conflicts_with = "nodes")]
    pub(super) tc: Option<String>,
    /// Games at the same time; the tournament program's default if not given
    #[arg(long, value_name = "N")]
    pub(super) concurrency: Option<usize>,
    /// Openings; the tournament program's if not given
    #[arg(long, value_name = "FILE")]
    pub(super) openings: Option<PathBuf>,
    /// Random seed of perturbations and openings [default: 1]
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// File that keeps the tuning after each round
    #[arg(long, value_name = "FILE", default_value = "spsa.json")]
    pub(super) checkpoint: PathBuf,
    /// Go on with the tuning in the checkpoint, which has its engine, parameters, clock, openings, batch, games and seed
    #[arg(long)]
    pub(super) resume: bool,
    /// Put the values into the file of the knobs
    #[arg(long)]
    pub(super) write: bool,
    /// Put them into another file
    #[arg(short, long, alias = "out", value_name = "FILE", conflicts_with = "write")]
    pub(super) output: Option<PathBuf>,
    /// The program that plays; `smalt-tournament` beside this one, or on the path, if not given
    #[arg(long, value_name = "PROGRAM")]
    pub(super) tournament: Option<PathBuf>,
    /// Write the result as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}
