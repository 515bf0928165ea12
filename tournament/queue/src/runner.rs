//! One job as a child process, with its own thread: the process ends with the thread, and so with the daemon.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, Interrupt, PollOutcome, Process, StderrPolicy, WaitFor, poll_once};

/// Time for a job to end after a stop request; it abandons its games in progress after three seconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Exit code of this workbench's programs after SIGTERM.
const STOPPED_CODE: i32 = 143;

/// Polling interval of a job without output.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How a job's process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself.
    Exited(Exit),
    /// On request.
    Stopped,
    /// Could not be started, or its exit is unknown.
    Lost(String),
}

/// Thread of a job.
#[derive(Debug)]
pub(crate) struct JobThread {
    stop: Interrupt,
    thread: Option<JoinHandle<()>>,
}

impl JobThread {
    /// Starts the process; its output is appended to `log`. `ended` is called on its thread when it ends.
    pub(crate) fn start(
        command: EngineCommand,
        log: &Path,
        ended: impl FnOnce(Ending) + Send + 'static,
    ) -> io::Result<JobThread> {
        let stop = Interrupt::new()?;
        let output = File::options().append(true).create(true).open(log)?;
        let command = command.stderr(StderrPolicy::File(log.to_owned()));
        let raised = stop.clone();
        let run = move || ended(run(&command, output, &raised).unwrap_or_else(Ending::Lost));
        let thread = thread::Builder::new().name("job".to_owned()).spawn(run)?;
        Ok(JobThread { stop, thread: Some(thread) })
    }

    /// Asks the job to stop.
    pub(crate) fn stop(&self) {
        self.stop.raise();
    }

    pub(crate) fn join(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for JobThread {
    fn drop(&mut self) {
        self.stop();
        self.join();
    }
}

fn run(command: &EngineCommand, mut log: File, stop: &Interrupt) -> Result<Ending, String> {
    let mut process = Process::spawn(command).map_err(|error| format!("failed to {error}"))?;
    process.close_stdin();
    loop {
        while let Some(line) = process.take_line() {
            // A full disk must not end the job.
            let _ = writeln!(log, "{}", line.text());
        }
        if stop.is_raised() {
            process.terminate();
            let exit = process.await_exit(Instant::now() + STOP_TIMEOUT);
            process.kill();
            // The process may have ended just before.
            return Ok(match exit {
                Some(exit @ Exit::Code(code)) if code != STOPPED_CODE => Ending::Exited(exit),
                _ => Ending::Stopped,
            });
        }
        let soon = Instant::now() + POLL_INTERVAL;
        if process.is_silent() {
            if let Some(exit) = process.await_exit(soon) {
                return Ok(Ending::Exited(exit));
            }
            continue;
        }
        match poll_once(&mut process, None, Some(stop), WaitFor::Output, soon) {
            Ok(PollOutcome::Progress | PollOutcome::TimedOut | PollOutcome::Interrupted) => {}
            Err(error) => return Err(format!("failed to wait for it: {error}")),
        }
    }
}
