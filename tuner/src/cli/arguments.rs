//! Command-line arguments of all commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use smalt_about::{AboutCommand, ColorFlag, names_or_files};
use smalt_workbench::entrant::Registry;
use smalt_workbench::flags::{RegistryFlag, ResultFlags};

use super::game_flags::{GameFlags, positive};
use super::night_settings::NightFlags;
use super::sources::SourceArgument;
use crate::weights::export::Language;
use smalt_dataset::format::Format;

pub(super) const SEARCH_CONSTANTS: &str = "engine/params/search.toml";

const EXIT_CODES: &str = "Exit codes:
  0    success
  1    failed while running
  2    wrong usage or input file
  3    finished, but something was skipped: games or lines that could not be read; `prove`: not accepted
  130  interrupted by Ctrl-C; `texel` still writes the best that it found
  143  ended by SIGTERM; likewise";

#[derive(Debug, Parser)]
#[command(
    name = "smalt-tuner",
    version = smalt_about::VERSION,
    about = "Tunes the evaluation of the engine on positions from games, and its search by games"
)]
#[command(after_help = EXIT_CODES, max_term_width = 110)]
pub(super) struct TunerArguments {
    #[command(subcommand)]
    pub(super) command: TunerCommand,
    /// Colors of help and errors.
    #[command(flatten)]
    _color: ColorFlag,
}

#[derive(Debug, Subcommand)]
pub(super) enum TunerCommand {
    /// Extract quiet, labelled positions from games
    #[command(after_help = "Example:
  smalt-tuner extract data/games/ethereal12-stockfish15.pgn.zst -o /tmp/positions.bin")]
    Extract(ExtractFlags),
    /// Convert positions from one format to another
    #[command(after_help = "Examples:
  smalt-tuner convert positions.bin -o positions.plain
  smalt-tuner convert a.binpack b.viri -o all.csv
  smalt-tuner convert quiet-labeled.epd -o data.txt --format fen

Formats, by the extension or by --format:
  smalt .bin; fen .txt (FEN | score | result); epd .epd (c9); book .book (FEN [1.0]); csv .csv;
  plain .plain and binpack .binpack (Stockfish); bullet .bullet (bulletformat);
  viri .viri (viriformat)
Text is read compressed (.gz, .zst) as well. Positions without the score,
move or whole result that a format needs are skipped and counted (exit code 3).")]
    Convert(ConvertFlags),
    /// Score positions by the searches of an engine, e.g. a stronger one
    #[command(after_help = "Examples:
  smalt-tuner rescore positions.bin --engine stockfish -o rescored.bin
  smalt-tuner rescore positions.bin --engine 'cmd=stockfish option.Hash=16' --nodes 5000 --share 1 -o rescored.bin

The new score is (1 - share) × own + share × scale × the engine's. Mates and scores of either beyond 1,500 centipawns \
count as 1,500; a position without an own score gets the engine's. The table at the end has the mean squared errors with which own, \
engine's and blended scores predict the results, and K, the steepness of the sigmoid. The same command continues one that was \
stopped, by the scores in FILE.part.")]
    Rescore(RescoreFlags),
    /// Fit the weights of an evaluation to the results of positions (Texel tuning)
    #[command(after_help = "Examples:
  smalt-tuner texel /tmp/positions.bin -o /tmp/tuned.toml
  smalt-tuner texel quiet.epd --only 'mobility.*' --write
  smalt-tuner texel positions.bin --engine ./mine --write=src/eval.h
  smalt-tuner texel mine.trace old.trace,weight=0.5,lambda=0.7 -o tuned.json

With --engine another engine's evaluation is fitted: it reports its parameters and the coefficients \
of each position, as docs/trace-protocol.md describes.
Options of a data source follow its name: weight=W (in the error), lambda=SHARE (of the result), \
validation=SHARE (of the games held out) and view=white|mover (point of view of its results and scores).")]
    Texel(TexelFlags),
    /// Collect the traces of another engine's evaluation in a file for texel and check
    #[command(after_help = "Example:
  smalt-tuner trace positions.bin --engine ./mine -o mine.trace && smalt-tuner texel mine.trace --write=src/eval.h

The same command again continues an interrupted file.")]
    Trace(TraceFlags),
    /// Compare two parameter files
    Diff(DiffFlags),
    /// Check a data set: coverage of the weights, collinear pairs, outliers
    Check(CheckFlags),
    /// Plot a fit (SVG): errors by epoch, piece-square tables, largest changes
    #[command(after_help = "Examples:
  smalt-tuner texel positions.bin -o tuned.toml --json run.json && smalt-tuner plot run.json -o loss.svg
  smalt-tuner plot tuned.toml -o boards.svg
  smalt-tuner plot spsa.json -o spsa.svg
  smalt-tuner plot old.toml tuned.toml --kind moved -o moved.svg
  smalt-tuner plot tuned.toml --engine ./mine -o boards.svg")]
    Plot(PlotFlags),
    /// Test the tuned version against the one that it replaces (SPRT)
    #[command(after_help = "From games to tested weights, in the root folder of the project:
  smalt-tuner extract GAMES.pgn -o positions.bin && smalt-tuner texel positions.bin -o tuned.toml &&
    smalt-tuner prove tuned.toml --write
For an engine whose numbers stand in its source:
  smalt-tuner texel positions.bin --engine ./mine --source src/eval.h -o tuned.h &&
    smalt-tuner prove tuned.h --base src/eval.h --build 'make -j2' --engine ./mine --write

Exit code 0: the tuned version was accepted; 3: it was not, and nothing was written.")]
    Prove(ProveFlags),
    /// Tune search parameters by self-play (SPSA)
    #[command(after_help = "Examples:
  cargo build --release -p smalt --features tune && smalt-tuner spsa --engine target/release/smalt --write
  smalt-tuner spsa --engine ./mine --parameters spsa.txt --tc 5+0.05 --games 40000 -o tuned.txt

Parameters of any engine are lines in OpenBench's format: name, int|float, value, min, max, c_end, r_end.
With --validate the tuning itself plays its values against the old ones. Afterwards `smalt-tuner prove --options` tests them.")]
    Spsa(SpsaFlags),
    /// Tune up to ten parameters, categorical ones included, by self-play (CLOP)
    #[command(after_help = "Examples:
  smalt-tuner clop --engine ./mine --parameters params.txt --games 6000 -o tuned.txt --plot landscape.svg
  smalt-tuner clop --resume --json clop-result.json

A line of the parameter file is name, int|float, value, min, max (c_end and r_end of OpenBench's format are not used), or \
name, choice, value, word, word, ... for an option of type combo, check or string. The whole range of each \
parameter is searched: choose it so that its worst values lose at most about 100 Elo.")]
    Clop(ClopFlags),
    /// Make an engine stronger in a loop, unattended: games, fit, SPRT, SPSA, and again
    #[command(after_help = super::night_settings::EXAMPLES)]
    Night(Box<NightFlags>),
    /// Print the JSON schema of what a command writes with --json
    Schema {
        /// Command
        name: super::json::SchemaName,
    },
    /// Completions, manual pages and reference.
    #[command(flatten)]
    About(AboutCommand),
}

#[derive(Debug, Args)]
pub(super) struct ExtractFlags {
    /// Files of games: PGN, plain, gzip or zstd, or stores of runs
    #[arg(required = true, value_name = "GAMES")]
    pub(super) games: Vec<PathBuf>,
    /// File to write, e.g. positions.bin
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Format of the output, as for `convert` [default: by its extension]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    /// Replace each noisy position by the quiet leaf of its quiescence search
    #[arg(long)]
    pub(super) resolve: bool,
    /// Maximum number of positions of a game, spread over it
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(super) per_game: usize,
    /// Maximum score of either side in centipawns, e.g. 1000; needs games with scores [default: any]
    #[arg(long, value_name = "CP")]
    pub(super) max_score: Option<u32>,
    /// Number of plies at the start of a game that are skipped as opening
    #[arg(long = "opening-plies", alias = "opening", value_name = "PLIES", default_value_t = 10)]
    pub(super) opening: u32,
    /// Number of plies at the end of decided games that are skipped
    #[arg(long = "last-plies", alias = "last", value_name = "PLIES", default_value_t = 6)]
    pub(super) last: usize,
    /// Maximum number of positions of a game phase, as a multiple of the mean, e.g. 2 [default: no limit]
    #[arg(long, value_name = "FACTOR")]
    pub(super) balance: Option<f64>,
    /// Random seed of the choice of positions
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of threads [default: number of processors]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

#[derive(Debug, Args)]
pub(super) struct ConvertFlags {
    /// Files of positions
    #[arg(required = true, value_name = "POSITIONS")]
    pub(super) positions: Vec<PathBuf>,
    /// File to write, e.g. positions.bin
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Format of the output [default: by its extension]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    /// Format of the inputs [default: by their first bytes and extensions]
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Option<Format>,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

#[derive(Debug, Args)]
pub(super) struct RescoreFlags {
    /// File of positions, in any format of `convert`
    #[arg(value_name = "POSITIONS")]
    pub(super) positions: PathBuf,
    /// Engine that scores them, as `smalt-tournament` names engines (a command, `cmd=… option.X=…`, or a registered name)
    #[arg(long, value_name = "ENGINE", add = names_or_files(Registry::names_to_complete))]
    pub(super) engine: String,
    #[command(flatten)]
    pub(super) registry: RegistryFlag,
    /// Nodes for each position
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) nodes: u64,
    /// Share of the engine's score in the new one, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    pub(super) share: f64,
    /// Factor of the engine's score [default: fitted, so that both scores predict the results with the same K]
    #[arg(long, value_name = "FACTOR")]
    pub(super) scale: Option<f64>,
    /// Engine processes [default: number of processors]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) concurrency: Option<usize>,
    /// File to write, e.g. rescored.bin
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Format of the output, as for `convert` [default: by its extension]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum MethodName {
    /// L-BFGS: some dozens of passes over all positions
    #[value(alias = "newton")]
    Lbfgs,
    /// Adam: mini-batches, for very large data sets
    Adam,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ScheduleName {
    /// Constant
    Constant,
    /// Falls along a cosine to a hundredth
    Cosine,
    /// A tenth after half of the epochs, a hundredth after three quarters
    Step,
}

/// The engine of a trace.
#[derive(Debug, Args)]
pub(super) struct EngineFlags {
    /// Engine that gives traces, as `smalt-tournament` names engines (a command, `cmd=… option.X=…`, or a registered name)
    #[arg(long, value_name = "ENGINE", add = names_or_files(Registry::names_to_complete))]
    pub(super) engine: Option<String>,
    #[command(flatten)]
    pub(super) registry: RegistryFlag,
    /// Engine processes [default: number of processors]
    #[arg(long, value_name = "N")]
    pub(super) concurrency: Option<usize>,
    /// Largest difference between the engine's score and the one from its coefficients, in score units [default: that of
    /// the engine]
    #[arg(long, value_name = "UNITS")]
    pub(super) tolerance: Option<f64>,
}

#[derive(Debug, Args)]
pub(super) struct TraceFlags {
    /// File of positions, in any format of `convert`
    #[arg(value_name = "POSITIONS")]
    pub(super) positions: PathBuf,
    #[command(flatten)]
    pub(super) engine: EngineFlags,
    /// File of traces to write or to continue, e.g. mine.trace
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

#[derive(Debug, Args)]
pub(super) struct TexelFlags {
    /// Data sources: files of positions (any format of `convert`) or of traces, with options after commas
    #[arg(value_name = "POSITIONS", required = true)]
    pub(super) positions: Vec<SourceArgument>,
    #[command(flatten)]
    pub(super) engine: EngineFlags,
    /// File with the start values [default: those of the engine]
    #[arg(long, alias = "params", value_name = "FILE")]
    pub(super) parameters: Option<PathBuf>,
    /// Start from material values (100, 300, 300, 500, 900), all else zero; with --engine, all zero
    #[arg(long, alias = "from-scratch", conflicts_with = "parameters")]
    pub(super) scratch: bool,
    /// Write the tuned numbers in place: into engine/params/evaluation.toml (or the file of --parameters), or between the comments
    /// `smalt:begin NAME` and `smalt:end NAME` of the source given; may be repeated
    #[arg(long, value_name = "SOURCE", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) write: Vec<String>,
    /// File for the tuned numbers, e.g. tuned.toml
    #[arg(short, long, alias = "out", value_name = "FILE", conflicts_with = "write")]
    pub(super) output: Option<PathBuf>,
    /// Source with marked numbers, e.g. src/eval.h, of which --output is a copy with the tuned ones
    #[arg(long, value_name = "FILE", requires = "output")]
    pub(super) source: Option<PathBuf>,
    /// Language of --output: toml, json, c, cpp, rust, csharp, java, zig, go or python [default: by its extension]
    #[arg(long, value_name = "LANGUAGE", value_parser = parse_language, requires = "output", conflicts_with = "source")]
    pub(super) format: Option<Language>,
    /// Groups or terms to tune, as in 'mobility.*'; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    pub(super) only: Vec<String>,
    /// Groups or terms that keep their values, e.g. 'psqt.*'; may be repeated [default: none]
    #[arg(long, value_name = "NAME")]
    pub(super) freeze: Vec<String>,
    /// Optimizer
    #[arg(long, value_enum, default_value_t = MethodName::Lbfgs)]
    pub(super) method: MethodName,
    /// Maximum number of iterations [default: 500 for lbfgs, 200 for adam]
    #[arg(long, value_name = "N")]
    pub(super) epochs: Option<u64>,
    /// Early stopping: iterations without a better validation error [default: 30 for lbfgs, 10 for adam]
    #[arg(long, value_name = "N")]
    pub(super) patience: Option<u64>,
    /// Steepness K of the sigmoid [default: fitted]
    #[arg(long)]
    pub(super) k: Option<f64>,
    /// Share of the result in the target; the rest is the sigmoid of the score
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    pub(super) lambda: f64,
    /// L2 penalty: squared errors for each number 100 units away from its start value [default: 10; 0.1 where all begin at
    /// zero]
    #[arg(long, value_name = "STRENGTH")]
    pub(super) l2: Option<f64>,
    /// Bounds of numbers, as in 'material.pawn=80..120'; may be repeated
    #[arg(long, value_name = "NAME=LEAST..MOST")]
    pub(super) bound: Vec<String>,
    /// Ignore the constraints of the evaluation: boards with mirrored files, lists with rising numbers
    #[arg(long)]
    pub(super) unconstrained: bool,
    /// Correct results for player strength (fitted per player), so that a strong player's wins from equal positions do not
    /// bias the weights
    #[arg(long)]
    pub(super) adjust_for_players: bool,
    /// Share of the games held out for validation
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub(super) validation: f64,
    /// Adam: learning rate at the start, in units of the parameters
    #[arg(long, default_value_t = 1.0)]
    pub(super) rate: f64,
    /// Adam: learning rate schedule
    #[arg(long, value_enum, default_value_t = ScheduleName::Cosine)]
    pub(super) schedule: ScheduleName,
    /// Adam: positions in a mini-batch
    #[arg(long, value_name = "N", default_value_t = 16_384)]
    pub(super) batch: usize,
    /// Checkpoint file, written during the fit, e.g. fit.ckpt [default: none]
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Checkpoint file to resume and to update, e.g. fit.ckpt
    #[arg(long, value_name = "FILE", conflicts_with = "checkpoint")]
    pub(super) resume: Option<PathBuf>,
    /// Random seed of the held-out games and of mini-batches
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of threads [default: number of processors]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    #[command(flatten)]
    pub(super) memory: MemoryFlags,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

fn parse_gain(text: &str) -> Result<f64, String> {
    let elo = text.parse().ok().filter(|elo: &f64| elo.is_finite() && *elo > 0.0);
    elo.ok_or_else(|| "expected a number above 0".to_owned())
}

fn parse_language(word: &str) -> Result<Language, String> {
    Language::parse(word).ok_or_else(|| format!("expected one of {}", Language::words().join(", ")))
}

#[derive(Debug, Args)]
pub(super) struct DiffFlags {
    /// Parameter file before
    pub(super) before: PathBuf,
    /// Parameter file after
    pub(super) after: PathBuf,
    /// Print every weight that changed
    #[arg(long)]
    pub(super) all: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckFlags {
    /// File of positions or of traces, as for `texel`
    #[arg(value_name = "POSITIONS")]
    pub(super) positions: SourceArgument,
    #[command(flatten)]
    pub(super) engine: EngineFlags,
    /// File with the weights [default: those of the engine]
    #[arg(long, alias = "params", value_name = "FILE")]
    pub(super) parameters: Option<PathBuf>,
    /// EPD file for the positions with the largest errors, e.g. outliers.epd
    #[arg(long, value_name = "FILE")]
    pub(super) outliers: Option<PathBuf>,
    /// Print the coverage of all weights
    #[arg(long)]
    pub(super) all: bool,
    /// Number of outliers
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(super) count: usize,
    /// Number of threads [default: number of processors]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    #[command(flatten)]
    pub(super) memory: MemoryFlags,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

/// Memory of a data set.
#[derive(Debug, Args)]
pub(super) struct MemoryFlags {
    /// Memory for the positions in MiB; those beyond it are in a temporary file (in TMPDIR or /var/tmp), for any number of
    /// positions [default: half of the available memory]
    #[arg(long, value_name = "MIB")]
    pub(super) memory: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct PlotFlags {
    /// JSON file of `texel`, checkpoint of `spsa` or `clop`, or parameter file, after the one that it is compared with [default: the
    /// numbers built in, or those of --engine]; a file of traces stands for the numbers of its engine
    #[arg(value_name = "RUN.json|SPSA.json|[BEFORE.toml] AFTER.toml", required = true, num_args = 1..=2)]
    pub(super) files: Vec<PathBuf>,
    /// Engine whose parameters are compared: one that gives traces, as for `texel`
    #[arg(long, value_name = "ENGINE", add = names_or_files(Registry::names_to_complete))]
    pub(super) engine: Option<String>,
    #[command(flatten)]
    pub(super) registry: RegistryFlag,
    /// Kind of plot [default: loss of a fit, parameters of a checkpoint of `spsa`, landscape of one of `clop`, boards of parameter files]
    #[arg(short, long, value_enum, value_name = "KIND")]
    pub(super) kind: Option<PlotKind>,
    /// SVG file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Overwrite existing output files
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum PlotKind {
    /// Errors of a fit by epoch
    Loss,
    /// Piece-square tables before and after
    Boards,
    /// Largest changes
    Moved,
}

#[derive(Debug, Args)]
pub(super) struct ProveFlags {
    /// Tuned parameter file; with --build, the tuned source; with --options, the tuned values of options
    #[arg(value_name = "TUNED")]
    pub(super) tuned: PathBuf,
    /// Parameter file of the baseline; with --build, the source that it replaces [default: engine/params/evaluation.toml if there,
    /// else the one built in]
    #[arg(long, value_name = "FILE")]
    pub(super) base: Option<PathBuf>,
    /// Overwrite the base with the tuned version if it is accepted
    #[arg(long)]
    pub(super) write: bool,
    /// Build command, as in 'make -j2': both versions are built in copies of the source folder
    #[arg(long, value_name = "COMMAND")]
    pub(super) build: Option<String>,
    /// Values of UCI options as the two versions: both files are parameter files of `spsa` for this engine
    #[arg(long, requires_all = ["base", "engine"], conflicts_with = "build")]
    pub(super) options: bool,
    /// Source folder of --build, e.g. src
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(super) tree: PathBuf,
    /// Engine that plays, as `smalt-tournament` names engines: one with the option EvalFile; with --build, a path in the
    /// source folder
    #[arg(long, value_name = "ENGINE", default_value = "builtin", add = names_or_files(Registry::names_to_complete))]
    pub(super) engine: String,
    #[command(flatten)]
    pub(super) registry: RegistryFlag,
    /// H0 of the SPRT, which rejects the tuned version: normalized Elo
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(super) elo0: f64,
    /// H1 of the SPRT, which accepts the tuned version: normalized Elo
    #[arg(long, value_name = "ELO", default_value_t = 5.0, allow_negative_numbers = true)]
    pub(super) elo1: f64,
    /// Maximum number of games
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) games: u64,
    /// Store of the games, for `smalt-tournament resume` and `smalt-tournament serve` [default: that of the
    /// tournament program]
    #[arg(long, value_name = "RUN.db")]
    pub(super) store: Option<PathBuf>,
    #[command(flatten)]
    pub(super) game: GameFlags,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

/// Maximum number of games of a tuning.
const MAX_GAMES: u64 = 1_000_000_000;

/// Parameters tuned by games, and settings of the games.
#[derive(Debug, Args)]
pub(super) struct TuningFlags {
    /// Engine that plays itself, as `smalt-tournament` names engines; each parameter must be an option of it
    #[arg(long, value_name = "ENGINE", required_unless_present = "resume", add = names_or_files(Registry::names_to_complete))]
    pub(super) engine: Option<String>,
    #[command(flatten)]
    pub(super) registry: RegistryFlag,
    /// Parameters: Smalt's search parameters (.toml), weather-factory's config.json (.json), or lines in OpenBench's format
    /// [default: engine/params/search.toml]
    #[arg(long, alias = "knobs", value_name = "FILE")]
    pub(super) parameters: Option<PathBuf>,
    /// Names of the parameters that are tuned, e.g. 'lmr_*'; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    pub(super) only: Vec<String>,
    /// Names of the parameters that keep their values, e.g. 'time_*'; may be repeated [default: none]
    #[arg(long, value_name = "NAME")]
    pub(super) freeze: Vec<String>,
    /// Total number of games [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_GAMES))]
    pub(super) games: Option<u64>,
    /// Games of a round: both sides play them with the same values [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_GAMES))]
    pub(super) batch: Option<u64>,
    #[command(flatten)]
    pub(super) game: GameFlags,
    /// Hosts that play, over ssh, e.g. fast,me@slow/2, as `smalt-tournament` takes them
    #[arg(long, value_name = "HOSTS", conflicts_with = "concurrency")]
    pub(super) ssh: Option<String>,
    /// NATS server whose workers play, e.g. nats://192.168.1.5:4222
    #[arg(long, value_name = "URL", conflicts_with = "concurrency")]
    pub(super) nats: Option<String>,
    /// Send the engine and the files of its options to workers that accept them (`smalt-tournament worker --accept-files`)
    #[arg(long)]
    pub(super) send_files: bool,
    /// File that keeps the tuning after each round [default: spsa.json or clop.json, by the command]
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Resume from --checkpoint, with its engine, parameters, clock, openings, batch, games and seed
    #[arg(long)]
    pub(super) resume: bool,
    /// Continue although the engine's program has changed since the tuning began
    #[arg(long)]
    pub(super) allow_mixed: bool,
    /// Write the values back to the parameter file
    #[arg(long)]
    pub(super) write: bool,
    /// File for a copy of the parameter file with the tuned values, e.g. tuned.txt
    #[arg(short, long, alias = "out", value_name = "FILE", conflicts_with = "write")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

#[derive(Debug, Args)]
pub(super) struct SpsaFlags {
    /// Expected gain in Elo, e.g. 5, from which r_end of all parameters is computed [default: r_end of the parameter file]
    #[arg(long, value_name = "ELO", value_parser = parse_gain)]
    pub(super) elo: Option<f64>,
    /// Validation match after every N games and at the end: an SPRT (elo0 -5, elo1 0) of the current values against the last
    /// accepted ones; if it rejects them, the tuning reverts to those [default: none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) validate: Option<u64>,
    /// Maximum number of games of a validation match, after which undecided values are kept
    #[arg(long, value_name = "N", default_value_t = 4000)]
    pub(super) validation_games: u64,
    #[command(flatten)]
    pub(super) tuning: TuningFlags,
}

#[derive(Debug, Args)]
pub(super) struct ClopFlags {
    /// SVG file for the landscape: Elo along each parameter, with its 95 % band; e.g. landscape.svg
    #[arg(long, value_name = "FILE")]
    pub(super) plot: Option<PathBuf>,
    #[command(flatten)]
    pub(super) tuning: TuningFlags,
}
