//! Runs a program to completion and returns its output and exit status.

use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, Process, StartError, WaitFor, poll_once};

use crate::signals;

/// Interval at which a termination signal is noticed.
const STOP_POLL: Duration = Duration::from_millis(200);

/// A program that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub output: String,
    /// The last lines of standard error.
    pub errors: String,
    /// `None` if it was killed: at the deadline, or after a termination signal.
    pub exit: Option<Exit>,
}

/// Runs a program without input until it ends, the deadline passes or a termination signal comes, then kills its whole process group.
///
/// # Errors
/// If it cannot be started.
pub fn run_to_end(command: &EngineCommand, deadline: Instant) -> Result<Finished, StartError> {
    let mut output = String::new();
    let mut keep = |line: &str| {
        output.push_str(line);
        output.push('\n');
    };
    let ended = run_lines(command, deadline, &mut keep)?;
    Ok(Finished { output, ..ended })
}

/// As [`run_to_end`], but passes each line of its output to `on_line` instead of keeping it.
pub(crate) fn run_lines(
    command: &EngineCommand,
    deadline: Instant,
    on_line: &mut dyn FnMut(&str),
) -> Result<Finished, StartError> {
    let mut process = Process::spawn(command)?;
    process.close_stdin();
    let exit = loop {
        while let Some(line) = process.take_line() {
            on_line(&line.text());
        }
        let now = Instant::now();
        if signals::is_stopped() || now >= deadline {
            break None;
        }
        let soon = deadline.min(now + STOP_POLL);
        if process.is_silent() {
            if let Some(exit) = process.await_exit(soon) {
                break Some(exit);
            }
        } else if poll_once(&mut process, None, None, WaitFor::Output, soon).is_err() {
            break None;
        }
    };
    let errors: Vec<_> = process.stderr_lines().map(String::from_utf8_lossy).collect();
    Ok(Finished { output: String::new(), errors: errors.join("\n"), exit })
}
