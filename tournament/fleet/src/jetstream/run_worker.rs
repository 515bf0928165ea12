//! The life of a worker: waits for announced runs and plays for the first that accepts it, until it is stopped.

use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::connection::{ConnectError, connect};
use super::run_session::{LeaveReason, RunSession};
use super::worker::{PreparedRun, Worker, WorkerInputs, WorkerSetup};
use super::{Identity, RUNS, Subjects};
use crate::wire::{Announcement, Response, WorkerRequest, decode};
use smalt_match::run::{Event, SlotConfig, StopReason};

/// Why a worker exits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerExit {
    /// Stopped by the user.
    Asked,
    /// A failure of the system.
    Failed(String),
}

impl From<LeaveReason> for WorkerExit {
    fn from(end: LeaveReason) -> WorkerExit {
        match end {
            LeaveReason::Failed(words) => WorkerExit::Failed(words),
            LeaveReason::Over | LeaveReason::Asked | LeaveReason::Changed | LeaveReason::Refused { .. } => {
                WorkerExit::Asked
            }
        }
    }
}

/// Works until an event stops it. Messages for users go to `show`.
///
/// # Errors
/// If the first connection fails.
pub fn run(
    setup: WorkerSetup,
    events: (Sender<Event>, Receiver<Event>),
    show: Box<dyn Fn(&str)>,
) -> Result<WorkerExit, ConnectError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (sender, receiver) = events;
    let (forward, events) = unbounded_channel();
    std::thread::Builder::new().name("events".to_owned()).spawn(move || {
        for event in receiver {
            if forward.send(event).is_err() {
                break;
            }
        }
    })?;
    let departure = runtime.block_on(async move {
        let (lines, changes) = unbounded_channel();
        let mut events = events;
        let identity = Identity::of(&setup.server)?;
        let name = format!("smalt-tournament worker {}", setup.name);
        let client = tokio::select! {
            end = end_of(&mut events) => return Ok(end.into()),
            client = connect(&setup.server, identity.inbox(), &name, lines) => client?,
        };
        let announced = client.subscribe(RUNS).await;
        let announced = announced.map_err(|error| ConnectError::Refused {
            url: setup.server.url().to_owned(),
            words: error.to_string(),
        })?;
        let inputs = WorkerInputs { events, announced, changes };
        let worker = Worker::new(identity, setup, client, sender, show);
        Ok(worker.work(inputs).await)
    });
    runtime.shutdown_timeout(Duration::from_millis(100));
    departure
}

/// Waits for a stop signal or a failure; drops other events.
async fn end_of(events: &mut UnboundedReceiver<Event>) -> LeaveReason {
    loop {
        match events.recv().await {
            Some(Event::Stop(StopReason::Failed(words))) => return LeaveReason::Failed(words),
            Some(Event::Stop(_) | Event::Kill) | None => return LeaveReason::Asked,
            Some(_) => {}
        }
    }
}

impl Worker {
    async fn work(mut self, mut inputs: WorkerInputs) -> WorkerExit {
        self.show("Waiting for a run");
        loop {
            tokio::select! {
                end = end_of(&mut inputs.events) => return end.into(),
                Some(change) = inputs.changes.recv() => self.report_connection(change),
                announcement = inputs.announced.next() => {
                    let Some(message) = announcement else {
                        return WorkerExit::Failed("listen to the server".to_owned());
                    };
                    let Ok(announcement) = decode::<Announcement>(&message.payload) else { continue };
                    if !self.may_try(&announcement.run) {
                        continue;
                    }
                    match self.play(announcement, &mut inputs).await {
                        LeaveReason::Over => self.show("The run is over, or was interrupted; waiting for another"),
                        LeaveReason::Changed => self.show("The run was started with another plan; preparing it again"),
                        LeaveReason::Refused { run, words } => self.refuse(run, words),
                        end => return end.into(),
                    }
                }
            }
        }
    }

    /// Plays for a run until it is over.
    async fn play(&self, run: Announcement, inputs: &mut WorkerInputs) -> LeaveReason {
        let name = run.run.clone();
        let joined = tokio::select! {
            end = end_of(&mut inputs.events) => return end,
            joined = self.join(run) => joined,
        };
        match joined {
            Ok(Some(playing)) => playing.play(inputs).await,
            Ok(None) => LeaveReason::Changed,
            Err(words) => LeaveReason::Refused { run: name, words },
        }
    }

    /// Prepares the run on this machine and joins it; `None` if its configuration changed meanwhile. An error says why it
    /// cannot be played.
    async fn join(&self, mut run: Announcement) -> Result<Option<RunSession<'_>>, String> {
        let fitted = self.prepare(&run).await;
        if let Err(words) = &fitted {
            self.report_unfit(&run.run, words).await;
        }
        let PreparedRun { plan, tablebases, binaries, books, machine, config, lease } = fitted?;
        let join = WorkerRequest::Join { config, machine: Box::new(machine) };
        match self.ask(&Subjects::of(&run.run), join.clone()).await? {
            // Anybody may announce a session; only the coordinator answers.
            Response::Welcome { session } => run.session = session,
            Response::Changed => return Ok(None),
            Response::Refused { words } => return Err(words),
            _ => return Err("the answer is invalid".to_owned()),
        }
        self.show(&format!("Playing for {:?} ({}), concurrency {}", run.name, run.run, self.setup.slots));
        let log = self.setup.log.as_ref().map(|folder| folder.join(&run.run));
        let made = log.as_ref().map_or(Ok(()), std::fs::create_dir_all);
        made.map_err(|error| format!("failed to make the folder of transcripts: {error}"))?;
        let speed = self.speed.get().copied();
        let mut slot_config =
            SlotConfig::of(&plan, speed, tablebases, &self.setup.own_program, self.setup.reaper.clone());
        slot_config.log = log;
        slot_config.binaries = (!self.setup.server.allow_mixed).then_some(binaries);
        slot_config.books = books;
        RunSession::begin(self, run, plan, slot_config, join, lease).await.map(Some)
    }
}
