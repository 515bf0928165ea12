//! Command line arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, value_parser};
use smalt::bench::BenchPlan;
use smalt::openings::{OpeningsPlan, ParseOpeningsError};
use smalt_about::{AboutCommand, ColorFlag};
use smalt_chess::Position;
use smalt_chess::perft::{DEEPEST, Leaves};

use super::perft::{PerftPlan, PerftResources};
use super::perft_suite::SuitePlan;

const EXAMPLES: &str = "\
Examples:
  smalt bench
  smalt perft 9 --threads 2 --hash 1024
  smalt perft 5 --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
  smalt \"genfens 100 seed 1 book None\" quit
  smalt eval --fen '8/8/1p6/1P1k4/3P4/3K4/8/8 w - - 0 1'

Exit codes:
  0  success
  1  a count of the suite is wrong, too few openings were found, or the result could not be written
  2  wrong usage or input file
  3  lines of the suite could not be read; the others are right";

/// Chess engine for UCI and xboard.
///
/// Without arguments it speaks UCI or xboard's protocol (CECP) on standard input and output, whichever the first line
/// speaks; `help` there lists the commands, and at a terminal it plays against you.
#[derive(Debug, Parser)]
#[command(name = "smalt", version = smalt_about::VERSION, max_term_width = 110, after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Typed>,
    /// Colors of help and errors.
    #[command(flatten)]
    _color: ColorFlag,
}

#[derive(Debug, Subcommand)]
enum Typed {
    /// Search fixed positions; the last line has the node count and the speed: <nodes> nodes <nps> nps
    Bench(BenchFlags),
    /// Perft: count the leaf nodes of the legal move tree
    Perft(PerftFlags),
    /// Show the static evaluation term by term, and known endgame results (KPK, KBNK, draws)
    Eval(EvalFlags),
    /// Print random openings for OpenBench: genfens N seed S book FILE|None
    Genfens {
        /// Request, e.g. 100 seed 1 book None
        #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true)]
        words: Vec<String>,
    },
    /// Completions, manual pages and reference.
    #[command(flatten)]
    About(AboutCommand),
}

#[derive(Debug, Args)]
struct BenchFlags {
    /// Depth, in plies
    #[arg(long, value_name = "PLIES", default_value_t = 14, value_parser = value_parser!(i32).range(1..=127))]
    depth: i32,
    /// Number of threads; with more than one the node count varies
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Hash table, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
}

#[derive(Debug, Args)]
struct PerftFlags {
    /// Depth, in plies
    #[arg(required_unless_present = "suite", value_parser = value_parser!(u32).range(0..=i64::from(DEEPEST)))]
    depth: Option<u32>,
    /// Position [default: the start position]
    #[arg(long, value_name = "FEN")]
    fen: Option<Position>,
    /// Print a count for each first move (divide)
    #[arg(long)]
    divide: bool,
    /// Play leaf moves instead of counting them (bulk counting off)
    #[arg(long)]
    no_bulk: bool,
    /// Suite of counts to check, with --threads and --hash: EPD with ;D1 20, or id/epd/perft lines; e.g. perft.epd
    #[arg(long, value_name = "FILE", conflicts_with_all = ["depth", "fen", "divide", "no_bulk"])]
    suite: Option<PathBuf>,
    /// Maximum perft count to check, e.g. 1000000 [default: all]
    #[arg(long, value_name = "N", requires = "suite", conflicts_with = "depth")]
    max_nodes: Option<u64>,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Hash table, in megabytes; 0: none
    #[arg(long, value_name = "MB", default_value_t = 0, value_parser = value_parser!(u32).range(0..=1_048_576))]
    hash: u32,
}

#[derive(Debug, Args)]
struct EvalFlags {
    /// Position [default: the start position]
    #[arg(long, value_name = "FEN")]
    fen: Option<Position>,
    /// Parameter file of the evaluation, e.g. evaluation.toml [default: those of the build]
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub(super) enum Command {
    Serve,
    Bench(BenchPlan),
    Perft(PerftPlan),
    PerftSuite(SuitePlan),
    Eval { position: Box<Position>, parameters: Option<PathBuf> },
    Openings(OpeningsPlan),
    About(AboutCommand),
}

impl Command {
    /// Converts the program's arguments to a command.
    pub(super) fn of(arguments: Arguments) -> Result<Command, ParseOpeningsError> {
        Ok(match arguments.command {
            None => Command::Serve,
            Some(Typed::Bench(BenchFlags { depth, threads, hash })) => {
                Command::Bench(BenchPlan { depth, threads: threads as usize, hash: hash as usize })
            }
            Some(Typed::Perft(flags)) => perft(flags),
            Some(Typed::Eval(EvalFlags { fen, params })) => {
                Command::Eval { position: Box::new(fen.unwrap_or_default()), parameters: params }
            }
            Some(Typed::Genfens { words }) => {
                let words = words.into_iter().filter(|word| word != "quit").collect::<Vec<_>>().join(" ");
                Command::Openings(OpeningsPlan::parse(&format!("genfens {words}"))?)
            }
            Some(Typed::About(about)) => Command::About(about),
        })
    }

    /// The definition of the command line.
    pub(super) fn definition() -> clap::Command {
        Arguments::command()
    }
}

/// The arguments of the process. OpenBench passes `genfens` with all its arguments as one, followed by `quit`.
pub(super) fn words() -> Vec<OsString> {
    split_request(std::env::args_os().collect())
}

fn split_request(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let request = arguments.get(1).and_then(|word| word.to_str()).filter(|text| text.starts_with("genfens "));
    if let Some(words) = request.map(|text| text.split_whitespace().map(OsString::from).collect::<Vec<_>>()) {
        arguments.splice(1..2, words);
    }
    arguments
}

fn perft(flags: PerftFlags) -> Command {
    let resources = PerftResources { threads: flags.threads as usize, hash: flags.hash as usize };
    match flags.suite {
        Some(file) => Command::PerftSuite(SuitePlan {
            file,
            most_nodes: flags.max_nodes.unwrap_or(u64::MAX),
            resources,
        }),
        None => Command::Perft(PerftPlan {
            position: Box::new(flags.fen.unwrap_or_default()),
            depth: flags.depth.unwrap_or_default(),
            divide: flags.divide,
            leaves: if flags.no_bulk { Leaves::Played } else { Leaves::Counted },
            resources,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Command, String> {
        let words = std::iter::once("smalt").chain(arguments.iter().copied()).map(OsString::from).collect();
        let arguments = Arguments::try_parse_from(split_request(words)).map_err(|error| error.to_string())?;
        Command::of(arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn commands_are_read_with_their_options() {
        assert!(matches!(parse(&[]), Ok(Command::Serve)));
        let bench = parse(&["bench", "--depth", "5", "--hash=2", "--threads", "3"]);
        let expected = BenchPlan { depth: 5, threads: 3, hash: 2 };
        assert!(matches!(bench, Ok(Command::Bench(plan)) if plan == expected));
        let expected = PerftPlan {
            position: Box::new(Position::start()),
            depth: 3,
            divide: true,
            leaves: Leaves::Played,
            resources: PerftResources { threads: 1, hash: 0 },
        };
        let perft = parse(&["perft", "--divide", "3", "--no-bulk"]);
        assert!(matches!(perft, Ok(Command::Perft(plan)) if plan == expected));
        let resources = PerftResources { threads: 2, hash: 64 };
        let expected = SuitePlan { file: "a.epd".into(), most_nodes: 1000, resources };
        let suite =
            parse(&["perft", "--suite", "a.epd", "--max-nodes", "1000", "--threads", "2", "--hash", "64"]);
        assert!(matches!(suite, Ok(Command::PerftSuite(plan)) if plan == expected));
    }

    #[test]
    fn openings_take_one_argument_or_several() {
        for (arguments, ignored) in [
            (&["genfens 3 seed 5 book None", "quit"][..], &[][..]),
            (&["genfens", "3", "seed", "5", "book", "None"], &[]),
            (&["genfens 3 seed 5 book None dfrc depth=5", "quit"], &["dfrc", "depth=5"]),
        ] {
            let ignored = ignored.iter().map(|&word: &&str| word.to_owned()).collect();
            let expected = OpeningsPlan { count: 3, seed: 5, book: None, ignored };
            assert!(
                matches!(parse(arguments), Ok(Command::Openings(plan)) if plan == expected),
                "{arguments:?}"
            );
        }
    }

    #[test]
    fn wrong_usage_is_refused_with_the_reason() {
        let check = |arguments: &[&str], expected: &str| {
            let error = parse(arguments).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        check(&["serve"], "unrecognized subcommand 'serve'");
        check(&["bench", "--depth", "0"], "0 is not in 1..=127");
        check(&["bench", "--depth"], "a value is required for '--depth <PLIES>'");
        check(&["perft"], "<DEPTH>");
        check(&["perft", "3", "--max-nodes", "5"], "cannot be used with");
        check(&["perft", "--max-nodes", "5"], "--suite <FILE>");
        check(&["eval", "--depth", "3"], "unexpected argument '--depth'");
        check(&["eval", "--fen", "8/8"], "invalid value '8/8' for '--fen <FEN>'");
        check(&["perft", "3", "--suite", "x"], "cannot be used with");
    }
}
