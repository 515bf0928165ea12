//! The command line as it was typed, and nothing more. What it means is told by [`super::intent`].

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches, Parser, Subcommand};

use super::elo::CountList;
use crate::export::Span;
use smalt_match::plan::{Flags, Format, Settings, SprtSettings, parse_word};

/// Plays gauntlets and other tournaments between chess engines, with statistics that can be trusted.
///
/// Without engines of your own, `smalt-tournament gauntlet` plays the shipped plan: Smalt against weakened copies of
/// itself, in about a minute.
#[derive(Debug, Parser)]
#[command(name = "smalt-tournament", version, max_term_width = 110, after_help = super::exit::HELP, after_long_help = super::exit::HELP)]
pub(super) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Play challengers against opponents; without arguments, the shipped plan
    #[command(after_help = GAUNTLET_EXAMPLES)]
    Gauntlet(RunFlags),
    /// Play everybody against everybody
    RoundRobin(RunFlags),
    /// Play one engine against another
    Match(RunFlags),
    /// Play a single elimination: the winner of an encounter goes on
    ///
    /// The order of the entrants is the seeding: the best meet last, and have the byes. Each encounter has --games games; a
    /// level one goes on by --tiebreak-pairs further pairs at most, and then the better seed goes on.
    Knockout(RunFlags),
    /// Play everybody against all before it, one newcomer after the other
    Pyramid(RunFlags),
    /// Play a Swiss tournament: those meet who have about as many points, and nobody meets twice
    ///
    /// The order of the entrants is the seeding. Each encounter has --games games. With an odd number the last who has had
    /// none gets a bye, which counts as all games of an encounter won.
    Swiss(RunFlags),
    /// Play one engine against another until a sequential test is decided
    #[command(after_help = SPRT_EXAMPLES)]
    Sprt(RunFlags),
    /// Play a plan from a file; flags given besides take precedence
    Run {
        /// The plan: see `smalt-tournament plan`
        plan: PathBuf,
        /// What is played otherwise.
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Print the plan that flags mean, as a file for `run`, with an estimate of its games and hours
    Plan {
        /// Who meets whom: gauntlet, round-robin, match, knockout, pyramid or swiss
        #[arg(long, value_name = "FORMAT", value_parser = parse_word::<Format>)]
        format: Option<Format>,
        /// Print the shipped plan with its comments: the manual of plan files
        #[arg(long)]
        shipped: bool,
        /// JSON schema of plan files
        #[arg(long)]
        schema: bool,
        /// Plan file that the flags change
        #[arg(long, value_name = "PLAN.toml")]
        from: Option<PathBuf>,
        /// What is played.
        #[command(flatten)]
        flags: RunFlags,
    },
    /// Go on exactly where a stopped, killed or crashed run was
    Resume(ResumeFlags),
    /// Tell how far a run is, and what engines did wrong
    Status(StatusFlags),
    /// Serve the live page of runs: standings, boards, every game
    #[command(after_help = super::serve::EXAMPLES)]
    Serve(super::serve::ServeFlags),
    /// Show the tables of a run
    Standings {
        /// The store of the run
        store: PathBuf,
        /// Write all results for scripts (`-`: standard output)
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
        /// How the first table is written
        #[arg(long, value_enum, default_value = "text")]
        table: TableForm,
    },
    /// Rate all who played in stores and PGN files on one scale
    #[command(after_help = super::ratings::EXAMPLES)]
    Ratings(super::ratings::RatingFlags),
    /// Write the games of a run: PGN, CSV, JSON, last positions, or what engines said before their faults
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportFlags),
    /// Draw a run, or the games of a PGN file, as SVG: Elo, LLR, ratings, pairs, openings, or one game
    #[command(after_help = super::plot::EXAMPLES)]
    Plot(super::plot::PlotFlags),
    /// Write all that is to be said of a run into one file: HTML with charts, Markdown or CSV
    #[command(after_help = super::report::EXAMPLES)]
    Report(super::report::ReportFlags),
    /// Compute Elo, its error, and a sequential test from counts
    #[command(after_help = ELO_EXAMPLES)]
    Elo {
        /// Games: wins, draws, losses
        #[arg(long, value_name = "W,D,L", conflicts_with = "penta")]
        wdl: Option<CountList<3>>,
        /// Pairs of games by points: 0, ½, 1, 1½, 2
        #[arg(long, value_name = "LL,LD,DD,WD,WW")]
        penta: Option<CountList<5>>,
        /// What is tested.
        #[command(flatten)]
        test: Flags<SprtSettings>,
        /// Write the results for scripts (`-`: standard output)
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Examine an engine: is it fit to play?
    #[command(after_help = super::check::EXAMPLES)]
    Check(super::check::CheckFlags),
    /// Play with fastchess's flags, and print its lines: `smalt-tournament fastchess -help` lists them
    #[command(disable_help_flag = true)]
    Fastchess {
        /// As fastchess takes them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Play with cutechess-cli's flags, and print its lines
    #[command(disable_help_flag = true)]
    Cutechess {
        /// As cutechess-cli takes them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Make an opening book: random moves, kept where an engine judges them even; or check one
    Openings(super::openings::OpeningFlags),
    /// Play games for runs that were started elsewhere with --nats
    #[cfg(feature = "nats")]
    #[command(after_help = super::fleet::WORKER_EXAMPLES)]
    Worker(super::fleet::WorkerFlags),
    /// Be the built-in engine
    #[command(hide = true)]
    Engine,
    /// End what a killed run leaves behind
    #[command(hide = true)]
    Guard,
}

const GAUNTLET_EXAMPLES: &str = "\
Examples:
  smalt-tournament gauntlet
  smalt-tournament gauntlet --opponent stockfish --opponent toga2 --tc 2+0.02 --games 20
  smalt-tournament gauntlet --engine ./new --engine './old --some-argument' --opponent builtin
  smalt-tournament gauntlet --engine 'cmd=./new tc=10+0.1' --opponent 'cmd=sf nodes=20000'

An entrant E is a program with its arguments, a name of the registry, `builtin` (Smalt itself), or key=value words: \
cmd, name, args, dir, proto, tc, st, movetime, nodes, depth, timemargin, restart, ponder, stderr, scale, whitepov, \
option.NAME. A word with spaces needs quotation marks: 'cmd=./new \"name=My engine\" \"option.Move Overhead=10\"'.
proto is uci unless the registry or the entrant says xboard; proto=auto finds out, which may take some seconds a start.

Ctrl-C stops within three seconds and says how to resume; a second one stops at once.";

const SPRT_EXAMPLES: &str = "\
Example:
  smalt-tournament sprt --engine ./new --engine ./old --tc 8+0.08 --elo0 0 --elo1 5

Pairs of games count for the test in the order of their numbers, each when all before it have counted, so that the verdict \
does not depend on which games happen to be short. When it is decided, games in play are given up and not stored; pairs \
that had ended out of turn stay in the store and in the tables, but never change the verdict.

Every other command that plays takes the same flags: a gauntlet, round-robin, pyramid, knockout or Swiss tournament of \
two entrants ends, too, as soon as its test is decided.";

const EXPORT_EXAMPLES: &str = "\
Examples:
  smalt-tournament export run.db -o games.csv
  smalt-tournament export run.db --what epd --engine mine --result 1/2-1/2
  smalt-tournament export run.db --what transcript --game 17";

const ELO_EXAMPLES: &str = "\
Examples:
  smalt-tournament elo --wdl 76,123,89
  smalt-tournament elo --penta 223,9863,21279,10037,246 --elo0 0.5 --elo1 2.5 --model logistic

Where the 95% interval of the score, score ± 1.96 standard errors, reaches 0 or 1, or all ended alike, no single error \
tells that of Elo: both ends follow in brackets, from E. Wilson's interval for as many games as would spread so much \
without draws. After nothing but wins (losses) there is only one end: C. Clopper and E. Pearson's, a score of 0.05^(1/n).";

/// What is played, and how.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct RunFlags {
    /// Engine (in a gauntlet: a challenger); may be repeated
    #[arg(long, value_name = "E", help_heading = "Engines")]
    pub engine: Vec<String>,
    /// Opponent of the challengers; may be repeated
    #[arg(long, value_name = "E", help_heading = "Engines")]
    pub opponent: Vec<String>,
    /// Settings of every engine that has none of its own, as key=value words, e.g. 'tc=10+0.1 option.Hash=64'
    #[arg(long, value_name = "WORDS", help_heading = "Engines")]
    pub each: Option<String>,
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
    /// Appending to the files of --pgn and --epd; other runs may append to them at the same time
    #[arg(long, requires = "pgn", conflicts_with_all = ["pgn_after", "epd_after"], help_heading = "Output")]
    pub append: bool,
    /// Nothing but the result and errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// What may be changed when a run goes on. All else stays as it was begun.
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
    /// Nothing but the result and errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// The flags of the settings that may be changed when a run goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct ResumableFlags(pub Flags<Settings>);

impl ResumableFlags {
    const IDS: [&str; 22] = [
        "games",
        "concurrency",
        "on_fault",
        "strike_after",
        "json",
        "events",
        "epd",
        "log",
        "serve",
        "serve_token",
        "serve_after",
        "rating_interval",
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
                let message = format!("--{flag} cannot be changed: a run goes on as it was begun\n");
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

/// What is told of a run.
#[derive(Args, Clone, Debug)]
pub(super) struct StatusFlags {
    /// The store of the run
    pub store: PathBuf,
    /// Tell of every fault
    #[arg(long)]
    pub faults: bool,
    /// And show the last lines of the conversation before each
    #[arg(long)]
    pub transcripts: bool,
    /// Write the same for scripts (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Which games are written, and how.
#[derive(Args, Clone, Debug)]
pub(super) struct ExportFlags {
    /// The store of the run
    pub store: PathBuf,
    /// The file (default: standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What is written (default: what the name of the file says, else pgn)
    #[arg(long, value_enum, value_name = "FORM")]
    pub what: Option<ExportForm>,
    /// Only games of this entrant; may be repeated
    #[arg(long, value_name = "NAME")]
    pub engine: Vec<String>,
    /// Only games with this result: 1-0, 0-1 or 1/2-1/2
    #[arg(long, value_name = "RESULT", allow_hyphen_values = true)]
    pub result: Option<String>,
    /// Only games that ended so: checkmate, repetition, "time forfeit", …; may be repeated
    #[arg(long, value_name = "ENDING")]
    pub termination: Vec<String>,
    /// Only the games of these numbers: N or N-M
    #[arg(long, value_name = "N")]
    pub game: Option<Span>,
    /// Only the games of these pairs: N or N-M
    #[arg(long, value_name = "N")]
    pub pair: Option<Span>,
}

/// What can be written of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ExportForm {
    /// The games
    Pgn,
    /// A line a game
    Csv,
    /// One array of games with all moves
    Json,
    /// The same, a line a game
    Jsonl,
    /// The last position of each game
    Epd,
    /// The last lines before each fault
    Transcript,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TableForm {
    /// Aligned columns, and all other tables
    Text,
    /// For pull requests
    Markdown,
    /// For spreadsheets
    Csv,
}
