//! One job as a child process, with its own thread: the process ends with the thread, and so with the daemon.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, StderrPolicy};
use smalt_workbench::program::{self, Finished};

/// Time for a job to end after a stop request; it abandons its games in progress after three seconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Exit code of this workbench's programs after SIGTERM.
const STOPPED_CODE: i32 = 143;

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
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl JobThread {
    /// Starts the process; its output is appended to `log`. `ended` is called on its thread when it ends.
    pub(crate) fn start(
        command: EngineCommand,
        log: &Path,
        ended: impl FnOnce(Ending) + Send + 'static,
    ) -> io::Result<JobThread> {
        let stop = Arc::<AtomicBool>::default();
        let output = File::options().append(true).create(true).open(log)?;
        let command = command.stderr(StderrPolicy::File(log.to_owned()));
        let raised = Arc::clone(&stop);
        let run = move || ended(run(&command, output, &raised).unwrap_or_else(Ending::Lost));
        let thread = thread::Builder::new().name("job".to_owned()).spawn(run)?;
        Ok(JobThread { stop, thread: Some(thread) })
    }

    /// Asks the job to stop.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
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

fn run(command: &EngineCommand, mut log: File, stop: &AtomicBool) -> Result<Ending, String> {
    // A full disk must not end the job.
    let mut keep = |line: Option<&str>| drop(line.map(|line| writeln!(log, "{line}")));
    let ran = program::run(command, STOP_TIMEOUT, &|| stop.load(Ordering::Relaxed), &mut keep);
    let Finished { exit, is_stopped, .. } = ran.map_err(|error| format!("failed to {error}"))?;
    match exit {
        // The process may have ended just before.
        Some(exit) if !is_stopped || matches!(exit, Exit::Code(code) if code != STOPPED_CODE) => {
            Ok(Ending::Exited(exit))
        }
        None if !is_stopped => Err("failed to wait for it".to_owned()),
        _ => Ok(Ending::Stopped),
    }
}
