//! The coordinator's side: a [`Queue`] like the local one, and a thread that talks to the server and owns the
//! [`FleetState`]. Commands and events go through channels.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use async_nats::{Client, Message, Subject, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::connection::{ConnectError, ConnectionChange, connect};
use super::objects::{self, SendError};
use super::stream::{StreamOrder, WorkQueue, delete};
use super::{Identity, RUNS, Subjects, session_of};
use crate::files::SentFile;
use crate::fleet_state::{Effect, FleetState, ReplyTime};
use crate::nats_server::NatsServer;
use crate::ssh::SshWorkers;
use crate::wire::{Announcement, Response, WorkerRequest, decode, encode, trimmed};
use smalt_match::plan::FleetSettings;
use smalt_match::run::{Event, Queue, Work};
use smalt_workbench::engine_files::random_hexadecimal;

const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(1);

/// Announcements between two checks of the queue.
const ANNOUNCEMENTS_PER_SYNC: u32 = 5;

/// Announcements between two checks of the files.
const ANNOUNCEMENTS_PER_FILE_CHECK: u32 = 60;

/// Failed attempts to send the files after which a run that has not begun ends.
const UPLOAD_ATTEMPTS: u32 = 5;

/// Announcements without an active worker before users are warned.
const ANNOUNCEMENTS_BEFORE_WARNING: u32 = 3;

/// Timeout of the shutdown messages.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(700);

/// A run on a server.
#[derive(Clone, Debug)]
pub struct FleetRun {
    pub server: FleetSettings,
    /// Name on the server, letters and digits.
    pub run: String,
    pub name: String,
    /// Digest of the plan with its openings: pairs on the server of another plan are deleted.
    pub plan: String,
    pub lease: Duration,
    /// Files for the workers.
    pub files: Vec<SentFile>,
}

/// Workers on other machines.
#[derive(Debug)]
pub struct JetStream {
    commands: UnboundedSender<QueueCommand>,
    thread: Option<JoinHandle<()>>,
    wanted: Arc<AtomicUsize>,
    out: usize,
    is_open: bool,
    /// Ended after the thread.
    hosts: Option<SshWorkers>,
    own_server: Option<NatsServer>,
}

#[derive(Debug)]
enum QueueCommand {
    Offer(Work),
    Stored(u32),
    Withdraw(usize),
    End,
}

impl JetStream {
    /// Connects and starts waiting for workers.
    ///
    /// # Errors
    /// If the server is not there, or refuses what is needed.
    pub fn start(
        fleet_run: FleetRun,
        fleet_state: FleetState,
        events: &Sender<Event>,
    ) -> Result<JetStream, ConnectError> {
        let (commands, orders) = unbounded_channel();
        let (ready, is_ready) = sync_channel(1);
        let wanted = Arc::new(AtomicUsize::new(fleet_state.wanted()));
        let office = CoordinatorTask {
            names: Subjects::of(&fleet_run.run),
            fleet_run,
            fleet_state,
            wanted: Arc::clone(&wanted),
            events: events.clone(),
            waiting: HashMap::new(),
            alone: 0,
            uploads: JoinSet::new(),
            has_sent_files: false,
            failed_uploads: 0,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("fleet".to_owned()).spawn(move || {
            // The coordinator is notified however the thread ends.
            let _farewell = EndNotice(office.events.clone());
            runtime.block_on(office.run(orders, &ready));
            runtime.shutdown_timeout(Duration::from_millis(100));
        })?;
        let gone = || ConnectError::System(std::io::Error::other("the thread of the fleet failed"));
        is_ready.recv().map_err(|_| gone())??;
        let thread = Some(thread);
        Ok(JetStream { commands, thread, wanted, out: 0, is_open: true, hosts: None, own_server: None })
    }

    /// With workers on ssh hosts and its own server, which end with it.
    #[must_use]
    pub fn with_hosts(mut self, hosts: SshWorkers, own_server: Option<NatsServer>) -> JetStream {
        (self.hosts, self.own_server) = (Some(hosts), own_server);
        self
    }

    fn send_command(&self, command: QueueCommand) {
        // A thread that ended has sent an event.
        let _ = self.commands.send(command);
    }
}

impl Drop for JetStream {
    /// A run that never started leaves nothing on the server.
    fn drop(&mut self) {
        self.send_command(QueueCommand::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct EndNotice(Sender<Event>);

impl Drop for EndNotice {
    fn drop(&mut self) {
        let _ = self.0.send(Event::WorkerEnded { worker: 0 });
    }
}

impl Queue for JetStream {
    fn capacity(&self) -> usize {
        self.wanted.load(Ordering::Relaxed).saturating_sub(self.out)
    }

    fn submit(&mut self, work: Work) {
        self.out += 1;
        self.send_command(QueueCommand::Offer(work));
    }

    fn stored(&mut self, game: u32) {
        self.send_command(QueueCommand::Stored(game));
    }

    fn cancel_entrant(&mut self, entrant: usize) {
        self.send_command(QueueCommand::Withdraw(entrant));
    }

    fn acknowledge(&mut self, _worker: usize, _pair: u32) {
        self.out = self.out.saturating_sub(1);
    }

    fn cancel(&mut self) {
        self.send_command(QueueCommand::End);
    }

    fn close(&mut self) {
        self.send_command(QueueCommand::End);
    }

    fn worker_left(&mut self, _worker: usize) {
        self.is_open = false;
        if let Some(thread) = self.thread.take() {
            // A panic was printed by its own thread, and its games were never finished.
            let _ = thread.join();
        }
    }

    fn slots(&self) -> usize {
        0
    }

    fn workers(&self) -> usize {
        usize::from(self.is_open)
    }
}

/// The state of the thread.
struct CoordinatorTask {
    fleet_run: FleetRun,
    names: Subjects,
    fleet_state: FleetState,
    wanted: Arc<AtomicUsize>,
    events: Sender<Event>,
    /// Subjects that wait for a game to be stored.
    waiting: HashMap<u32, Vec<Subject>>,
    /// Announcements without an active worker.
    alone: u32,
    /// The task that sends the files, or sends them again if the server has lost them.
    uploads: JoinSet<Result<(), SendError>>,
    /// Whether all files are on the server; the run is announced only then.
    has_sent_files: bool,
    /// Failed attempts to send the files before that.
    failed_uploads: u32,
}

impl CoordinatorTask {
    async fn run(
        mut self,
        mut commands: UnboundedReceiver<QueueCommand>,
        ready: &SyncSender<Result<(), ConnectError>>,
    ) {
        let (lines, mut changes) = unbounded_channel();
        let (client, mut asked, queue) = match self.open(lines).await {
            Ok(opened) => opened,
            Err(error) => {
                let _ = ready.send(Err(error));
                return;
            }
        };
        let secret = match random_hexadecimal(16) {
            Ok(secret) => secret,
            Err(error) => {
                let _ = ready.send(Err(ConnectError::System(error)));
                return;
            }
        };
        let session = session_of(secret.as_bytes());
        self.fleet_state.begin_session(&session);
        let _ = ready.send(Ok(()));
        let (orders, ordered) = unbounded_channel();
        let serving = tokio::spawn(queue.serve(ordered));
        let mut ticks = interval(ANNOUNCE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut tick: u32 = 0;
        self.begin_files(&client);
        loop {
            tokio::select! {
                command = commands.recv() => match command {
                    None | Some(QueueCommand::End) => break,
                    Some(command) => self.handle_command(command, &client, &orders),
                },
                message = asked.next() => match message {
                    Some(message) => self.answer(&client, &orders, message),
                    None => break,
                },
                Some(line) = changes.recv() => self.report_connection(line, &client, &orders),
                Some(sent) = self.uploads.join_next() => self.end_upload(&client, sent),
                _ = ticks.tick() => {
                    self.announce(&client, &session);
                    let effects = self.fleet_state.tick(Instant::now());
                    self.apply_effects(effects, &orders);
                    self.warn_no_workers();
                    if tick.is_multiple_of(ANNOUNCEMENTS_PER_SYNC) {
                        self.compare(&orders);
                    }
                    if !self.has_sent_files || tick.is_multiple_of(ANNOUNCEMENTS_PER_FILE_CHECK) {
                        self.check_files(&client);
                    }
                    tick = tick.wrapping_add(1);
                }
            }
        }
        serving.abort();
        self.uploads.shutdown().await;
        self.shut_down(&client, secret).await;
        let effects = self.fleet_state.end();
        self.apply_effects(effects, &orders);
    }

    async fn open(
        &self,
        lines: UnboundedSender<ConnectionChange>,
    ) -> Result<(Client, Subscriber, WorkQueue), ConnectError> {
        let name = format!("smalt-tournament: {}", self.fleet_run.name);
        let server = &self.fleet_run.server;
        let client = connect(server, Identity::of(server)?.inbox(), &name, lines).await?;
        let refused = |words: String| ConnectError::NoJetStream { url: server.url().to_owned(), words };
        let asked =
            client.subscribe(self.names.all_asks()).await.map_err(|error| refused(error.to_string()))?;
        let FleetRun { run, plan, lease, .. } = &self.fleet_run;
        let mut queue = WorkQueue::new(client.clone(), self.names.clone(), *lease, plan);
        if queue.exists().await && is_announced(&client, run).await {
            return Err(ConnectError::Taken { url: server.url().to_owned(), run: run.clone() });
        }
        queue.open().await.map_err(refused)?;
        Ok((client, asked, queue))
    }

    /// Starts to send the files.
    fn begin_files(&mut self, client: &Client) {
        let files = &self.fleet_run.files;
        self.has_sent_files = files.is_empty();
        if !files.is_empty() {
            let bytes: u64 = files.iter().map(|file| file.message.bytes).sum();
            let words =
                format!("Sending files to the server: {} ({:.1} MB)", files.len(), bytes as f64 / 1e6);
            let _ = self.events.send(Event::Notice { words });
        }
        self.check_files(client);
    }

    /// Sends the files that the server does not have: it may have lost them, or deleted them for their age.
    fn check_files(&mut self, client: &Client) {
        if is_connected(client) && self.uploads.is_empty() && !self.fleet_run.files.is_empty() {
            let (names, files) = (self.names.clone(), self.fleet_run.files.clone());
            self.uploads.spawn(objects::send(client.clone(), names, files));
        }
    }

    /// Files that were not sent are sent again by the next check. Before the run has begun, the last of several failures
    /// ends it, while the server can still be cleaned up.
    fn end_upload(&mut self, client: &Client, sent: Result<Result<(), SendError>, JoinError>) {
        let Err(error) = sent.unwrap_or_else(|error| Err(SendError::Server(error.to_string()))) else {
            self.has_sent_files = true;
            return;
        };
        let words = format!("send the files of the run to {}: {error}", self.fleet_run.server.url());
        self.failed_uploads += 1;
        let is_last = matches!(error, SendError::File { .. }) || self.failed_uploads >= UPLOAD_ATTEMPTS;
        let event = if is_last && !self.has_sent_files && is_connected(client) {
            Event::SystemFailed { words }
        } else {
            Event::Notice { words: format!("Warning: failed to {words}; trying again") }
        };
        let _ = self.events.send(event);
    }

    /// Stops the workers and deletes the queue.
    async fn shut_down(&mut self, client: &Client, secret: String) {
        if !is_connected(client) {
            return;
        }
        let halt = async {
            let _ = client.publish(self.names.halt(), secret.into()).await;
            let _ = client.flush().await;
        };
        let _ = timeout(SHUTDOWN_TIMEOUT, halt).await;
        delete(client, &self.names, SHUTDOWN_TIMEOUT).await;
        if !self.fleet_run.files.is_empty() {
            objects::delete(client, &self.names, SHUTDOWN_TIMEOUT).await;
        }
    }

    fn announce(&self, client: &Client, session: &str) {
        if !self.has_sent_files {
            return;
        }
        let announcement = Announcement {
            run: self.fleet_run.run.clone(),
            session: session.to_owned(),
            name: trimmed(&self.fleet_run.name).chars().take(200).collect(),
        };
        send(client, RUNS.into(), &announcement);
    }

    /// Warns users once when no worker has been active for some seconds.
    fn warn_no_workers(&mut self) {
        let is_alone = self.has_sent_files && self.fleet_state.is_alone();
        self.alone = if is_alone { self.alone.saturating_add(1) } else { 0 };
        if self.alone == ANNOUNCEMENTS_BEFORE_WARNING {
            let server = &self.fleet_run.server;
            let words = if self.fleet_state.is_preparing() {
                "A worker prepares the engines of the run".to_owned()
            } else if server.ssh.is_empty() {
                format!("Waiting for workers: smalt-tournament worker --nats {}", server.url())
            } else {
                "Waiting for the workers on the ssh hosts".to_owned()
            };
            let _ = self.events.send(Event::Notice { words });
        }
    }

    fn report_connection(
        &mut self,
        line: ConnectionChange,
        client: &Client,
        orders: &UnboundedSender<StreamOrder>,
    ) {
        let words = match line {
            ConnectionChange::Up => {
                self.compare(orders);
                self.check_files(client);
                "Connected to the NATS server".to_owned()
            }
            ConnectionChange::Down => {
                "The NATS server is unreachable; workers continue, and their results wait".to_owned()
            }
            ConnectionChange::Forbidden(words) => format!("The NATS server refused a request: {words}"),
        };
        let _ = self.events.send(Event::Notice { words });
    }

    /// Compares the queue with its expected content: the server may have lost pairs or kept finished ones.
    fn compare(&self, orders: &UnboundedSender<StreamOrder>) {
        let pairs = self.fleet_state.outstanding();
        let pairs = pairs.filter_map(|(pair, message)| Some((pair, encode(&message).ok()?))).collect();
        let _ = orders.send(StreamOrder::Hold(pairs));
    }

    fn handle_command(
        &mut self,
        command: QueueCommand,
        client: &Client,
        orders: &UnboundedSender<StreamOrder>,
    ) {
        let effects = match command {
            QueueCommand::Offer(work) => vec![self.fleet_state.submit(work)],
            QueueCommand::Withdraw(entrant) => self.fleet_state.cancel_entrant(entrant),
            QueueCommand::Stored(game) => {
                for subject in self.waiting.remove(&game).unwrap_or_default() {
                    send(client, subject, &Response::Stored);
                }
                self.fleet_state.stored(game)
            }
            QueueCommand::End => Vec::new(),
        };
        self.apply_effects(effects, orders);
    }

    fn apply_effects(&mut self, effects: Vec<Effect>, orders: &UnboundedSender<StreamOrder>) {
        self.wanted.store(self.fleet_state.wanted(), Ordering::Relaxed);
        for effect in effects {
            match effect {
                Effect::Send(event) => drop(self.events.send(event)),
                Effect::Publish(pair, message) => {
                    if let Ok(bytes) = encode(&message) {
                        let _ = orders.send(StreamOrder::Put(pair, bytes));
                    }
                }
                Effect::Remove(pair) => drop(orders.send(StreamOrder::Remove(pair))),
            }
        }
    }

    fn answer(&mut self, client: &Client, orders: &UnboundedSender<StreamOrder>, message: Message) {
        let Some(worker) = self.names.worker_of(&message.subject) else { return };
        // The response goes only to the requesting worker.
        let inbox = message.reply.filter(|inbox| worker.owns(inbox));
        let question = match decode::<WorkerRequest>(&message.payload) {
            Ok(question) => question,
            Err(error) => {
                if let Some(subject) = inbox {
                    let words = trimmed(&format!("the coordinator failed to {error}"));
                    send(client, subject, &Response::Refused { words });
                }
                return;
            }
        };
        let (reply, effects) =
            self.fleet_state.ask(&worker.to_string(), question, Instant::now(), SystemTime::now());
        match (reply, inbox) {
            (ReplyTime::Now(answer), Some(subject)) => send(client, subject, &*answer),
            (ReplyTime::WhenStored(game), Some(subject)) => {
                let waiting = self.waiting.entry(game).or_default();
                // A worker that asks again waits for one answer only.
                waiting.truncate(64);
                waiting.push(subject);
            }
            _ => {}
        }
        self.apply_effects(effects, orders);
    }
}

/// Whether a coordinator announces a run of this name. A server may forbid to listen; it says so then.
async fn is_announced(client: &Client, run: &str) -> bool {
    let Ok(mut announced) = client.subscribe(RUNS).await else { return false };
    let find = async {
        while let Some(message) = announced.next().await {
            let announcement = decode::<Announcement>(&message.payload);
            if announcement.is_ok_and(|announcement| announcement.run == run) {
                return true;
            }
        }
        false
    };
    timeout(3 * ANNOUNCE_INTERVAL, find).await.unwrap_or(false)
}

fn is_connected(client: &Client) -> bool {
    client.connection_state() == async_nats::connection::State::Connected
}

/// Queues a message in the connection's buffer; its own task sends it.
fn send<M: crate::wire::Message>(client: &Client, subject: Subject, message: &M) {
    debug_assert!(message.check().is_ok(), "{:?}", message.check());
    let Ok(bytes) = encode(message) else { return };
    let client = client.clone();
    tokio::spawn(async move {
        let _ = timeout(super::SERVER_TIMEOUT, client.publish(subject, bytes.into())).await;
    });
}
