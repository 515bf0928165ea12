//! A worker in a run: fetches pairs for free slots, plays them, and holds each pair until all its games are
//! stored. While the coordinator is away, results are kept and sent again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{self, AckKind};
use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{interval, sleep, timeout};

use super::connection::ConnectionChange;
use super::worker::{CoordinatorClient, Worker, WorkerInputs, fits};
use super::{SERVER_TIMEOUT, Subjects, session_of};
use crate::wire::{
    Announcement, RecordMessage, Response, WorkMessage, WorkerNotice, WorkerRequest, decode, trimmed,
    trimmed_transcript,
};
use smalt_match::game::GameRecord;
use smalt_match::plan::Plan;
use smalt_match::run::{
    Disqualification, Event, LocalWorkers, Processors, Queue, RejectedOption, SlotConfig, StopReason, Work,
};

/// How long the server holds a fetch request before it answers that there is no work.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a result is resent; then the coordinator replays the game if it returns.
const RESULT_RETRY_LIMIT: Duration = Duration::from_secs(3600);

const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Timeout of pending results when the worker leaves.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(1500);

/// After this silence of the coordinator a worker leaves the run: at once when idle, with undelivered results when
/// another run is announced. With short leases it is [`LEASES_OF_SILENCE`].
const COORDINATOR_TIMEOUT: Duration = Duration::from_secs(60);

/// After this silence of a session another one of the run is joined; sessions are announced every second.
const SESSION_TIMEOUT: Duration = Duration::from_secs(3);

/// Timeout of the coordinator in leases.
const LEASES_OF_SILENCE: u32 = 10;

/// Why a worker leaves a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LeaveReason {
    Over,
    /// Stopped by the user.
    Asked,
    Failed(String),
    /// The run has another configuration than that for which this worker was prepared.
    Changed,
    /// Refused by the coordinator.
    Refused {
        run: String,
        words: String,
    },
}

/// A fetched pair that is not yet acknowledged.
struct HeldPair {
    message: jetstream::Message,
    /// Whether its slot has finished it.
    is_played: bool,
    /// Number of unanswered results.
    unanswered: usize,
    /// Whether a game was abandoned, so that others must play it.
    is_broken: bool,
}

/// A pair from the queue and the coordinator's response, if any.
struct FetchedPair {
    message: jetstream::Message,
    answer: Option<Response>,
}

/// Result of a worker's task.
enum TaskResult {
    FetchedPair(Option<Box<FetchedPair>>),
    Answered {
        pair: u32,
        answer: Response,
    },
    /// The answer to another join.
    Joined(Response),
    JoinEnded,
}

pub(super) struct RunSession<'a> {
    worker: &'a Worker,
    run: Announcement,
    names: Subjects,
    plan: Plan,
    /// The request that joins.
    join: WorkerRequest,
    local: LocalWorkers,
    halted: Subscriber,
    lease: Duration,
    held: HashMap<u32, HeldPair>,
    tasks: JoinSet<()>,
    fetching: Option<JoinHandle<()>>,
    outcomes: UnboundedReceiver<TaskResult>,
    report: UnboundedSender<TaskResult>,
    /// Time of the last announcement of our session, or of the last connection to the server.
    heard_of: Instant,
    /// Whether another session was announced, and a join is not answered yet.
    is_joining: bool,
    /// Whether another run that this worker may play was announced since.
    has_alternative: bool,
}

impl<'a> RunSession<'a> {
    pub(super) async fn begin(
        worker: &'a Worker,
        run: Announcement,
        plan: Plan,
        slot_config: SlotConfig,
        join: WorkerRequest,
        lease: Duration,
    ) -> Result<RunSession<'a>, String> {
        let names = Subjects::of(&run.run);
        let halted = worker.client.subscribe(names.halt()).await.map_err(|error| error.to_string())?;
        let slots = worker.setup.slots;
        let processors = Processors::assign(&plan.settings.run.affinity, slots, plan.threads_of_a_game());
        let processors = processors.map_err(|error| format!("failed to {error}"))?;
        let local = LocalWorkers::start(slots, &Arc::new(slot_config), &worker.sender, processors);
        let local = local.map_err(|error| format!("failed to start threads: {error}"))?;
        let (report, outcomes) = unbounded_channel();
        Ok(RunSession {
            worker,
            run,
            names,
            plan,
            join,
            local,
            halted,
            lease,
            held: HashMap::new(),
            tasks: JoinSet::new(),
            fetching: None,
            outcomes,
            report,
            heard_of: Instant::now(),
            is_joining: false,
            has_alternative: false,
        })
    }

    /// Plays until the run is over or stopped. All slots have ended then.
    pub(super) async fn play(mut self, inputs: &mut WorkerInputs) -> LeaveReason {
        let mut beats = interval(self.lease / 3);
        let end = loop {
            self.fetch();
            tokio::select! {
                Some(event) = inputs.events.recv() => {
                    if let Some(end) = self.handle_event(event) {
                        break end;
                    }
                }
                Some(outcome) = self.outcomes.recv() => {
                    if let Some(end) = self.take(outcome) {
                        break end;
                    }
                }
                Some(message) = self.halted.next() => {
                    if session_of(&message.payload) == self.run.session {
                        break LeaveReason::Over;
                    }
                }
                Some(message) = inputs.announced.next() => self.notice(&message.payload),
                Some(change) = inputs.changes.recv() => {
                    if change == ConnectionChange::Up {
                        self.heard_of = Instant::now();
                    }
                    self.worker.report_connection(change);
                }
                _ = beats.tick() => {
                    self.send_heartbeat();
                    if self.is_orphaned() {
                        self.report_undelivered();
                        break LeaveReason::Over;
                    }
                }
                Some(_) = self.tasks.join_next() => {}
            }
        };
        self.leave(end, inputs).await
    }

    /// Fetches another pair if a slot is free and results do not pile up.
    fn fetch(&mut self) {
        let waits = self.held.values().filter(|held| held.is_played).count();
        let is_full = self.local.capacity() == 0 || waits > self.worker.setup.slots;
        if self.fetching.is_some() || is_full || self.has_alternative && self.is_silent() {
            return;
        }
        let (client, names, report) = (self.worker.client.clone(), self.names.clone(), self.report.clone());
        let coordinator = self.coordinator();
        self.fetching = Some(tokio::spawn(async move {
            let fetched = fetch_pair(&client, &names, &coordinator).await;
            if fetched.is_none() {
                // The server is away, or its stream is not restored yet.
                sleep(RETRY_INTERVAL / 5).await;
            }
            let _ = report.send(TaskResult::FetchedPair(fetched.map(Box::new)));
        }));
    }

    fn take(&mut self, outcome: TaskResult) -> Option<LeaveReason> {
        match outcome {
            TaskResult::FetchedPair(None) => {
                self.fetching = None;
                None
            }
            TaskResult::FetchedPair(Some(fetched)) => {
                self.fetching = None;
                self.begin_pair(*fetched)
            }
            TaskResult::Answered { answer: Response::Refused { words }, .. }
            | TaskResult::Joined(Response::Refused { words }) => {
                Some(LeaveReason::Refused { run: self.run.run.clone(), words })
            }
            TaskResult::Joined(Response::Changed) => Some(LeaveReason::Changed),
            TaskResult::Joined(Response::Welcome { session }) => {
                self.run.session = session;
                self.heard_of = Instant::now();
                None
            }
            TaskResult::Joined(_) => None,
            TaskResult::JoinEnded => {
                self.is_joining = false;
                None
            }
            TaskResult::Answered { pair, .. } => {
                if let Some(held) = self.held.get_mut(&pair) {
                    held.unanswered -= 1;
                }
                self.release(pair);
                None
            }
        }
    }

    /// Plays the games of a pair that the coordinator still needs; all of them if it does not answer.
    fn begin_pair(&mut self, FetchedPair { message, answer }: FetchedPair) -> Option<LeaveReason> {
        let pair = self.names.pair_of(&message.subject);
        let work =
            decode::<WorkMessage>(&message.payload).and_then(|work| work.to_work(self.plan.entrants.len()));
        let Some(mut work) = work.ok().filter(|work| Some(work.pair) == pair) else {
            // The coordinator puts the pair into the queue again.
            self.worker.show(&format!("Deleted an unreadable message of the queue ({})", message.subject));
            self.return_pair(message, AckKind::Term);
            return None;
        };
        let pair = work.pair;
        if let Some(held) = self.held.get_mut(&pair) {
            // Redelivered after a silence or a loss at the server: the pair is still ours.
            held.message = message;
            return None;
        }
        match answer {
            Some(Response::Games { games }) => {
                work.games.retain(|opened| games.contains(&opened.game.number))
            }
            Some(Response::Refused { words }) => {
                self.return_pair(message, AckKind::Nak(None));
                return Some(LeaveReason::Refused { run: self.run.run.clone(), words });
            }
            Some(_) => {
                self.return_pair(message, AckKind::Nak(Some(RETRY_INTERVAL)));
                return None;
            }
            None => {}
        }
        if work.games.is_empty() {
            self.return_pair(message, AckKind::Ack);
        } else {
            self.hold(message, work);
        }
        None
    }

    fn hold(&mut self, message: jetstream::Message, work: Work) {
        let held = HeldPair { message, is_played: false, unanswered: 0, is_broken: false };
        self.held.insert(work.pair, held);
        self.local.submit(work);
    }

    /// Acknowledges or returns a pair; if that message is lost, the lease expires.
    fn return_pair(&mut self, message: jetstream::Message, kind: AckKind) {
        self.tasks.spawn(async move {
            let _ = timeout(SERVER_TIMEOUT, message.ack_with(kind)).await;
        });
    }

    fn coordinator(&self) -> SessionClient {
        let (client, join) = (self.worker.coordinator(&self.names), self.join.clone());
        SessionClient { client, join, report: self.report.clone() }
    }

    /// Handles events of slots and signals.
    fn handle_event(&mut self, event: Event) -> Option<LeaveReason> {
        match event {
            Event::GameStarted(game) => self.notify(WorkerNotice::Started { game: game.number }),
            Event::GameFinished(record) => self.send_result(&record),
            Event::GameAbandoned(game) => {
                if let Some(held) = self.held.get_mut(&game.pair) {
                    held.is_broken = true;
                }
            }
            Event::EngineFault(fault) => self.notify(WorkerNotice::Fault {
                entrant: fault.entrant as u32,
                name: fault.name,
                words: trimmed(&fault.words),
                transcript: trimmed_transcript(&fault.transcript),
            }),
            Event::OptionRejected { entrant, rejected: RejectedOption { words, .. } }
            | Event::EngineWarning { entrant, words } => {
                self.worker.show(&format!("Warning: {} {words}", self.plan.entrants[entrant].name));
                self.notify(WorkerNotice::Warning { entrant: entrant as u32, words: trimmed(&words) });
            }
            Event::Disqualified { entrant, disqualification } => {
                return Some(self.give_up(entrant, &disqualification));
            }
            Event::WorkDone { worker, pair } => {
                self.local.acknowledge(worker, pair);
                if let Some(held) = self.held.get_mut(&pair) {
                    held.is_played = true;
                }
                self.release(pair);
            }
            Event::SystemFailed { words } => return Some(LeaveReason::Failed(words)),
            Event::WorkerEnded { worker } => {
                self.local.worker_left(worker);
                return Some(LeaveReason::Failed("a thread of ours failed".to_owned()));
            }
            Event::Stop(StopReason::Failed(words)) => return Some(LeaveReason::Failed(words)),
            Event::Stop(_) | Event::Kill => return Some(LeaveReason::Asked),
            // The counts come with the record of the game; users control the coordinator.
            Event::SearchWarning { .. }
            | Event::Control(..)
            | Event::EngineStarted { .. }
            | Event::EngineExited { .. }
            | Event::MachineJoined(_)
            | Event::MachineVerified(_)
            | Event::RemoteFault(_) => {}
            Event::Notice { words } => self.worker.show(&words),
        }
        None
    }

    /// An engine cannot be started here; another worker may succeed.
    fn give_up(&mut self, entrant: usize, disqualification: &Disqualification) -> LeaveReason {
        let name = &self.plan.entrants[entrant].name;
        let end =
            LeaveReason::Refused { run: self.run.run.clone(), words: format!("{name} {disqualification}") };
        if let Disqualification::Starts { times, words } = disqualification {
            let report =
                WorkerNotice::Unable { entrant: entrant as u32, times: *times as u32, words: trimmed(words) };
            self.notify(report);
        }
        end
    }

    fn notify(&mut self, report: WorkerNotice) {
        if self.worker.client.connection_state() != async_nats::connection::State::Connected {
            return;
        }
        let coordinator = self.worker.coordinator(&self.names);
        self.tasks.spawn(async move { coordinator.notify(report).await });
    }

    fn send_result(&mut self, record: &GameRecord) {
        let (pair, game) = (record.game.pair, record.game.number);
        let Some(held) = self.held.get_mut(&pair) else { return };
        held.unanswered += 1;
        let of = |record: RecordMessage| WorkerRequest::Result { pair, game, record: Box::new(record) };
        let message = RecordMessage::from(record);
        let full = of(message.clone());
        let result = if fits(&full) { full } else { of(message.without_variations()) };
        let (coordinator, report) = (self.coordinator(), self.report.clone());
        self.tasks.spawn(async move {
            let answer = deliver(&coordinator, &result, pair).await;
            let _ = report.send(TaskResult::Answered { pair, answer });
        });
    }

    /// Acknowledges a finished pair; one with an abandoned game is returned.
    fn release(&mut self, pair: u32) {
        let is_done = self.held.get(&pair).is_some_and(|held| held.is_played && held.unanswered == 0);
        if is_done && let Some(held) = self.held.remove(&pair) {
            let kind = if held.is_broken { AckKind::Nak(None) } else { AckKind::Ack };
            self.return_pair(held.message, kind);
        }
    }

    /// Heartbeat to server and coordinator.
    fn send_heartbeat(&mut self) {
        if self.worker.client.connection_state() != async_nats::connection::State::Connected {
            return;
        }
        for held in self.held.values() {
            let message = held.message.clone();
            self.tasks.spawn(async move {
                let _ = timeout(SERVER_TIMEOUT, message.ack_with(AckKind::Progress)).await;
            });
        }
        self.notify(WorkerNotice::Alive);
    }

    /// Handles an announcement of this or another run. Anybody may announce a session: another one is joined only when
    /// ours is no longer announced, and the coordinator then names its own.
    fn notice(&mut self, payload: &[u8]) {
        let Ok(announcement) = decode::<Announcement>(payload) else { return };
        if announcement.run != self.run.run {
            self.has_alternative |= self.worker.may_try(&announcement.run);
            return;
        }
        if announcement.session == self.run.session {
            self.heard_of = Instant::now();
            self.has_alternative = false;
        } else if self.heard_of.elapsed() > SESSION_TIMEOUT && !self.is_joining {
            self.is_joining = true;
            let coordinator = self.coordinator();
            let report = self.report.clone();
            self.tasks.spawn(async move {
                let _ = coordinator.join().await;
                let _ = report.send(TaskResult::JoinEnded);
            });
        }
    }

    /// Whether the server is reachable, but the run is no longer announced.
    fn is_silent(&self) -> bool {
        self.worker.client.connection_state() == async_nats::connection::State::Connected
            && self.heard_of.elapsed() > COORDINATOR_TIMEOUT.min(LEASES_OF_SILENCE * self.lease)
    }

    /// Whether the run is no longer announced, and no game is in progress. Undelivered results wait for the
    /// coordinator as long as there is no other run to play for.
    fn is_orphaned(&self) -> bool {
        let has_results = !self.held.is_empty();
        let is_playing = self.held.values().any(|held| !held.is_played);
        self.is_silent() && !is_playing && (!has_results || self.has_alternative)
    }

    fn report_undelivered(&self) {
        let pairs = match self.held.len() {
            0 => return,
            1 => "1 pair of games is".to_owned(),
            count => format!("{count} pairs of games are"),
        };
        let run = &self.run.run;
        self.worker.show(&format!(
            "The coordinator of run {run} does not answer; {pairs} played again when it is resumed"
        ));
    }

    /// Stops all games, returns unfinished pairs, and waits for the slots. A signal meanwhile ends the
    /// worker, too.
    async fn leave(&mut self, mut end: LeaveReason, inputs: &mut WorkerInputs) -> LeaveReason {
        if let Some(fetching) = self.fetching.take() {
            fetching.abort();
        }
        self.local.cancel();
        self.local.close();
        let run_goes_on = end != LeaveReason::Over;
        let ends = |end: &LeaveReason| matches!(end, LeaveReason::Asked | LeaveReason::Failed(_));
        // A worker that continues must wait for its slots; one that exits takes them with it.
        let patience = if ends(&end) {
            self.plan.settings.timeouts.quit.duration() + LEAVE_TIMEOUT
        } else {
            10 * LEAVE_TIMEOUT
        };
        let mut deadline = tokio::time::Instant::now() + patience;
        loop {
            let waits_for_answers = ends(&end) && self.held.values().any(|held| held.unanswered > 0);
            if self.local.workers() == 0 && !waits_for_answers {
                break;
            }
            tokio::select! {
                Some(event) = inputs.events.recv() => match event {
                    Event::WorkerEnded { worker } => self.local.worker_left(worker),
                    other => {
                        if let Some(new @ (LeaveReason::Asked | LeaveReason::Failed(_))) = self.handle_event(other)
                            && !ends(&end)
                        {
                            end = new;
                            deadline = deadline.min(tokio::time::Instant::now() + LEAVE_TIMEOUT);
                        }
                    }
                },
                Some(outcome) = self.outcomes.recv() => {
                    if let TaskResult::Answered { pair, .. } = outcome
                        && let Some(held) = self.held.get_mut(&pair)
                    {
                        held.unanswered -= 1;
                        self.release(pair);
                    }
                }
                () = tokio::time::sleep_until(deadline) => break,
            }
        }
        if run_goes_on {
            if end == LeaveReason::Asked {
                self.worker.show(&match self.held.len() {
                    0 => "Leaving; no games were in progress".to_owned(),
                    1 => "Leaving; 1 pair of games goes back to the queue".to_owned(),
                    count => format!("Leaving; {count} pairs of games go back to the queue"),
                });
            }
            for (_, held) in std::mem::take(&mut self.held) {
                self.return_pair(held.message, AckKind::Nak(None));
            }
            self.notify(WorkerNotice::Leaving);
        }
        let rest = async {
            sleep(Duration::from_millis(20)).await;
            let _ = self.worker.client.flush().await;
        };
        let _ = timeout(Duration::from_millis(500), rest).await;
        self.tasks.shutdown().await;
        end
    }
}

/// Sends requests to the coordinator of a run, and joins again.
struct SessionClient {
    client: CoordinatorClient,
    join: WorkerRequest,
    report: UnboundedSender<TaskResult>,
}

impl SessionClient {
    /// Joins a new session of the coordinator, and reports its answer.
    async fn join(&self) -> Option<()> {
        let answer = self.client.ask(&self.join).await?;
        let _ = self.report.send(TaskResult::Joined(answer));
        Some(())
    }
}

/// Sends a result until it is answered.
async fn deliver(coordinator: &SessionClient, result: &WorkerRequest, pair: u32) -> Response {
    let begun = Instant::now();
    while begun.elapsed() < RESULT_RETRY_LIMIT {
        match coordinator.client.ask(result).await {
            None | Some(Response::Later) => {}
            // A new session of the coordinator: join and take the pair again.
            Some(Response::Unknown) => {
                let _ = coordinator.join().await;
                drop(coordinator.client.ask(&WorkerRequest::Take { pair }).await);
            }
            Some(answer) => return answer,
        }
        sleep(RETRY_INTERVAL).await;
    }
    Response::Unneeded
}

/// The next pair, if one arrives in time, with its games to be played.
async fn fetch_pair(client: &Client, names: &Subjects, coordinator: &SessionClient) -> Option<FetchedPair> {
    let message = timeout(FETCH_TIMEOUT + SERVER_TIMEOUT, fetch_message(client, names)).await.ok()??;
    let Some(pair) = names.pair_of(&message.subject) else {
        let answer = None;
        return Some(FetchedPair { message, answer });
    };
    let take = WorkerRequest::Take { pair };
    let mut answer = coordinator.client.ask(&take).await;
    if answer == Some(Response::Unknown) {
        coordinator.join().await?;
        answer = coordinator.client.ask(&take).await;
    }
    Some(FetchedPair { message, answer })
}

async fn fetch_message(client: &Client, names: &Subjects) -> Option<jetstream::Message> {
    let mut context = jetstream::new(client.clone());
    context.set_timeout(SERVER_TIMEOUT);
    let consumer: PullConsumer =
        context.get_consumer_from_stream(names.consumer(), names.stream()).await.ok()?;
    let mut batch = consumer.batch().max_messages(1).expires(FETCH_TIMEOUT).messages().await.ok()?;
    batch.next().await?.ok()
}
