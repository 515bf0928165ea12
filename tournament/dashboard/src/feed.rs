//! The thread that reads: it looks at stores and boards while somebody follows them, and answers what pages ask, one
//! question after the other. While nobody asks it sleeps.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use super::board::{BoardText, Boards};
use super::game_list::GameFilter;
use super::run::RunView;
use crate::live::LiveReader;

/// How often boards are looked at while somebody follows a run.
const BOARD_INTERVAL: Duration = Duration::from_millis(200);

/// How often stores are.
const STORE_INTERVAL: Duration = Duration::from_millis(500);

/// How often stores are looked at where nobody plays.
const IDLE_STORE_INTERVAL: Duration = Duration::from_secs(2);

/// A look that took so long is repeated only after this many times as long, so that reading takes a tenth of a core at
/// most.
const MIN_PAUSE_FACTOR: u32 = 9;

/// How long followers may ask about the last state before all is over.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// How many answers of a run are kept until it changes.
const MAX_CACHED_ANSWERS: usize = 64;

/// How many questions may wait; further ones are refused.
const MAX_WAITING_REQUESTS: usize = 64;

/// What a page asks.
#[derive(Clone, Debug)]
pub(super) enum FeedRequest {
    /// All runs, in short.
    Runs,
    /// Something about the run of this number.
    Of(usize, RunRequest),
}

/// What is asked about a run. Games have numbers from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RunRequest {
    /// The run as one of many.
    Line,
    /// The run as a whole.
    Overview,
    /// Finished games.
    Games(GameFilter),
    /// One game.
    Game(u32),
    /// One game as PGN.
    Pgn(u32),
    /// What engines did wrong.
    Faults,
    /// How the Elo of an entrant came about, and the sequential test.
    Curves(usize),
}

/// What followers of a run see: texts that are made once for all of them.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    /// The run as a whole, and which edition of it.
    pub(super) run: (u64, Arc<str>),
    /// The boards.
    pub(super) boards: Vec<BoardText>,
}

/// Messages to the feed.
enum FeedMessage {
    /// Somebody asks.
    Ask(FeedRequest, oneshot::Sender<Option<String>>),
    /// Somebody follows a run from now on.
    Follow,
    /// The last look is due: all is over.
    End,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeedError {
    /// There is no such thing.
    Unknown,
    /// Too many ask.
    Busy,
}

/// How others speak with the feed.
#[derive(Clone, Debug)]
pub(super) struct FeedHandle {
    messages: SyncSender<FeedMessage>,
    snapshots: Arc<[watch::Receiver<Snapshot>]>,
}

impl FeedHandle {
    /// Asks, and waits for the answer without holding up anybody else.
    pub(super) async fn ask(&self, question: FeedRequest) -> Result<String, FeedError> {
        let (reply, answer) = oneshot::channel();
        match self.messages.try_send(FeedMessage::Ask(question, reply)) {
            Ok(()) => answer.await.ok().flatten().ok_or(FeedError::Unknown),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(FeedError::Busy),
        }
    }

    /// Follows a run, if there is one of this number.
    pub(super) fn follow(&self, run: usize) -> Option<watch::Receiver<Snapshot>> {
        let snapshot = self.snapshots.get(run)?.clone();
        // If the line is full, the feed is awake anyway.
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
    /// Begins to read these stores.
    pub(super) fn start(stores: &[PathBuf]) -> std::io::Result<(Feed, FeedHandle)> {
        let (messages, called) = sync_channel(MAX_WAITING_REQUESTS);
        let (runs, snapshots): (Vec<_>, Vec<_>) = stores.iter().map(|store| FollowedRun::new(store)).unzip();
        let line = FeedHandle { messages: messages.clone(), snapshots: snapshots.into() };
        let mut reader = FeedThread { runs };
        let thread = thread::Builder::new().name("feed".to_owned()).spawn(move || reader.run(&called))?;
        Ok((Feed { messages, thread: Some(thread) }, line))
    }

    /// Looks a last time, shows followers what it saw, and lets them ask about it for a moment.
    pub(super) fn end(&mut self) {
        // A feed with a full line answers soon.
        let _ = self.messages.send(FeedMessage::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct FeedThread {
    runs: Vec<FollowedRun>,
}

/// A run and those who follow it.
struct FollowedRun {
    view: RunView,
    reader: LiveReader,
    boards: Boards,
    snapshot: watch::Sender<Snapshot>,
    looked: Option<Instant>,
    pause: Duration,
    /// Answers about the edition of this number, so that fifty who ask the same cost as much as one.
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
                Ok(FeedMessage::End) => return self.shut_down(messages),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            for (id, run) in self.runs.iter_mut().enumerate() {
                run.catch_panic(|run| run.show(id));
            }
        }
    }

    /// Looks a last time, and answers what followers ask about that.
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

    /// How long nothing is to be done; no end if nobody follows anything.
    fn pause(&self) -> Option<Duration> {
        let is_behind = |run: &FollowedRun| run.view.is_behind();
        if self.runs.iter().any(|run| run.is_followed() && is_behind(run)) {
            return Some(Duration::ZERO);
        }
        // One more round after the last has gone, to look away.
        self.runs.iter().any(|run| run.is_followed() || run.looks_on()).then_some(BOARD_INTERVAL)
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
    fn new(store: &Path) -> (FollowedRun, watch::Receiver<Snapshot>) {
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
        (run, receiver)
    }

    /// Works on this run. Should that panic, the run is given up and nothing else.
    fn catch_panic<T: Default>(&mut self, work: impl FnOnce(&mut FollowedRun) -> T) -> T {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|_| {
            self.view.give_up();
            T::default()
        })
    }

    /// Somebody follows it, besides the line that lends out receivers.
    fn is_followed(&self) -> bool {
        self.snapshot.receiver_count() > 1
    }

    fn looks_on(&self) -> bool {
        self.reader.is_looking()
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

    /// Looks at the store, unless that was done a moment ago.
    fn refresh(&mut self) -> bool {
        if self.looked.is_some_and(|looked| looked.elapsed() < self.pause) {
            return false;
        }
        let begun = Instant::now();
        let changed = self.view.look();
        let pace = if self.view.is_running() { STORE_INTERVAL } else { IDLE_STORE_INTERVAL };
        self.pause =
            if self.view.is_behind() { Duration::ZERO } else { pace.max(begun.elapsed() * MIN_PAUSE_FACTOR) };
        self.looked = Some(Instant::now());
        changed
    }

    /// Shows followers what is new.
    fn show(&mut self, id: usize) {
        if !self.is_followed() {
            self.reader.rest();
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
            self.reader.rest();
        } else if let Some(games) = self.reader.look() {
            self.boards.update(games, |number| self.view.result_of(number));
        }
    }
}
