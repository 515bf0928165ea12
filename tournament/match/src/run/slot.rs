//! A slot: one thread that plays games in turn and owns its engines. It sends events to the coordinator, which makes
//! all decisions about the run.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use smalt_chess::{CastlingMode, Color};
use smalt_driver::Restart;
use smalt_driver::process::{
    Exit, Interrupt, LINE_LIMIT, ProcessIdentity, bind_this_thread, own_processors, reap_orphans,
};
use smalt_driver::{
    ConversationError, Engine, ExitOutcome, Fault, GameOptions, LimitMethod, Pondering, SetOptionError,
    StartFailure, State, WaitContext,
};

use super::engine_command::{engine_command, engine_timeouts};
use super::event::{Disqualification, Event, RejectedOption};
use super::log::GameLog;
use super::observer::SlotObserver;
use super::queue::{OpenedGame, Work};
use super::slot_config::SlotConfig;
use crate::game::{
    EngineFault, GameRecord, GameSetup, Interrupted, Player, Termination, is_part_of_stop, play,
    transcript_of,
};
use crate::opening::Opening;
use crate::plan::{BadOptions, Entrant, declares_more_threads};
use crate::schedule::ScheduledGame;

/// Consecutive failed starts after which an engine is disqualified.
const MAX_STARTS: usize = 3;

/// Time between two start attempts: a program being rebuilt is missing for some seconds.
const START_INTERVAL: Duration = Duration::from_millis(2500);

/// Attempts after which a disturbed game is skipped.
const MAX_REPLAYS: u32 = 5;

/// Fault name of a missing option or an invalid value.
const BAD_OPTION: &str = "bad-option";

/// Warning about an engine that is limited by other means than its protocol.
fn limit_words(method: LimitMethod, has_nodes: bool) -> Option<&'static str> {
    match method {
        LimitMethod::MoveNow if has_nodes => Some(
            "speaks the xboard protocol, which has no node limit: `?` is sent as soon as its output shows that many nodes",
        ),
        LimitMethod::OneMoveClock => Some(
            "is given a clock for each move (`level 1`), since xboard's protocol has whole seconds alone and it does not move \
             on `?`: it may use less than its time",
        ),
        LimitMethod::NodeRate | LimitMethod::Protocol | LimitMethod::MoveNow => None,
    }
}

/// Interval at which a pause between games checks for an interrupt.
const SLEEP_SLICE: Duration = Duration::from_millis(50);

/// The state of one slot.
pub(super) struct Slot {
    worker: usize,
    terms: Arc<SlotConfig>,
    events: Sender<Event>,
    interrupt: Interrupt,
    running: Vec<RunningEngine>,
    disqualified: Vec<usize>,
    binding: Option<CpuBinding>,
    log: Option<GameLog>,
    /// Limit method by entrant, detected once.
    limit_methods: HashMap<usize, LimitMethod>,
    /// Number of starts by entrant after which it wrote nothing until its first search had failed.
    silent_starts: HashMap<usize, usize>,
}

/// How a game was played.
enum Played {
    /// It is finished, or abandoned.
    Done,
    /// An engine never wrote anything, which is a failed start.
    NotStarted,
    /// It was invalidated by a stall of this process.
    Disturbed(Duration),
}

/// The processors of a slot, and all allowed processors.
struct CpuBinding {
    bound: Vec<usize>,
    all: Vec<usize>,
    /// Entrants whose engines use more threads than planned and are not bound.
    free: Vec<usize>,
}

impl CpuBinding {
    /// Binds this thread; `None` if the system refuses.
    fn new(bound: Vec<usize>) -> Option<CpuBinding> {
        let all = own_processors().ok()?;
        bind_this_thread(&bound).ok()?;
        Some(CpuBinding { bound, all, free: Vec::new() })
    }

    fn of(&self, entrant: usize) -> &[usize] {
        if self.free.contains(&entrant) { &self.all } else { &self.bound }
    }
}

/// A running engine and its entrant.
struct RunningEngine {
    entrant: usize,
    engine: Box<dyn Engine>,
    process: ProcessIdentity,
}

/// Why an engine is not available.
enum NoEngine {
    Interrupted,
    System(String),
    Out,
}

/// A failed start attempt.
enum AttemptError {
    Stop(NoEngine),
    Fault(EngineFault),
}

/// Reports the end of the thread on drop, even after a panic.
struct WorkerEndedOnDrop {
    worker: usize,
    events: Sender<Event>,
}

impl Drop for WorkerEndedOnDrop {
    fn drop(&mut self) {
        let _ = self.events.send(Event::WorkerEnded { worker: self.worker });
    }
}

impl Slot {
    pub(super) fn new(
        worker: usize,
        terms: Arc<SlotConfig>,
        events: Sender<Event>,
        interrupt: Interrupt,
    ) -> Slot {
        Slot {
            worker,
            terms,
            events,
            interrupt,
            running: Vec::new(),
            disqualified: Vec::new(),
            binding: None,
            log: None,
            limit_methods: HashMap::new(),
            silent_starts: HashMap::new(),
        }
    }

    /// Plays until the queue is closed, bound to these processors if given.
    pub(super) fn run(mut self, queue: &Receiver<Work>, processors: Option<Vec<usize>>) {
        self.binding = processors.and_then(CpuBinding::new);
        let _end = WorkerEndedOnDrop { worker: self.worker, events: self.events.clone() };
        let mut last_end: Option<Instant> = None;
        while let Ok(work) = queue.recv() {
            for game in &work.games {
                if let Some(ended) = last_end {
                    self.sleep_until(ended + self.terms.wait);
                }
                self.play_game(game);
                last_end = Some(Instant::now());
            }
            self.send(Event::WorkDone { worker: self.worker, pair: work.pair });
        }
        let running = std::mem::take(&mut self.running);
        self.quit_engines(running);
    }

    /// Sleeps until `end` or the interrupt.
    fn sleep_until(&self, end: Instant) {
        while !self.interrupt.is_raised()
            && let left = end.saturating_duration_since(Instant::now())
            && !left.is_zero()
        {
            std::thread::sleep(left.min(SLEEP_SLICE));
        }
    }

    /// Sends an event; the coordinator outlives its slots.
    fn send(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Plays a game; replays it if this process stalled, since such a game never counts.
    fn play_game(&mut self, opened: &OpenedGame) {
        let game = opened.game;
        if let Err(words) = self.open_log(&game) {
            self.send(Event::GameAbandoned(game));
            return self.send(Event::SystemFailed { words });
        }
        let (mut attempt, mut is_first) = (0, true);
        while attempt < MAX_REPLAYS {
            let stall = match self.play_once(opened, std::mem::take(&mut is_first)) {
                Played::Done => return,
                // The engine is disqualified after some of them.
                Played::NotStarted => continue,
                Played::Disturbed(stall) => stall,
            };
            attempt += 1;
            let what = if attempt < MAX_REPLAYS { "is played again" } else { "is skipped" };
            let words = format!(
                "Warning: game {} {what}: the runner was suspended for {:.1} s (stopped, asleep, or without processor \
                 time) while an engine's clock ran",
                game.number + 1,
                stall.as_secs_f64()
            );
            self.send(Event::Notice { words });
        }
        self.send(Event::GameAbandoned(game));
    }

    /// Plays a game once.
    fn play_once(&mut self, opened: &OpenedGame, is_first: bool) -> Played {
        let OpenedGame { game, opening } = opened;
        let game = *game;
        let ready = [game.white, game.black].map(|entrant| self.prepare(entrant, opened));
        for no_engine in ready.into_iter().filter_map(Result::err) {
            if let NoEngine::System(words) = no_engine {
                self.send(Event::SystemFailed { words });
            }
            if !self.are_ready(&game) {
                self.send(Event::GameAbandoned(game));
                return Played::Done;
            }
        }
        if is_first {
            self.send(Event::GameStarted(game));
        }
        let terms = Arc::clone(&self.terms);
        let board = terms.observers.get(self.worker).map(|board| &**board);
        let observer = SlotObserver { game, board, events: self.events.clone() };
        let setup = GameSetup {
            game,
            opening,
            shares_opening: terms.shares_openings,
            variant: self.game_terms(opening, Pondering::Off).variant,
            flow: terms.flow,
            pv: terms.pv,
            check_mate_pvs: terms.check_mate_pvs,
            match_lines: &terms.match_lines,
            adjudication: terms.adjudication,
            tablebases: terms.tablebases.as_ref(),
            observer: &observer,
            interrupt: &self.interrupt,
        };
        let players = players(&mut self.running, &game, &terms);
        let mut played = Played::Done;
        match play(setup, players) {
            Ok(record) => match self.failed_start(&record) {
                Some(fault) => {
                    self.count_failed_start(fault);
                    played = Played::NotStarted;
                }
                None => {
                    self.silent_starts.retain(|entrant, _| ![game.white, game.black].contains(entrant));
                    self.send(Event::GameFinished(Box::new(record)));
                }
            },
            Err(Interrupted::Stopped) => self.send(Event::GameAbandoned(game)),
            Err(Interrupted::Stalled(stall)) => played = Played::Disturbed(stall),
            Err(Interrupted::System(words)) => {
                self.send(Event::GameAbandoned(game));
                self.send(Event::SystemFailed { words });
            }
        }
        self.quit_unfit_engines();
        played
    }

    /// A stall of an engine that has never written anything is a failed start: xboard's handshake needs no answer.
    fn failed_start(&self, record: &GameRecord) -> Option<EngineFault> {
        let fault = record.fault.as_ref().filter(|_| record.termination == Termination::Stall)?;
        let entrant = if fault.color == Color::White { record.game.white } else { record.game.black };
        let running = self.running.iter().find(|running| running.entrant == entrant)?;
        let words = format!("has written nothing since its start: it {}", fault.words);
        (!running.engine.process().has_written()).then(|| EngineFault {
            entrant,
            name: fault.name.clone(),
            words,
            transcript: fault.transcript.clone(),
        })
    }

    fn count_failed_start(&mut self, fault: EngineFault) {
        let (entrant, words) = (fault.entrant, fault.words.clone());
        self.send(Event::EngineFault(fault));
        let times = self.silent_starts.entry(entrant).or_default();
        *times += 1;
        if *times == MAX_STARTS {
            let disqualification = Disqualification::Starts { times: MAX_STARTS, words };
            self.send(Event::Disqualified { entrant, disqualification });
            self.disqualified.push(entrant);
        }
    }

    /// Opens the transcript of a game, if the plan asks for one.
    fn open_log(&mut self, game: &ScheduledGame) -> Result<(), String> {
        let Some(folder) = &self.terms.log else { return Ok(()) };
        if let Some(words) = self.log.as_ref().and_then(GameLog::failure) {
            return Err(words);
        }
        let log = GameLog::create(folder, game.number)?;
        for running in &mut self.running {
            let name = &self.terms.entrants[running.entrant].name;
            running.engine.set_transcript_sink(Some(log.sink(name)));
        }
        self.log = Some(log);
        Ok(())
    }

    fn are_ready(&self, game: &ScheduledGame) -> bool {
        [game.white, game.black]
            .iter()
            .all(|entrant| self.running.iter().any(|running| running.entrant == *entrant))
    }

    /// Quits engines that are closed, still searching, or to be restarted.
    fn quit_unfit_engines(&mut self) {
        let entrants = &self.terms.entrants;
        let unfit = |running: &mut RunningEngine| {
            running.engine.state() != State::Idle
                || !running.engine.is_reusable()
                || entrants[running.entrant].engine.restart == Restart::On
        };
        let unfit: Vec<_> = self.running.extract_if(.., unfit).collect();
        self.quit_engines(unfit);
        // What the others left behind is reaped when they end, which may be at the end of the run.
        reap_orphans();
    }

    /// Quits engines in parallel.
    fn quit_engines(&self, mut leaving: Vec<RunningEngine>) {
        leaving.iter_mut().for_each(|running| running.engine.send_quit());
        leaving.into_iter().for_each(|running| self.quit_engine(running));
    }

    fn quit_engine(&self, mut running: RunningEngine) {
        let was_idle = running.engine.state() == State::Idle;
        let farewell = running.engine.quit();
        let dropped = running.engine.process().dropped_bytes();
        // Dropping the engine ends its process group.
        drop(running.engine);
        self.send(Event::EngineExited { process: running.process });
        // Not a fault in a game, but reported to the engine's author.
        let warn = |words: String| self.send(Event::EngineWarning { entrant: running.entrant, words });
        if dropped > 0 {
            warn(format!(
                "wrote lines of more than {LINE_LIMIT} bytes: {dropped} bytes of them were dropped"
            ));
        }
        if self.interrupt.is_raised() {
            return;
        }
        match farewell {
            ExitOutcome::Quit(exit) if exit != Exit::Code(0) => {
                warn(format!("{exit} after quit"));
            }
            // An engine that still searches after a loss on time is not expected to quit.
            ExitOutcome::Terminated(_) | ExitOutcome::Killed if was_idle => {
                let entrant = &self.terms.entrants[running.entrant];
                let seconds = engine_timeouts(&self.terms.timeouts, entrant).quit.as_secs_f64();
                warn(format!(
                    "did not exit within {seconds} s of quit and was killed: what it wanted to save may be lost \
                     (--timeouts quit=SECONDS gives it more time)"
                ));
            }
            _ => {}
        }
    }

    /// Starts an entrant's engine if necessary and prepares it for a new game. Engines of other entrants are quit, to
    /// free the processor.
    fn prepare(&mut self, entrant: usize, opened: &OpenedGame) -> Result<(), NoEngine> {
        let OpenedGame { game, opening } = opened;
        let terms = self.game_terms(opening, self.terms.entrants[entrant].engine.ponder);
        let others: Vec<_> = self
            .running
            .extract_if(.., |running| running.entrant != game.white && running.entrant != game.black)
            .collect();
        self.quit_engines(others);
        if let Some(position) = self.running.iter().position(|running| running.entrant == entrant) {
            match self.begin_game(position, terms) {
                Ok(()) => return Ok(()),
                Err(AttemptError::Stop(stop)) => return Err(stop),
                Err(AttemptError::Fault(fault)) => self.send(Event::EngineFault(fault)),
            }
        }
        self.start_with_retries(entrant, terms)
    }

    fn start_with_retries(&mut self, entrant: usize, terms: GameOptions) -> Result<(), NoEngine> {
        if self.disqualified.contains(&entrant) {
            return Err(NoEngine::Out);
        }
        let begun = Instant::now();
        for (attempt, after) in (1..=MAX_STARTS).zip(0..) {
            self.sleep_until(begun + START_INTERVAL * after);
            let started = self.start(entrant).and_then(|running| {
                self.running.push(running);
                self.begin_game(self.running.len() - 1, terms)
            });
            match started {
                Ok(()) => return Ok(()),
                Err(AttemptError::Stop(stop)) => return Err(stop),
                Err(AttemptError::Fault(fault)) => {
                    let words = fault.words.clone();
                    // An option would be refused again.
                    let is_final = fault.name == BAD_OPTION || fault.name == Fault::NoNodeLimit.name();
                    let is_last = attempt == MAX_STARTS || is_final;
                    self.send(Event::EngineFault(fault));
                    if is_last {
                        let disqualification = Disqualification::Starts { times: attempt, words };
                        self.send(Event::Disqualified { entrant, disqualification });
                        break;
                    }
                }
            }
        }
        self.disqualified.push(entrant);
        Err(NoEngine::Out)
    }

    fn game_terms(&self, opening: &Opening, pondering: Pondering) -> GameOptions {
        let position = CastlingMode::of(&opening.position);
        GameOptions { variant: self.terms.variant.mode(position), pondering }
    }

    /// Starts a new game; an engine that fails is quit.
    fn begin_game(&mut self, position: usize, terms: GameOptions) -> Result<(), AttemptError> {
        let running = &mut self.running[position];
        match running.engine.new_game(terms, &mut WaitContext::interruptible(&self.interrupt)) {
            Ok(()) => Ok(()),
            Err(error) => {
                let running = self.running.remove(position);
                let failure = self.failure(error, running.entrant, transcript_of(&*running.engine));
                self.quit_engine(running);
                Err(failure)
            }
        }
    }

    fn start(&mut self, entrant: usize) -> Result<RunningEngine, AttemptError> {
        let terms = Arc::clone(&self.terms);
        let plan = &terms.entrants[entrant];
        let running = self.start_once(entrant, plan)?;
        match &mut self.binding {
            // Its default number of threads exceeds the game's processors.
            Some(binding)
                if !binding.free.contains(&entrant)
                    && declares_more_threads(plan, running.engine.options()) =>
            {
                binding.free.push(entrant);
                self.quit_engine(running);
                self.start_once(entrant, plan)
            }
            _ => Ok(running),
        }
    }

    fn start_once(&mut self, entrant: usize, plan: &Entrant) -> Result<RunningEngine, AttemptError> {
        let mut command = engine_command(plan, &self.terms.own_program);
        command.reaper = self.terms.reaper.clone();
        if let Some(binding) = &self.binding {
            command = command.affinity(binding.of(entrant).iter().copied());
        }
        let sink = self.log.as_ref().map(|log| log.sink(&plan.name));
        let context = &mut WaitContext::interruptible(&self.interrupt);
        let timeouts = engine_timeouts(&self.terms.timeouts, plan);
        let started = smalt_driver::start(&command, plan.engine.proto, timeouts, sink, context);
        let mut engine = started.map_err(|StartFailure { error, transcript }| {
            self.failure(error, entrant, transcript.iter().map(ToString::to_string).collect())
        })?;
        if let Some(Err(words)) = self.terms.binaries.as_ref().map(|binaries| binaries.check(entrant)) {
            engine.quit();
            return Err(AttemptError::Stop(NoEngine::System(words)));
        }
        let process = engine.process().identity();
        let known = self.limit_methods.get(&entrant).copied();
        let set_up = self.set_up(&mut *engine, entrant, plan).and_then(|()| {
            let mut context = WaitContext::interruptible(&self.interrupt);
            Ok(engine.fit_limits(&plan.clock.kind_of_limits(), known, &mut context)?)
        });
        match set_up {
            Ok(method) => {
                self.limit_methods.insert(entrant, method);
                if known.is_none() && method != LimitMethod::Protocol && !engine.is_reusable() {
                    engine.quit();
                    return self.start_once(entrant, plan);
                }
                if let Some(words) = limit_words(method, plan.clock.nodes.is_some()) {
                    self.send(Event::EngineWarning { entrant, words: words.to_owned() });
                }
                let (name, author) = (engine.name().to_owned(), engine.author().to_owned());
                let options = engine.options().to_vec();
                self.send(Event::EngineStarted { entrant, process, name, author, options });
                Ok(RunningEngine { entrant, engine, process })
            }
            Err(SetOptionError::Conversation(error)) => {
                Err(self.failure(error, entrant, transcript_of(&*engine)))
            }
            Err(error) => {
                let words = format!("cannot be set up: failed to {error}");
                let transcript = transcript_of(&*engine);
                engine.quit();
                Err(AttemptError::Fault(EngineFault {
                    entrant,
                    name: BAD_OPTION.to_owned(),
                    words,
                    transcript,
                }))
            }
        }
    }

    fn set_up(&self, engine: &mut dyn Engine, entrant: usize, plan: &Entrant) -> Result<(), SetOptionError> {
        let mut context = WaitContext::interruptible(&self.interrupt);
        if plan.engine.debug {
            engine.set_debug(&mut context)?;
        }
        for (name, text) in &plan.engine.options {
            match (engine.set_option(name, text, &mut context), self.terms.bad_options) {
                (Ok(_), _) => {}
                (
                    Err(error @ (SetOptionError::Unknown { .. } | SetOptionError::Value(_))),
                    BadOptions::Warn,
                ) => {
                    let value = matches!(error, SetOptionError::Value(_)).then(|| text.0.clone());
                    let words = format!("plays without option {name}: failed to {error}");
                    let rejected = RejectedOption { name: name.clone(), value, words };
                    self.send(Event::OptionRejected { entrant, rejected });
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(())
    }

    fn failure(&self, error: ConversationError, entrant: usize, transcript: Vec<String>) -> AttemptError {
        match error {
            ConversationError::Fault(fault) if is_part_of_stop(&fault, &self.interrupt) => {
                AttemptError::Stop(NoEngine::Interrupted)
            }
            ConversationError::Fault(fault) => AttemptError::Fault(EngineFault {
                entrant,
                name: fault.name().to_owned(),
                words: fault.to_string(),
                transcript,
            }),
            ConversationError::Interrupted => AttemptError::Stop(NoEngine::Interrupted),
            error @ ConversationError::System { .. } => {
                AttemptError::Stop(NoEngine::System(error.to_string()))
            }
        }
    }
}

/// The two engines of a game, White's first.
fn players<'a>(
    running: &'a mut [RunningEngine],
    game: &ScheduledGame,
    terms: &'a SlotConfig,
) -> [Player<'a>; 2] {
    let mut players: [Option<Player<'a>>; 2] = [None, None];
    for running in running {
        let color = if running.entrant == game.white { Color::White } else { Color::Black };
        let entrant = &terms.entrants[running.entrant];
        players[color.index()] = Some(Player {
            engine: &mut *running.engine,
            clock: &entrant.clock,
            pondering: entrant.engine.ponder,
            scores: entrant.scores(),
            trust: entrant.engine.trust,
            book: terms.books.get(running.entrant).and_then(Option::as_ref),
        });
    }
    players.map(|player| player.expect("both engines were prepared, and no other runs"))
}
