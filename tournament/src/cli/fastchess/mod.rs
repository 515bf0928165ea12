//! `fastchess` and `cutechess`: the flags of those programs and the lines that scripts read from them, over the same
//! runner as all else. [`words`] parts the command line, [`engine`] reads engines, [`translate`] makes a plan of it all,
//! [`lines`] and [`figures`] say what happens in their words, [`log`] keeps it. Nothing here plays.

mod engine;
mod figures;
mod lines;
mod log;
mod outputs;
mod rules;
mod translate;
mod words;

use super::arguments::ResumeFlags;
use super::check;
use super::exit::{Exit, Refusal};
use super::output::print;
use super::play::{self, OutputStyle};
use super::resume;

pub(super) use lines::{Lines, Shown};

/// Whose command line it is. They share most flags; where they differ in what is meant, it is told here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Two games a round, two rounds, penta reports, SPRT bounds in normalized Elo.
    Fastchess,
    /// One game a round, one round, an opening a game, SPRT bounds in Elo.
    Cutechess,
}

/// What the command line asks for.
enum Request {
    Play(Box<translate::Translation>),
    /// One that was begun before.
    Resume {
        store: std::path::PathBuf,
        concurrency: Option<std::num::NonZeroUsize>,
        shown: lines::Shown,
    },
    /// The version, in a line that scripts can read.
    Version,
    /// What can be asked.
    Help,
    /// The names of the engines that are known.
    Engines(Vec<String>),
    /// What is wrong with an engine of this command, with these arguments.
    Compliance {
        program: String,
        arguments: Vec<String>,
    },
}

pub(super) fn run(dialect: Dialect, arguments: &[String]) -> Result<Exit, Refusal> {
    match translate::request(dialect, arguments)? {
        Request::Play(translation) => {
            let translate::Translation { plan, shown } = *translation;
            play::play(plan, OutputStyle::Compat(Box::new(shown)))
        }
        Request::Resume { store, concurrency, shown } => {
            let mut flags = ResumeFlags { store, ..ResumeFlags::default() };
            flags.settings.set_concurrency(concurrency);
            resume::resume(&flags, OutputStyle::Compat(Box::new(shown)))
        }
        Request::Version => {
            let name = match dialect {
                Dialect::Fastchess => "fastchess",
                Dialect::Cutechess => "cutechess-cli",
            };
            print(&format!("smalt-tournament {} ({name})\n", env!("CARGO_PKG_VERSION")))?;
            Ok(Exit::Done)
        }
        Request::Help => {
            print(HELP)?;
            Ok(Exit::Done)
        }
        Request::Compliance { program, arguments } => check::compliance(&program, &arguments),
        Request::Engines(names) => {
            print(&names.iter().map(|name| format!("{name}\n")).collect::<String>())?;
            Ok(Exit::Done)
        }
    }
}

pub(super) const HELP: &str = "\
The flags of fastchess (smalt-tournament fastchess …) and cutechess-cli (smalt-tournament cutechess …), and their lines.
A script goes on as it is when the program that it calls is one line:

  #!/bin/sh
  exec smalt-tournament fastchess \"$@\"

Whatever cannot be honoured is an error; nothing is ignored. Results are kept in a store besides (its name goes to standard
error), so that a run that was stopped or killed goes on with `smalt-tournament resume`, or with -config file=STORE.

Engines: -engine cmd= name= arg= args= dir= proto= tc= st= nodes= depth= plies= timemargin= restart= ponder whitepov
         stderr= conf= option.NAME=VALUE …, for each engine; -each …: the same for all of them
         book=FILE bookdepth=N (a Polyglot book), where it is the same for all: games then begin with its moves
         An option that an engine does not have, or not of that value, is left out with a warning.
Games:   -rounds N -games N -repeat [N] -noswap -reverse -tournament TYPE -seeds N -variant standard|fischerandom
         -openings file= format= order= plies= start=, -srand N -bookmode MODE -concurrency N -force-concurrency
         -use-affinity [CPUS] -wait MS -recover -startup-ms N -ucinewgame-ms N -ping-ms N
Ends:    -draw movenumber= movecount= score=, -resign movecount= score= twosided=, -maxmoves N
         -tb PATHS -tbpieces N -tbignore50 -tbadjudicate WIN_LOSS|DRAW|BOTH, -sprt elo0= elo1= alpha= beta= model=
Output:  -pgnout FILE [min] [fi] | file= append= min= notation=san|lan|uci nodes= nps= seldepth= hashfull= tbhits=
         timeleft= latency= pv=, -epdout FILE | file= append=, -debug, -event NAME -site NAME -output format=fastchess|cutechess
         -ratinginterval N -scoreinterval N -outcomeinterval N -report penta=true|false -crc32 pgn=true
         -log file=FILE level=trace|info|warn|err|fatal append= engine=: what standard output gets and what went wrong (info,
         unless told), or only what went wrong; with level=trace or engine=true all that engines say, too, in a folder
         FILE.games, a file a game; FILE begins empty with append=false
         -resultformat FORMAT (of two engines, where it says nothing), -config outname= | file=, -show-latency -testEnv -autosaveinterval N -quick cmd= cmd= book=
         -compliance ENGINE [ARGS] examines an engine, and plays nothing
         -config outname=NAME.json keeps its store in NAME.db, and -config file=NAME.json goes on with that.

Where both mean something else by a flag, the name of the command tells: without -rounds and -games fastchess plays two
rounds of two games, cutechess one game; without -repeat cutechess plays each game from an opening of its own; the bounds of
-sprt are normalized Elo for fastchess and Elo for cutechess, both on pairs of games; -each has the last word in both.
";
