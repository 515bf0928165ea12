//! Runs the build command of a commit, checks its node count, and moves the program to the cache.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, Reaper, StderrPolicy};

use super::BuildError;
use super::bench::{self, BenchError, watched};
use super::repository::{Commit, HOOK_VARIABLES, Repository, remove_drafts};
use crate::program;
use crate::signals;

/// Longest time of a build.
const LIMIT: Duration = Duration::from_secs(24 * 3600);

/// Prefix of the temporary folder of a build, which has the program until it is complete.
const DRAFT: &str = "new-";

/// Clones, builds, checks the node count, and moves the program to the cache.
pub(super) fn compile(
    repository: &Repository,
    commit: &Commit,
    build: &str,
    folder: &Path,
    program: &Path,
    reaper: Option<&Reaper>,
) -> Result<(), BuildError> {
    let in_cache = |error| BuildError::Cache { path: folder.to_owned(), error };
    remove_drafts(folder, DRAFT).map_err(in_cache)?;
    let draft = tempfile::Builder::new().prefix(DRAFT).tempdir_in(folder).map_err(in_cache)?;
    let tree = folder.join("tree");
    // What a failed or killed build left is moved away: its processes may still write there.
    if tree.exists() {
        fs::rename(&tree, draft.path().join("tree")).map_err(in_cache)?;
    }
    repository.check_out(commit, &tree)?;
    let made = draft.path().join(format!("engine{}", std::env::consts::EXE_SUFFIX));
    let log = folder.join("build.log");
    File::create(&log).map_err(in_cache)?;
    let command = EngineCommand::shell(&script(&build.replace("{exe}", &quoted(&made))))
        .directory(&tree)
        .variable("EXE", &made)
        .stderr(StderrPolicy::File(log.clone()));
    run(commit, watched(command, reaper), &log)?;
    if !made.exists() {
        return Err(BuildError::NoProgram { title: commit.title(), log });
    }
    if let Some(expected) = bench::expected(&commit.message) {
        let checked = bench::check(&made, expected, reaper);
        checked.map_err(|error| match error {
            BenchError::Interrupted => {
                BuildError::Interrupted { work: format!("building {}", commit.title()) }
            }
            error => BuildError::Bench { title: commit.title(), error },
        })?;
    }
    fs::rename(&made, program).map_err(in_cache)?;
    fs::remove_dir_all(&tree).map_err(in_cache)
}

/// Runs the build command to its end; its output is appended to the log.
fn run(commit: &Commit, command: EngineCommand, log: &Path) -> Result<(), BuildError> {
    let in_cache = |error| BuildError::Cache { path: log.to_owned(), error };
    let mut output = File::options().append(true).open(log).map_err(in_cache)?;
    // A log that cannot be written does not end the build.
    let mut keep = |line: Option<&str>| drop(line.map(|line| writeln!(output, "{line}")));
    let deadline = Instant::now() + LIMIT;
    let ran = program::run(&command, Duration::ZERO, &|| program::is_over(deadline), &mut keep);
    let ran = ran.map_err(|error| BuildError::Start { title: commit.title(), error })?;
    let status = match ran.exit {
        Some(Exit::Code(0)) => return Ok(()),
        None if signals::is_stopped() => {
            return Err(BuildError::Interrupted { work: format!("building {}", commit.title()) });
        }
        Some(exit) => exit.to_string(),
        None => format!("it did not end within {} hours", LIMIT.as_secs() / 3600),
    };
    let tail = last_lines(log).map_err(in_cache)?;
    Err(BuildError::Failed { title: commit.title(), status, log: log.to_owned(), tail })
}

/// The build command without the variables of a git hook that may have started this program, and with one output.
fn script(build: &str) -> String {
    if cfg!(windows) {
        let cleared: String = HOOK_VARIABLES.iter().map(|name| format!("set {name}=&")).collect();
        format!("{cleared}{build}")
    } else {
        format!("unset {}\nexec 2>&1\n{build}", HOOK_VARIABLES.join(" "))
    }
}

/// Quotes a path as one shell word.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    if cfg!(windows) { format!("\"{path}\"") } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// The last lines of a build log.
fn last_lines(log: &Path) -> std::io::Result<String> {
    const LINES: usize = 12;
    const BYTES: u64 = 4096;
    let mut log = File::open(log)?;
    let length = log.seek(SeekFrom::End(0))?;
    log.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
    let mut bytes = Vec::new();
    log.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(LINES)..].join("\n"))
}
