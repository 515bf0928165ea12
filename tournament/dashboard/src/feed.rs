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
use super::listing::Wanted;
use super::run::RunView;
use crate::live::Onlooker;

/// How often boards are looked at while somebody follows a run.
const BOARD_PACE: Duration = Duration::from_millis(200);

/// How often stores are.
const STORE_PACE: Duration = Duration::from_millis(500);

/// How often stores are looked at where nobody plays.
const QUIET_PACE: Duration = Duration::from_secs(2);

/// A look that took so long is repeated only after this many times as long, so that reading takes a tenth of a core at
/// most.
const REST: u32 = 9;

/// How long followers may ask about the last state before all is over.
const LAST_QUESTIONS: Duration = Duration::from_secs(1);

/// How many answers of a run are kept until it changes.
const ANSWERS_KEPT: usize = 64;

/// How many questions may wait; further ones are refused.
const WAITING: usize = 64;

/// What a page asks.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// All runs, in short.
    Runs,
    /// Something about the run of this number.
    Of(usize, Subject),
}

/// What is asked about a run. Games have numbers from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// The run as one of many.
    Line,
    /// The run as a whole.
    Overview,
    /// Finished games.
    Games(Wanted),
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
pub(super) struct Screen {
    /// The run as a whole, and which edition of it.
    pub(super) run: (u64, Arc<str>),
    /// The boards.
    pub(super) boards: Vec<BoardText>,
}

/// What the feed is told.
enum Call {
    /// Somebody asks.
    Ask(Question, oneshot::Sender<Option<String>>),
    /// Somebody follows a run from now on.
    Follow,
    /// The last look is due: all is over.
    End,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// There is no such thing.
    Unknown,
    /// Too many ask.
    Busy,
}

/// How others speak with the feed.
#[derive(Clone, Debug)]
pub(super) struct FeedLine {
    calls: SyncSender<Call>,
    screens: Arc<[watch::Receiver<Screen>]>,
}

impl FeedLine {
    /// Asks, and waits for the answer without holding up anybody else.
    pub(super) async fn ask(&self, question: Question) -> Result<String, NoAnswer> {
        let (reply, answer) = oneshot::channel();
        match self.calls.try_send(Call::Ask(question, reply)) {
            Ok(()) => answer.await.ok().flatten().ok_or(NoAnswer::Unknown),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(NoAnswer::Busy),
        }
    }

    /// Follows a run, if there is one of this number.
    pub(super) fn follow(&self, run: usize) -> Option<watch::Receiver<Screen>> {
        let screen = self.screens.get(run)?.clone();
        // If the line is full, the feed is awake anyway.
        let _ = self.calls.try_send(Call::Follow);
        Some(screen)
    }
}

/// The thread, for whoever started it.
#[derive(Debug)]
pub(super) struct Feed {
    calls: SyncSender<Call>,
    thread: Option<JoinHandle<()>>,
}

impl Feed {
    /// Begins to read these stores.
    pub(super) fn start(stores: &[PathBuf]) -> std::io::Result<(Feed, FeedLine)> {
        let (calls, called) = sync_channel(WAITING);
        let (runs, screens): (Vec<_>, Vec<_>) = stores.iter().map(|store| Run::new(store)).unzip();
        let line = FeedLine { calls: calls.clone(), screens: screens.into() };
        let mut reader = Reader { runs };
        let thread = thread::Builder::new().name("feed".to_owned()).spawn(move || reader.run(&called))?;
        Ok((Feed { calls, thread: Some(thread) }, line))
    }

    /// Looks a last time, shows followers what it saw, and lets them ask about it for a moment.
    pub(super) fn end(&mut self) {
        // A feed with a full line answers soon.
        let _ = self.calls.send(Call::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Reader {
    runs: Vec<Run>,
}

/// A run and those who follow it.
struct Run {
    view: RunView,
    onlooker: Onlooker,
    boards: Boards,
    screen: watch::Sender<Screen>,
    looked: Option<Instant>,
    pause: Duration,
    /// Answers about the edition of this number, so that fifty who ask the same cost as much as one.
    answers: HashMap<Subject, String>,
    answered: u64,
}

impl Reader {
    fn run(&mut self, calls: &Receiver<Call>) {
        loop {
            let call = match self.pause() {
                Some(pause) => calls.recv_timeout(pause),
                None => calls.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match call {
                Ok(Call::Ask(question, reply)) => {
                    // Whoever asked may be gone.
                    let _ = reply.send(self.answer(question));
                }
                Ok(Call::Follow) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Call::End) => return self.take_leave(calls),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            for (id, run) in self.runs.iter_mut().enumerate() {
                run.guarded(|run| run.show(id));
            }
        }
    }

    /// Looks a last time, and answers what followers ask about that.
    fn take_leave(&mut self, calls: &Receiver<Call>) {
        for (id, run) in self.runs.iter_mut().enumerate() {
            run.looked = None;
            run.guarded(|run| run.show(id));
        }
        let end = Instant::now() + LAST_QUESTIONS;
        while self.runs.iter().any(Run::is_followed)
            && let Ok(call) = calls.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            if let Call::Ask(question, reply) = call {
                let _ = reply.send(self.answer(question));
            }
        }
    }

    /// How long nothing is to be done; no end if nobody follows anything.
    fn pause(&self) -> Option<Duration> {
        let is_behind = |run: &Run| run.view.is_behind();
        if self.runs.iter().any(|run| run.is_followed() && is_behind(run)) {
            return Some(Duration::ZERO);
        }
        // One more round after the last has gone, to look away.
        self.runs.iter().any(|run| run.is_followed() || run.looks_on()).then_some(BOARD_PACE)
    }

    fn answer(&mut self, question: Question) -> Option<String> {
        match question {
            Question::Runs => {
                let line = |(id, run): (usize, &mut Run)| {
                    run.guarded(|run| run.answer(id, Subject::Line)).unwrap_or_else(|| run.view.line(id))
                };
                let lines: Vec<String> = self.runs.iter_mut().enumerate().map(line).collect();
                Some(format!("[{}]", lines.join(",")))
            }
            Question::Of(id, subject) => self.runs.get_mut(id)?.guarded(|run| run.answer(id, subject)),
        }
    }
}

impl Run {
    fn new(store: &Path) -> (Run, watch::Receiver<Screen>) {
        let nothing = Screen { run: (0, "null".into()), boards: Vec::new() };
        let (screen, receiver) = watch::channel(nothing);
        let run = Run {
            view: RunView::new(store),
            onlooker: Onlooker::new(store),
            boards: Boards::default(),
            screen,
            looked: None,
            pause: Duration::ZERO,
            answers: HashMap::new(),
            answered: 0,
        };
        (run, receiver)
    }

    /// Works on this run. Should that panic, the run is given up and nothing else.
    fn guarded<T: Default>(&mut self, work: impl FnOnce(&mut Run) -> T) -> T {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|_| {
            self.view.give_up();
            T::default()
        })
    }

    /// Somebody follows it, besides the line that lends out receivers.
    fn is_followed(&self) -> bool {
        self.screen.receiver_count() > 1
    }

    fn looks_on(&self) -> bool {
        self.onlooker.is_looking()
    }

    fn answer(&mut self, id: usize, subject: Subject) -> Option<String> {
        self.refresh();
        if self.answered != self.view.edition() || self.answers.len() >= ANSWERS_KEPT {
            self.answers.clear();
            self.answered = self.view.edition();
        }
        if let Some(known) = self.answers.get(&subject) {
            return Some(known.clone());
        }
        let answer = match &subject {
            Subject::Line => self.view.line(id),
            Subject::Overview => self.view.overview(id),
            Subject::Games(wanted) => self.view.list(wanted)?,
            Subject::Game(number) => self.view.game(*number)?,
            Subject::Pgn(number) => self.view.pgn(*number)?,
            Subject::Faults => self.view.faults()?,
            Subject::Curves(entrant) => self.view.curves(*entrant)?,
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
        let pace = if self.view.is_running() { STORE_PACE } else { QUIET_PACE };
        self.pause = if self.view.is_behind() { Duration::ZERO } else { pace.max(begun.elapsed() * REST) };
        self.looked = Some(Instant::now());
        changed
    }

    /// Shows followers what is new.
    fn show(&mut self, id: usize) {
        if !self.is_followed() {
            self.onlooker.rest();
            return;
        }
        let changed = self.refresh() || self.screen.borrow().run.0 != self.view.edition();
        self.look_at_boards();
        let boards = self.boards.texts();
        let run = changed.then(|| (self.view.edition(), Arc::from(self.view.overview(id))));
        self.screen.send_if_modified(|screen| {
            let is_same = |(old, new): (&BoardText, &BoardText)| Arc::ptr_eq(old, new);
            let are_same =
                screen.boards.len() == boards.len() && screen.boards.iter().zip(&boards).all(is_same);
            let is_new = run.is_some() || !are_same;
            if let Some(run) = run {
                screen.run = run;
            }
            screen.boards = boards;
            is_new
        });
    }

    fn look_at_boards(&mut self) {
        if !self.view.is_running() {
            self.boards.clear();
            self.onlooker.rest();
        } else if let Some(games) = self.onlooker.look() {
            self.boards.update(games, |number| self.view.result_of(number));
        }
    }
}
