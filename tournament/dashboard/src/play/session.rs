//! The session: a thread that owns engine and game, carries out commands, and publishes their state.
//!
//! A command interrupts the wait for a search. The search continues unless the command changed its position or limits.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use smalt_chess::{Game, Move, UciMove};
use smalt_driver::process::Interrupt;
use smalt_driver::{ResultClaim, SearchControl, SearchResult};
use smalt_protocol::Info;
use tokio::sync::{oneshot, watch};

use super::PlayError;
use super::command::{NewGame, NewGameError, PlayCommand, StartLine};
use super::game::PlayedGame;
use super::opponent::{EngineSetup, Opponent, Purpose, Search, SearchOutcome};
use super::pgn::pgn;
use super::snapshot::{Clocks, PlaySnapshot};
use super::thinking::Thinking;
use super::view::{Analysis, Messages, game_json, names};
use crate::DashboardError;

/// Maximum number of waiting commands; further ones are refused.
const MAX_WAITING: usize = 64;

/// Interval at which a wait with a running clock notices that this program did not run.
const AWAKE_INTERVAL: Duration = Duration::from_millis(250);

/// A wait that ends later than planned by more than this counts as a stall.
const STALL_TOLERANCE: Duration = Duration::from_millis(50);

/// Interval of publishing the engine's output.
const THINKING_INTERVAL: Duration = Duration::from_millis(100);

enum Message {
    Command { command: PlayCommand, at: Instant, reply: oneshot::Sender<Result<(), String>> },
    End,
}

/// Interrupts of the session's waits.
#[derive(Debug)]
struct Wake {
    /// The wait for a search, if one is in progress.
    search: Mutex<Option<Interrupt>>,
    /// All other waits; raised at the end.
    quit: Interrupt,
}

impl Wake {
    fn set(&self, interrupt: Option<Interrupt>) {
        *self.search.lock().unwrap_or_else(PoisonError::into_inner) = interrupt;
    }

    fn raise(&self) {
        if let Some(interrupt) = &*self.search.lock().unwrap_or_else(PoisonError::into_inner) {
            interrupt.raise();
        }
    }
}

/// Handle for the routes.
#[derive(Clone, Debug)]
pub(super) struct SessionHandle {
    messages: SyncSender<Message>,
    wake: Arc<Wake>,
    pub(super) state: watch::Receiver<PlaySnapshot>,
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Message::Command { .. } => "Command",
            Message::End => "End",
        })
    }
}

impl SessionHandle {
    /// Sends a command and awaits its answer; an error is in words.
    pub(super) async fn send(&self, command: PlayCommand) -> Result<(), String> {
        let (reply, answer) = oneshot::channel();
        match self.messages.try_send(Message::Command { command, at: Instant::now(), reply }) {
            Ok(()) => self.wake.raise(),
            Err(TrySendError::Full(_)) => return Err("Too many commands. Try again in a moment.".to_owned()),
            Err(TrySendError::Disconnected(_)) => return Err("The session has ended.".to_owned()),
        }
        answer.await.unwrap_or_else(|_| Err("The session has ended.".to_owned()))
    }
}

/// The thread, for its owner.
#[derive(Debug)]
pub(super) struct PlaySession {
    messages: SyncSender<Message>,
    wake: Arc<Wake>,
    thread: Option<JoinHandle<()>>,
}

impl PlaySession {
    /// Starts the thread and the engine, and sets up the first game.
    pub(super) fn start(
        setup: EngineSetup,
        first: &NewGame,
    ) -> Result<(PlaySession, SessionHandle), PlayError> {
        let failed = |error: io::Error| PlayError::Server(DashboardError::Thread(error));
        let wake = Wake { search: Mutex::new(None), quit: Interrupt::new().map_err(failed)? };
        let wake = Arc::new(wake);
        let (messages, commands) = sync_channel(MAX_WAITING);
        let (ready, is_ready) = sync_channel(1);
        let first = NewGame { level: first.level.or(setup.level()), ..first.clone() };
        let own_wake = Arc::clone(&wake);
        let thread = thread::Builder::new().name("play".to_owned()).spawn(move || {
            match SessionThread::new(setup, &first, commands, own_wake) {
                Ok((session, state)) => {
                    let _ = ready.send(Ok(state));
                    session.run();
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            }
        });
        let thread = Some(thread.map_err(failed)?);
        let state =
            is_ready.recv().unwrap_or_else(|_| Err(PlayError::Engine("the session failed".to_owned())))?;
        let handle = SessionHandle { messages: messages.clone(), wake: Arc::clone(&wake), state };
        Ok((PlaySession { messages, wake, thread }, handle))
    }

    /// Ends the thread and the engine.
    pub(super) fn end(&mut self) {
        self.wake.quit.raise();
        // A session with a full channel takes a message soon.
        self.wake.raise();
        let _ = self.messages.send(Message::End);
        self.wake.raise();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Publishes the state to pages.
struct Publisher {
    state: watch::Sender<PlaySnapshot>,
}

impl Publisher {
    fn thinking(&self, text: String) {
        self.state.send_if_modified(|state| {
            let is_new = *state.thinking.1 != *text;
            if is_new {
                state.thinking = (state.thinking.0 + 1, text.into());
            }
            is_new
        });
    }

    fn game(&self, game: String, pgn: String, clocks: Clocks) {
        self.state.send_if_modified(|state| {
            let is_new = *state.game.1 != *game;
            if is_new {
                state.game = (state.game.0 + 1, game.into());
                state.pgn = pgn.into();
            }
            let is_other_time = state.clocks != clocks;
            state.clocks = clocks;
            is_new || is_other_time
        });
    }
}

struct SessionThread {
    messages: Receiver<Message>,
    wake: Arc<Wake>,
    publisher: Publisher,
    opponent: Opponent,
    game: PlayedGame,
    analysis: Option<Analysis>,
    said: Messages,
    /// Start of the clock of the side to move.
    turn_since: Option<Instant>,
    /// Time that the side to move used before a pause.
    used: Duration,
    /// The last completed search, which is not repeated.
    finished: Option<Search>,
    has_ended: bool,
}

impl SessionThread {
    fn new(
        setup: EngineSetup,
        first: &NewGame,
        messages: Receiver<Message>,
        wake: Arc<Wake>,
    ) -> Result<(SessionThread, watch::Receiver<PlaySnapshot>), PlayError> {
        let clock = first.clock()?;
        let mut opponent = Opponent::new(setup, wake.quit.clone());
        opponent.start(&clock.kind_of_limits()).map_err(PlayError::Engine)?;
        opponent.check_level(first.level)?;
        let line = first.start.line(|| StartLine::new(Default::default()))?;
        let human = first.color.choose(line.game.position());
        let game = PlayedGame::new(1, line, human, clock, first.level);
        let nothing: Arc<str> = "null".into();
        let (state, receiver) = watch::channel(PlaySnapshot {
            game: (0, Arc::clone(&nothing)),
            thinking: (0, nothing),
            clocks: Clocks::default(),
            pgn: "".into(),
        });
        let session = SessionThread {
            messages,
            wake,
            publisher: Publisher { state },
            opponent,
            game,
            analysis: None,
            said: Messages::default(),
            turn_since: None,
            used: Duration::ZERO,
            finished: None,
            has_ended: false,
        };
        session.publish();
        Ok((session, receiver))
    }

    fn run(mut self) {
        while !self.has_ended {
            match self.next_search() {
                Some(search) => self.search(&search),
                None => self.wait(),
            }
            self.publish();
        }
        self.opponent.quit();
    }

    /// The search that the engine should run now.
    fn next_search(&self) -> Option<Search> {
        if self.said.problem.is_some() {
            return None;
        }
        let game = &self.game;
        let (purpose, moves) = match &self.analysis {
            Some(Analysis { line, .. }) if line.position().ending().is_some() => return None,
            Some(Analysis { line, lines, .. }) => {
                let moves = line.moves().iter().map(|&mv| UciMove::from_move(mv, game.mode)).collect();
                (Purpose::Analysis { lines: *lines }, moves)
            }
            None if game.is_engines_turn() => (Purpose::Move, game.moves()),
            None if self.said.hint_asked && game.is_humans_turn() => (Purpose::Hint, game.moves()),
            None => {
                let ply = game.next_unreviewed()?;
                let mut moves = game.moves();
                moves.truncate(ply + 1);
                (Purpose::Review, moves)
            }
        };
        let search = Search { purpose, game: game.number, moves };
        (self.finished.as_ref() != Some(&search)).then_some(search)
    }

    /// Waits for a command, or for the fall of the human's flag. Time during which this program did not run (stopped,
    /// suspended) does not count.
    fn wait(&mut self) {
        while let Some(flag) = self.flag_time() {
            let now = Instant::now();
            let until = flag.min(now + AWAKE_INTERVAL);
            let message = self.messages.recv_timeout(until.saturating_duration_since(now));
            let stall = Instant::now().saturating_duration_since(until.max(now));
            if stall > STALL_TOLERANCE {
                self.turn_since = self.turn_since.map(|since| since + stall);
                self.publish();
            }
            match message {
                Ok(message) => return self.handle(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.has_ended = true,
            }
            if self.flag_time().is_some_and(|flag| flag <= Instant::now()) {
                self.game.lose_on_time(self.game.human);
                return self.stop_clock();
            }
        }
        match self.messages.recv() {
            Ok(message) => self.handle(message),
            Err(_) => self.has_ended = true,
        }
    }

    /// When the human's flag falls.
    fn flag_time(&self) -> Option<Instant> {
        let since = self.turn_since.filter(|_| self.game.is_humans_turn())?;
        Some(since + self.game.left(self.game.human)?.saturating_sub(self.used))
    }

    /// Searches until the engine is done or a command changes the search.
    fn search(&mut self, search: &Search) {
        if let Err(words) = self.opponent.begin(search, &self.game) {
            return self.fail(words);
        }
        if search.purpose == Purpose::Move {
            (self.turn_since, self.used) = (Some(Instant::now()), Duration::ZERO);
        }
        let root = self.root(search);
        let mut thinking = Thinking::new(search.purpose, root, self.opponent.scores());
        self.publisher.thinking(thinking.to_json());
        self.publish();
        let outcome = loop {
            let interrupt = match Interrupt::new() {
                Ok(interrupt) => interrupt,
                Err(error) => break SearchOutcome::Failed(error.to_string()),
            };
            self.wake.set(Some(interrupt.clone()));
            // Commands that came before the interrupt was set.
            while let Ok(message) = self.messages.try_recv() {
                self.handle(message);
                self.publish();
            }
            if self.has_ended || self.next_search().as_ref() != Some(search) {
                break SearchOutcome::Interrupted;
            }
            match self.follow(&interrupt, &mut thinking) {
                SearchOutcome::Interrupted => {}
                outcome => break outcome,
            }
        };
        self.wake.set(None);
        match outcome {
            SearchOutcome::Finished(result) => self.take(search, &result, &thinking),
            SearchOutcome::Late
                if search.purpose == Purpose::Move && self.game.left(self.game.engine()).is_some() =>
            {
                self.game.lose_on_time(self.game.engine());
                self.stop_clock();
                self.stop_search();
            }
            SearchOutcome::Late => {
                self.stop_search();
                self.fail("the engine sends no move".to_owned());
            }
            SearchOutcome::Interrupted => self.stop_search(),
            SearchOutcome::Failed(words) => self.fail(words),
        }
    }

    /// Waits for the engine and publishes its output meanwhile.
    fn follow(&mut self, interrupt: &Interrupt, thinking: &mut Thinking) -> SearchOutcome {
        let publisher = &self.publisher;
        let mut shown = Instant::now();
        let mut is_new = false;
        let mut observer = |info: &Info<'_>, _: Duration| {
            is_new |= thinking.update(info);
            if is_new && shown.elapsed() >= THINKING_INTERVAL {
                publisher.thinking(thinking.to_json());
                (shown, is_new) = (Instant::now(), false);
            }
            SearchControl::Continue
        };
        let outcome = self.opponent.finish(interrupt, &mut observer);
        self.publisher.thinking(thinking.to_json());
        outcome
    }

    fn root(&self, search: &Search) -> smalt_chess::Position {
        let mut position = *self.game.game().start();
        for mv in &search.moves {
            let Ok(mv) = mv.to_move(&position) else { break };
            position.play(mv);
        }
        position
    }

    fn stop_search(&mut self) {
        if let Err(words) = self.opponent.abandon() {
            self.fail(words);
        }
    }

    /// Handles a failed engine: pages show the failure and can restart it.
    fn fail(&mut self, words: String) {
        self.opponent.quit();
        self.stop_clock();
        self.said.problem = Some(words);
    }

    /// Handles the result of a search.
    fn take(&mut self, search: &Search, result: &SearchResult, thinking: &Thinking) {
        match search.purpose {
            Purpose::Move => self.take_move(result),
            Purpose::Hint => (self.said.hint, self.said.hint_asked) = (result.best, false),
            Purpose::Review => {
                self.game.review(search.moves.len() - 1, thinking.score(result), result.best);
            }
            Purpose::Analysis { .. } => self.finished = Some(search.clone()),
        }
    }

    fn take_move(&mut self, result: &SearchResult) {
        let engine = self.game.engine();
        if let Some(ResultClaim::Resigns) = result.claim {
            self.game.resign(engine);
            return self.stop_clock();
        }
        let Some(mv) = result.best.and_then(|mv| mv.to_move(self.game.position()).ok()) else {
            let words = match result.best {
                Some(mv) => format!("the engine answered {mv}, which is illegal"),
                None => "the engine sent no move".to_owned(),
            };
            return self.fail(words);
        };
        let mut result = result.clone();
        let view = self.opponent.scores();
        result.report.score = result.report.score.map(|score| view.of_mover(engine, score));
        let elapsed = result.elapsed.saturating_sub(self.opponent.stalled());
        self.play(mv, elapsed, Some(&result));
        self.said.draw_offered = result.claim == Some(ResultClaim::OffersDraw);
    }

    /// Plays a move, and starts the clock of the other side; a move after the fall of the flag is not played.
    fn play(&mut self, mv: Move, elapsed: Duration, search: Option<&SearchResult>) {
        let moves = self.game.game().moves().len();
        self.game.play(mv, elapsed, search);
        if self.game.game().moves().len() > moves { self.start_clock() } else { self.stop_clock() }
    }

    /// Starts the clock of the side to move, once the game has begun.
    fn start_clock(&mut self) {
        let runs = self.game.end.is_none() && self.game.has_begun();
        (self.turn_since, self.used) = (runs.then(Instant::now), Duration::ZERO);
    }

    /// Stops the clock of the side to move; the time that it used counts.
    fn stop_clock(&mut self) {
        if let Some(since) = self.turn_since.take() {
            self.used += since.elapsed();
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Command { command, at, reply } => {
                let answer = if self.has_ended {
                    Err("The session has ended.".to_owned())
                } else {
                    self.apply(command, at)
                };
                self.publish();
                // The page may be gone.
                let _ = reply.send(answer);
            }
            Message::End => self.has_ended = true,
        }
    }

    fn apply(&mut self, command: PlayCommand, at: Instant) -> Result<(), String> {
        self.said.notice = None;
        match command {
            PlayCommand::Move { mv } => self.play_humans(&mv, at),
            PlayCommand::TakeBack => {
                self.analysis = None;
                if !self.game.take_back() {
                    return Err("There is no move to take back.".to_owned());
                }
                self.forget_messages();
                self.start_clock();
                Ok(())
            }
            PlayCommand::Hint if self.analysis.is_none() && self.game.is_humans_turn() => {
                self.said.hint_asked = true;
                Ok(())
            }
            PlayCommand::Hint => Err("There are hints only when it is your turn.".to_owned()),
            PlayCommand::Resign => {
                self.check_in_progress()?;
                self.game.resign(self.game.human);
                self.stop_clock();
                Ok(())
            }
            PlayCommand::Draw => self.offer_draw(),
            PlayCommand::New(new) => self.start_game(&new).map_err(|error| sentence(&error.to_string())),
            PlayCommand::Analyze { ply, moves, lines } => self.analyze(ply, &moves, lines),
            PlayCommand::Play => {
                // Outside of an analysis the clock runs on.
                if self.analysis.take().is_none() {
                    return Ok(());
                }
                let (runs, used) = (self.game.is_humans_turn() && self.game.has_begun(), self.used);
                (self.turn_since, self.used) = (runs.then_some(at), used);
                Ok(())
            }
            PlayCommand::Restart => {
                self.said.problem = None;
                if self.analysis.is_none() {
                    let runs = self.game.is_humans_turn() && self.game.has_begun();
                    self.turn_since = runs.then_some(at);
                }
                Ok(())
            }
        }
    }

    fn check_in_progress(&self) -> Result<(), String> {
        if self.game.end.is_some() { Err("The game is over.".to_owned()) } else { Ok(()) }
    }

    fn forget_messages(&mut self) {
        let problem = self.said.problem.take();
        self.said = Messages { problem, ..Messages::default() };
    }

    fn play_humans(&mut self, text: &str, at: Instant) -> Result<(), String> {
        self.check_in_progress()?;
        if self.analysis.is_some() || !self.game.is_humans_turn() {
            return Err("It is not your turn.".to_owned());
        }
        let mv = text.parse().ok().and_then(|mv: UciMove| mv.to_move(self.game.position()).ok());
        let mv = mv.ok_or_else(|| format!("{text:?} is not a legal move here."))?;
        let thought = self.turn_since.map_or(Duration::ZERO, |since| at.saturating_duration_since(since));
        self.play(mv, self.used + thought, None);
        self.forget_messages();
        Ok(())
    }

    fn offer_draw(&mut self) -> Result<(), String> {
        self.check_in_progress()?;
        if self.said.draw_offered || self.game.accepts_draw() {
            self.game.agree_on_draw();
            self.stop_clock();
        } else {
            self.said.notice = Some("The engine declines the draw.".to_owned());
        }
        Ok(())
    }

    fn start_game(&mut self, new: &NewGame) -> Result<(), NewGameError> {
        let clock = new.clock()?;
        self.opponent.check_level(new.level)?;
        let here = || match &self.analysis {
            Some(analysis) => (analysis.line.clone(), None),
            None => (self.game.game().clone(), self.game.chess960),
        };
        let line = new.start.line(|| {
            let (game, number) = here();
            StartLine { game, mode: self.game.mode, number }
        })?;
        let human = new.color.choose(line.game.position());
        self.game = PlayedGame::new(self.game.number + 1, line, human, clock, new.level);
        self.analysis = None;
        self.said = Messages::default();
        self.start_clock();
        Ok(())
    }

    fn analyze(&mut self, ply: usize, moves: &[String], lines: u32) -> Result<(), String> {
        let mut line = Game::new(*self.game.game().start());
        for &mv in self.game.game().moves().iter().take(ply) {
            line.play(mv).map_err(|error| sentence(&error.to_string()))?;
        }
        let ply = line.moves().len();
        for text in moves {
            let mv = text.parse().ok().and_then(|mv: UciMove| mv.to_move(line.position()).ok());
            let mv = mv.ok_or_else(|| format!("{text:?} is not a legal move there."))?;
            line.play(mv).map_err(|error| sentence(&error.to_string()))?;
        }
        self.stop_clock();
        self.finished = None;
        self.analysis = Some(Analysis { ply, line, lines: lines.max(1) });
        Ok(())
    }

    fn publish(&self) {
        let facts = self.opponent.facts();
        let game = game_json(&self.game, facts, self.analysis.as_ref(), &self.said);
        let pgn = pgn(&self.game, names(&self.game, &facts.name, "Human"));
        let both = smalt_chess::Color::ALL.map(|color| self.game.left(color));
        let mover = self.game.position().turn();
        let mut left = both[0].zip(both[1]).map(|(white, black)| [white, black]);
        if let Some(left) = &mut left {
            let own = &mut left[mover.index()];
            *own = own.saturating_sub(self.used);
        }
        let stalled = if self.game.is_engines_turn() { self.opponent.stalled() } else { Duration::ZERO };
        let running =
            self.turn_since.filter(|_| self.game.end.is_none()).map(|since| (mover, since + stalled));
        self.publisher.game(game, pgn, Clocks { left, running });
    }
}

/// An error as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", letters.as_str())
}
