//! The command lines and the output of fastchess, cutechess-cli and c-chess-cli, on Smalt's runner.
//!
//! [`flag`] splits a command line into flags, [`engine`] parses the words of an engine, [`options`] translates
//! everything to a plan, [`output`] prints events in the lines of either program, with the figures of [`statistics`],
//! and [`log`] writes the log file.

mod adjudication;
mod c_chess_cli;
mod checksum;
mod config;
mod dialect;
mod engine;
mod files;
mod flag;
mod log;
mod options;
pub(super) mod output;
mod output_options;
mod result_format;
mod sample;
mod statistics;
mod tables;
mod values;
mod version;

pub(super) use dialect::Dialect;
pub(super) use options::{Translation, request};
pub(super) use output_options::OutputOptions;
pub(super) use version::text as version_text;

/// The request of a command line.
pub(super) enum Request {
    Play(Box<Translation>),
    Resume {
        store: std::path::PathBuf,
        concurrency: Option<std::num::NonZeroUsize>,
        recovers: bool,
        /// New folder for engine output.
        log: Option<std::path::PathBuf>,
        shown: Box<OutputOptions>,
    },
    /// Print the version, as scripts parse it.
    Version,
    Help(String),
    /// List the known engines.
    Engines(Vec<String>),
    /// Check the engine of this command and arguments.
    Compliance {
        program: String,
        arguments: Vec<String>,
    },
}

/// The dialect of a program name, for a link or copy of this program: `fastchess`, `fastchess-ob`, `cutechess-cli`.
pub(super) fn dialect_of(program: &std::path::Path) -> Option<Dialect> {
    let name = program.file_stem()?.to_str()?;
    let named = [
        ("fastchess", Dialect::Fastchess),
        ("cutechess", Dialect::Cutechess),
        ("c-chess-cli", Dialect::CChessCli),
    ];
    named.into_iter().find_map(|(start, dialect)| name.starts_with(start).then_some(dialect))
}

pub(super) const HELP: &str = "\
The flags of fastchess (smalt-tournament fastchess …) and cutechess-cli (smalt-tournament cutechess …), and their output.
A link or a copy of this program that is called fastchess, fastchess-ob, cutechess-cli or c-chess-cli takes the flags of that
program itself; those of c-chess-cli (smalt-tournament c-chess-cli …) are as its README says:

  ln -s /usr/local/bin/smalt-tournament fastchess

A flag that is not supported is an error; none is ignored. Results are kept in a store until the last game has finished, so
that a run that was stopped or killed resumes with `smalt-tournament resume STORE`, or with -config file=config.json.

Engines: -engine cmd= name= arg= args= dir= proto= tc= st= nodes= depth= plies= timemargin= restart= ponder whitepov
         stderr= conf= initstr=LINES trust tscale=FACTOR debug option.NAME=VALUE …; -each …: the same for all of them
         book=FILE bookdepth=N: a Polyglot book from which the engine's moves come while it has some
         An option that an engine does not have, or not of that value, is skipped with a warning.
Games:   -rounds N -games N -repeat [N] -noswap -reverse -tournament TYPE -seeds N -variant standard|fischerandom
         -openings file= format= order= plies= start=, -srand N -bookmode MODE -concurrency N -force-concurrency
         -use-affinity [CPUS] -wait MS -recover -strict -startup-ms N -ucinewgame-ms N -ping-ms N
Ends:    -draw movenumber= movecount= score=, -resign movecount= score= twosided=, -maxmoves N
         -tb PATHS -tbpieces N -tbignore50 -tbadjudicate WIN_LOSS|DRAW|BOTH, -sprt elo0= elo1= alpha= beta= model=
Output:  -pgnout FILE [min] [fi] | file= append= min= notation=san|lan|uci nodes= nps= seldepth= hashfull= tbhits=
         timeleft= latency= pv= match_line=REGEX, -epdout FILE | file= append=, -event NAME -site NAME -crc32 pgn=true
         -output format=fastchess|cutechess -ratinginterval N -scoreinterval N -outcomeinterval N -report penta=true|false
         -resultformat NAME|COLUMNS|help -check-mate-pvs -show-latency -testEnv -debug [all]
         -log file=FILE level=trace|info|warn|err|fatal append= compress= engine= (default warn): warnings, with level=info
         also standard output; with level=trace or engine=true the output of engines in a folder FILE.games
         -config file=FILE outname=FILE discard= stats= -autosaveinterval N: settings and results in the form of fastchess
         (default config.json); with outname=NAME.json the store stays, too, as NAME.db, and outname=NAME.db keeps that store
         file=config.json resumes from the store while that exists, and flags behind it may change -concurrency, -recover, -log,
         -debug and the reports; else it resumes from the results, without what fastchess's form does not hold: proto=,
         stderr=, ponder, whitepov, book=, initstr=, trust, tscale=, debug, later periods of tc=, -tournament knockout and
         pyramid, the processors of -use-affinity, -startup-ms, -ucinewgame-ms, -ping-ms, -strict and -tbadjudicate
         -quick cmd= cmd= book=, -compliance ENGINE [ARGS] examines an engine, -engines lists those of Cute Chess,
         -version

The name of the command decides where the two programs differ: without -rounds and -games fastchess plays two
rounds of two games, cutechess one game; without -repeat cutechess plays each game from a new opening; the bounds of
-sprt are normalized Elo for fastchess and Elo for cutechess, both on pairs of games; -each has the last word in both.
";

#[cfg(test)]
mod tests {
    use smalt_workbench::entrant::EngineSettings;

    /// Keys that no other program has: those of Smalt's own commands, which are taken here too.
    const OF_SMALT: [&str; 7] = ["role", "repo", "ref", "build", "movetime", "longest-move", "scale"];

    #[test]
    fn the_help_names_every_key_of_an_engine() {
        let engines = super::HELP.split_once("Engines: ").unwrap().1.split_once("Games: ").unwrap().0;
        let named: Vec<&str> = engines.split([' ', '=', '\n']).collect();
        let keys = EngineSettings::word_keys().into_iter().filter(|key| !OF_SMALT.contains(&&**key));
        let missing: Vec<String> = keys.filter(|key| !named.contains(&&**key)).collect();
        assert_eq!(missing, Vec::<String>::new());
    }
}
