//! The command line as it was typed, and nothing more. What it means is told by [`super::intent`].

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use smalt_protocol::TimeControl;
use smalt_stats::sprt::Model;

use super::elo::Numbers;
use super::fleet::FleetFlags;
use crate::export::Span;
use smalt_match::plan::{
    Affinity, BadOptions, BookFormat, DrawRule, FiftyMoves, Figure, Format, MateRule, Notation, OnFault,
    OpeningPolicy, Order, PgnForm, ResignRule, RuleError, Switch, TablebaseResults, TimeoutsFile, Times,
    Variant, parse_word,
};

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
        /// A plan file that the flags change
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
        wdl: Option<Numbers<3>>,
        /// Pairs of games by points: 0, ½, 1, 1½, 2
        #[arg(long, value_name = "LL,LD,DD,WD,WW")]
        penta: Option<Numbers<5>>,
        /// What is tested.
        #[command(flatten)]
        test: SprtFlags,
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
    /// An engine (of a gauntlet: a challenger); may be repeated
    #[arg(long, value_name = "E", help_heading = "Entrants")]
    pub engine: Vec<String>,
    /// An engine that challengers meet; may be repeated
    #[arg(long, value_name = "E", help_heading = "Entrants")]
    pub opponent: Vec<String>,
    /// key=value words that hold for every entrant that does not say otherwise
    #[arg(long, value_name = "WORDS", help_heading = "Entrants")]
    pub each: Option<String>,
    /// A registry of named engines (default: smalt/engines.toml in your configuration folder, and Debian's engines)
    #[arg(long, value_name = "FILE", help_heading = "Entrants")]
    pub engines: Option<PathBuf>,

    /// Clock of the game: moves/seconds+increment, as in 40/60+0.6 or 10+0.1
    #[arg(long, value_name = "TC", help_heading = "Clock")]
    pub tc: Option<TimeControl>,
    /// Milliseconds for each move
    #[arg(long, value_name = "MS", help_heading = "Clock")]
    pub movetime: Option<u64>,
    /// Nodes for each move (an engine that takes no notice of them, or of --depth, is told to stop, and a warning says so)
    #[arg(long, value_name = "N", help_heading = "Clock")]
    pub nodes: Option<u64>,
    /// Plies for each move
    #[arg(long, value_name = "PLIES", help_heading = "Clock")]
    pub depth: Option<u32>,
    /// Milliseconds that a move may be late
    #[arg(long, value_name = "MS", help_heading = "Clock")]
    pub timemargin: Option<u64>,
    /// All times are for a machine on which Smalt visits so many nodes a second, and are scaled to this one
    #[arg(long, value_name = "REFERENCE_NPS", help_heading = "Clock")]
    pub scale_clock: Option<u64>,
    /// Seconds after which a move without any limit of time (nodes, depth) is given up (default 600); after a tenth of them
    /// a warning tells that it is awaited
    #[arg(long, value_name = "SECONDS", help_heading = "Clock")]
    pub longest_move: Option<u64>,
    /// The time that a side uses goes to its opponent (needs --tc)
    #[arg(long, help_heading = "Clock")]
    pub hourglass: bool,

    /// Games of each encounter; two games, with reversed colors, share an opening (default 8; as many as it takes for a
    /// sequential test)
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub games: Option<u32>,
    /// How often everything is gone through (default 1); the rounds of a Swiss tournament
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub rounds: Option<u32>,
    /// The first N engines are the challengers of a gauntlet, all others their opponents
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub seeds: Option<usize>,
    /// Everybody keeps the color of the first game of an encounter
    #[arg(long, help_heading = "Run")]
    pub noswap: bool,
    /// Every pair begins with the same of two having White, where usually the lead changes from pair to pair
    #[arg(long, help_heading = "Run")]
    pub same_lead: bool,
    /// The second of two begins with White
    #[arg(long, help_heading = "Run")]
    pub reverse: bool,
    /// The seed shuffles the order of the encounters, or the seeding of a knockout or Swiss tournament
    #[arg(long, help_heading = "Run")]
    pub shuffle: bool,
    /// Further pairs that a level encounter of a knockout has at most (default 4)
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub tiebreak_pairs: Option<u32>,
    /// Games at the same time (default: cores less one)
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub concurrency: Option<usize>,
    /// What all chance follows from
    #[arg(long, value_name = "S", help_heading = "Run")]
    pub seed: Option<u64>,
    /// The event's name
    #[arg(long, value_name = "NAME", help_heading = "Run")]
    pub name: Option<String>,
    /// The place, as the PGN tells it
    #[arg(long, value_name = "PLACE", help_heading = "Run")]
    pub site: Option<String>,
    /// After a fault of an engine (the game is lost): recover (start it again and go on), stop, or stop-on-crash
    #[arg(long, value_name = "POLICY", value_parser = parse_word::<OnFault>, help_heading = "Run")]
    pub on_fault: Option<OnFault>,
    /// Short for --on-fault recover, which is the default
    #[arg(long, conflicts_with = "on_fault", help_heading = "Run")]
    pub recover: bool,
    /// After so many faults an engine plays no more, and its games are left out (default 0: never)
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub strike_after: Option<u32>,
    /// Where an engine has no such option as its entrant's, or not of that value: fault (it does not play), or warn
    #[arg(long, value_name = "POLICY", value_parser = parse_word::<BadOptions>, help_heading = "Run")]
    pub bad_options: Option<BadOptions>,
    /// Milliseconds between the end of a game and the start of the next one in its place
    #[arg(long, value_name = "MS", help_heading = "Run")]
    pub wait: Option<u64>,
    /// Which chess is played: standard or chess960
    #[arg(long, value_name = "VARIANT", value_parser = parse_word::<Variant>, help_heading = "Run")]
    pub variant: Option<Variant>,
    /// Bind each game with its engines to a processor: auto (where that suits), on, off, or processors like 0,2,4-7
    #[arg(long, value_name = "AFFINITY", help_heading = "Run")]
    pub affinity: Option<Affinity>,
    /// Seconds that engines may take for what is no move: 'start=10 ping=10 stop=5 write=5 quit=5'
    #[arg(long, value_name = "WORDS", help_heading = "Run")]
    pub timeouts: Option<TimeoutsFile>,

    /// Openings: an .epd, .pgn or Polyglot .bin file, plain, .gz or .zst; `builtin`, `chess960` (its 960 start
    /// positions), or `startpos` (no opening)
    #[arg(long, value_name = "FILE", help_heading = "Openings")]
    pub openings: Option<PathBuf>,
    /// How openings follow one another: random (by the seed) or sequential
    #[arg(long, value_name = "ORDER", value_parser = parse_word::<Order>, help_heading = "Openings")]
    pub order: Option<Order>,
    /// The first opening that is used, counted from 1
    #[arg(long, value_name = "N", help_heading = "Openings")]
    pub start: Option<usize>,
    /// How many plies of a PGN opening are played
    #[arg(long, value_name = "N", help_heading = "Openings")]
    pub plies: Option<u32>,
    /// How the file of openings is written, where its name does not tell: epd, pgn or polyglot
    #[arg(long, value_name = "FORMAT", value_parser = parse_word::<BookFormat>, help_heading = "Openings")]
    pub book_format: Option<BookFormat>,
    /// How many moves of each side are taken from a Polyglot book
    #[arg(long, value_name = "MOVES", help_heading = "Openings")]
    pub book_depth: Option<u32>,
    /// Every game has an opening of its own, so that there are no pairs
    #[arg(long, help_heading = "Openings")]
    pub no_repeat: bool,
    /// Which encounters share openings: round (all of a round), pair (each pair has its own) or encounter (its games
    /// share one)
    #[arg(long, value_name = "POLICY", value_parser = parse_word::<OpeningPolicy>, help_heading = "Openings")]
    pub opening_policy: Option<OpeningPolicy>,

    /// Call a draw that both engines see: 'movenumber=40 movecount=8 score=10', or off; captures and pawn moves begin the
    /// count anew
    #[arg(long, value_name = "RULE", value_parser = parse_draw, help_heading = "Adjudication")]
    pub draw: Option<Switch<DrawRule>>,
    /// Call a game that is lost: 'movecount=4 score=700 sides=both', or off
    #[arg(long, value_name = "RULE", value_parser = parse_resign, help_heading = "Adjudication")]
    pub resign: Option<Switch<ResignRule>>,
    /// Trust announced mates: 'movecount=1 sides=both' (or one), or off
    #[arg(long, value_name = "RULE", value_parser = parse_mate, help_heading = "Adjudication")]
    pub mate: Option<Switch<MateRule>>,
    /// Call a draw after so many moves of each side; 0: never
    #[arg(long, value_name = "N", help_heading = "Adjudication")]
    pub maxmoves: Option<u32>,
    /// End games by the Syzygy tables in these folders (parted by colons)
    #[arg(long, value_name = "PATH", help_heading = "Adjudication")]
    pub tb: Option<PathBuf>,
    /// The most pieces at which tables are asked, kings included (default: as many as they have)
    #[arg(long, value_name = "N", requires = "tb", help_heading = "Adjudication")]
    pub tb_pieces: Option<u32>,
    /// Which results of tables are called: win, draw or both (default both)
    #[arg(long, value_name = "RESULTS", requires = "tb", help_heading = "Adjudication")]
    pub tb_adjudicate: Option<TablebaseResults>,
    /// Whether the rule of fifty moves counts for tables: respected or ignored (default respected)
    #[arg(long, value_name = "HOW", requires = "tb", help_heading = "Adjudication")]
    pub tb_fifty: Option<FiftyMoves>,

    /// What is tested.
    #[command(flatten)]
    pub test: SprtFlags,

    /// Where results are kept (default: FORMAT-DATE.db)
    #[arg(long, value_name = "RUN.db", help_heading = "Output")]
    pub store: Option<PathBuf>,
    /// Where games are written (default: as the store, with .pgn)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub pgn: Option<PathBuf>,
    /// Append to the files of --pgn and --epd; other runs may append to them at the same time
    #[arg(long, requires = "pgn", conflicts_with_all = ["pgn_after", "epd_after"], help_heading = "Output")]
    pub append: bool,
    /// As --append, for the PGN alone: the first BYTES bytes are not this run's
    #[arg(long, value_name = "BYTES", help_heading = "Output")]
    pub pgn_after: Option<u64>,
    /// What its move comments bear besides: nodes, nps, seldepth, hashfull, tbhits, latency, timeleft, pv
    #[arg(long, value_name = "FIGURES", value_delimiter = ',', help_heading = "Output")]
    pub pgn_comments: Vec<Figure>,
    /// How much is written to it: full, or minimal (seven tags, no comments)
    #[arg(long, value_name = "FORM", value_parser = parse_word::<PgnForm>, help_heading = "Output")]
    pub pgn_form: Option<PgnForm>,
    /// How its moves are written: san, lan (both squares) or uci
    #[arg(long, value_name = "NOTATION", value_parser = parse_word::<Notation>, help_heading = "Output")]
    pub pgn_notation: Option<Notation>,
    /// Whether what depends on time is written to it: on or off
    #[arg(long, value_name = "SWITCH", value_parser = parse_word::<Times>, help_heading = "Output")]
    pub pgn_times: Option<Times>,
    /// The same for the file of last positions
    #[arg(long, value_name = "BYTES", requires = "epd", help_heading = "Output")]
    pub epd_after: Option<u64>,
    /// How it is shown.
    #[command(flatten)]
    pub show: ShowFlags,
    /// Whether it is played on other machines.
    #[command(flatten)]
    pub fleet: FleetFlags,
}

/// How a run is shown.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ShowFlags {
    /// Write all results for scripts (`-`: standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub json: Option<PathBuf>,
    /// Append what happens as JSON lines, while it does (`-`: standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub events: Option<PathBuf>,
    /// Write the last positions of all games, at the end of the run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub epd: Option<PathBuf>,
    /// Keep every line of both engines, a file a game, in this folder (`-`: on standard output)
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub log: Option<PathBuf>,
    /// Serve the live page while the run goes on: a port of this machine, or ADDRESS:PORT (see `serve`)
    #[arg(long, value_name = "ADDR", value_parser = super::serve::parse_address, help_heading = "Output")]
    pub serve: Option<SocketAddr>,
    /// The file with the token that the page asks for; it is made if there is none
    #[arg(long, value_name = "FILE", requires = "serve", help_heading = "Output")]
    pub serve_token: Option<PathBuf>,
    /// Go on serving it when the run is over and everything is written, until Ctrl-C
    #[arg(long, requires = "serve", help_heading = "Output")]
    pub serve_after: bool,
    /// Show the standings every so many games (on a terminal they are always shown)
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub rating_interval: Option<u64>,
    /// Show nothing but the result and errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// What may be changed when a run goes on. All else stays as it was begun.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ResumeFlags {
    /// The store of the run
    pub store: PathBuf,
    /// Games at the same time
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// More games of each pairing than before
    #[arg(long, value_name = "N")]
    pub games: Option<u32>,
    /// After a fault of an engine (the game is lost): recover (start it again and go on), stop, or stop-on-crash
    #[arg(long, value_name = "POLICY", value_parser = parse_word::<OnFault>)]
    pub on_fault: Option<OnFault>,
    /// Short for --on-fault recover
    #[arg(long, conflicts_with = "on_fault")]
    pub recover: bool,
    /// After so many faults from now on an engine plays no more (0: never)
    #[arg(long, value_name = "N")]
    pub strike_after: Option<u32>,
    /// How it is shown.
    #[command(flatten)]
    pub show: ShowFlags,
    /// Whether it is played on other machines.
    #[command(flatten)]
    pub fleet: FleetFlags,
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

/// A sequential test: any of these asks for one.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct SprtFlags {
    /// The first hypothesis: no better than this (where games are played, default 0)
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, help_heading = "Test")]
    pub elo0: Option<f64>,
    /// The second hypothesis: this much better (where games are played, default 5)
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, help_heading = "Test")]
    pub elo1: Option<f64>,
    /// How often the first, if true, may be rejected (default 0.05)
    #[arg(long, value_name = "SHARE", help_heading = "Test")]
    pub alpha: Option<f64>,
    /// How often the second, if true, may be rejected (default 0.05)
    #[arg(long, value_name = "SHARE", help_heading = "Test")]
    pub beta: Option<f64>,
    /// The unit of the hypotheses: normalized, logistic or bayesian (default normalized)
    #[arg(long, value_name = "MODEL", help_heading = "Test")]
    pub model: Option<Model>,
}

impl SprtFlags {
    /// Whether anything was said of a test.
    pub(super) fn ask(&self) -> bool {
        let SprtFlags { elo0, elo1, alpha, beta, model } = self;
        [elo0, elo1, alpha, beta].iter().any(|value| value.is_some()) || model.is_some()
    }
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

fn parse_draw(text: &str) -> Result<Switch<DrawRule>, RuleError> {
    text.parse()
}

fn parse_mate(text: &str) -> Result<Switch<MateRule>, RuleError> {
    text.parse()
}

fn parse_resign(text: &str) -> Result<Switch<ResignRule>, RuleError> {
    text.parse()
}
