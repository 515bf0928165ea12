//! Command line arguments.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};
use smalt::bench::BenchPlan;
use smalt::openings::{OpeningsPlan, ParseOpeningsError};
use smalt_chess::Position;
use smalt_chess::perft::{DEEPEST, Leaves};

use super::perft::{PerftPlan, PerftResources};
use super::perft_suite::SuitePlan;

pub(super) const HELP: &str = "\
A chess engine. Without arguments it speaks UCI or xboard's protocol (CECP) on standard input and output, whichever the
first line speaks; 'help' there lists commands for people.

Usage:
  smalt                          serve an interface or a tournament
  smalt bench [--depth D] [--threads N] [--hash MB]
                                 search fixed positions; last line: <nodes> nodes <nps> nps
  smalt perft DEPTH [--fen FEN] [--divide] [--no-bulk] [--threads N] [--hash MB]
                                 count the lines of legal moves
  smalt perft --suite FILE [--max-nodes N] [--threads N] [--hash MB]
                                 check the counts of a suite (EPD with ;D1 20, or id/epd/perft lines)
  smalt eval [--fen FEN] [--params FILE]
                                 explain the static evaluation, term by term, and what is known of an ending
  smalt genfens N seed S book FILE|None
                                 N random openings, as OpenBench asks for them

Options:
      --depth D      plies (bench: 14)
      --threads N    threads (1)
      --hash MB      megabytes of the hash table (bench: 16; perft: none)
      --fen FEN      position (the start position)
      --divide       a count for each first move
      --no-bulk      play the last ply's moves instead of counting them
      --suite FILE   suite of counts
      --max-nodes N  skip greater counts of the suite
      --params FILE  weights of the evaluation (those of the build)
  -h, --help         this text
  -V, --version      the version

Examples:
  smalt bench
  smalt perft 9 --threads 2 --hash 1024
  smalt perft 5 --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
  smalt \"genfens 100 seed 1 book None\" quit
  smalt eval --fen '8/8/1p6/1P1k4/3P4/3K4/8/8 w - - 0 1'

Exit codes:
  0  done
  1  a count of the suite is wrong, too few openings were found, or the result could not be written
  2  wrong usage or input file
  3  lines of the suite could not be read; the others are right
";

/// A command.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Command {
    Serve,
    Help,
    Version,
    Bench(BenchPlan),
    Perft(PerftPlan),
    PerftSuite(SuitePlan),
    Eval { position: Box<Position>, parameters: Option<PathBuf> },
    Openings(OpeningsPlan),
}

/// An error in the arguments.
#[derive(Debug, thiserror::Error)]
pub(super) enum UsageError {
    #[error("there is no command {0:?}: expected bench, perft, eval or genfens")]
    UnknownCommand(String),
    #[error(transparent)]
    Argument(#[from] lexopt::Error),
    #[error("{flag} {text:?}: expected a whole number from {} to {}", range.start(), range.end())]
    Number { flag: &'static str, text: String, range: RangeInclusive<u64> },
    #[error("--fen {text:?}: {source}")]
    Fen { text: String, source: smalt_chess::FenError },
    #[error("perft needs a depth, or --suite FILE")]
    NoDepth,
    #[error("--suite has its own positions and depths: leave out the depth, --fen, --divide and --no-bulk")]
    SuiteWithPosition,
    #[error(transparent)]
    Openings(#[from] ParseOpeningsError),
    #[error("--max-nodes needs --suite")]
    MaxNodesWithoutSuite,
}

impl Command {
    /// Reads the arguments of the program.
    pub(super) fn parse(mut parser: Parser) -> Result<Command, UsageError> {
        match parser.next()? {
            None => Ok(Command::Serve),
            Some(Arg::Long("help") | Arg::Short('h')) => Ok(Command::Help),
            Some(Arg::Long("version") | Arg::Short('V')) => Ok(Command::Version),
            Some(Arg::Value(word)) => match word.to_str() {
                Some("help") => Ok(Command::Help),
                Some("bench") => parse_bench(parser),
                Some("perft") => parse_perft(parser),
                Some("eval") => parse_eval(parser),
                Some(text) if text.split_whitespace().next() == Some("genfens") => {
                    parse_openings(text.to_owned(), parser)
                }
                _ => Err(UsageError::UnknownCommand(word.to_string_lossy().into_owned())),
            },
            Some(other) => Err(other.unexpected().into()),
        }
    }
}

fn parse_bench(mut parser: Parser) -> Result<Command, UsageError> {
    let mut plan = BenchPlan::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("depth") => plan.depth = number("--depth", parser.value()?, 1..=127)?,
            Arg::Long("threads") => plan.threads = number("--threads", parser.value()?, 1..=1024)?,
            Arg::Long("hash") => plan.hash = number("--hash", parser.value()?, 1..=1_048_576)?,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Bench(plan))
}

fn parse_perft(mut parser: Parser) -> Result<Command, UsageError> {
    let (mut depth, mut fen, mut suite, mut most_nodes) = (None, None, None, None);
    let (mut divide, mut leaves) = (false, Leaves::Counted);
    let mut resources = PerftResources { threads: 1, hash: 0 };
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Value(word) if depth.is_none() => {
                depth = Some(number("DEPTH", word, 0..=u64::from(DEEPEST))?)
            }
            Arg::Long("fen") => fen = Some(position(parser.value()?)?),
            Arg::Long("divide") => divide = true,
            Arg::Long("no-bulk") => leaves = Leaves::Played,
            Arg::Long("threads") => resources.threads = number("--threads", parser.value()?, 1..=1024)?,
            Arg::Long("hash") => resources.hash = number("--hash", parser.value()?, 0..=1_048_576)?,
            Arg::Long("suite") => suite = Some(PathBuf::from(parser.value()?)),
            Arg::Long("max-nodes") => {
                most_nodes = Some(number("--max-nodes", parser.value()?, 0..=u64::MAX)?)
            }
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(file) = suite {
        if depth.is_some() || fen.is_some() || divide || leaves == Leaves::Played {
            return Err(UsageError::SuiteWithPosition);
        }
        let most_nodes = most_nodes.unwrap_or(u64::MAX);
        return Ok(Command::PerftSuite(SuitePlan { file, most_nodes, resources }));
    }
    if most_nodes.is_some() {
        return Err(UsageError::MaxNodesWithoutSuite);
    }
    Ok(Command::Perft(PerftPlan {
        position: fen.unwrap_or_default(),
        depth: depth.ok_or(UsageError::NoDepth)?,
        divide,
        leaves,
        resources,
    }))
}

fn parse_eval(mut parser: Parser) -> Result<Command, UsageError> {
    let (mut fen, mut parameters) = (None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("fen") => fen = Some(position(parser.value()?)?),
            Arg::Long("params") => parameters = Some(PathBuf::from(parser.value()?)),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Eval { position: fen.unwrap_or_default(), parameters })
}

/// The request may come as one argument or as several, and as the first line of a conversation that `quit` ends.
fn parse_openings(mut text: String, mut parser: Parser) -> Result<Command, UsageError> {
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Value(word) if word == "quit" => {}
            Arg::Value(word) => text = format!("{text} {}", word.to_string_lossy()),
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Command::Openings(OpeningsPlan::parse(&text)?))
}

fn number<T: TryFrom<u64>>(
    flag: &'static str,
    value: OsString,
    range: RangeInclusive<u64>,
) -> Result<T, UsageError> {
    let text = value.to_string_lossy().into_owned();
    let number = text.parse().ok().filter(|number: &u64| range.contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or(UsageError::Number { flag, text, range })
}

fn position(value: OsString) -> Result<Box<Position>, UsageError> {
    let text = value.string()?;
    match text.parse() {
        Ok(position) => Ok(Box::new(position)),
        Err(source) => Err(UsageError::Fen { text, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Command, String> {
        let words = std::iter::once("smalt").chain(arguments.split_whitespace());
        Command::parse(Parser::from_iter(words)).map_err(|error| error.to_string())
    }

    #[test]
    fn commands_are_read_with_their_options() {
        assert_eq!(parse(""), Ok(Command::Serve));
        assert_eq!(parse("bench --depth 5 --hash=2 --threads 3"), {
            Ok(Command::Bench(BenchPlan { depth: 5, threads: 3, hash: 2 }))
        });
        let expected = PerftPlan {
            position: Box::new(Position::start()),
            depth: 3,
            divide: true,
            leaves: Leaves::Played,
            resources: PerftResources { threads: 1, hash: 0 },
        };
        assert_eq!(parse("perft --divide 3 --no-bulk"), Ok(Command::Perft(expected)));
        let resources = PerftResources { threads: 2, hash: 64 };
        let plan = SuitePlan { file: "a.epd".into(), most_nodes: 1000, resources };
        assert_eq!(
            parse("perft --suite a.epd --max-nodes 1000 --threads 2 --hash 64"),
            Ok(Command::PerftSuite(plan))
        );
        let openings = |ignored: &[&str]| {
            let ignored = ignored.iter().map(|&word| word.to_owned()).collect();
            Command::Openings(OpeningsPlan { count: 3, seed: 5, book: None, ignored })
        };
        for (arguments, ignored) in [
            (["genfens 3 seed 5 book None", "quit"], &[][..]),
            (["genfens", "3 seed 5 book None"], &[]),
            (["genfens 3 seed 5 book None dfrc depth=5", "quit"], &["dfrc", "depth=5"]),
        ] {
            let words = std::iter::once("smalt").chain(arguments);
            assert_eq!(Command::parse(Parser::from_iter(words)).unwrap(), openings(ignored));
        }
    }

    #[test]
    fn wrong_usage_is_refused_with_the_reason() {
        let check = |arguments, expected: &str| assert_eq!(parse(arguments), Err(expected.to_owned()));
        check("serve", r#"there is no command "serve": expected bench, perft, eval or genfens"#);
        check("bench --depth 0", r#"--depth "0": expected a whole number from 1 to 127"#);
        check("bench --depth", "missing argument for option '--depth'");
        check("perft", "perft needs a depth, or --suite FILE");
        check("perft 3 --max-nodes 5", "--max-nodes needs --suite");
        check("eval --depth 3", "invalid option '--depth'");
        assert!(parse("eval --fen 8/8").is_err());
        assert!(parse("perft 3 --suite x").is_err());
    }
}
