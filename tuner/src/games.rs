//! Plays games through the tournament program: starts it, forwards its output and reads its JSON results.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use smalt_driver::process::{Exit, LookupError, Reaper, StartError};
use smalt_driver::{ConversationError, Engine, EngineCommand, EngineTimeouts, SetOptionError, WaitContext};
use smalt_protocol::SearchLimits;
use smalt_workbench::engine_files::EngineFiles;
use smalt_workbench::entrant::{
    BUILTIN, EngineSettings, Names, Program, REMARKS, Registry, RegistryError, ResolveError, WordsError,
    merge, to_words,
};
use smalt_workbench::program::{self, beside};
use smalt_workbench::source::{BuildError, Builder};
use toml::{Table, Value as Setting};

/// Name of the tournament program.
const TOURNAMENT: &str = "smalt-tournament";

/// Name of a store that is removed after its match, beside the results.
pub(crate) const TEMPORARY_STORE: &str = "games.db";

/// Time for a terminated program to store its games and exit.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Exit codes with results. 3: games are missing, for example after a disqualification.
const ACCEPTED_EXITS: [i32; 2] = [0, 3];

/// Two entrants and their match settings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EnginePair {
    /// Tournament program: a path or a name.
    pub tournament: PathBuf,
    /// Command `sprt` or `match`, and flags: time control, games, openings, store.
    pub arguments: Arguments,
    pub entrants: [Entrant; 2],
    /// JSON file for the results.
    pub json: PathBuf,
}

/// Arguments of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arguments(Vec<OsString>);

impl Arguments {
    pub(crate) fn of(command: &str) -> Arguments {
        Arguments(vec![command.into()])
    }

    pub(crate) fn add(&mut self, word: impl AsRef<OsStr>) {
        self.0.push(word.as_ref().to_owned());
    }

    pub(crate) fn add_if(&mut self, flag: &str, is_given: bool) {
        if is_given {
            self.add(flag);
        }
    }

    pub(crate) fn set(&mut self, flag: &str, value: impl AsRef<OsStr>) {
        self.add(flag);
        self.add(value);
    }

    pub(crate) fn set_some(&mut self, flag: &str, value: Option<impl AsRef<OsStr>>) {
        if let Some(value) = value {
            self.set(flag, value);
        }
    }

    pub(crate) fn set_number(&mut self, flag: &str, value: Option<impl ToString>) {
        self.set_some(flag, value.map(|value| value.to_string()));
    }

    /// The command.
    pub(crate) fn name(&self) -> String {
        self.0[0].to_string_lossy().into_owned()
    }

    /// The command line of a program with these arguments.
    pub(crate) fn to_command(&self, program: &Path) -> EngineCommand {
        EngineCommand::new(program).arguments(self.0.iter().cloned())
    }

    /// As a command line.
    pub(crate) fn text(&self, program: &str) -> String {
        let words = self.0.iter().map(|word| word.to_string_lossy().into_owned());
        command_line(std::iter::once(program.to_owned()).chain(words))
    }
}

/// Words as a line for a shell, quoted where it would change them.
pub(crate) fn command_line(words: impl IntoIterator<Item = String>) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./,:=+@%".contains(letter);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// One of the two entrants.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entrant {
    /// Name in the results.
    pub name: &'static str,
    /// Engine as on the command line of the tournament program.
    pub engine: String,
    /// Names and values of UCI options.
    pub options: Vec<(String, String)>,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayError {
    /// The program could not be started.
    #[error(
        "start the tournament program: {0}; build it (`cargo build --release`) or give --tournament PROGRAM"
    )]
    Start(#[from] StartError),
    #[error("the tournament program {exit}: {words}")]
    Failed {
        exit: Exit,
        /// Last lines of its standard error.
        words: String,
    },
    #[error("the results of the tournament program can't be read: {0}")]
    Results(String),
    #[error("interrupted")]
    Interrupted,
}

/// The program in this program's folder, otherwise its name for a search of the path.
pub(crate) fn tournament_program() -> PathBuf {
    beside(TOURNAMENT)
}

/// Path of the program that would be started.
pub(crate) fn locate(program: &Path) -> Result<PathBuf, LookupError> {
    EngineCommand::new(program).locate()
}

/// Plays until the program ends and returns its results; `on_line` receives the lines of its output, without those that
/// name a [`TEMPORARY_STORE`]. Setting `stop` ends it.
pub(crate) fn play(
    pair: &EnginePair,
    stop: &AtomicBool,
    on_line: &mut dyn FnMut(&str),
) -> Result<Value, PlayError> {
    let store = pair.json.with_file_name(TEMPORARY_STORE).display().to_string();
    let mut show = |line: Option<&str>| line.filter(|line| !line.contains(&store)).map_or((), &mut *on_line);
    run(&command(pair), &ACCEPTED_EXITS, stop, &mut show).map_err(|error| match error {
        PlayError::Failed { exit, words } => {
            let lines: Vec<_> = words.lines().filter(|line| !line.contains(&store)).collect();
            PlayError::Failed { exit, words: if lines.is_empty() { words } else { lines.join("\n") } }
        }
        error => error,
    })?;
    read(&pair.json)
}

/// Exports the games of a store to a PGN file.
pub(crate) fn export(
    tournament: &Path,
    store: &Path,
    pgn: &Path,
    stop: &AtomicBool,
) -> Result<(), PlayError> {
    let command = EngineCommand::new(tournament).argument("export").argument(store);
    let command = command.argument("--format").argument("pgn").argument("--output").argument(pgn);
    run(&command, &ACCEPTED_EXITS, stop, &mut |_| {})
}

/// Runs a program to its end; other exit codes than the accepted ones are errors. `on_poll` receives the lines of its output,
/// and nothing at each poll.
pub(crate) fn run(
    command: &EngineCommand,
    accepted: &[i32],
    stop: &AtomicBool,
    on_poll: &mut dyn FnMut(Option<&str>),
) -> Result<(), PlayError> {
    let ran = program::run(command, STOP_TIMEOUT, &|| stop.load(Ordering::Relaxed), on_poll)?;
    match ran.exit {
        _ if ran.is_stopped => Err(PlayError::Interrupted),
        Some(Exit::Code(code)) if accepted.contains(&code) => Ok(()),
        exit => Err(PlayError::Failed { exit: exit.unwrap_or(Exit::Signal(9)), words: ran.errors }),
    }
}

fn command(pair: &EnginePair) -> EngineCommand {
    let [first, second] = pair.entrants.each_ref().map(words);
    let mut arguments = pair.arguments.clone();
    arguments.set("--engine", first);
    arguments.set("--opponent", second);
    arguments.set("--json", &pair.json);
    arguments.to_command(&pair.tournament)
}

/// Words of an entrant: its engine's, then name and options. Text that is not an entrant becomes a command, which the
/// tournament program refuses.
pub(crate) fn words(entrant: &Entrant) -> String {
    let engine = entrant.engine.as_str();
    let registry = registry().unwrap_or_else(|_| Registry::shipped());
    let command = |_| Table::from_iter([("cmd".to_owned(), Setting::from(engine))]);
    let mut words = registry.parse_engine(engine).unwrap_or_else(command);
    let options = entrant.options.iter().map(|(name, value)| (name.clone(), Setting::from(value.as_str())));
    let own = [
        ("name".to_owned(), Setting::from(entrant.name)),
        ("options".to_owned(), Setting::Table(options.collect())),
    ];
    merge(&mut words, Table::from_iter(own));
    to_words(&words)
}

/// Why an engine can't be tuned.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    /// The words do not describe an engine.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// The user's registry cannot be read.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// No command is given.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The commit cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("failed to {0}")]
    Lookup(#[from] LookupError),
    #[error("failed to read {0}")]
    Read(std::io::Error),
    #[error("failed to start the engine: {0}")]
    Start(ConversationError),
    #[error("failed to try a limited search: {0}")]
    Limits(ConversationError),
    #[error("failed to {0}")]
    Option(#[from] SetOptionError),
}

/// Starts the engine once and sets these options, so that a wrong name or value is refused before the first game.
/// `builtin` is the tournament program's engine.
pub(crate) fn check_options<'a>(
    tournament: &Path,
    engine: &str,
    options: impl IntoIterator<Item = (&'a str, String)>,
) -> Result<(), EngineError> {
    let nothing = &mut WaitContext::none();
    let mut engine = start_engine(tournament, engine, None, nothing)?;
    for (name, value) in options {
        engine.set_option(name, &value, nothing)?;
    }
    engine.quit();
    Ok(())
}

/// Starts an engine by its words or registered name, with its options, for searches with these limits. `builtin` is the
/// tournament program's engine.
pub(crate) fn start_engine(
    tournament: &Path,
    engine: &str,
    limits: Option<&SearchLimits>,
    context: &mut WaitContext<'_>,
) -> Result<Box<dyn Engine>, EngineError> {
    let entrant = entrant(engine)?;
    let command = command_of(&entrant, tournament)?;
    let started = smalt_driver::start(&command, entrant.proto, EngineTimeouts::default(), None, context);
    let mut engine = started.map_err(|failure| EngineError::Start(failure.into()))?;
    for (name, value) in entrant.option_texts() {
        engine.set_option(&name, &value, context)?;
    }
    if let Some(limits) = limits {
        engine.fit_limits(limits, None, context).map_err(EngineError::Limits)?;
    }
    Ok(engine)
}

/// Command line of an engine; `builtin` is the tournament program's.
fn command_of(entrant: &EngineSettings, tournament: &Path) -> Result<EngineCommand, ResolveError> {
    let program = entrant.program().ok_or(ResolveError::NoCommand)?;
    Ok(entrant.command_of(&program, tournament))
}

/// The files of an engine: games of one tuning must not be played by two versions of it.
///
/// # Errors
/// If the engine or one of its files cannot be found or read.
pub(crate) fn engine_files(tournament: &Path, engine: &str) -> Result<EngineFiles, EngineError> {
    let entrant = entrant(engine)?;
    let program = command_of(&entrant, tournament)?.locate()?;
    let options = entrant.option_texts();
    let paths = EngineFiles::paths_of(&program, &entrant.args, &options, entrant.dir.as_deref());
    EngineFiles::read(paths).map_err(EngineError::Read)
}

/// Settings of an engine by its words or registered name.
fn entrant(engine: &str) -> Result<EngineSettings, EngineError> {
    let registry = registry()?;
    let nothing = Table::new();
    let mut layer = registry.parse_engine(engine)?;
    let reaper = Box::new(|| Reaper::start(&tournament_program(), "reaper").ok());
    let mut builder = Builder { reaper, notify: Box::new(|_| ()), ..Builder::default() };
    builder.build_entrants([&mut layer], &nothing, &registry)?;
    Ok(registry.resolve(&layer, &nothing, &nothing, &mut Names::default())?)
}

/// The engine's words, with a relative command path resolved against this folder.
pub(crate) fn engine_in(folder: &Path, engine: &str) -> Result<String, EngineError> {
    let mut words = registry()?.parse_engine(engine)?;
    if let Some(Setting::String(command)) = words.get_mut("cmd")
        && Path::new(command).is_relative()
        && *command != BUILTIN
    {
        let relative = Path::new(command).strip_prefix(".").unwrap_or(Path::new(command));
        *command = folder.join(relative).display().to_string();
    }
    Ok(to_words(&words))
}

/// An engine of this registry as words that need no registry: the settings of its entry, changed by its own words.
pub(crate) fn spelled_out(engine: &str, registry: &Path) -> Result<String, EngineError> {
    let registry = Registry::load(Some(registry), &mut |_| {})?;
    let mut words = registry.parse_engine(engine)?;
    let entry = words.get("cmd").and_then(Setting::as_str).and_then(|name| registry.find(name));
    let Some(mut entry) = entry.cloned() else { return Ok(engine.to_owned()) };
    words.remove("cmd");
    merge(&mut entry, words);
    entry.retain(|key, _| !REMARKS.contains(&key));
    Ok(to_words(&entry))
}

/// Command line of an engine by its words or registered name, and its UCI options.
pub(crate) fn engine_command(engine: &str) -> Result<(EngineCommand, BTreeMap<String, String>), EngineError> {
    let entrant = entrant(engine)?;
    let Some(program @ Program::Command(_)) = entrant.program() else {
        return Err(ResolveError::NoCommand.into());
    };
    Ok((entrant.command_of(&program, Path::new("")), entrant.option_texts()))
}

/// User-registered engines and the predefined ones.
fn registry() -> Result<Registry, RegistryError> {
    Registry::load(None, &mut |_| {})
}

/// The JSON results of the tournament program.
pub(crate) fn read(path: &Path) -> Result<Value, PlayError> {
    let text = std::fs::read_to_string(path).map_err(|error| PlayError::Results(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| PlayError::Results(error.to_string()))
}

/// Wins, draws and losses of an entrant.
pub(crate) fn score_of(results: &Value, name: &str) -> Option<[u64; 3]> {
    let entrants = results["entrants"].as_array()?;
    let entrant = entrants.iter().find(|entrant| entrant["name"] == name)?;
    let count = |key: &str| entrant[key].as_u64();
    Some([count("wins")?, count("draws")?, count("losses")?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings that the tournament program parses from the words of an entrant.
    fn read_back(engine: &str, options: &[(&str, &str)]) -> Table {
        let options = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        Registry::default()
            .parse_engine(&words(&Entrant { name: "x", engine: engine.to_owned(), options }))
            .unwrap()
    }

    #[test]
    fn paths_of_any_name_survive_the_words_of_an_entrant() {
        for path in ["/tmp/a b.toml", "/tmp/\"q\" it's \\ back.toml"] {
            assert_eq!(
                read_back("builtin", &[("EvalFile", path)])["options"]["EvalFile"].as_str(),
                Some(path)
            );
        }
    }

    #[test]
    fn an_engine_of_a_registry_is_spelled_out() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "[[engine]]\nname = \"My engine\"\ncmd = \"./x y\"\nargs = [\"a b\"]\nproto = \"xboard\"\nnote = \"n\"\n\
                    options = { Hash = \"8\", A = \"1\" }\n[[engine]]\nname = \"z\"\ncmd = \"./z\"";
        std::fs::write(file.path(), text).unwrap();
        let check = |engine: &str, expected: &str| {
            let words = spelled_out(engine, file.path()).unwrap();
            let found = Registry::default().parse_engine(&words).unwrap();
            assert_eq!(found, expected.parse::<Table>().unwrap(), "{engine}");
        };
        let all = "name = 'My engine'\ncmd = './x y'\nargs = ['a b']\nproto = 'xboard'";
        check("My engine", &format!("{all}\noptions = {{ Hash = '8', A = '1' }}"));
        check("z nodes=5 option.A=2", "name = 'z'\ncmd = './z'\nnodes = 5\noptions = { A = '2' }");
        assert_eq!(spelled_out("builtin", file.path()).unwrap(), "builtin");
        assert!(spelled_out("z pondr=on", file.path()).is_err());
    }

    #[test]
    fn a_command_line_is_quoted_for_a_shell() {
        let words = ["texel", "a,b=1", "king.*", "it's", "", "<x>"].map(str::to_owned);
        assert_eq!(command_line(words), r"texel a,b=1 'king.*' 'it'\''s' '' '<x>'");
    }

    #[test]
    fn option_names_may_have_spaces() {
        let settings = read_back("./mine", &[("Move Overhead", "30")]);
        assert_eq!(settings["options"]["Move Overhead"].as_str(), Some("30"));
    }

    #[test]
    fn defect_31_an_engine_may_be_a_command_with_arguments_or_words() {
        let check = |engine: &str, expected: &str| {
            let expected: Table = expected.parse().unwrap();
            let settings = read_back(engine, &[("A", "1")]);
            assert!(expected.iter().all(|(key, value)| settings.get(key) == Some(value)), "{settings}");
        };
        check("builtin", "cmd = 'builtin'\nname = 'x'");
        check("./mine 'a b' --fast", "cmd = './mine'\nargs = ['a b', '--fast']");
        check(
            "cmd=./mine option.Hash=64 proto=xboard",
            "cmd = './mine'\nproto = 'xboard'\noptions = { Hash = '64', A = '1' }",
        );
    }
}
