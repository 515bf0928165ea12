//! The command line as it was typed, and nothing more. What it means is told by [`super::intent`].

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Scores chess engines on suites of problems: STS, WAC and any EPD file.
#[derive(Debug, Parser)]
#[command(
    name = "smalt-suites",
    version,
    max_term_width = 100,
    after_help = format!("{EXAMPLES}\n\n{}", super::exit::HELP)
)]
pub(super) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Ask engines for the best moves, and count points
    #[command(after_help = SCORE_EXAMPLES)]
    Score(ScoreFlags),
    /// Count points for moves that were found elsewhere; no engine is run
    #[command(after_help = GRADE_EXAMPLES)]
    Grade(GradeFlags),
    /// List the suites that are part of the program
    List,
    /// Show a suite: its themes, what is odd about it and how that is taken; or some of its positions
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ShowFlags),
    /// Compare runs: what is newly solved, what is newly lost, and whether that is more than noise
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareFlags),
    /// Keep what each build brought: WAC, STS, bench, Elo
    #[command(after_help = HISTORY_EXAMPLES)]
    History(HistoryFlags),
    /// Be the built-in engine.
    #[command(hide = true)]
    Engine,
}

// Lines of examples are at most 80 letters long, so that no terminal breaks them.

const EXAMPLES: &str = "\
Examples:
  smalt-suites score wac                    the built-in engine on WAC
  smalt-suites score sts --engine ./mine --engine stockfish --json today.json
  smalt-suites compare yesterday.json today.json
  smalt-suites grade sts --moves moves.txt  moves that others found
  smalt-suites history add \"null move\"      measure this build, add its row
Each command has a --help of its own.";

const SCORE_EXAMPLES: &str = "\
Examples:
  smalt-suites score wac
        the built-in engine, 200 ms a position
  smalt-suites score sts -e ./new -e ./old --nodes 20000 --json today.json
        two engines side by side, by theme
  smalt-suites score my.epd -e \"cmd=./sf name=SF option.Hash=64\" --failures
        any EPD file; what was missed is listed
  smalt-suites score wac -e toga2 --early-stop 3 --failed missed.epd
        a search ends when it has held a solution for three iterations
  smalt-suites score wac -e \"cmd=hoichess proto=xboard\" --csv wac.csv
        an engine that speaks xboard (CECP)
  smalt-suites score sts --json today.json --resume today.json
        keeps its results in a file, and goes on after Ctrl-C

An engine is a command, the name of an engine in the registry, builtin, or
words key=value in one argument: cmd, name, args, dir, proto (uci, xboard,
auto), movetime, nodes, depth, restart, option.NAME.";

const GRADE_EXAMPLES: &str = "\
The list has `id move` a line; moves may be written in any notation: Qg6,
g3g6, Qg3-g6. Where a mate must be announced, `id move #3` announces it.

Examples:
  smalt-suites grade sts --moves moves.txt
  smalt-suites grade wac --moves moves.txt --json points.json --failures";

const SHOW_EXAMPLES: &str = "\
Examples:
  smalt-suites show sts
  smalt-suites show wac WAC.002 WAC.230
  smalt-suites show my.epd --epd";

const COMPARE_EXAMPLES: &str = "\
Examples:
  smalt-suites compare yesterday.json today.json
  smalt-suites compare engines.json       its later engines against its first";

const HISTORY_EXAMPLES: &str = "\
The history is a TOML file, a table a build, that lives in git beside the
engine: changes of it are read and merged like any other, and a hand can
correct it. Without a command its table is shown.

Examples:
  smalt-suites history add \"late move reductions\" --category search
  smalt-suites history add \"tuned\" -e ./mine --nodes 20000 --gauntlet RUN.db
  smalt-suites history add \"tuned\" --results scores.json --elo 31 --elo-error 9
  smalt-suites history --file engine/history.toml --plot history.svg";

/// Flags of `history`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct HistoryFlags {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,
    /// What is shown without a command.
    #[command(flatten)]
    pub show: HistoryShowFlags,
}

/// What to do with a history.
#[derive(Debug, Subcommand)]
pub(super) enum HistoryCommand {
    /// Score an engine on WAC and STS, run a bench, and add a row
    #[command(after_help = HISTORY_EXAMPLES)]
    Add(Box<HistoryAddFlags>),
    /// Print the improvement table as Markdown
    Show(HistoryShowFlags),
}

/// Flags of `history show`.
#[derive(Debug, Args)]
pub(super) struct HistoryShowFlags {
    /// The history
    #[arg(long, value_name = "FILE", default_value = HISTORY_FILE)]
    pub file: PathBuf,
    /// Write the table as Markdown to a file, and show it as text; - is standard output
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write all rows for scripts; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a plot of WAC, STS and Elo over time as SVG; - is standard output
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

/// Where a history is kept, if nothing else is said.
const HISTORY_FILE: &str = "history.toml";

/// Flags of `history add`.
#[derive(Debug, Args)]
pub(super) struct HistoryAddFlags {
    /// What is new in this build
    pub feature: String,
    /// The history
    #[arg(long, value_name = "FILE", default_value = HISTORY_FILE)]
    pub file: PathBuf,
    /// What kind of thing that is: search, evaluation, speed
    #[arg(long)]
    pub category: Option<String>,
    /// The engine [default: builtin, or whose results are given, if they are one engine's]
    #[arg(short, long, value_name = "ENTRANT")]
    pub engine: Option<String>,
    /// The registry of engines [default: smalt/engines.toml in your configuration folder]
    #[arg(long = "engines", value_name = "FILE")]
    pub registry: Option<PathBuf>,
    /// Take WAC and STS from these results (score --json) instead of scoring now; may be given again
    #[arg(long, value_name = "FILE")]
    pub results: Vec<PathBuf>,
    /// Run no bench
    #[arg(long)]
    pub no_bench: bool,
    /// Plies of the bench of an engine that is not built in (the built-in one has its own)
    #[arg(long, value_name = "D", default_value_t = BENCH_DEPTH)]
    pub bench_depth: NonZeroU32,
    /// Take the Elo from a tournament: its store (RUN.db), or its results (standings --json)
    #[arg(long, value_name = "FILE", conflicts_with = "elo")]
    pub gauntlet: Option<PathBuf>,
    /// The engine's name in that tournament [default: its name here]
    #[arg(long, value_name = "NAME")]
    pub entrant: Option<String>,
    /// The Elo
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    pub elo: Option<f64>,
    /// Half of the 95% interval of that
    #[arg(long, value_name = "ELO", requires = "elo")]
    pub elo_error: Option<f64>,
    /// The day [default: today]
    #[arg(long)]
    pub date: Option<String>,
    /// The commit [default: that of the checkout in this folder]
    #[arg(long)]
    pub commit: Option<String>,
    /// The version [default: the built-in engine's, or the name that the engine gives itself]
    #[arg(long = "build-version", value_name = "VERSION")]
    pub version: Option<String>,
    /// Milliseconds for each position [default: 200]
    #[arg(long, value_name = "MS", group = "limit")]
    pub movetime: Option<u64>,
    /// Nodes for each position
    #[arg(long, value_name = "N", group = "limit")]
    pub nodes: Option<u64>,
    /// Plies for each position
    #[arg(long, value_name = "D", group = "limit")]
    pub depth: Option<u32>,
    /// Positions at the same time [default: cores less one]
    #[arg(short, long, value_name = "C")]
    pub concurrency: Option<NonZeroUsize>,
    /// Write the results of the suites for scripts
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// Seconds at most for a weak engine, long enough to measure the speed of a fast one.
const BENCH_DEPTH: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

/// Longer than any search to a sensible depth takes, and short enough to wait for.
pub(super) const LONGEST_MOVE: NonZeroU32 = NonZeroU32::new(120).expect("not zero");

/// More than engines that look at the clock now and then need on a busy machine.
pub(super) const GRACE_MS: u64 = 100;

/// Flags of `score`.
#[derive(Debug, Args)]
pub(super) struct ScoreFlags {
    /// wac, sts, sts01 to sts15, or an EPD file
    #[arg(required = true, value_name = "SUITE")]
    pub suites: Vec<String>,
    /// An engine; may be given again [default: builtin]
    #[arg(short, long = "engine", value_name = "ENTRANT")]
    pub engines: Vec<String>,
    /// What holds for each engine, as words: "option.Hash=16"
    #[arg(long, value_name = "WORDS")]
    pub each: Option<String>,
    /// The registry of engines [default: smalt/engines.toml in your configuration folder]
    #[arg(long = "engines", value_name = "FILE")]
    pub registry: Option<PathBuf>,
    /// Milliseconds for each position [default: 200]
    #[arg(long, value_name = "MS", group = "limit")]
    pub movetime: Option<u64>,
    /// Nodes for each position. Engines that do not keep to them are told to stop at half as many again (at least 20,000
    /// more), and engines of xboard, which has no such limit, at once: two runs of those may differ
    #[arg(long, value_name = "N", group = "limit")]
    pub nodes: Option<u64>,
    /// Plies for each position
    #[arg(long, value_name = "D", group = "limit")]
    pub depth: Option<u32>,
    /// Positions at the same time, each on an engine process of its own [default: cores less one]
    #[arg(short, long, value_name = "C")]
    pub concurrency: Option<NonZeroUsize>,
    /// Let engines keep what they remember from one position to the next
    #[arg(long)]
    pub keep_hash: bool,
    /// Milliseconds after --movetime at which an answer still counts. A later one is late: then the move counts that the
    /// engine had in its pv by then, none if it had none
    #[arg(long, value_name = "MS", default_value_t = GRACE_MS)]
    pub grace: u64,
    /// End a search when it has held a solution for so many iterations
    #[arg(long, value_name = "N")]
    pub early_stop: Option<NonZeroU32>,
    /// Go on with an interrupted or killed run: what its results (--json) hold is not asked again. A file that does not
    /// exist yet is a run that has not begun
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Seconds after which a search without a limit of time is given up
    #[arg(long, value_name = "SECONDS", default_value_t = LONGEST_MOVE)]
    pub longest_move: NonZeroU32,
    /// What is shown and written.
    #[command(flatten)]
    pub output: OutputFlags,
}

/// Flags of `grade`.
#[derive(Debug, Args)]
pub(super) struct GradeFlags {
    /// wac, sts, sts01 to sts15, or an EPD file
    pub suite: String,
    /// The list of moves; - is standard input
    #[arg(long, value_name = "FILE")]
    pub moves: PathBuf,
    /// How the finder of the moves is called in results [default: the name of the list]
    #[arg(long)]
    pub name: Option<String>,
    /// What is shown and written.
    #[command(flatten)]
    pub output: OutputFlags,
}

/// What is shown and written.
#[derive(Debug, Default, Args)]
pub(super) struct OutputFlags {
    /// List the positions that were missed: what was played, what was right
    #[arg(long)]
    pub failures: bool,
    /// Write all results for scripts; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a row a position as CSV; - is standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the tables as Markdown; - is standard output
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write the positions that were missed as an EPD file of their own; - is standard output
    #[arg(long, value_name = "FILE")]
    pub failed: Option<PathBuf>,
    /// Draw points by theme, and positions solved over time, as SVG; - is standard output
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// Flags of `show`.
#[derive(Debug, Args)]
pub(super) struct ShowFlags {
    /// wac, sts, sts01 to sts15, or an EPD file
    pub suite: String,
    /// Positions to show, by their ids
    pub ids: Vec<String>,
    /// Print the positions as EPD
    #[arg(long)]
    pub epd: bool,
}

/// Flags of `compare`.
#[derive(Debug, Args)]
pub(super) struct CompareFlags {
    /// Results of the first run (score --json, grade --json)
    pub first: PathBuf,
    /// Results of the second run
    pub second: Option<PathBuf>,
    /// Write the comparison for scripts; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a row a position that only one of the runs solved as CSV; - is standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the comparison as Markdown; - is standard output
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
}
