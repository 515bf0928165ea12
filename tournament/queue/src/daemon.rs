//! The daemon: starts, stops and watches the jobs of a queue, as many at once as the slots of the machine allow.
//!
//! It keeps no state: jobs are in the queue file, games in their stores, and its children end with it. After a
//! kill or a reboot the next daemon resumes all waiting jobs.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::Exit;
use smalt_match::store::StoreUse;
use smalt_workbench::exit::reason;
use smalt_workbench::file_lock::lock_soon;
use smalt_workbench::output_file::resolved;

use crate::allocation::{Request, allocate};
use crate::file::{QueueError, QueueFile};
use crate::job::{Job, JobState, Launch};
use crate::progress::JobProgress;
use crate::runner::{Ending, JobThread};

/// Polling interval of the queue file.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Polling interval of the stores of running jobs; reading takes at most 1 % of the time.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// An event for the daemon.
#[derive(Debug)]
pub enum DaemonEvent {
    /// Stop all jobs and end.
    Stop,
    /// The process of a job has ended.
    #[doc(hidden)]
    Ended(JobEnding),
}

/// The end of a job's process.
#[derive(Debug)]
pub struct JobEnding {
    job: i64,
    ending: Ending,
}

/// Why the daemon stops.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The queue file cannot be read or written.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// Another daemon plays this queue.
    #[error("lock {}: another daemon plays this queue", .0.display())]
    Busy(PathBuf),
    /// A file of the daemon cannot be created.
    #[error("write {}: {}", path.display(), reason(source))]
    File {
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
}

/// Settings of the daemon.
#[derive(Clone, Debug)]
pub struct DaemonSettings {
    /// Slots that all jobs share.
    pub slots: usize,
    /// Folder of Smalt's programs.
    pub programs: PathBuf,
}

#[derive(Debug)]
struct Running {
    slots: usize,
    /// Its store or checkpoint, without links.
    output: Option<PathBuf>,
    /// Servers and hosts that play for it.
    machines: Vec<String>,
    thread: JobThread,
    is_stopping: bool,
    /// Moment up to which its time is counted.
    counted: Instant,
}

/// The daemon of one queue.
pub struct Daemon<'a> {
    file: QueueFile,
    settings: DaemonSettings,
    home: PathBuf,
    running: BTreeMap<i64, Running>,
    /// Machines of each job, before and after it has begun.
    machines: BTreeMap<(i64, bool), Vec<String>>,
    sender: Sender<DaemonEvent>,
    events: Receiver<DaemonEvent>,
    next_progress: Instant,
    is_stopping: bool,
    /// Receives a message for each event.
    notify: &'a mut dyn FnMut(&str),
    /// Receives the store of each job once it exists.
    store_found: &'a mut dyn FnMut(i64, &Path),
    _lock: File,
}

impl<'a> Daemon<'a> {
    /// Locks the queue.
    ///
    /// # Errors
    /// If another daemon runs it, or its files cannot be created.
    pub fn new(
        mut file: QueueFile,
        settings: DaemonSettings,
        notify: &'a mut dyn FnMut(&str),
        store_found: &'a mut dyn FnMut(i64, &Path),
    ) -> Result<Daemon<'a>, DaemonError> {
        let home = file.home();
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| DaemonError::File { path, source }
        };
        std::fs::create_dir_all(&home).map_err(failed(&home))?;
        let path = file.lock_path();
        let lock = File::create(&path).map_err(failed(&path))?;
        lock_soon(&lock).map_err(|_| DaemonError::Busy(path))?;
        file.reset_running()?;
        let (sender, events) = channel();
        let (running, machines, next_progress) = (BTreeMap::new(), BTreeMap::new(), Instant::now());
        Ok(Daemon {
            file,
            settings,
            home,
            running,
            machines,
            sender,
            events,
            next_progress,
            is_stopping: false,
            notify,
            store_found,
            _lock: lock,
        })
    }

    /// Sender of events to the daemon.
    pub fn sender(&self) -> Sender<DaemonEvent> {
        self.sender.clone()
    }

    /// Runs jobs until it is stopped.
    ///
    /// # Errors
    /// If the file fails; all jobs have been stopped then.
    pub fn run(mut self) -> Result<(), DaemonError> {
        for job in self.file.jobs()? {
            self.show_store(&job);
        }
        while !(self.is_stopping && self.running.is_empty()) {
            self.update()?;
            match self.events.recv_timeout(POLL_INTERVAL) {
                Ok(DaemonEvent::Stop) => self.is_stopping = true,
                Ok(DaemonEvent::Ended(JobEnding { job, ending })) => self.end(job, ending)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
        Ok(())
    }

    /// Reads the queue, and starts and stops jobs accordingly.
    fn update(&mut self) -> Result<(), DaemonError> {
        self.count_time()?;
        let jobs = self.file.jobs()?;
        for job in &jobs {
            if job.state == JobState::Waiting && job.is_out_of_time() {
                self.file.note_ended(job.id, JobState::OutOfTime, "the budget is used up")?;
            }
        }
        let jobs = self.file.jobs()?;
        let active: Vec<&Job> =
            jobs.iter().filter(|job| job.state == JobState::Waiting && !self.is_stopping).collect();
        let slots = self.allocate(&active);
        for (id, running) in &mut self.running {
            if !running.is_stopping && slots.get(id) != Some(&running.slots) {
                running.is_stopping = true;
                running.thread.stop();
            }
        }
        for job in active {
            let taken: usize = self.running.values().map(|running| running.slots).sum();
            let Some(&wanted) = slots.get(&job.id) else { continue };
            if self.running.contains_key(&job.id) || taken + wanted > self.settings.slots {
                continue;
            }
            let machines = self.machines(job);
            let is_taken = |running: &Running| running.machines.iter().any(|its| machines.contains(its));
            let output = job.output(&self.home).map(|output| resolved(&output));
            let is_in_use = output.as_ref().is_some_and(|output| self.is_in_use(output));
            if !is_in_use && !self.running.values().any(is_taken) {
                self.start(job, wanted, output)?;
            }
        }
        if Instant::now() >= self.next_progress {
            let begun = Instant::now();
            for job in &jobs {
                if self.running.contains_key(&job.id) {
                    self.read_progress(job)?;
                }
            }
            self.next_progress = Instant::now() + PROGRESS_INTERVAL.max(100 * begun.elapsed());
        }
        Ok(())
    }

    /// The slots of each job that gets some.
    fn allocate(&mut self, active: &[&Job]) -> BTreeMap<i64, usize> {
        let request = |job: &&Job| {
            let running = self.running.get(&job.id).filter(|_| !job.is_resumable());
            let kept = running.map(|running| running.slots);
            let machines = self.machines(job);
            let most = if machines.is_empty() { job.added.slots } else { Some(1) };
            Request { priority: job.added.priority, most, kept, machines }
        };
        let requests: Vec<Request> = active.iter().map(request).collect();
        let slots = active.iter().map(|job| job.id).zip(allocate(self.settings.slots, &requests));
        slots.filter(|(_, slots)| *slots > 0).collect()
    }

    /// Servers and hosts that play for a job. Its plan or store is read once, and again when it has begun or starts anew.
    fn machines(&mut self, job: &Job) -> Vec<String> {
        let known = self.machines.entry((job.id, job.has_begun));
        known.or_insert_with(|| job.machines(&self.home)).clone()
    }

    /// Whether another job, a runner of an earlier daemon, or a user's run has a store or checkpoint open.
    fn is_in_use(&self, output: &Path) -> bool {
        let mut running = self.running.values();
        running.any(|running| running.output.as_deref() == Some(output)) || StoreUse::of(output).is_in_use()
    }

    fn start(&mut self, job: &Job, slots: usize, output: Option<PathBuf>) -> Result<(), DaemonError> {
        // Before its process can make the file.
        if !job.has_begun && job.output(&self.home).is_some_and(|output| !output.exists()) {
            self.file.note_begun(job.id)?;
        }
        self.machines.remove(&(job.id, job.has_begun));
        let machines = self.machines(job);
        let local = machines.is_empty().then_some(slots);
        let Launch { program, arguments } = job.launch(&self.home, local);
        let program = self.settings.programs.join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
        let command = EngineCommand::new(program).arguments(arguments).directory(&job.added.folder);
        let (id, sender) = (job.id, self.sender.clone());
        // The daemon may have ended.
        let ended = move |ending| drop(sender.send(DaemonEvent::Ended(JobEnding { job: id, ending })));
        let log = job.log(&self.home);
        let thread = match JobThread::start(command, &log, ended) {
            Ok(thread) => thread,
            Err(error) => {
                let words = format!("failed to start: {}: {error}", log.display());
                return Ok(self.file.note_ended(id, JobState::Failed, &words)?);
            }
        };
        (self.notify)(&format!("Job {id} ({}) starts with concurrency {slots}", job.added.name));
        let counted = Instant::now();
        let running = Running { slots, output, machines, thread, is_stopping: false, counted };
        self.running.insert(id, running);
        Ok(self.file.note_started(id, slots)?)
    }

    /// Handles the end of a job's process.
    fn end(&mut self, id: i64, ending: Ending) -> Result<(), DaemonError> {
        self.count_time()?;
        if let Some(mut running) = self.running.remove(&id) {
            running.thread.join();
        }
        // It may have been removed from the queue.
        let Ok(job) = self.file.job(id) else { return Ok(()) };
        let name = &job.added.name;
        let is_busy = job.store(&self.home).is_some_and(|store| self.is_in_use(&resolved(&store)));
        match outcome(&ending, &job.log(&self.home), is_busy) {
            None => {
                (self.notify)(&format!("Job {id} ({name}) is stopped"));
                self.file.note_stopped(id)?;
            }
            Some((state, flag)) => {
                (self.notify)(&format!(
                    "Job {id} ({name}): {state}{}{flag}",
                    if flag.is_empty() { "" } else { ": " }
                ));
                self.file.note_ended(id, state, &flag)?;
            }
        }
        match self.file.job(id) {
            Ok(job) => self.read_progress(&job),
            Err(_) => Ok(()),
        }
    }

    /// Adds the time that running jobs have played to their use.
    fn count_time(&mut self) -> Result<(), DaemonError> {
        let now = Instant::now();
        for (&id, running) in &mut self.running {
            let time = now.duration_since(running.counted);
            if time >= Duration::from_secs(1) || running.is_stopping {
                running.counted = now;
                self.file.add_used(id, time)?;
            }
        }
        Ok(())
    }

    /// Reads the store of a job, if it has one. Faults of its engines are flagged, unless it is flagged already.
    fn read_progress(&mut self, job: &Job) -> Result<(), DaemonError> {
        self.show_store(job);
        let Some(store) = job.store(&self.home).filter(|store| store.exists()) else { return Ok(()) };
        // The store may be locked; the next poll reads it.
        let Ok(progress) = JobProgress::read(&store) else { return Ok(()) };
        if progress.line != job.progress {
            self.file.note_progress(job.id, &progress.line)?;
        }
        let is_ours = job.flag.is_empty() || job.state == JobState::Waiting;
        if is_ours && progress.faults != job.flag {
            self.file.note_flag(job.id, &progress.faults)?;
        }
        Ok(())
    }

    fn show_store(&mut self, job: &Job) {
        if let Some(store) = job.store(&self.home).filter(|store| store.exists()) {
            (self.store_found)(job.id, &store);
        }
    }
}

/// New state of a job whose process has ended; `None` if it resumes later. `is_busy`: another program has its store open.
fn outcome(ending: &Ending, log: &Path, is_busy: bool) -> Option<(JobState, String)> {
    let failed = |words: String| {
        let line = last_message(log).map(|line| format!(": {line}")).unwrap_or_default();
        Some((JobState::Failed, format!("{words}{line}")))
    };
    match ending {
        Ending::Stopped => None,
        // It was refused the lock of its store.
        Ending::Exited(Exit::Code(2)) if is_busy => None,
        // 10 and 11 are verdicts of --exit-on-verdict.
        Ending::Exited(Exit::Code(0 | 10 | 11)) => Some((JobState::Done, String::new())),
        Ending::Exited(Exit::Code(3)) => {
            Some((JobState::Done, "something was skipped, see its log".to_owned()))
        }
        Ending::Exited(Exit::Code(130 | 143)) => {
            Some((JobState::Paused, "interrupted by another program".to_owned()))
        }
        Ending::Exited(exit) => failed(exit.to_string()),
        Ending::Lost(words) => Some((JobState::Failed, words.clone())),
    }
}

/// The last message of a log.
fn last_message(log: &Path) -> Option<String> {
    const BYTES: usize = 2048;
    let bytes = std::fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(BYTES)..]).into_owned();
    let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
    let last = lines.next()?;
    // A refused command line ends with advice; the reason stands before its usage.
    let is_advice = last.starts_with("For more information, try");
    let reason = lines.find(|line| is_advice && line.starts_with("error: "));
    Some(reason.unwrap_or(last).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_decide_what_becomes_of_a_job() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        std::fs::write(&log, "playing\nsmalt-tournament: no such engine\n\n").unwrap();
        let state = |ending| outcome(&ending, &log, false).map(|(state, _)| state);
        let code = |code| Ending::Exited(Exit::Code(code));
        assert_eq!(state(Ending::Stopped), None);
        assert_eq!(state(code(0)), Some(JobState::Done));
        assert_eq!(state(code(10)), Some(JobState::Done));
        assert_eq!(state(code(143)), Some(JobState::Paused));
        let (state, flag) = outcome(&code(2), &log, false).unwrap();
        assert_eq!(state, JobState::Failed);
        assert_eq!(flag, "exited with code 2: smalt-tournament: no such engine");
        assert_eq!(outcome(&code(2), &log, true), None);
        let refusal = "error: unexpected argument '--suite' found\n\nUsage: smalt-suites score\n\nFor more information, try '--help'.\n";
        std::fs::write(&log, refusal).unwrap();
        let (_, flag) = outcome(&code(2), &log, false).unwrap();
        assert_eq!(flag, "exited with code 2: error: unexpected argument '--suite' found");
        let killed = outcome(&Ending::Exited(Exit::Signal(9)), Path::new("/none"), true).unwrap();
        assert!(killed.1.contains("SIGKILL"), "{killed:?}");
    }
}
