//! Engines built from a commit of a git repository: `repo=. ref=my-branch build='make EXE={exe}'`.
//!
//! Each commit is built once, in a separate clone, and the program is cached by commit, build command and architecture;
//! the user's checkout is never touched. If the commit message has a `Bench:` line, the program must report the same
//! node count. A [`Builder`] does this for the engines of a run before they are resolved.

mod bench;
mod compile;
mod repository;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{io, thread};

use smalt_driver::process::{Reaper, StartError};
use toml::{Table, Value};

use crate::entrant::{EngineSettings, REMARKS, Registry, merge_engine};
use crate::file_lock;
use crate::program::start_reaper;
use crate::signals;
use crate::standard_output::print_info;
pub use bench::{BenchError, check as check_bench};
use compile::compile;
use repository::{Commit, Repository};

/// Interval at which the lock of a commit is tried.
const LOCK_POLL: Duration = Duration::from_millis(200);

/// An engine as source code: repository, revision, build command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Path or URL of the repository.
    pub repo: String,
    /// Branch, tag or commit.
    pub revision: String,
    /// Shell command, run at the top of the repository; `{exe}` is the path of the program to write.
    pub build: String,
    /// Whether only commits in a branch or tag of the repository are built, for commits that others name.
    pub is_published: bool,
}

/// The program of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Path in the cache.
    pub program: PathBuf,
    /// Full hash of the commit.
    pub commit: String,
    /// Short hash and subject, for tables.
    pub title: String,
}

/// Why an engine could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("no build command for {repo}: say how it is built, for example build='make EXE={{exe}}'")]
    NoCommand { repo: String },
    #[error("git {command}: {message}")]
    Git { command: String, message: String },
    #[error("{commit} is in no branch or tag of {}: only those are built for a run", repo.display())]
    NotPublished { commit: String, repo: PathBuf },
    #[error("building {title} failed ({status}); the log is {}\n{tail}", log.display())]
    Failed { title: String, status: String, log: PathBuf, tail: String },
    #[error("{work} was interrupted")]
    Interrupted { work: String },
    #[error("building {title}: failed to {error}")]
    Start { title: String, error: StartError },
    #[error("building {title} wrote no program {{exe}}: use {{exe}} in the build command, as in build='make EXE={{exe}}'; the log is {}", log.display())]
    NoProgram { title: String, log: PathBuf },
    #[error("{title}: {error}")]
    Bench { title: String, error: BenchError },
    #[error("{}: {error}", path.display())]
    Cache { path: PathBuf, error: std::io::Error },
    #[error("{0}")]
    Settings(String),
}

/// Folder of built engines: `smalt/builds` in the user's cache folder.
#[must_use]
pub fn cache_folder() -> PathBuf {
    crate::cache_folder().unwrap_or_else(std::env::temp_dir).join("smalt").join("builds")
}

/// Builds commits.
pub struct Builder<'a> {
    /// Folder of built engines, as [`cache_folder`].
    pub cache: PathBuf,
    /// Starts the process that ends a build if this program is killed.
    pub reaper: Box<dyn Fn() -> Option<Reaper> + 'a>,
    /// Receives a line for each slow step.
    pub notify: Box<dyn FnMut(&str) + 'a>,
}

impl Default for Builder<'_> {
    /// Builds in the user's cache; a build ends with this program.
    fn default() -> Self {
        Builder { cache: cache_folder(), reaper: Box::new(start_reaper), notify: Box::new(print_info) }
    }
}

impl Builder<'_> {
    /// Builds a commit, or returns the cached program.
    ///
    /// # Errors
    /// If the commit is unknown, its build fails or is interrupted, or its node count differs from the commit message.
    pub fn build(&mut self, source: &Source) -> Result<Built, BuildError> {
        let in_cache = |path: &Path| {
            let path = path.to_owned();
            move |error| BuildError::Cache { path, error }
        };
        fs::create_dir_all(&self.cache).map_err(in_cache(&self.cache))?;
        let (repository, commit, folder) = find(source, &self.cache)?;
        let built = commit.built_in(&folder);
        fs::create_dir_all(&folder).map_err(in_cache(&folder))?;
        // If two runs need the same commit, one builds and the other waits for it.
        let lock = File::create(folder.join("lock")).map_err(in_cache(&folder))?;
        if !self.lock(&lock, &built.title).map_err(in_cache(&folder))? {
            return Err(BuildError::Interrupted { work: format!("building {}", built.title) });
        }
        if !built.program.exists() {
            (self.notify)(&format!("Building {} of {}", built.title, source.repo));
            let reaper = (self.reaper)();
            compile(&repository, &commit, &source.build, &folder, &built.program, reaper.as_ref())?;
        }
        Ok(built)
    }

    /// Locks a commit; `false` if a termination signal comes first.
    fn lock(&mut self, lock: &File, title: &str) -> io::Result<bool> {
        let mut is_first = true;
        loop {
            match file_lock::try_lock(lock) {
                Ok(()) => return Ok(true),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if signals::is_stopped() => return Ok(false),
                Err(TryLockError::WouldBlock) => {}
            }
            if std::mem::take(&mut is_first) {
                (self.notify)(&format!("Waiting for another run that builds {title}"));
            }
            thread::sleep(LOCK_POLL);
        }
    }

    /// Builds the engines that name a repository, and sets their command, the full hash of their commit and, if missing,
    /// their name.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_entrants<'e>(
        &mut self,
        engines: impl IntoIterator<Item = &'e mut Table>,
        each: &Table,
        registry: &Registry,
    ) -> Result<(), BuildError> {
        resolve_entrants(engines, each, registry, &mut |source| self.build(source))
    }

    /// Rebuilds an engine of an earlier run if its program is no longer cached. Does nothing without a repository.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn restore_entrant(&mut self, engine: &mut EngineSettings) -> Result<(), BuildError> {
        if let Some(source) = source_of(engine).filter(|_| is_unbuilt(engine)) {
            engine.cmd = Some(self.build(&source)?.program.display().to_string());
        }
        Ok(())
    }
}

/// As [`Builder::build_entrants`], with another way to get the program of a commit.
///
/// # Errors
/// Those of `program_of`, and engines with a repository and without a build command.
pub fn resolve_entrants<'a>(
    engines: impl IntoIterator<Item = &'a mut Table>,
    each: &Table,
    registry: &Registry,
    program_of: &mut dyn FnMut(&Source) -> Result<Built, BuildError>,
) -> Result<(), BuildError> {
    for own in engines {
        let command = own.get("cmd").or_else(|| each.get("cmd")).and_then(Value::as_str);
        let mut known = command.and_then(|name| registry.find(name)).cloned().unwrap_or_default();
        let mut merged = known.clone();
        merge_engine(&mut merged, each.clone());
        merge_engine(&mut merged, own.clone());
        // A registry entry may have both a program and a build command for commits.
        let has_program = known.contains_key("cmd") || command.is_some() && known.is_empty();
        if !merged.contains_key("repo") || has_program && !merged.contains_key("ref") {
            continue;
        }
        let settings: EngineSettings =
            merged.try_into().map_err(|error| BuildError::Settings(error.to_string()))?;
        let repo = settings.repo.unwrap_or_default();
        let source = Source {
            build: settings.build.ok_or_else(|| BuildError::NoCommand { repo: repo.clone() })?,
            revision: settings.revision.unwrap_or_else(|| "HEAD".to_owned()),
            repo,
            is_published: false,
        };
        let built = program_of(&source)?;
        // The command replaces the registry name, so the other settings of the registry are copied.
        ["name", "cmd"].iter().chain(&REMARKS).for_each(|key| drop(known.remove(*key)));
        merge_engine(&mut known, own.clone());
        let mut set = |key: &str, value: &str| drop(known.insert(key.to_owned(), Value::from(value)));
        set("cmd", &built.program.display().to_string());
        set("ref", &built.commit);
        set("repo", &absolute(&source.repo));
        set("build", &source.build);
        if !own.contains_key("name") {
            set("name", &built.title);
        }
        *own = known;
    }
    Ok(())
}

/// Whether an engine is a commit whose program is not in the cache.
#[must_use]
pub fn is_unbuilt(engine: &EngineSettings) -> bool {
    let is_commit = engine.repo.is_some() && engine.revision.is_some() && engine.build.is_some();
    is_commit && !engine.cmd.as_ref().is_some_and(|program| Path::new(program).exists())
}

fn source_of(engine: &EngineSettings) -> Option<Source> {
    let EngineSettings { repo, revision, build, .. } = engine.clone();
    Some(Source { repo: repo?, revision: revision?, build: build?, is_published: false })
}

/// The node count in the commit message of an engine that is a commit; `None` without one, or if its repository is gone.
#[must_use]
pub fn expected_bench(engine: &EngineSettings, cache: &Path) -> Option<u64> {
    let (_, commit, _) = find(&source_of(engine)?, cache).ok()?;
    bench::expected(&commit.message)
}

/// Makes a path absolute; a URL is unchanged.
fn absolute(repo: &str) -> String {
    let path = Path::new(repo);
    if !path.exists() {
        return repo.to_owned();
    }
    std::path::absolute(path).map_or_else(|_| repo.to_owned(), |path| path.display().to_string())
}

/// The commits after `good` up to `bad` along first parents, oldest first; with paths only those that change files
/// there.
///
/// # Errors
/// If a revision is unknown, or `good` is not an ancestor of `bad`.
pub fn commits_between(
    repo: &str,
    good: &str,
    bad: &str,
    paths: &[String],
) -> Result<Vec<String>, BuildError> {
    Repository::open(repo, &cache_folder())?.commits_between(good, bad, paths)
}

/// The program of a commit, which may not be built yet.
///
/// # Errors
/// If the commit is unknown.
pub fn locate(source: &Source, cache: &Path) -> Result<Built, BuildError> {
    let (_, commit, folder) = find(source, cache)?;
    Ok(commit.built_in(&folder))
}

/// The commit, and its folder in the cache.
fn find(source: &Source, cache: &Path) -> Result<(Repository, Commit, PathBuf), BuildError> {
    let repository = Repository::open(&source.repo, cache)?;
    let commit = repository.commit(&source.revision, source.is_published)?;
    let folder = cache.join(commit.key(&source.build)?);
    Ok((repository, commit, folder))
}

// The engines in these tests are shell scripts.
#[cfg(test)]
#[cfg(unix)]
mod tests;
