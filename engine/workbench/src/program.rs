//! Runs a program to completion and returns its output and exit status.

use std::time::Instant;

use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, PollOutcome, Process, StartError, WaitFor, poll_once};

/// A program that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub output: String,
    /// The last lines of standard error.
    pub errors: String,
    /// `None` if it was killed at the deadline.
    pub exit: Option<Exit>,
}

/// Runs a program without input until it ends or the deadline passes, then kills its whole process group.
///
/// # Errors
/// If it cannot be started.
pub fn run_to_end(command: &EngineCommand, deadline: Instant) -> Result<Finished, StartError> {
    let mut process = Process::spawn(command)?;
    process.close_stdin();
    let mut output = String::new();
    let exit = loop {
        while let Some(line) = process.take_line() {
            output.push_str(&line.text());
            output.push('\n');
        }
        if process.is_silent() {
            break process.await_exit(deadline);
        }
        match poll_once(&mut process, None, None, WaitFor::Output, deadline) {
            Ok(PollOutcome::Progress) => {}
            Ok(PollOutcome::TimedOut | PollOutcome::Interrupted) | Err(_) => break None,
        }
    };
    let errors: Vec<_> = process.stderr_lines().map(String::from_utf8_lossy).collect();
    Ok(Finished { output, errors: errors.join("\n"), exit })
}
