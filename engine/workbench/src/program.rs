//! This program and those beside it, and programs that run to their end.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, Process, Reaper, StartError, WaitFor, poll_once};

use crate::exit::{OrRefuse as _, Refusal};
use crate::signals;
use crate::standard_output::print_info;

/// Poll interval of a running program.
const POLL: Duration = Duration::from_millis(200);

/// A program that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Standard output, if it was kept.
    pub output: String,
    /// The last lines of standard error.
    pub errors: String,
    /// `None` if it was killed.
    pub exit: Option<Exit>,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

/// The file of this program.
///
/// # Errors
/// If the system does not know it.
pub fn own_program() -> Result<PathBuf, Refusal> {
    std::env::current_exe().context("find this program's own file").or_failed()
}

/// The program of this name in this program's folder, otherwise its name for a search of the path.
pub fn beside(name: &str) -> PathBuf {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(file));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

/// Starts this program as the reaper of engines. Without it the system and the next run still end leftover engines, only later.
pub fn start_reaper() -> Option<Reaper> {
    let started = std::env::current_exe().and_then(|program| Reaper::start(&program, "reaper"));
    let warn = |error| {
        print_info(&format!("Warning: failed to start the process that ends leftover engines: {error}"))
    };
    started.map_err(warn).ok()
}

/// Runs a program without input until it ends, the deadline passes or a termination signal comes, then kills its whole process group.
///
/// # Errors
/// If it cannot be started.
pub fn run_to_end(command: &EngineCommand, deadline: Instant) -> Result<Finished, StartError> {
    let mut output = String::new();
    let mut keep = |line: Option<&str>| output.extend(line.into_iter().flat_map(|line| [line, "\n"]));
    let ended = run(command, Duration::ZERO, &|| is_over(deadline), &mut keep)?;
    Ok(Finished { output, ..ended })
}

/// Whether the deadline has passed or a termination signal has come.
pub(crate) fn is_over(deadline: Instant) -> bool {
    signals::is_stopped() || Instant::now() >= deadline
}

/// Runs a program without input until it ends; `on_poll` receives each line of its output, and nothing at each poll. Once
/// `must_stop` holds the program is terminated, and killed with its whole process group after the grace time.
///
/// # Errors
/// If it cannot be started.
pub fn run(
    command: &EngineCommand,
    grace: Duration,
    must_stop: &dyn Fn() -> bool,
    on_poll: &mut dyn FnMut(Option<&str>),
) -> Result<Finished, StartError> {
    let mut process = Process::spawn(command)?;
    process.close_stdin();
    let mut kill_at = None;
    let exit = loop {
        while let Some(line) = process.take_line() {
            on_poll(Some(&line.text()));
        }
        on_poll(None);
        let now = Instant::now();
        if kill_at.is_none() && must_stop() {
            kill_at = Some(now + grace);
            if !grace.is_zero() {
                process.terminate();
            }
        }
        if kill_at.is_some_and(|at| now >= at) {
            break None;
        }
        let soon = kill_at.unwrap_or(now + POLL).min(now + POLL);
        if process.is_silent() {
            if let Some(exit) = process.await_exit(soon) {
                break Some(exit);
            }
        } else if poll_once(&mut process, None, None, WaitFor::Output, soon).is_err() {
            break None;
        }
    };
    let errors: Vec<_> = process.stderr_lines().map(String::from_utf8_lossy).collect();
    Ok(Finished { output: String::new(), errors: errors.join("\n"), exit, is_stopped: kill_at.is_some() })
}
