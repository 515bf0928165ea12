//! A slot: one thread that plays games one after the other and owns the engines that play them. It decides nothing
//! about the run; what happens goes to the coordinator.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use smalt_chess::{CastlingMode, Color};
use smalt_driver::Restart;
use smalt_driver::process::{
    Exit, Guard, Interrupt, LINE_LIMIT, ProcessIdentity, StderrPolicy, bind_this_thread, own_processors,
};
use smalt_driver::{
    ConversationError, Engine, EngineCommand, Farewell, Fault, GameTerms, LimitMethod, Meanwhile, Patience,
    Pondering, SetOptionError, StartFailure, State,
};

use super::binaries::Binaries;
use super::event::{Event, Strike};
use super::log::GameLog;
use super::observer::SlotObserver;
use super::queue::{OpenedGame, Work};
use crate::game::play::transcript_of;
use crate::game::{Contest, EngineFault, GameObserver, Interrupted, Seat, Tablebases, play};
use crate::opening::Opening;
use crate::plan::{
    AdjudicationRules, BadOptions, Entrant, Plan, Program, PvRecord, TimeFlow, Timeouts, Variant,
    declares_more_threads,
};
use crate::schedule::ScheduledGame;

/// An engine that fails to start so many times running is out.
pub const STARTS: usize = 3;

/// From the beginning of one attempt to that of the next: a program that is being rebuilt is not there for some seconds.
const BETWEEN_STARTS: Duration = Duration::from_millis(2500);

/// Attempts after which a disturbed game is left out.
const MOST_REPLAYS: u32 = 5;

/// The name of the fault of an engine that has no such option as its entrant's, or not of that value.
const BAD_OPTION: &str = "bad-option";

/// What users should know of an engine that is not held to its limits by the words of its protocol.
fn limit_words(method: LimitMethod, has_nodes: bool) -> Option<&'static str> {
    match method {
        LimitMethod::MoveNow if has_nodes => Some(
            "speaks xboard's protocol, which has no limit of nodes: `?` is sent as soon as its lines show that many",
        ),
        LimitMethod::OneMoveClock => Some(
            "is given a clock for each move (`level 1`), since xboard's protocol has whole seconds alone and it does not move \
             on `?`: it may use less than its time",
        ),
        LimitMethod::NodeRate | LimitMethod::Protocol | LimitMethod::MoveNow => None,
    }
}

/// How long a pause between games takes no notice of an interrupt.
const NAP: Duration = Duration::from_millis(50);

/// What all slots of a run have in common.
#[derive(Debug)]
pub struct Terms {
    /// Who plays.
    pub entrants: Vec<Entrant>,
    /// Which chess is played.
    pub variant: Variant,
    /// Where the time goes that a side uses.
    pub flow: TimeFlow,
    /// Whether principal variations are kept.
    pub pv: PvRecord,
    /// When they end early.
    pub adjudication: AdjudicationRules,
    /// The endgame tables that end them, too.
    pub tablebases: Option<Tablebases>,
    /// How long engines may take for what is not a move.
    pub timeouts: Timeouts,
    /// What happens where an engine has no such option as its entrant's.
    pub bad_options: BadOptions,
    /// From the end of a game to the start of the next one.
    pub wait: Duration,
    /// This program, which is the built-in engine, too.
    pub own_program: PathBuf,
    /// Observers of the games, one a slot; empty if nobody observes them.
    pub observers: Vec<Arc<dyn GameObserver>>,
    /// The folder of full transcripts, if they are kept.
    pub log: Option<PathBuf>,
    /// Who ends the engines when this program is killed.
    pub guard: Option<Guard>,
    /// The programs that the engines must have; none where they may change.
    pub binaries: Option<Binaries>,
}

impl Terms {
    /// Those of a plan, with clocks scaled to a machine of so many nodes a second.
    pub fn of(
        plan: &Plan,
        measured: Option<NonZeroU64>,
        tablebases: Option<Tablebases>,
        own_program: &Path,
        guard: Option<Guard>,
    ) -> Terms {
        let scaled = |entrant: &Entrant| Entrant { clock: entrant.clock.scaled(measured), ..entrant.clone() };
        Terms {
            entrants: plan.entrants.iter().map(scaled).collect(),
            variant: plan.settings.run.variant,
            flow: plan.flow(),
            pv: plan.settings.output.writing().pv_record(),
            adjudication: plan.settings.adjudication.rules(),
            tablebases,
            timeouts: plan.settings.timeouts,
            bad_options: plan.settings.run.bad_options,
            wait: Duration::from_millis(plan.settings.run.wait),
            own_program: own_program.to_owned(),
            observers: Vec::new(),
            log: plan.settings.output.log.clone(),
            guard,
            binaries: None,
        }
    }
}

/// The state of one slot.
pub struct Slot {
    worker: usize,
    terms: Arc<Terms>,
    events: Sender<Event>,
    interrupt: Interrupt,
    running: Vec<Running>,
    out: Vec<usize>,
    binding: Option<Binding>,
    log: Option<GameLog>,
    /// How engines are held to their limits, by entrant: it is found out once.
    limit_methods: HashMap<usize, LimitMethod>,
}

/// The processors that a slot is bound to, and those that it could use.
struct Binding {
    bound: Vec<usize>,
    all: Vec<usize>,
    /// Entrants whose engines turned out to use more threads than the plan knew.
    free: Vec<usize>,
}

impl Binding {
    /// Binds this thread; nobody is bound where the system refuses.
    fn new(bound: Vec<usize>) -> Option<Binding> {
        let all = own_processors().ok()?;
        bind_this_thread(&bound).ok()?;
        Some(Binding { bound, all, free: Vec::new() })
    }

    fn of(&self, entrant: usize) -> &[usize] {
        if self.free.contains(&entrant) { &self.all } else { &self.bound }
    }
}

/// A running engine and whose it is.
struct Running {
    entrant: usize,
    engine: Box<dyn Engine>,
    process: ProcessIdentity,
}

/// Why there is no engine.
enum NoEngine {
    Interrupted,
    System(String),
    Out,
}

/// One failed attempt.
enum Failure {
    Stop(NoEngine),
    Fault(EngineFault),
}

/// Tells the coordinator that the thread is over, however it ended.
struct EndOfThread {
    worker: usize,
    events: Sender<Event>,
}

impl Drop for EndOfThread {
    fn drop(&mut self) {
        let _ = self.events.send(Event::WorkerEnded { worker: self.worker });
    }
}

impl Slot {
    /// A slot that has not begun.
    pub fn new(worker: usize, terms: Arc<Terms>, events: Sender<Event>, interrupt: Interrupt) -> Slot {
        Slot {
            worker,
            terms,
            events,
            interrupt,
            running: Vec::new(),
            out: Vec::new(),
            binding: None,
            log: None,
            limit_methods: HashMap::new(),
        }
    }

    /// Plays until no work can come any more, bound to these processors if some are given.
    pub fn run(mut self, queue: &Receiver<Work>, processors: Option<Vec<usize>>) {
        self.binding = processors.and_then(Binding::new);
        let _end = EndOfThread { worker: self.worker, events: self.events.clone() };
        let mut last_end: Option<Instant> = None;
        while let Ok(work) = queue.recv() {
            for game in &work.games {
                if let Some(ended) = last_end {
                    self.rest_until(ended + self.terms.wait);
                }
                self.play_game(game);
                last_end = Some(Instant::now());
            }
            self.tell(Event::WorkDone { worker: self.worker, pair: work.pair });
        }
        let running = std::mem::take(&mut self.running);
        self.dismiss_all(running);
    }

    /// Waits, unless all is to end.
    fn rest_until(&self, end: Instant) {
        while !self.interrupt.is_raised()
            && let left = end.saturating_duration_since(Instant::now())
            && !left.is_zero()
        {
            std::thread::sleep(left.min(NAP));
        }
    }

    /// The coordinator outlives its slots; should it be gone, nobody wants to know.
    fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Plays a game, and plays it again where this program itself disturbed it: such a game never counts.
    fn play_game(&mut self, opened: &OpenedGame) {
        let game = opened.game;
        if let Err(words) = self.open_log(&game) {
            self.tell(Event::GameAbandoned(game));
            return self.tell(Event::SystemFailed { words });
        }
        for attempt in 1..=MOST_REPLAYS {
            let Some(stall) = self.play_once(opened, attempt) else { return };
            let what = if attempt < MOST_REPLAYS { "is played again" } else { "is left out" };
            let words = format!(
                "Warning: game {} {what}: this program stood still for {:.1} s (stopped, suspended, or without processor \
                 time) while an engine's clock ran",
                game.number + 1,
                stall.as_secs_f64()
            );
            self.tell(Event::Notice { words });
        }
        self.tell(Event::GameAbandoned(game));
    }

    /// Plays a game; for how long this program stood still, if that spoiled it.
    fn play_once(&mut self, opened: &OpenedGame, attempt: u32) -> Option<Duration> {
        let OpenedGame { game, opening } = opened;
        let game = *game;
        let ready = [game.white, game.black].map(|entrant| self.prepare(entrant, opened));
        for no_engine in ready.into_iter().filter_map(Result::err) {
            if let NoEngine::System(words) = no_engine {
                self.tell(Event::SystemFailed { words });
            }
            if !self.are_ready(&game) {
                self.tell(Event::GameAbandoned(game));
                return None;
            }
        }
        if attempt == 1 {
            self.tell(Event::GameStarted(game));
        }
        let terms = Arc::clone(&self.terms);
        let board = terms.observers.get(self.worker).map(|board| &**board);
        let observer = SlotObserver { game, board, events: self.events.clone() };
        let contest = Contest {
            game,
            opening,
            variant: self.game_terms(opening, Pondering::Off).variant,
            flow: terms.flow,
            pv: terms.pv,
            adjudication: terms.adjudication,
            tablebases: terms.tablebases.as_ref(),
            observer: &observer,
            interrupt: &self.interrupt,
        };
        let seats = seats(&mut self.running, &game, &terms.entrants);
        let mut spoiled = None;
        match play(contest, seats) {
            Ok(record) => self.tell(Event::GameFinished(Box::new(record))),
            Err(Interrupted::Asked) => self.tell(Event::GameAbandoned(game)),
            Err(Interrupted::Stalled(stall)) => spoiled = Some(stall),
            Err(Interrupted::System(words)) => {
                self.tell(Event::GameAbandoned(game));
                self.tell(Event::SystemFailed { words });
            }
        }
        self.tidy_up();
        spoiled
    }

    /// Every line is kept from here on, where the plan wants it.
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

    /// Ends what must not play on: engines that are closed, that still think, or that are to be started anew.
    fn tidy_up(&mut self) {
        let entrants = &self.terms.entrants;
        let unfit = |running: &mut Running| {
            running.engine.state() != State::Idle
                || !running.engine.is_reusable()
                || entrants[running.entrant].engine.restart == Restart::On
        };
        let unfit: Vec<_> = self.running.extract_if(.., unfit).collect();
        self.dismiss_all(unfit);
    }

    /// Engines that leave at the same time do not wait for each other.
    fn dismiss_all(&self, mut leaving: Vec<Running>) {
        leaving.iter_mut().for_each(|running| running.engine.ask_to_quit());
        leaving.into_iter().for_each(|running| self.dismiss(running));
    }

    fn dismiss(&self, mut running: Running) {
        let was_idle = running.engine.state() == State::Idle;
        let farewell = running.engine.quit();
        let dropped = running.engine.process().dropped_bytes();
        // The group goes with it.
        drop(running.engine);
        self.tell(Event::EngineGone { process: running.process });
        // No faults of any game, but its author should know.
        let warn = |words: String| self.tell(Event::EngineWarning { entrant: running.entrant, words });
        if dropped > 0 {
            warn(format!(
                "wrote lines of more than {LINE_LIMIT} bytes: {dropped} bytes of them were dropped"
            ));
        }
        if self.interrupt.is_raised() {
            return;
        }
        match farewell {
            Farewell::Quit(exit) if exit != Exit::Code(0) => {
                warn(format!("{exit} when it was told to quit"));
            }
            // One that was out of time and thinks on was not expected to leave.
            Farewell::Terminated(_) | Farewell::Killed if was_idle => {
                let patience = self.terms.timeouts.quit.duration().as_secs_f64();
                warn(format!(
                    "did not leave within {patience} s of `quit` and was killed: what it wanted to save may be lost \
                     (--timeouts quit=SECONDS gives it more time)"
                ));
            }
            _ => {}
        }
    }

    /// Makes sure that an entrant's engine runs and is ready for a new game. Engines that do not play in this game
    /// are dismissed, so that nobody else uses the processor.
    fn prepare(&mut self, entrant: usize, opened: &OpenedGame) -> Result<(), NoEngine> {
        let OpenedGame { game, opening } = opened;
        let terms = self.game_terms(opening, self.terms.entrants[entrant].engine.ponder);
        let others: Vec<_> = self
            .running
            .extract_if(.., |running| running.entrant != game.white && running.entrant != game.black)
            .collect();
        self.dismiss_all(others);
        if let Some(position) = self.running.iter().position(|running| running.entrant == entrant) {
            match self.begin_game(position, terms) {
                Ok(()) => return Ok(()),
                Err(Failure::Stop(stop)) => return Err(stop),
                Err(Failure::Fault(fault)) => self.tell(Event::EngineFault(fault)),
            }
        }
        self.start_and_try_again(entrant, terms)
    }

    fn start_and_try_again(&mut self, entrant: usize, terms: GameTerms) -> Result<(), NoEngine> {
        if self.out.contains(&entrant) {
            return Err(NoEngine::Out);
        }
        let begun = Instant::now();
        for (attempt, after) in (1..=STARTS).zip(0..) {
            self.rest_until(begun + BETWEEN_STARTS * after);
            let started = self.start(entrant).and_then(|running| {
                self.running.push(running);
                self.begin_game(self.running.len() - 1, terms)
            });
            match started {
                Ok(()) => return Ok(()),
                Err(Failure::Stop(stop)) => return Err(stop),
                Err(Failure::Fault(fault)) => {
                    let words = fault.words.clone();
                    // What it refuses it would refuse again.
                    let is_final = fault.name == BAD_OPTION || fault.name == Fault::NoNodeLimit.name();
                    let is_last = attempt == STARTS || is_final;
                    self.tell(Event::EngineFault(fault));
                    if is_last {
                        let strike = Strike::Starts { times: attempt, words };
                        self.tell(Event::EntrantOut { entrant, strike });
                        break;
                    }
                }
            }
        }
        self.out.push(entrant);
        Err(NoEngine::Out)
    }

    fn game_terms(&self, opening: &Opening, pondering: Pondering) -> GameTerms {
        let position = CastlingMode::of(&opening.position);
        GameTerms { variant: self.terms.variant.mode(position), pondering }
    }

    /// Says that a new game begins; an engine that fails at it is dismissed.
    fn begin_game(&mut self, position: usize, terms: GameTerms) -> Result<(), Failure> {
        let running = &mut self.running[position];
        match running.engine.new_game(terms, &mut Meanwhile::interruptible(&self.interrupt)) {
            Ok(()) => Ok(()),
            Err(error) => {
                let running = self.running.remove(position);
                let failure = failure(error, running.entrant, transcript_of(&*running.engine));
                self.dismiss(running);
                Err(failure)
            }
        }
    }

    fn start(&mut self, entrant: usize) -> Result<Running, Failure> {
        let terms = Arc::clone(&self.terms);
        let plan = &terms.entrants[entrant];
        let running = self.start_once(entrant, plan)?;
        match &mut self.binding {
            // By its own default it uses more threads than the game has processors.
            Some(binding)
                if !binding.free.contains(&entrant)
                    && declares_more_threads(plan, running.engine.options()) =>
            {
                binding.free.push(entrant);
                self.dismiss(running);
                self.start_once(entrant, plan)
            }
            _ => Ok(running),
        }
    }

    fn start_once(&mut self, entrant: usize, plan: &Entrant) -> Result<Running, Failure> {
        let mut command = command(plan, &self.terms.own_program);
        command.guard = self.terms.guard.clone();
        if let Some(binding) = &self.binding {
            command = command.affinity(binding.of(entrant).iter().copied());
        }
        let sink = self.log.as_ref().map(|log| log.sink(&plan.name));
        let meanwhile = &mut Meanwhile::interruptible(&self.interrupt);
        let patience = patience(&self.terms.timeouts);
        let started = smalt_driver::start(&command, plan.engine.proto, patience, sink, meanwhile);
        let mut engine = started.map_err(|StartFailure { error, transcript }| {
            failure(error, entrant, transcript.iter().map(ToString::to_string).collect())
        })?;
        if let Some(Err(words)) = self.terms.binaries.as_ref().map(|binaries| binaries.check(entrant)) {
            engine.quit();
            return Err(Failure::Stop(NoEngine::System(words)));
        }
        let process = engine.process().identity();
        let known = self.limit_methods.get(&entrant).copied();
        let set_up = self.set_up(&mut *engine, entrant, plan).and_then(|()| {
            let mut meanwhile = Meanwhile::interruptible(&self.interrupt);
            Ok(engine.fit_limits(&plan.clock.kind_of_limits(), known, &mut meanwhile)?)
        });
        match set_up {
            Ok(method) => {
                self.limit_methods.insert(entrant, method);
                if known.is_none() && method != LimitMethod::Protocol && !engine.is_reusable() {
                    engine.quit();
                    return self.start_once(entrant, plan);
                }
                if let Some(words) = limit_words(method, plan.clock.nodes.is_some()) {
                    self.tell(Event::EngineWarning { entrant, words: words.to_owned() });
                }
                let (name, author) = (engine.name().to_owned(), engine.author().to_owned());
                self.tell(Event::EngineStarted { entrant, process, name, author });
                Ok(Running { entrant, engine, process })
            }
            Err(SetOptionError::Conversation(error)) => Err(failure(error, entrant, transcript_of(&*engine))),
            Err(error) => {
                let words = format!("cannot be set up: failed to {error}");
                let transcript = transcript_of(&*engine);
                engine.quit();
                Err(Failure::Fault(EngineFault { entrant, name: BAD_OPTION.to_owned(), words, transcript }))
            }
        }
    }

    fn set_up(&self, engine: &mut dyn Engine, entrant: usize, plan: &Entrant) -> Result<(), SetOptionError> {
        let mut meanwhile = Meanwhile::interruptible(&self.interrupt);
        for (name, text) in &plan.engine.options {
            match (engine.set_option(name, text, &mut meanwhile), self.terms.bad_options) {
                (Ok(_), _) => {}
                (
                    Err(error @ (SetOptionError::Unknown { .. } | SetOptionError::Value(_))),
                    BadOptions::Warn,
                ) => {
                    let words = format!("plays without option {name}: failed to {error}");
                    self.tell(Event::EngineWarning { entrant, words });
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(())
    }
}

/// How long an engine may take for what is not a move.
pub fn patience(timeouts: &Timeouts) -> Patience {
    Patience {
        start: timeouts.start.duration(),
        ready: timeouts.ping.duration(),
        stop: timeouts.stop.duration(),
        write: timeouts.write.duration(),
        quit: timeouts.quit.duration(),
    }
}

/// How an entrant's engine is started; the built-in one is this program itself.
pub fn command(entrant: &Entrant, own_program: &Path) -> EngineCommand {
    let command = match &entrant.program {
        Program::Builtin => EngineCommand::new(own_program).argument("engine"),
        Program::Command(path) => EngineCommand::new(path),
    };
    let command = command.arguments(&entrant.engine.args);
    let command = match &entrant.engine.stderr {
        Some(file) => command.stderr(StderrPolicy::File(file.clone())),
        None => command,
    };
    match &entrant.engine.dir {
        Some(directory) => command.directory(directory),
        None => command,
    }
}

fn failure(error: ConversationError, entrant: usize, transcript: Vec<String>) -> Failure {
    match error {
        ConversationError::Fault(fault) => Failure::Fault(EngineFault {
            entrant,
            name: fault.name().to_owned(),
            words: fault.to_string(),
            transcript,
        }),
        ConversationError::Interrupted => Failure::Stop(NoEngine::Interrupted),
        error @ ConversationError::System { .. } => Failure::Stop(NoEngine::System(error.to_string())),
    }
}

/// The two engines of a game, White's first.
fn seats<'a>(running: &'a mut [Running], game: &ScheduledGame, entrants: &'a [Entrant]) -> [Seat<'a>; 2] {
    let mut seats: [Option<Seat<'a>>; 2] = [None, None];
    for running in running {
        let color = if running.entrant == game.white { Color::White } else { Color::Black };
        let entrant = &entrants[running.entrant];
        let engine = &mut *running.engine;
        let (pondering, scores) = (entrant.engine.ponder, entrant.scores());
        seats[color.index()] = Some(Seat { engine, clock: &entrant.clock, pondering, scores });
    }
    seats.map(|seat| seat.expect("both engines were prepared, and no other runs"))
}
