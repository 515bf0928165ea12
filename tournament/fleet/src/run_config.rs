//! The configuration of a run as sent to workers: the plan without commands, arguments, folders and files. A worker
//! starts only engines in its registry, reads files only where its settings allow it, and refuses a run that needs more.
//! An engine built from git is sent as a commit and a build command; a worker builds it only if its registry has an
//! engine with just this build command and a repository. Nothing else of the message reaches a shell.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use smalt_workbench::entrant::{BUILTIN, FileError, OptionText, Registry, is_file_option};
use smalt_workbench::source::Source;

use super::machine::platform;
use super::wire::{FileMessage, FilePurpose, RunConfigMessage};
use smalt_match::plan::{
    Affinity, EngineSettings, OpeningsSettings, Plan, PlanError, Program, SECOND_PLAYER, Settings,
};

/// Options of which a run may not want more than the worker's registry has for the engine.
const LIMITED_OPTIONS: [&str; 2] = ["Threads", "Hash"];

/// Why a worker cannot play a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunConfigError {
    #[error("read the plan: {0}")]
    File(#[from] FileError),
    #[error("read the plan: {0}")]
    Plan(#[from] PlanError),
    /// The engine is not in the worker's registry.
    #[error("find the engine of entrant {name:?}: engines.toml of this machine has no {name:?}{}; add it",
        .also.as_ref().map(|also| format!(" or {also:?}")).unwrap_or_default())]
    NoEngine {
        name: String,
        /// Name of its program.
        also: Option<String>,
    },
    /// No recipe of the worker builds the commit.
    #[error(
        "build entrant {name:?}: engines.toml of this machine has no engine with a repo and build = {build:?}; add one, if this \
         command may be run here"
    )]
    NoRecipe { name: String, build: String },
    #[error("build entrant {name:?}: {words}")]
    Build { name: String, words: String },
    #[error(
        "set option {option:?} of entrant {name:?}: it names a file, and files are not taken from a run; set it in \
         engines.toml"
    )]
    FileOption { name: String, option: String },
    /// An option beyond the limit that the worker's registry sets.
    #[error(
        "set option {option:?} of entrant {name:?} to {wanted}: engines.toml of this machine has {limit}, and a run may not have \
         more; raise it there"
    )]
    OverLimit { name: String, option: String, wanted: u64, limit: u64 },
    /// An option with control characters.
    #[error("set option {option:?} of entrant {name:?}: it has control characters")]
    BadOption { name: String, option: String },
    /// Its program is sent for another processor or system.
    #[error(
        "play entrant {name:?}: the run sends its program for {sent} alone, and this machine is {}; give it a recipe (repo and \
         build) or a command in engines.toml of this machine",
        platform()
    )]
    OtherPlatform { name: String, sent: String },
    /// The book of an entrant was not received.
    #[error("play entrant {0:?}: its book was not received")]
    NoBook(String),
    /// Endgame tables are needed.
    #[error("adjudicate by tablebases, as the run wants it: give their folder by --tb")]
    NoTables,
}

/// Files that a worker received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedFiles {
    /// Programs by entrant.
    pub(crate) programs: HashMap<u32, PathBuf>,
    /// Values of file options by entrant and name.
    pub(crate) options: HashMap<u32, BTreeMap<String, PathBuf>>,
    /// Books by entrant.
    pub(crate) books: HashMap<u32, PathBuf>,
    pub(crate) tables: Option<PathBuf>,
}

/// The message for workers; `tables` is the largest number of pieces of the tablebases, if any.
pub fn message(plan: &Plan, tables: Option<u32>, lease_ms: u64) -> RunConfigMessage {
    let mut settings = strip_local_settings(plan.settings.clone());
    settings.run.concurrency = None;
    settings.run.affinity = Affinity::default();
    settings.run.site = None;
    settings.clock.measured = None;
    if let Some(path) = &mut settings.adjudication.tablebases.path {
        *path = PathBuf::new();
    }
    for (engine, entrant) in settings.entrants.iter_mut().zip(&plan.entrants) {
        engine.cmd = Some(match &entrant.program {
            Program::Builtin => BUILTIN.to_owned(),
            Program::Command(path) => smalt_workbench::entrant::default_name(&path.to_string_lossy()),
        });
        engine.book = engine.book.take().map(|_| PathBuf::new());
    }
    RunConfigMessage { plan: settings.to_toml(), tables, lease_ms, files: Vec::new() }
}

/// Keeps what a worker needs: no files, folders and servers of this machine. Each new section needs a decision here.
fn strip_local_settings(settings: Settings) -> Settings {
    let Settings {
        run,
        clock,
        openings: OpeningsSettings { repeat, games_per_opening, .. },
        adjudication,
        sprt,
        timeouts,
        prior,
        entrants,
        output: _,
        data: _,
        fleet: _,
        each: _,
    } = settings;
    let openings = OpeningsSettings { repeat, games_per_opening, ..OpeningsSettings::default() };
    let entrants = entrants.into_iter().map(strip_engine).collect();
    Settings { run, clock, openings, adjudication, sprt, timeouts, prior, entrants, ..Settings::default() }
}

/// A test compares its keys with those of the schema.
fn strip_engine(engine: EngineSettings) -> EngineSettings {
    EngineSettings {
        repo: None,
        args: Vec::new(),
        dir: None,
        stderr: None,
        initstr: None,
        package: None,
        rating: None,
        rating_error: None,
        source: None,
        note: None,
        ..engine
    }
}

/// The plan that a worker plays: with received programs, else engines of its registry, and with tablebases in its own
/// folder, else received ones. `build` builds a commit, or finds it in the cache; its error is in words.
///
/// # Errors
/// If something is missing here, or the plan is invalid.
pub fn plan(
    message: &RunConfigMessage,
    registry: &Registry,
    affinity: Affinity,
    tables: Option<&PathBuf>,
    received: &ReceivedFiles,
    build: &mut dyn FnMut(&Source) -> Result<PathBuf, String>,
) -> Result<Plan, RunConfigError> {
    let mut settings = strip_local_settings(Settings::parse(&message.plan, "the plan of the run")?);
    settings.run.affinity = affinity;
    let rule = &mut settings.adjudication.tablebases;
    if let Some(path) = &mut rule.path {
        path.clone_from(tables.or(received.tables.as_ref()).ok_or(RunConfigError::NoTables)?);
        rule.pieces = message.tables.unwrap_or(rule.pieces);
    }
    for (entrant, engine) in (0..).zip(&mut settings.entrants) {
        let name = engine.name.clone().unwrap_or_default();
        let own = match received.programs.get(&entrant) {
            // Arguments, folder and xboard commands of its entry are for another program; files are those of this machine.
            Some(program) => {
                let options = known(engine, registry).map(|own| own.options).unwrap_or_default();
                Some(with_program(EngineSettings { options, ..EngineSettings::default() }, program))
            }
            None => match build_first(&recipes(engine, registry), build) {
                Some(Ok(own)) => Some(own),
                Some(Err(words)) => return Err(RunConfigError::Build { name, words }),
                None => find(engine, registry)
                    .map_err(|error| other_platform(&name, entrant, &message.files).unwrap_or(error))?,
            },
        };
        if engine.book.is_some() {
            let received = received.books.get(&entrant).cloned();
            engine.book = Some(received.ok_or_else(|| RunConfigError::NoBook(name.clone()))?);
        }
        engine.options = options(&name, &engine.options, own.as_ref(), received.options.get(&entrant))?;
        // The command of the message is never run.
        engine.cmd = Some(own.as_ref().and_then(|own| own.cmd.clone()).unwrap_or_else(|| BUILTIN.to_owned()));
        if let Some(own) = own {
            (engine.args, engine.dir, engine.initstr) = (own.args, own.dir, own.initstr);
        }
    }
    Ok(Plan::new(settings)?)
}

/// What this machine may build for an entrant that is a commit: it is in the repository of an engine of its registry that has
/// just this build command, that of the entrant's name first.
fn recipes(typed: &EngineSettings, registry: &Registry) -> Vec<(Source, EngineSettings)> {
    let (Some(build), Some(revision)) = (&typed.build, &typed.revision) else { return Vec::new() };
    if revision.len() != 40 || !revision.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Vec::new();
    }
    let mut names: Vec<&str> = registry.names().collect();
    names.sort_by_key(|&name| typed.name.as_deref() != Some(name));
    let own = names.into_iter().filter_map(|name| registry.settings(name));
    let own = own.filter(|own| own.build.as_ref() == Some(build));
    own.filter_map(|own| {
        let repo = own.repo.clone()?;
        let (revision, build) = (revision.clone(), build.clone());
        Some((Source { repo, revision, build, is_published: true }, own))
    })
    .collect()
}

fn with_program(engine: EngineSettings, program: &Path) -> EngineSettings {
    EngineSettings { cmd: Some(program.display().to_string()), ..engine }
}

/// Builds the first recipe that can be built, and gives its engine; else the error of the first, `None` without recipes.
fn build_first(
    recipes: &[(Source, EngineSettings)],
    build: &mut dyn FnMut(&Source) -> Result<PathBuf, String>,
) -> Option<Result<EngineSettings, String>> {
    let mut first_error = None;
    for (source, own) in recipes {
        match build(source) {
            Ok(built) => {
                return Some(Ok(with_program(own.clone(), &built)));
            }
            Err(words) => first_error = first_error.or(Some(words)),
        }
    }
    first_error.map(Err)
}

/// The engine of the registry for an entrant: by its name, that of the second player of self-play being the first one's, else by
/// its program's name.
fn known(typed: &EngineSettings, registry: &Registry) -> Option<EngineSettings> {
    let name = typed.name.as_deref().unwrap_or_default();
    registry
        .settings(name)
        .or_else(|| registry.settings(name.strip_suffix(SECOND_PLAYER)?))
        .or_else(|| registry.settings(typed.cmd.as_deref()?))
}

/// The local engine for an entrant; `None` means Smalt.
fn find(typed: &EngineSettings, registry: &Registry) -> Result<Option<EngineSettings>, RunConfigError> {
    match known(typed, registry) {
        Some(engine) => Ok(Some(engine)),
        None if typed.cmd.as_deref() == Some(BUILTIN) => Ok(None),
        None if let (Some(_), Some(build)) = (&typed.revision, &typed.build) => {
            let name = typed.name.clone().unwrap_or_default();
            Err(RunConfigError::NoRecipe { name, build: build.clone() })
        }
        None => {
            let name = typed.name.clone().unwrap_or_default();
            let also = typed.cmd.clone().filter(|also| *also != name);
            Err(RunConfigError::NoEngine { name, also })
        }
    }
}

/// The refusal of an entrant whose program is sent for another platform alone.
fn other_platform(name: &str, entrant: u32, files: &[FileMessage]) -> Option<RunConfigError> {
    files.iter().find_map(|file| match &file.purpose {
        FilePurpose::Program { entrant: sent, platform: other, .. }
            if *sent == entrant && *other != platform() =>
        {
            Some(RunConfigError::OtherPlatform { name: name.to_owned(), sent: other.clone() })
        }
        _ => None,
    })
}

/// The options of the plan; file options have received files, or the values of this machine.
fn options(
    name: &str,
    planned: &BTreeMap<String, OptionText>,
    engine: Option<&EngineSettings>,
    received: Option<&BTreeMap<String, PathBuf>>,
) -> Result<BTreeMap<String, OptionText>, RunConfigError> {
    let own = |option: &str| {
        let mut options = engine?.options.iter();
        options.find(|(known, _)| known.eq_ignore_ascii_case(option)).map(|(_, text)| text.clone())
    };
    let mut options = BTreeMap::new();
    for (option, value) in planned {
        let refuse = || (name.to_owned(), option.clone());
        if option.chars().chain(value.chars()).any(char::is_control) {
            let (name, option) = refuse();
            return Err(RunConfigError::BadOption { name, option });
        }
        if let Some((wanted, limit)) = over_limit(option, value, own(option).as_ref()) {
            let (name, option) = refuse();
            return Err(RunConfigError::OverLimit { name, option, wanted, limit });
        }
        let value = if is_file_option(option, value) {
            let (name, option) = refuse();
            let file = received.and_then(|files| files.get(&option));
            let file = file.map(|path| OptionText(path.display().to_string()));
            file.or_else(|| own(&option)).ok_or(RunConfigError::FileOption { name, option })?
        } else {
            value.clone()
        };
        options.insert(option.clone(), value);
    }
    Ok(options)
}

/// The value of an option and the worker's own, if it is a [limited](LIMITED_OPTIONS) one and above it.
fn over_limit(option: &str, value: &OptionText, own: Option<&OptionText>) -> Option<(u64, u64)> {
    let is_limited = LIMITED_OPTIONS.iter().any(|limited| limited.eq_ignore_ascii_case(option));
    let (wanted, limit) = (value.parse().ok()?, own?.parse().ok()?);
    (is_limited && wanted > limit).then_some((wanted, limit))
}

#[cfg(test)]
mod tests;
