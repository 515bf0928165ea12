//! Command-line arguments of all commands; [`super::intent`] resolves them to a plan.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use smalt_about::{AboutCommand, ColorFlag, names_or_files};
use smalt_workbench::entrant::Registry;
use smalt_workbench::flags::{RegistryFlag, ResultFlags};

use super::exit::Refusal;
use super::output::assign_by_ending;
use crate::suite::EMBEDDED;

/// Scorer of test suites for chess engines: WAC, STS and any EPD file.
#[derive(Debug, Parser)]
#[command(
    name = "smalt-suites",
    version = smalt_about::VERSION,
    max_term_width = 100,
    after_help = format!("{EXAMPLES}\n\n{}", super::exit::HELP)
)]
pub(super) struct SuitesArguments {
    #[command(subcommand)]
    pub command: SuitesCommand,
    /// Colors of help and errors.
    #[command(flatten)]
    _color: ColorFlag,
}

/// Commands of the program.
#[derive(Debug, Subcommand)]
pub(super) enum SuitesCommand {
    /// Score engines on suites
    #[command(after_help = SCORE_EXAMPLES)]
    Score(ScoreFlags),
    /// Score a list of moves found elsewhere; no engine is run
    #[command(after_help = GRADE_EXAMPLES)]
    Grade(GradeFlags),
    /// List the built-in suites
    List,
    /// Show a suite: themes, irregularities and their handling, or some positions
    #[command(after_help = SHOW_EXAMPLES)]
    Show(ShowFlags),
    /// Compare two runs: newly solved and lost positions, with a significance test
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareFlags),
    /// Keep a history of builds: WAC, STS, bench, Elo
    #[command(after_help = HISTORY_EXAMPLES)]
    History(HistoryFlags),
    /// Print the JSON schema of results, comparisons or histories
    Schema {
        /// File format
        name: super::schema::SchemaName,
    },
    /// Completions, manual pages and reference.
    #[command(flatten)]
    About(AboutCommand),
    /// Be the built-in engine
    #[command(hide = true)]
    Engine,
    /// Kill the engines of a killed run
    #[command(hide = true)]
    Reaper,
}

// Lines of examples are at most 80 letters long, so that no terminal breaks them.

const EXAMPLES: &str = "\
Examples:
  smalt-suites score wac                    the built-in engine on WAC
  smalt-suites score sts --engine ./mine --engine stockfish --json today.json
  smalt-suites compare yesterday.json today.json
  smalt-suites grade sts --moves moves.txt  moves found elsewhere
  smalt-suites history add \"null move\"      measure this build, add its row
Each command has its own --help.";

const SCORE_EXAMPLES: &str = "\
Examples:
  smalt-suites score wac
        the built-in engine, 200 ms a position
  smalt-suites score sts -e ./new -e ./old --nodes 20000 --json today.json
        two engines side by side, by theme
  smalt-suites score my.epd -e \"cmd=./sf name=SF option.Hash=64\" --failures
        any EPD file; the missed positions are listed
  smalt-suites score wac -e toga2 --early-stop 3 --failed missed.epd
        a search ends after three iterations with a solution
  smalt-suites score wac -e \"cmd=hoichess proto=xboard\" --csv wac.csv
        an engine that speaks xboard (CECP)
  smalt-suites score sts --json today.json --resume today.json
        resumes from its results after Ctrl-C

An engine is a command, the name of an engine in the registry, builtin, or
words key=value in one argument: cmd, repo, ref, build, name, args, dir, proto
(uci, xboard, auto), movetime, nodes, depth, restart, stderr, initstr, debug,
option.NAME.";

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
The history is a TOML file with one table per build, to be kept in git beside
the engine. Without a command it is shown as a table.

Examples:
  smalt-suites history add \"late move reductions\" --category search
  smalt-suites history add \"tuned\" -e ./mine --nodes 20000 --gauntlet RUN.db
  smalt-suites history add \"tuned\" --results scores.json --elo 31 --elo-error 9
  smalt-suites history --file engine/history.toml --plot history.svg";

/// The names of the built-in suites for completions.
fn suite_names() -> Vec<String> {
    EMBEDDED.iter().map(|suite| suite.name.to_owned()).collect()
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct HistoryFlags {
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,
    /// Flags of `show`, the default command.
    #[command(flatten)]
    pub show: HistoryShowFlags,
}

impl SuitesCommand {
    /// Assigns the files of `--output` to the flags of their forms.
    ///
    /// # Errors
    /// If the ending of a file is unknown, or a form has two files.
    pub(super) fn assign_outputs(&mut self) -> Result<(), Refusal> {
        match self {
            SuitesCommand::Score(flags) => flags.output.assign(),
            SuitesCommand::Grade(flags) => flags.output.assign(),
            SuitesCommand::Compare(CompareFlags {
                output,
                result: ResultFlags { json, .. },
                csv,
                markdown,
                ..
            }) => assign_by_ending(output, &mut [("json", json), ("csv", csv), ("md", markdown)]),
            SuitesCommand::History(HistoryFlags { command, show }) => {
                let show = match command {
                    Some(HistoryCommand::Show(flags)) => flags,
                    _ => show,
                };
                let HistoryShowFlags { output, markdown, result: ResultFlags { json, .. }, plot, .. } = show;
                assign_by_ending(output, &mut [("md", markdown), ("json", json), ("svg", plot)])
            }
            _ => Ok(()),
        }
    }
}

impl OutputFlags {
    /// The files and streams that are written.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let OutputFlags { result: ResultFlags { json, .. }, csv, markdown, failed, plot, .. } = self;
        [json, csv, markdown, failed, plot].into_iter().flatten().map(PathBuf::as_path)
    }

    fn assign(&mut self) -> Result<(), Refusal> {
        let OutputFlags { output, result: ResultFlags { json, .. }, csv, markdown, failed, plot, .. } = self;
        let forms = &mut [("json", json), ("csv", csv), ("md", markdown), ("epd", failed), ("svg", plot)];
        assign_by_ending(output, forms)
    }
}

/// Commands of `history`.
#[derive(Debug, Subcommand)]
pub(super) enum HistoryCommand {
    /// Score an engine on WAC and STS, run a bench, and add a row
    #[command(after_help = HISTORY_EXAMPLES)]
    Add(Box<HistoryAddFlags>),
    /// Print the improvement table as Markdown
    Show(HistoryShowFlags),
}

#[derive(Debug, Args)]
pub(super) struct HistoryShowFlags {
    /// History file
    #[arg(long, value_name = "FILE", default_value = HISTORY_FILE)]
    pub file: PathBuf,
    /// Output file, by its ending: table (.md), all rows (.json) or plot (.svg); may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Markdown file of the table (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// SVG plot of WAC, STS and Elo over time (`-`: standard output)
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Stores and PGN files of all runs: one rating scale over their games replaces the Elo of the rows
    #[arg(long, value_name = "RUN.db|GAMES.pgn", num_args = 1..)]
    pub ratings: Vec<PathBuf>,
    #[command(flatten)]
    pub result: ResultFlags,
}

const HISTORY_FILE: &str = "history.toml";

#[derive(Debug, Args)]
pub(super) struct HistoryAddFlags {
    /// Description of the build, e.g. "late move reductions"
    pub feature: String,
    /// History file
    #[arg(long, value_name = "FILE", default_value = HISTORY_FILE)]
    pub file: PathBuf,
    /// Category, e.g. search, evaluation or speed [default: none]
    #[arg(long)]
    pub category: Option<String>,
    /// Engine [default: builtin, or the one engine of --results]
    #[arg(short, long, value_name = "ENGINE", add = names_or_files(Registry::names_to_complete))]
    pub engine: Option<String>,
    #[command(flatten)]
    pub registry: RegistryFlag,
    /// Suites to score, of the program or EPD and puzzle files; in a row the results of each have a column
    #[arg(long, value_name = "SUITE", num_args = 1.., default_values = ["wac", "sts"], add = names_or_files(suite_names))]
    pub suites: Vec<String>,
    /// Results of these suites (score --json) instead of scoring now, e.g. today.json; may be repeated
    #[arg(long, value_name = "FILE")]
    pub results: Vec<PathBuf>,
    /// Skip the bench
    #[arg(long)]
    pub no_bench: bool,
    /// Depth of the bench of an engine other than builtin, in plies
    #[arg(long, value_name = "PLIES", default_value_t = BENCH_DEPTH)]
    pub bench_depth: NonZeroU32,
    /// Tournament with the Elo: its store (RUN.db), or its results (standings --json), e.g. gauntlet.db
    #[arg(long, value_name = "FILE", conflicts_with = "elo")]
    pub gauntlet: Option<PathBuf>,
    /// Name of the engine in that tournament [default: its name here]
    #[arg(long, alias = "entrant", value_name = "NAME")]
    pub gauntlet_name: Option<String>,
    /// Elo of the build, e.g. 3480
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    pub elo: Option<f64>,
    /// Error of --elo, e.g. 15: half of the 95% interval
    #[arg(long, value_name = "ELO", requires = "elo")]
    pub elo_error: Option<f64>,
    /// Date, e.g. 2026-11-24 [default: today]
    #[arg(long)]
    pub date: Option<String>,
    /// Commit [default: that of the checkout in this folder]
    #[arg(long)]
    pub commit: Option<String>,
    /// Version [default: that of builtin, or the engine's own name]
    #[arg(long = "build-version", value_name = "VERSION")]
    pub version: Option<String>,
    #[command(flatten)]
    pub search: SearchFlags,
    #[command(flatten)]
    pub result: ResultFlags,
    /// No progress display
    #[arg(short, long)]
    pub quiet: bool,
}

/// Seconds at most for a weak engine, long enough to measure the speed of a fast one.
const BENCH_DEPTH: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

/// Longer than any search to a sensible depth takes, and short enough to wait for.
pub(super) const LONGEST_MOVE: NonZeroU32 = NonZeroU32::new(120).expect("not zero");

/// More than engines that look at the clock now and then need on a busy machine.
pub(super) const GRACE_MS: u64 = 100;

/// How the positions of suites are searched.
#[derive(Clone, Debug, Args)]
pub(super) struct SearchFlags {
    /// Time for each position, in milliseconds [default: 200]
    #[arg(long, value_name = "MS", group = "limit")]
    pub movetime: Option<u64>,
    /// Nodes for each position, e.g. 100000. Engines that ignore the limit get stop at half as many again (at least 20,000 more); xboard
    /// engines, whose protocol has no such limit, get it at once, so that two runs may differ
    #[arg(long, value_name = "N", group = "limit")]
    pub nodes: Option<u64>,
    /// Depth for each position, in plies, e.g. 12
    #[arg(long, value_name = "PLIES", group = "limit")]
    pub depth: Option<u32>,
    /// Number of concurrent positions, each with its own engine process [default: cores less one]
    #[arg(short, long, value_name = "C")]
    pub concurrency: Option<NonZeroUsize>,
}

#[derive(Debug, Args)]
pub(super) struct ScoreFlags {
    /// Suite: wac, sts, sts01 to sts15, or an EPD file
    #[arg(required = true, value_name = "SUITE", add = names_or_files(suite_names))]
    pub suites: Vec<String>,
    /// Engine; may be repeated [default: builtin]
    #[arg(short, long = "engine", value_name = "ENGINE", add = names_or_files(Registry::names_to_complete))]
    pub engines: Vec<String>,
    /// Default settings of every engine, as key=value words, e.g. 'option.Hash=16'
    #[arg(long, value_name = "WORDS")]
    pub each: Option<String>,
    #[command(flatten)]
    pub registry: RegistryFlag,
    #[command(flatten)]
    pub search: SearchFlags,
    /// Keep the hash table between positions
    #[arg(long)]
    pub keep_hash: bool,
    /// Grace time after --movetime, in milliseconds. After it the first move of the last PV in time counts instead of the answer
    #[arg(long, value_name = "MS", default_value_t = GRACE_MS)]
    pub grace: u64,
    /// Number of consecutive iterations with a solution that end a search, e.g. 3 [default: off]
    #[arg(long, value_name = "N")]
    pub early_stop: Option<NonZeroU32>,
    /// Results of an interrupted run (--json) to resume; a missing file starts a new run; e.g. today.json
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Continue even if the program of an engine has changed, during the run or since the results to resume
    #[arg(long)]
    pub allow_mixed: bool,
    /// Longest search without a limit of time, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = LONGEST_MOVE)]
    pub longest_move: NonZeroU32,
    /// Folders of Syzygy tablebases that refute announced mates, e.g. /srv/syzygy (engines use their option SyzygyPath)
    #[arg(long = "tb", alias = "syzygy", value_name = "PATH")]
    pub syzygy: Option<String>,
    #[command(flatten)]
    pub output: OutputFlags,
}

#[derive(Debug, Args)]
pub(super) struct GradeFlags {
    /// Suite: wac, sts, sts01 to sts15, or an EPD file
    #[arg(add = names_or_files(suite_names))]
    pub suite: String,
    /// List of moves, `id move` per line (`-`: standard input)
    #[arg(long, value_name = "FILE")]
    pub moves: PathBuf,
    /// Name in the results [default: the name of the list]
    #[arg(long)]
    pub name: Option<String>,
    #[command(flatten)]
    pub output: OutputFlags,
}

#[derive(Debug, Default, Args)]
pub(super) struct OutputFlags {
    /// Print the missed positions, with the move played and the solution
    #[arg(long)]
    pub failures: bool,
    /// Output file, by its ending: results (.json or .csv), tables (.md), missed positions (.epd) or plot (.svg); may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// CSV file with a row per position (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Markdown file of the tables (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// EPD file of the missed positions (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub failed: Option<PathBuf>,
    /// SVG plot of points by theme and positions solved over time (`-`: standard output)
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub result: ResultFlags,
    /// No progress display
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct ShowFlags {
    /// Suite: wac, sts, sts01 to sts15, or an EPD file
    #[arg(add = names_or_files(suite_names))]
    pub suite: String,
    /// Ids of positions to show, e.g. WAC.002
    pub ids: Vec<String>,
    /// Print the EPD of the positions
    #[arg(long)]
    pub epd: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompareFlags {
    /// Results of the first run (score --json, grade --json)
    pub first: PathBuf,
    /// Results of the second run
    pub second: Option<PathBuf>,
    /// Output file, by its ending: comparison (.json or .md), or positions that only one run solved (.csv); may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// CSV file with a row per position that only one run solved (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Markdown file of the comparison (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    #[command(flatten)]
    pub result: ResultFlags,
}

#[cfg(test)]
mod tests {
    use smalt_workbench::entrant::EngineSettings;

    use super::SCORE_EXAMPLES;
    use crate::plan::FOR_POSITIONS;

    #[test]
    fn the_help_names_the_keys_that_have_an_effect() {
        let (_, keys) = SCORE_EXAMPLES.split_once("in one argument:").unwrap();
        let named: Vec<&str> = keys.trim_end_matches('.').split([',', '\n', ' ']).collect();
        let known = EngineSettings::word_keys();
        for key in FOR_POSITIONS.map(|key| if key == "options" { "option.NAME" } else { key }) {
            assert!(known.iter().any(|known| known == key), "{key} is no key of an engine");
            assert!(named.contains(&key), "the help lacks {key}");
        }
        for key in known.iter().filter(|key| named.contains(&key.as_str())) {
            assert!(
                FOR_POSITIONS.contains(&key.replace("option.NAME", "options").as_str()),
                "{key} has no effect"
            );
        }
    }
}
