//! The feed: a thread that reads stores and live boards while a page follows them, and answers requests one
//! after the other. It sleeps while nobody asks.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use super::board::{BoardText, Boards};
use super::game_list::GameFilter;
use super::run::RunView;
use super::stream::{Followed, event};
use crate::live::LiveReader;
use smalt_workbench::json::SCHEMA;

/// Interval of reading boards while a run is followed.
const BOARD_INTERVAL: Duration = Duration::from_millis(200);

/// Interval of reading stores.
const STORE_INTERVAL: Duration = Duration::from_millis(500);

/// Interval of reading stores of runs that are not in progress.
const IDLE_STORE_INTERVAL: Duration = Duration::from_secs(2);

/// Pause after a read, as a multiple of its duration, so that reading takes at most a tenth of a core.
const MIN_PAUSE_FACTOR: u32 = 9;

/// Time for last requests at shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// Maximum number of cached answers of a run.
const MAX_CACHED_ANSWERS: usize = 64;

/// Maximum number of waiting requests; further ones are refused.
const MAX_WAITING_REQUESTS: usize = 64;

/// A request of a page.
#[derive(Clone, Debug)]
pub(super) enum FeedRequest {
    /// Summaries of all runs.
    Runs,
    /// A request about one run.
    Of(usize, RunRequest),
}

/// A request about a run. Games are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RunRequest {
    /// Summary of the run.
    Line,
    /// The run with its standings.
    Overview,
    Games(GameFilter),
    Game(u32),
    /// One game as PGN.
    Pgn(u32),
    Faults,
    /// Elo curve of an entrant, and LLR curve.
    Curves(usize),
}

/// What followers of a run receive: JSON made once for all of them.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    /// The run with its edition number.
    pub(super) run: (u64, Arc<str>),
    pub(super) boards: Vec<BoardText>,
}

impl Followed for Snapshot {
    /// Events: `run`, the run; `boards`, changed boards and their number.
    fn events(&self, known: Option<&Snapshot>) -> String {
        let (edition, boards): (u64, &[BoardText]) =
            known.map_or((0, &[]), |known| (known.run.0, &known.boards));
        let mut events = String::new();
        if self.run.0 != edition {
            events.push_str(&event("run", &self.run.1));
        }
        let is_new = |board: &&BoardText| !boards.iter().any(|known| Arc::ptr_eq(known, board));
        let new: Vec<&str> = self.boards.iter().filter(is_new).map(|board| &**board).collect();
        if !new.is_empty() || self.boards.len() != boards.len() {
            let count = self.boards.len();
            let data = format!("{{\"schema\":{SCHEMA},\"count\":{count},\"boards\":[{}]}}", new.join(","));
            events.push_str(&event("boards", &data));
        }
        events
    }
}

/// Messages to the feed.
enum FeedMessage {
    Ask(FeedRequest, oneshot::Sender<Option<String>>),
    /// A page starts to follow a run.
    Follow,
    Add(PathBuf),
    /// Read a last time and end.
    End,
}

/// Why a request has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeedError {
    Unknown,
    Busy,
}

/// Handle of the feed.
#[derive(Clone, Debug)]
pub(super) struct FeedHandle {
    messages: SyncSender<FeedMessage>,
    snapshots: Snapshots,
}

/// The stores and snapshots of all runs, by number.
type Snapshots = Arc<RwLock<Vec<(PathBuf, watch::Receiver<Snapshot>)>>>;

impl FeedHandle {
    /// Sends a request and awaits its answer.
    pub(super) async fn ask(&self, question: FeedRequest) -> Result<String, FeedError> {
        let (reply, answer) = oneshot::channel();
        match self.messages.try_send(FeedMessage::Ask(question, reply)) {
            Ok(()) => answer.await.ok().flatten().ok_or(FeedError::Unknown),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(FeedError::Busy),
        }
    }

    /// The store of a run, if it exists.
    pub(super) fn store(&self, run: usize) -> Option<PathBuf> {
        let snapshots = self.snapshots.read().unwrap_or_else(PoisonError::into_inner);
        Some(snapshots.get(run)?.0.clone())
    }

    /// Follows a run, if it exists.
    pub(super) fn follow(&self, run: usize) -> Option<watch::Receiver<Snapshot>> {
        let snapshots = self.snapshots.read().unwrap_or_else(PoisonError::into_inner);
        let snapshot = snapshots.get(run)?.1.clone();
        // If the channel is full, the feed is awake anyway.
        let _ = self.messages.try_send(FeedMessage::Follow);
        Some(snapshot)
    }
}

/// The thread, for its owner.
#[derive(Debug)]
pub(super) struct Feed {
    messages: SyncSender<FeedMessage>,
    thread: Option<JoinHandle<()>>,
}

impl Feed {
    /// Starts the feed for these stores.
    pub(super) fn start(stores: &[PathBuf]) -> std::io::Result<(Feed, FeedHandle)> {
        let (messages, called) = sync_channel(MAX_WAITING_REQUESTS);
        let (runs, snapshots): (Vec<_>, Vec<_>) = stores.iter().map(|store| FollowedRun::new(store)).unzip();
        let snapshots: Snapshots = Arc::new(RwLock::new(snapshots));
        let line = FeedHandle { messages: messages.clone(), snapshots: Arc::clone(&snapshots) };
        let mut reader = FeedThread { runs, snapshots };
        let thread = thread::Builder::new().name("feed".to_owned()).spawn(move || reader.run(&called))?;
        Ok((Feed { messages, thread: Some(thread) }, line))
    }

    /// Adds a run behind all others.
    pub(super) fn add(&self, store: &Path) {
        // A feed with a full channel takes it soon; one that has ended shows nothing any more.
        let _ = self.messages.send(FeedMessage::Add(store.to_owned()));
    }

    /// Reads a last time, updates followers, and answers their last requests.
    pub(super) fn end(&mut self) {
        // A feed with a full channel answers soon.
        let _ = self.messages.send(FeedMessage::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct FeedThread {
    runs: Vec<FollowedRun>,
    snapshots: Snapshots,
}

/// A run and its followers.
struct FollowedRun {
    view: RunView,
    reader: LiveReader,
    boards: Boards,
    snapshot: watch::Sender<Snapshot>,
    looked: Option<Instant>,
    pause: Duration,
    /// Cached answers of the edition `answered`, so that fifty equal requests cost one.
    answers: HashMap<RunRequest, String>,
    answered: u64,
}

impl FeedThread {
    fn run(&mut self, messages: &Receiver<FeedMessage>) {
        loop {
            let call = match self.pause() {
                Some(pause) => messages.recv_timeout(pause),
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match call {
                Ok(FeedMessage::Ask(question, reply)) => {
                    // The client may be gone.
                    let _ = reply.send(self.answer(question));
                }
                Ok(FeedMessage::Follow) | Err(RecvTimeoutError::Timeout) => {}
                Ok(FeedMessage::Add(store)) => {
                    let (run, snapshot) = FollowedRun::new(&store);
                    self.runs.push(run);
                    self.snapshots.write().unwrap_or_else(PoisonError::into_inner).push(snapshot);
                }
                Ok(FeedMessage::End) => return self.shut_down(messages),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            for (id, run) in self.runs.iter_mut().enumerate() {
                run.catch_panic(|run| run.show(id));
            }
        }
    }

    /// Reads a last time and answers the last requests.
    fn shut_down(&mut self, messages: &Receiver<FeedMessage>) {
        for (id, run) in self.runs.iter_mut().enumerate() {
            run.looked = None;
            run.catch_panic(|run| run.show(id));
        }
        let end = Instant::now() + SHUTDOWN_GRACE;
        while self.runs.iter().any(FollowedRun::is_followed)
            && let Ok(call) = messages.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            if let FeedMessage::Ask(question, reply) = call {
                let _ = reply.send(self.answer(question));
            }
        }
    }

    /// Time until the next read; `None` if no run is followed.
    fn pause(&self) -> Option<Duration> {
        let is_behind = |run: &FollowedRun| run.view.is_behind();
        if self.runs.iter().any(|run| run.is_followed() && is_behind(run)) {
            return Some(Duration::ZERO);
        }
        // One more round after the last follower has gone, to release the live file.
        self.runs.iter().any(|run| run.is_followed() || run.reads_boards()).then_some(BOARD_INTERVAL)
    }

    fn answer(&mut self, question: FeedRequest) -> Option<String> {
        match question {
            FeedRequest::Runs => {
                let line = |(id, run): (usize, &mut FollowedRun)| {
                    run.catch_panic(|run| run.answer(id, RunRequest::Line))
                        .unwrap_or_else(|| run.view.line(id))
                };
                let lines: Vec<String> = self.runs.iter_mut().enumerate().map(line).collect();
                Some(format!("[{}]", lines.join(",")))
            }
            FeedRequest::Of(id, subject) => self.runs.get_mut(id)?.catch_panic(|run| run.answer(id, subject)),
        }
    }
}

impl FollowedRun {
    fn new(store: &Path) -> (FollowedRun, (PathBuf, watch::Receiver<Snapshot>)) {
        let nothing = Snapshot { run: (0, "null".into()), boards: Vec::new() };
        let (snapshot, receiver) = watch::channel(nothing);
        let run = FollowedRun {
            view: RunView::new(store),
            reader: LiveReader::new(store),
            boards: Boards::default(),
            snapshot,
            looked: None,
            pause: Duration::ZERO,
            answers: HashMap::new(),
            answered: 0,
        };
        (run, (store.to_owned(), receiver))
    }

    /// Runs `work`; if it panics, only this run is given up.
    fn catch_panic<T: Default>(&mut self, work: impl FnOnce(&mut FollowedRun) -> T) -> T {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|_| {
            self.view.give_up();
            T::default()
        })
    }

    /// Whether a page follows it; the handle itself holds one receiver.
    fn is_followed(&self) -> bool {
        self.snapshot.receiver_count() > 1
    }

    fn reads_boards(&self) -> bool {
        self.reader.is_open()
    }

    fn answer(&mut self, id: usize, subject: RunRequest) -> Option<String> {
        self.refresh();
        if self.answered != self.view.edition() || self.answers.len() >= MAX_CACHED_ANSWERS {
            self.answers.clear();
            self.answered = self.view.edition();
        }
        if let Some(known) = self.answers.get(&subject) {
            return Some(known.clone());
        }
        let answer = match &subject {
            RunRequest::Line => self.view.line(id),
            RunRequest::Overview => self.view.overview(id),
            RunRequest::Games(wanted) => self.view.list(wanted)?,
            RunRequest::Game(number) => self.view.game(*number)?,
            RunRequest::Pgn(number) => self.view.pgn(*number)?,
            RunRequest::Faults => self.view.faults()?,
            RunRequest::Curves(entrant) => self.view.curves(*entrant)?,
        };
        self.answers.insert(subject, answer.clone());
        Some(answer)
    }

    /// Reads the store unless it was read just now.
    fn refresh(&mut self) -> bool {
        if self.looked.is_some_and(|looked| looked.elapsed() < self.pause) {
            return false;
        }
        let begun = Instant::now();
        let changed = self.view.update();
        let pace = if self.view.is_running() { STORE_INTERVAL } else { IDLE_STORE_INTERVAL };
        self.pause =
            if self.view.is_behind() { Duration::ZERO } else { pace.max(begun.elapsed() * MIN_PAUSE_FACTOR) };
        self.looked = Some(Instant::now());
        changed
    }

    /// Sends changes to followers.
    fn show(&mut self, id: usize) {
        if !self.is_followed() {
            self.reader.close();
            return;
        }
        let changed = self.refresh() || self.snapshot.borrow().run.0 != self.view.edition();
        self.update_boards();
        let boards = self.boards.texts();
        let run = changed.then(|| (self.view.edition(), Arc::from(self.view.overview(id))));
        self.snapshot.send_if_modified(|snapshot| {
            let is_same = |(old, new): (&BoardText, &BoardText)| Arc::ptr_eq(old, new);
            let are_same =
                snapshot.boards.len() == boards.len() && snapshot.boards.iter().zip(&boards).all(is_same);
            let is_new = run.is_some() || !are_same;
            if let Some(run) = run {
                snapshot.run = run;
            }
            snapshot.boards = boards;
            is_new
        });
    }

    fn update_boards(&mut self) {
        if !self.view.is_running() {
            self.boards.clear();
            self.reader.close();
        } else if let Some(games) = self.reader.read() {
            let view = &self.view;
            self.boards.update(games, |number| view.result_of(number), |position| view.outcome(position));
        }
    }
}
