//! Flags of all commands. [`super::intent`] turns them into plans.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use smalt_about::{AboutCommand, ColorFlag};

use super::run_flags::{ResumeFlags, RunFlags};
use super::view::TableForm;

use super::elo::CountList;
use crate::export::Span;
use smalt_match::plan::{DataSettings, Flags, Format, SprtSettings, word};

/// Match and tournament runner for chess engines: gauntlets, SPRT, ratings, live page, reports.
///
/// Without engines of your own, `smalt-tournament gauntlet` plays the default plan: Smalt against weakened copies of
/// itself, in about a minute.
#[derive(Debug, Parser)]
#[command(name = "smalt-tournament", version = smalt_about::VERSION, max_term_width = 110, after_help = super::exit::HELP)]
pub(super) struct TournamentArgs {
    #[command(subcommand)]
    pub command: Command,
    /// Colors of help and errors.
    #[command(flatten)]
    _color: ColorFlag,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Play a gauntlet: challengers against opponents; without arguments, the default plan
    #[command(after_help = GAUNTLET_EXAMPLES)]
    Gauntlet(RunFlags),
    /// Play a round robin: every engine against every other
    RoundRobin(RunFlags),
    /// Play a match of two engines
    Match(RunFlags),
    /// Play a knockout tournament (single elimination)
    ///
    /// The order of the engines is the seeding: the best seeds meet last, and get the byes. Each pairing has --games games; a
    /// level pairing is extended by at most --tiebreak-pairs pairs, after which the better seed advances.
    Knockout(RunFlags),
    /// Play a pyramid: each engine against all engines named before it
    Pyramid(RunFlags),
    /// Play a Swiss tournament: engines with equal points meet, and no two meet twice
    ///
    /// The order of the engines is the seeding. Each pairing has --games games. With an odd number of engines the lowest
    /// one without a bye gets a bye, which counts as all games won.
    Swiss(RunFlags),
    /// Race candidates against one base: the first that is better wins
    ///
    /// Each candidate has a sequential test at its share of --alpha, the error rate of the whole race; games go to the leaders,
    /// and the race ends with --winners accepted candidates. Each of them then plays --estimate-pairs further pairs, from which
    /// its unbiased estimate comes.
    #[command(after_help = RACE_EXAMPLES)]
    Race(RunFlags),
    /// Play two engines until a sequential probability ratio test (SPRT) is decided
    #[command(after_help = SPRT_EXAMPLES)]
    Sprt(RunFlags),
    /// Generate training data: games of engines against themselves, written as labelled positions
    #[command(after_help = super::datagen::EXAMPLES)]
    Datagen(super::datagen::DatagenFlags),
    /// Find the commit of a range that lost (or gained) Elo, by a sequential search of games against the good commit
    #[command(after_help = super::bisect::EXAMPLES)]
    Bisect(super::bisect::BisectFlags),
    /// Queue of runs on this machine: add, list, pause and play jobs, with a page of all tests
    #[command(after_help = super::queue::EXAMPLES)]
    Queue(super::queue::QueueFlags),
    /// Play a plan file; flags take precedence over it
    Run {
        /// Plan file, e.g. nightly.toml (see `smalt-tournament plan`)
        plan: PathBuf,
        /// Resume the run if its store exists, else start it; the plan or --store names the store
        #[arg(long)]
        resume: bool,
        /// Settings that the flags override.
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Print a plan file made of the flags, with an estimate of games and hours
    Plan {
        /// Format: gauntlet, round-robin, match, knockout, pyramid, swiss, race or bisect [default: gauntlet, or match with an SPRT]
        #[arg(long, value_name = "FORMAT", value_parser = word::<Format>(), hide_possible_values = true)]
        format: Option<Format>,
        /// Print the default plan with its comments: the manual of plan files
        #[arg(long)]
        shipped: bool,
        /// JSON schema of plan files: short for `schema plan`
        #[arg(long, hide = true)]
        schema: bool,
        /// Expected share of drawn pairs for the forecast of a test or race, e.g. 0.94
        #[arg(long, value_name = "SHARE", value_parser = parse_share)]
        drawn_pairs: Option<f64>,
        /// Plan file that the flags change, e.g. nightly.toml [default: the default plan]
        #[arg(long, value_name = "PLAN.toml")]
        from: Option<PathBuf>,
        /// Settings of the run.
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Resume a stopped, killed or crashed run at the exact game
    Resume(ResumeFlags),
    /// Show the progress of a run, its speed, time left and faults
    Status(super::status::StatusFlags),
    /// Control a run in progress: pause, resume, concurrency, add or withdraw an engine, extend it
    #[command(after_help = super::ctl::EXAMPLES)]
    Ctl(super::ctl::CtlFlags),
    /// Serve the live page of runs: standings, boards, every game
    #[command(after_help = super::serve::EXAMPLES)]
    Serve(super::serve::ServeFlags),
    /// Play against an engine in the browser, or analyze with it
    #[command(after_help = super::play_page::EXAMPLES)]
    Play(super::play_page::PlayFlags),
    /// Show the standings of a run
    Standings {
        /// Store of the run
        #[arg(value_name = "RUN.db")]
        store: PathBuf,
        /// JSON file of all results (`-`: standard output)
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Format of the standings
        #[arg(long = "format", alias = "table", value_enum, value_name = "FORMAT", default_value = "text")]
        table: TableForm,
    },
    /// Compute one rating list of all players in stores and PGN files
    #[command(after_help = super::ratings::EXAMPLES)]
    Ratings(super::ratings::RatingFlags),
    /// Export the games of a run: PGN, CSV, JSON, final positions, transcripts of faults
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportFlags),
    /// Plot a run or a PGN file as SVG: Elo, LLR, ratings, pairs, openings, or one game
    #[command(after_help = super::plot::EXAMPLES)]
    Plot(super::plot::PlotFlags),
    /// Write a report of a run: HTML with charts, Markdown for a pull request, or CSV
    #[command(after_help = super::report::EXAMPLES)]
    Report(super::report::ReportFlags),
    /// Compute Elo, error, LOS and LLR from game or pair counts
    #[command(after_help = ELO_EXAMPLES)]
    Elo {
        /// Game counts: wins,draws,losses, e.g. 76,123,89
        #[arg(long, value_name = "W,D,L", conflicts_with = "penta")]
        wdl: Option<CountList<3>>,
        /// Pair counts (pentanomial) by points 0, ½, 1, 1½, 2, e.g. 34,54,63,64,75
        #[arg(long, value_name = "LL,LD,DD,WD,WW")]
        penta: Option<CountList<5>>,
        /// Hypotheses and error rates.
        #[command(flatten)]
        test: Flags<SprtSettings>,
        /// JSON file of the results (`-`: standard output)
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long, requires = "json")]
        force: bool,
    },
    /// List the engines of the registry, and which of them are installed
    #[command(after_help = super::engines::EXAMPLES)]
    Engines(super::engines::EnginesFlags),
    /// Check an engine: protocol, options, limits, moves, stop, determinism
    #[command(after_help = super::check::EXAMPLES)]
    Check(super::check::CheckFlags),
    /// Play with the command line and output of fastchess (`smalt-tournament fastchess -help`)
    #[command(disable_help_flag = true)]
    Fastchess {
        /// Arguments of fastchess, e.g. -engine cmd=./new name=new -each tc=8+0.08
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Play with the command line and output of cutechess-cli
    #[command(disable_help_flag = true)]
    Cutechess {
        /// Arguments of cutechess-cli
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Play with the command line and output of c-chess-cli
    #[command(name = "c-chess-cli", disable_help_flag = true)]
    CChessCli {
        /// Arguments of c-chess-cli
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Make an opening book of balanced positions, or check a book
    Openings(super::openings::OpeningFlags),
    /// Print the JSON schema of a file format, or the tables of the store
    Schema {
        /// File format
        name: super::schema::SchemaName,
    },
    /// Run a worker: play games of runs that were started with --nats on another machine
    #[cfg(feature = "nats")]
    #[command(after_help = super::fleet::WORKER_EXAMPLES)]
    Worker(super::fleet::WorkerFlags),
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

const GAUNTLET_EXAMPLES: &str = "\
Examples:
  smalt-tournament gauntlet
  smalt-tournament gauntlet --opponent stockfish --opponent toga2 --tc 2+0.02 --games 20
  smalt-tournament gauntlet --engine ./new --engine './old --some-argument' --opponent builtin
  smalt-tournament gauntlet --engine 'cmd=./new tc=10+0.1' --opponent 'cmd=sf nodes=20000'
  smalt-tournament gauntlet --engine \"repo=. ref=my-branch build='make EXE={exe}'\" --opponent stockfish

An engine E is a command with its arguments, a name from the registry, `builtin` (Smalt itself), or key=value words: \
cmd, repo, ref, build, name, role, args, dir, proto, tc, st, movetime, nodes, depth, timemargin, longest-move, restart, ponder, \
stderr, scale, whitepov, book, bookdepth, initstr, debug, trust, tscale, option.NAME. A word with spaces needs quotation marks: 'cmd=./new \"name=My engine\" \"option.Move Overhead=10\"'.
proto is uci unless the registry or the words say xboard; proto=auto detects it, which may take some seconds per start.

Ctrl-C stops within three seconds and says how to resume; a second one stops at once.";

const RACE_EXAMPLES: &str = "\
Examples:
  smalt-tournament race --base ./master --candidate ./patch1 --candidate ./patch2 --candidate ./patch3 --tc 8+0.08
  smalt-tournament race --base ./master --candidate 'cmd=./master name=A option.LmrBase=90' --candidate \
'cmd=./master name=B option.LmrBase=110' --nodes 20000
  smalt-tournament plan --format race --base ./master --candidate ./patch1 --candidate ./patch2

--base and --candidate are other names of --opponent and --engine. The default test of each candidate is [0, 3.5] with \
--beta 0.4: a candidate that falls behind is dropped early, since another one wins. --winners and --beta 0.05 --elo1 5 \
decide every candidate as a separate test would. docs/statistics.md has the simulations.";

const SPRT_EXAMPLES: &str = "\
Example:
  smalt-tournament sprt --engine ./new --engine ./old --tc 8+0.08 --elo0 0 --elo1 5

Pairs count for the test in the order of their numbers, so that the verdict does not depend on which games happen to be \
short. When the test is decided, games in progress are abandoned and not stored; later pairs that have already finished stay in \
the store and in the tables, but never change the verdict.

Every other command that plays takes the same flags: any tournament of two engines ends as soon as its test is decided.";

const EXPORT_EXAMPLES: &str = "\
Examples:
  smalt-tournament export run.db -o games.csv
  smalt-tournament export run.db --format epd --engine mine --result 1/2-1/2
  smalt-tournament export run.db --format transcript --game 17
  smalt-tournament export run.db --data positions.bullet --max-score 2000";

const ELO_EXAMPLES: &str = "\
Examples:
  smalt-tournament elo --wdl 76,123,89
  smalt-tournament elo --penta 223,9863,21279,10037,246 --elo0 0.5 --elo1 2.5 --model logistic

Where the interval is lopsided (few games, or nearly all won) both ends are printed in brackets instead of one error. \
After wins only, or losses only, there is one bound. docs/statistics.md has the formulas.";

/// Parses a share below 1.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..1.0).contains(share));
    share.ok_or_else(|| format!("expected a share below 1, e.g. 0.94 for 94 %, and not {text:?}"))
}

#[derive(Args, Clone, Debug)]
pub(super) struct ExportFlags {
    /// Store of the run
    #[arg(value_name = "RUN.db")]
    pub store: PathBuf,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite a file even if it has content that the export lacks
    #[arg(long)]
    pub force: bool,
    /// Format [default: by the name of the file, else pgn]
    #[arg(long = "format", alias = "what", value_enum, value_name = "FORMAT")]
    pub what: Option<ExportForm>,
    /// Filter by engine; may be repeated [default: all]
    #[arg(long, value_name = "NAME")]
    pub engine: Vec<String>,
    /// Filter by result: 1-0, 0-1 or 1/2-1/2 [default: all]
    #[arg(long, value_name = "RESULT", allow_hyphen_values = true)]
    pub result: Option<String>,
    /// Filter by termination: checkmate, repetition, "time forfeit", …; may be repeated [default: all]
    #[arg(long, value_name = "ENDING")]
    pub termination: Vec<String>,
    /// Filter by game number: N or N-M, e.g. 17 [default: all]
    #[arg(long, value_name = "N")]
    pub game: Option<Span>,
    /// Filter by pair number: N or N-M, e.g. 1-10 [default: all]
    #[arg(long, value_name = "N")]
    pub pair: Option<Span>,
    /// Labelled positions in place of games.
    #[command(flatten)]
    pub data: Flags<DataSection>,
}

/// The section of training data alone.
#[derive(Args, Clone, Debug, Default, Serialize)]
pub(super) struct DataSection {
    /// Which positions are written.
    #[command(flatten)]
    pub data: DataSettings,
}

/// Format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExportForm {
    /// Games in PGN
    Pgn,
    /// One line per game
    Csv,
    /// One array of games with all moves
    Json,
    /// One JSON object per line and game
    Jsonl,
    /// Final position of each game
    Epd,
    /// Last lines of the protocol before each fault
    Transcript,
}

#[cfg(test)]
mod tests {
    use smalt_workbench::entrant::EngineSettings;

    #[test]
    fn the_help_names_every_key_of_an_engine() {
        let (_, keys) = super::GAUNTLET_EXAMPLES.split_once("key=value words: ").unwrap();
        let named: Vec<&str> = keys.split(". ").next().unwrap().split(", ").collect();
        let missing: Vec<String> =
            EngineSettings::word_keys().into_iter().filter(|key| !named.contains(&&**key)).collect();
        assert_eq!(missing, Vec::<String>::new());
    }
}
