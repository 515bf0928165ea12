//! The git commands behind [`super::Builder`].

#![expect(clippy::disallowed_methods, reason = "git commands run to their end; the driver is for engines")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use std::{io, thread};

use smalt_report::sanitize::sanitize;

use super::{BuildError, Built};
use crate::signals;

/// Longest time of a git command: a large clone over a slow line.
const LIMIT: Duration = Duration::from_secs(2 * 3600);

/// Interval at which a termination signal is noticed.
const STOP_POLL: Duration = Duration::from_millis(100);

/// Time for git to remove what it has begun.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum length of the subject in a title.
const SUBJECT_LENGTH: usize = 40;

/// What a mirror of a URL has: branches and tags, not the pull requests of strangers (`refs/pull`).
const MIRRORED: [&str; 2] = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];

/// Variables that git sets for a hook's repository; git would prefer them to the given folder.
pub(super) const HOOK_VARIABLES: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX"];

/// A local repository: the user's own, or the cached mirror of a URL.
pub(super) struct Repository {
    folder: PathBuf,
    /// Held while a mirror is used, so that no other run clones or fetches it.
    mirror_lock: Option<File>,
}

pub(super) struct Commit {
    pub(super) hash: String,
    pub(super) message: String,
}

impl Repository {
    /// Opens a repository by its path, or clones the URL into the cache.
    pub(super) fn open(repo: &str, cache: &Path) -> Result<Repository, BuildError> {
        if Path::new(repo).exists() {
            let top = git(&[
                OsStr::new("-C"),
                OsStr::new(repo),
                "rev-parse".as_ref(),
                "--absolute-git-dir".as_ref(),
            ])?;
            return Ok(Repository { folder: PathBuf::from(top), mirror_lock: None });
        }
        let mirrors = cache.join("mirrors");
        let hash = hash_object(repo)?;
        let folder = mirrors.join(&hash);
        let in_cache = |error| BuildError::Cache { path: folder.clone(), error };
        std::fs::create_dir_all(&mirrors).map_err(in_cache)?;
        let lock = File::create(folder.with_extension("lock")).map_err(in_cache)?;
        lock.lock().map_err(in_cache)?;
        if !folder.exists() {
            // Cloned to a temporary name and renamed, so that an interrupted clone is not used; it may go on after this program.
            let prefix = format!("{hash}-new-");
            remove_drafts(&mirrors, &prefix).map_err(in_cache)?;
            let place = tempfile::Builder::new().prefix(&prefix).tempdir_in(&mirrors).map_err(in_cache)?;
            let draft = place.path().join("mirror");
            git(&[
                "clone".as_ref(),
                "--quiet".as_ref(),
                "--bare".as_ref(),
                "--".as_ref(),
                OsStr::new(repo),
                draft.as_os_str(),
            ])?;
            std::fs::rename(&draft, &folder).map_err(in_cache)?;
        }
        Ok(Repository { folder, mirror_lock: Some(lock) })
    }

    /// Finds a branch, tag or commit. A mirror is fetched first, unless it already has this commit. With `is_published` the
    /// commit must be in a branch or tag.
    pub(super) fn commit(&self, revision: &str, is_published: bool) -> Result<Commit, BuildError> {
        let find = || {
            self.git(&[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &format!("{revision}^{{commit}}"),
            ])
        };
        let is_hash = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
        let known = find().ok().filter(|_| self.mirror_lock.is_none() || is_hash);
        let known = known.filter(|hash| !is_published || self.is_published(hash));
        let hash = match known {
            Some(hash) => hash,
            None => {
                if self.mirror_lock.is_some() {
                    self.git(&[&["fetch", "--quiet", "--prune", "origin"][..], &MIRRORED].concat())?;
                }
                find().map_err(|_| BuildError::Git {
                    command: format!("rev-parse {revision}"),
                    message: format!("no such branch, tag or commit in {}", self.folder.display()),
                })?
            }
        };
        if is_published && !self.is_published(&hash) {
            return Err(BuildError::NotPublished { commit: hash, repo: self.folder.clone() });
        }
        let message = self.git(&["log", "-1", "--format=%B", &hash])?;
        Ok(Commit { hash, message })
    }

    /// Whether a branch or tag has the commit.
    fn is_published(&self, hash: &str) -> bool {
        let found = self.git(&["for-each-ref", "--count=1", "--contains", hash, "refs/heads", "refs/tags"]);
        found.is_ok_and(|names| !names.is_empty())
    }

    pub(super) fn commits_between(
        &self,
        good: &str,
        bad: &str,
        paths: &[String],
    ) -> Result<Vec<String>, BuildError> {
        let [good, bad] = [self.commit(good, false)?.hash, self.commit(bad, false)?.hash];
        if let Err(error) = self.git(&["merge-base", "--is-ancestor", &good, &bad]) {
            if matches!(error, BuildError::Interrupted { .. }) {
                return Err(error);
            }
            let message = format!("{good} is not an ancestor of {bad}");
            return Err(BuildError::Git {
                command: format!("merge-base --is-ancestor {good} {bad}"),
                message,
            });
        }
        let range = format!("{good}..{bad}");
        let mut arguments = vec!["rev-list", "--first-parent", "--reverse", &range, "--"];
        arguments.extend(paths.iter().map(String::as_str));
        Ok(self.git(&arguments)?.lines().map(str::to_owned).collect())
    }

    /// Checks out a commit and its submodules into a new folder. The repository is not changed.
    pub(super) fn check_out(&self, commit: &Commit, folder: &Path) -> Result<(), BuildError> {
        let clone = [
            "clone".as_ref(),
            "--quiet".as_ref(),
            "--shared".as_ref(),
            "--no-checkout".as_ref(),
            "--".as_ref(),
        ];
        git(&[&clone[..], &[self.folder.as_os_str(), folder.as_os_str()]].concat())?;
        let inside = Repository { folder: folder.to_owned(), mirror_lock: None };
        inside.git(&["checkout", "--quiet", "--detach", &commit.hash])?;
        if folder.join(".gitmodules").exists() {
            inside.git(&["submodule", "--quiet", "update", "--init", "--recursive"])?;
        }
        Ok(())
    }

    fn git(&self, arguments: &[&str]) -> Result<String, BuildError> {
        let folder = [OsStr::new("-C"), self.folder.as_os_str()];
        let arguments: Vec<&OsStr> = folder.into_iter().chain(arguments.iter().map(OsStr::new)).collect();
        git(&arguments)
    }
}

impl Commit {
    /// Short hash and the beginning of the subject, without hidden characters: it is the default name of the engine.
    pub(super) fn title(&self) -> String {
        let subject = self.message.lines().next().unwrap_or_default();
        let shown: String = subject.chars().take(SUBJECT_LENGTH).collect();
        let shown = sanitize(&shown.replace('\t', " "));
        format!("{} {}", &self.hash[..8], shown.trim_end()).trim_end().to_owned()
    }

    /// Its program in a folder of the cache.
    pub(super) fn built_in(&self, folder: &Path) -> Built {
        let program = folder.join(format!("engine{}", std::env::consts::EXE_SUFFIX));
        Built { program, commit: self.hash.clone(), title: self.title() }
    }

    /// Its folder name in the cache: short hash, and a hash of commit, build command and architecture.
    pub(super) fn key(&self, build: &str) -> Result<String, BuildError> {
        let (system, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
        let all = hash_object(&format!("{}\n{build}\n{system} {architecture}", self.hash))?;
        Ok(format!("{}-{}", &self.hash[..12], &all[..12]))
    }
}

/// Removes the folders with this prefix, which killed programs left, except where their processes still write.
pub(super) fn remove_drafts(folder: &Path, prefix: &str) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// Removes the variables of a git hook that may have started this program.
fn apart(mut command: Command) -> Command {
    for name in HOOK_VARIABLES {
        command.env_remove(name);
    }
    command
}

/// The hash of a text, from `git hash-object`.
fn hash_object(text: &str) -> Result<String, BuildError> {
    let arguments = ["hash-object", "--stdin"];
    let fail = |message: String| BuildError::Git { command: arguments.join(" "), message };
    let mut process = apart(Command::new("git"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| fail(error.to_string()))?;
    if let Some(mut input) = process.stdin.take() {
        input.write_all(text.as_bytes()).map_err(|error| fail(error.to_string()))?;
    }
    finished(process.wait_with_output(), fail)
}

fn git(arguments: &[&OsStr]) -> Result<String, BuildError> {
    let shown: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let fail = |message: String| BuildError::Git { command: shown.join(" "), message };
    // No password prompt: it would block the run.
    let mut process = apart(Command::new("git"));
    process.args(arguments).env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
    let process = process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let output = process.and_then(|process| await_end(process, signals::is_stopped));
    if output.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
        return Err(BuildError::Interrupted { work: format!("git {}", shown.join(" ")) });
    }
    finished(output, fail)
}

/// Waits until a command ends; terminates it at a signal or at the limit.
fn await_end(process: Child, is_stopped: impl Fn() -> bool) -> io::Result<Output> {
    let id = process.id();
    let (sender, ended) = channel();
    let wait = move || drop(sender.send(process.wait_with_output()));
    thread::Builder::new().name("git".to_owned()).spawn(wait)?;
    let deadline = Instant::now() + LIMIT;
    loop {
        match ended.recv_timeout(STOP_POLL) {
            Ok(output) => return output,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("its thread failed")),
            Err(RecvTimeoutError::Timeout) => {
                let reason = match (is_stopped(), Instant::now() >= deadline) {
                    (false, false) => continue,
                    (true, _) => io::ErrorKind::Interrupted.into(),
                    (false, true) => {
                        io::Error::other(format!("it took longer than {} hours", LIMIT.as_secs() / 3600))
                    }
                };
                terminate(id);
                let _ = ended.recv_timeout(END_TIMEOUT);
                return Err(reason);
            }
        }
    }
}

/// Asks a command to end; git removes an unfinished clone then.
#[cfg(unix)]
fn terminate(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

/// Without signals it ends by itself.
#[cfg(not(unix))]
fn terminate(_id: u32) {}

fn finished(
    output: std::io::Result<Output>,
    fail: impl Fn(String) -> BuildError,
) -> Result<String, BuildError> {
    let output = output.map_err(|error| fail(error.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_command_of_git_ends() {
        let mut command = Command::new("sleep");
        let process = command.arg("1000").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let id = i32::try_from(process.id()).unwrap();
        assert_eq!(await_end(process, || true).unwrap_err().kind(), io::ErrorKind::Interrupted);
        let pid = rustix::process::Pid::from_raw(id).unwrap();
        assert!(rustix::process::test_kill_process(pid).is_err(), "still running");
        let done = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
        assert!(await_end(done, || false).unwrap().status.success());
    }
}
