//! Flags of all commands. [`super::intent`] turns them into plans.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches, Parser, Subcommand};
use serde::Serialize;
use smalt_about::{AboutCommand, ArgValueCandidates, ColorFlag};

use super::intent::engine_names;

use super::elo::CountList;
use crate::export::Span;
use smalt_match::plan::{DataSettings, Flags, Format, Settings, SprtSettings, parse_word};

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
        #[arg(long, value_name = "FORMAT", value_parser = parse_word::<Format>)]
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
    Status(StatusFlags),
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
    /// Print the JSON schema of plans, registries, results or events, or the tables of the store
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
cmd, repo, ref, build, name, args, dir, proto, tc, st, movetime, nodes, depth, timemargin, restart, ponder, stderr, scale, whitepov, \
book, bookdepth, initstr, debug, trust, tscale, option.NAME. A word with spaces needs quotation marks: 'cmd=./new \"name=My engine\" \"option.Move Overhead=10\"'.
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

/// Flags of all commands that play.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct RunFlags {
    /// Engine (in a gauntlet: a challenger), e.g. ./new; may be repeated
    #[arg(long, alias = "candidate", value_name = "ENGINE", help_heading = "Engines", add = ArgValueCandidates::new(engine_names))]
    pub engine: Vec<String>,
    /// Opponent of the challengers, e.g. stockfish; may be repeated
    #[arg(long, alias = "base", value_name = "ENGINE", help_heading = "Engines", add = ArgValueCandidates::new(engine_names))]
    pub opponent: Vec<String>,
    /// Default settings of every engine, as key=value words, e.g. 'tc=10+0.1 option.Hash=64'
    #[arg(long, value_name = "WORDS", help_heading = "Engines")]
    pub each: Option<String>,
    /// Two revisions of a git repository to test, NEW against BASE, built by --build, e.g. main..HEAD
    #[arg(long, value_name = "BASE..NEW", help_heading = "Engines", requires = "build", conflicts_with_all = ["engine", "opponent"])]
    pub git: Option<String>,
    /// Shell command that builds the program {exe} of engines with repo= or --git, e.g. 'make EXE={exe}'
    #[arg(long, value_name = "COMMAND", help_heading = "Engines")]
    pub build: Option<String>,
    /// Registry of named engines [default: smalt/engines.toml in your configuration folder, and Debian's engines]
    #[arg(long, value_name = "FILE", help_heading = "Engines")]
    pub engines: Option<PathBuf>,
    /// All settings of a plan.
    #[command(flatten)]
    pub settings: Flags<Settings>,
    /// Recovery after faults: short for --on-fault recover
    #[arg(long, conflicts_with = "on_fault", hide = true)]
    pub recover: bool,
    /// All timeouts at once: 'start=10 ping=10 stop=5 write=5 quit=5'
    #[arg(id = "timeout_words", long = "timeouts", value_name = "WORDS", hide = true)]
    pub timeouts: Option<String>,
    /// Append to the files of --pgn and --epd; other runs may append to them at the same time
    #[arg(long, requires = "pgn", conflicts_with_all = ["pgn_after", "epd_after"], help_heading = "Output")]
    pub append: bool,
    /// Print only the result and errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Whether engines given as commits are built.
    #[arg(skip)]
    pub commits: Commits,
}

/// What happens with engines that are given as commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Commits {
    #[default]
    Build,
    /// Find the commit and the path of its program, which may not be built yet.
    Locate,
}

/// Flags of `resume`. All other settings stay as they were.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ResumeFlags {
    /// Store of the run
    #[arg(id = "resumed", value_name = "RUN.db")]
    pub store: PathBuf,
    /// The settings that may be changed.
    #[command(flatten)]
    pub settings: ResumableFlags,
    /// Recovery after faults: short for --on-fault recover
    #[arg(long, conflicts_with = "on_fault", hide = true)]
    pub recover: bool,
    /// Print only the result and errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// The flags of the settings that `resume` may change.
#[derive(Clone, Debug, Default)]
pub(super) struct ResumableFlags(pub Flags<Settings>);

impl ResumableFlags {
    const IDS: [&str; 24] = [
        "games",
        "concurrency",
        "on_fault",
        "disqualify_after",
        "json",
        "events",
        "epd",
        "log",
        "serve",
        "token_file",
        "serve_after",
        "rating_interval",
        "webhook",
        "exit_on_verdict",
        "nats",
        "user",
        "password_file",
        "creds",
        "nkey",
        "ca",
        "cert",
        "key",
        "lease",
        "allow_mixed",
    ];

    /// Another number of concurrent games.
    pub(super) fn set_concurrency(&mut self, games: Option<std::num::NonZeroUsize>) {
        let games = games.and_then(|games| i64::try_from(games.get()).ok());
        let run = games.map(|games| toml::Table::from_iter([("concurrency".to_owned(), games.into())]));
        self.0.given.extend(run.map(|run| ("run".to_owned(), toml::Value::Table(run))));
    }

    /// Another folder for the output of engines.
    pub(super) fn set_log(&mut self, folder: Option<&std::path::Path>) {
        let folder = folder.and_then(std::path::Path::to_str);
        let output = folder.map(|folder| toml::Table::from_iter([("log".to_owned(), folder.into())]));
        self.0.given.extend(output.map(|output| ("output".to_owned(), toml::Value::Table(output))));
    }

    /// The flags of all other settings.
    fn fixed() -> impl Iterator<Item = Arg> {
        let all = Flags::<Settings>::augment_args(clap::Command::new("settings"));
        let fixed = |arg: &&Arg| !ResumableFlags::IDS.contains(&arg.get_id().as_str());
        all.get_arguments().filter(fixed).cloned().collect::<Vec<_>>().into_iter()
    }
}

impl Args for ResumableFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = Flags::<Settings>::augment_args(command);
        Self::fixed().fold(command, |command, arg| command.mut_arg(arg.get_id(), |arg| arg.hide(true)))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ResumableFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given =
            |arg: &Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        match Self::fixed().find(is_given) {
            Some(arg) => {
                let flag = arg.get_long().unwrap_or_default();
                let message = format!("--{flag} cannot be changed on resume\n");
                Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, message))
            }
            None => Flags::<Settings>::from_arg_matches(matches).map(Self),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Args, Clone, Debug)]
pub(super) struct StatusFlags {
    /// Store of the run
    #[arg(value_name = "RUN.db")]
    pub store: PathBuf,
    /// Print every fault
    #[arg(long)]
    pub faults: bool,
    /// Print the last lines of the protocol before each fault
    #[arg(long)]
    pub transcripts: bool,
    /// JSON file of the status (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
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

/// Format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TableForm {
    /// Aligned columns, with all other tables
    Text,
    /// For pull requests
    Markdown,
    /// For spreadsheets
    Csv,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resumable_setting_has_a_flag() {
        let all = Flags::<Settings>::augment_args(clap::Command::new("settings"));
        let exists = |id: &&str| all.get_arguments().any(|arg| arg.get_id() == *id);
        let missing: Vec<_> = ResumableFlags::IDS.into_iter().filter(|id| !exists(id)).collect();
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn the_queue_knows_which_flags_of_resume_have_no_value() {
        let resume = ResumeFlags::augment_args(clap::Command::new("resume"));
        let has_no_value = |arg: &&Arg| !arg.is_positional() && !arg.get_action().takes_values();
        let is_resumable = |arg: &&Arg| {
            let id = arg.get_id().as_str();
            ResumableFlags::IDS.contains(&id) || ["recover", "quiet"].contains(&id)
        };
        let mut flags: Vec<String> = Vec::new();
        for arg in resume.get_arguments().filter(has_no_value).filter(is_resumable) {
            flags.extend(arg.get_long().map(|long| format!("--{long}")));
            flags.extend(arg.get_short().map(|short| format!("-{short}")));
        }
        flags.sort();
        let mut known = smalt_queue::job::RESUME_SWITCHES;
        known.sort_unstable();
        assert_eq!(flags, known);
    }
}
