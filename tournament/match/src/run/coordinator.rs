//! The coordinator owns the state of a run: finished games, games in progress, disqualified entrants, the end. It
//! handles events one at a time and stores each game before reporting it. Once the run stops, every wait has a
//! deadline.

use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use smalt_chess::{Color, Outcome};
use smalt_driver::process::ProcessIdentity;
use smalt_stats::Verdict;

pub use handover::UnbuiltEntrant;

use super::done::DoneGames;
use super::event::{Disqualification, Event, RunEvent, RunObserver, StopReason};
use super::queue::{OpenedGame, Queue, Work};
use crate::game::{EngineFault, GameRecord, TerminationKind};
use crate::game_file::GameFiles;
use crate::plan::{OnFault, Plan};
use crate::schedule::{ScheduledGame, Selection};
use crate::setup::Prepared;
use crate::standings::Standings;
use crate::store::{SaveOutcome, Store, StoreError};

mod commands;
mod game_files;
mod handover;

/// Time for workers to end after their engines' quit timeout.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// Time for workers to end after their engines were killed.
const KILL_GRACE: Duration = Duration::from_millis(300);

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// All games were played.
    Complete,
    /// The sequential test is decided.
    Decided,
    /// Games of disqualified entrants were skipped.
    Incomplete {
        games: u32,
        /// Disqualified entrants by index, with reasons.
        disqualified: BTreeMap<usize, Disqualification>,
    },
    /// Games of a knockout, a Swiss tournament or an open race were lost as walkovers by disqualified entrants.
    Walkovers {
        games: u32,
        /// Disqualified entrants by index, with reasons.
        disqualified: BTreeMap<usize, Disqualification>,
    },
    /// The user stopped it.
    Interrupted,
    /// Stopped by an engine's fault, as the plan requires.
    Stopped(String),
}

/// How a coordinator ended.
#[derive(Debug)]
pub enum RunEnd {
    /// The run has ended.
    Ended(Box<Standings>, RunOutcome),
    /// The user enlarged the run: another coordinator continues with this store and its plan.
    Grown(Box<Store>, SessionState),
    /// The games of a commit of a bisection are due, and it is not built: another coordinator continues with this store.
    Unbuilt(Box<Store>, SessionState, UnbuiltEntrant),
}

/// State that passes to the next coordinator when the run grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionState {
    is_paused: bool,
    concurrency: Option<usize>,
    faults: Vec<u32>,
    disqualified: BTreeMap<usize, Disqualification>,
}

impl RunOutcome {
    /// Whether no games are left.
    pub fn is_final(&self) -> bool {
        matches!(self, RunOutcome::Complete | RunOutcome::Decided | RunOutcome::Walkovers { .. })
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("store the results: failed to {0}")]
    Store(#[from] StoreError),
    /// A game file failed.
    #[error("write {0}")]
    Pgn(#[from] std::io::Error),
    #[error("play: {0}")]
    System(String),
}

/// The state of a run.
pub struct Coordinator<'a> {
    prepared: &'a Prepared,
    store: Store,
    queue: &'a mut dyn Queue,
    observer: &'a mut dyn RunObserver,
    standings: Standings,
    games: GameFiles,
    done: DoneGames,
    next_pair: u32,
    faults: Vec<u32>,
    disqualified: BTreeMap<usize, Disqualification>,
    warned: HashSet<(usize, String)>,
    /// Whether the user was warned of repeated openings.
    has_warned_of_repeats: bool,
    walkovers: u32,
    playing: u32,
    /// Whether the user paused the run.
    is_paused: bool,
    /// Maximum number of concurrent pairs, if set by the user.
    concurrency: Option<usize>,
    /// The stored plan, once the user enlarged the run.
    grown: Option<Plan>,
    /// The commit that must be built before games continue.
    unbuilt: Option<UnbuiltEntrant>,
    /// Whether it continues the session of the previous coordinator.
    goes_on: bool,
    processes: HashSet<ProcessIdentity>,
    stop: Option<StopReason>,
    shutdown: Shutdown,
    closed: bool,
}

/// Progress of the workers' shutdown.
#[derive(Clone, Copy, Debug)]
enum Shutdown {
    NotYet,
    /// Workers have until this time; then engines are killed.
    Until(Instant),
    /// Engines were killed; the wait ends at this time.
    AtLast(Instant),
}

impl<'a> Coordinator<'a> {
    /// A coordinator for a store, which may have games already.
    ///
    /// # Errors
    /// If the store cannot be read, or the games cannot be written.
    pub fn new(
        prepared: &'a Prepared,
        store: Store,
        queue: &'a mut dyn Queue,
        observer: &'a mut dyn RunObserver,
        mut games: GameFiles,
    ) -> Result<Coordinator<'a>, RunError> {
        let mut standings = Standings::new(prepared);
        let mut done = DoneGames::with_room(prepared.schedule.games());
        let mut written = Ok(());
        store.for_each_game(|record| {
            standings.add(&record);
            done.insert(record.game.number);
            if written.is_ok() {
                written = games.put(&record);
            }
        })?;
        written?;
        Ok(Coordinator {
            prepared,
            store,
            queue,
            observer,
            standings,
            games,
            done,
            next_pair: 0,
            faults: vec![0; prepared.plan.entrants.len()],
            disqualified: BTreeMap::new(),
            warned: HashSet::new(),
            has_warned_of_repeats: false,
            walkovers: 0,
            playing: 0,
            is_paused: false,
            concurrency: None,
            grown: None,
            unbuilt: None,
            goes_on: false,
            processes: HashSet::new(),
            stop: None,
            shutdown: Shutdown::NotYet,
            closed: false,
        })
    }

    /// Runs until the run ends or grows; all workers have ended then.
    ///
    /// # Errors
    /// If the system or the disk failed; stored games are kept.
    pub fn run(mut self, events: &Receiver<Event>) -> Result<RunEnd, RunError> {
        if !self.goes_on {
            self.store.begin_session(self.queue.slots())?;
        }
        self.standings.add_between_games(&self.store)?;
        self.notify(&RunEvent::Begun);
        self.check_test();
        let mut failure = None;
        loop {
            if let Err(error) = self.submit_work() {
                self.stop(StopReason::Failed(error.to_string()));
                failure = failure.or(Some(error));
            }
            if self.queue.workers() == 0 {
                break;
            }
            match self.next_event(events) {
                Some(event) => {
                    if let Err(error) = self.handle(event) {
                        self.stop(StopReason::Failed(error.to_string()));
                        failure = failure.or(Some(error));
                    }
                }
                None if self.kill_engines() => {}
                None => break,
            }
        }
        self.kill_remaining();
        self.games.finish()?;
        self.restore_games()?;
        if self.is_handed_over() && self.stop.is_none() {
            return Ok(self.hand_over());
        }
        self.notify(&RunEvent::Ended);
        self.store.end_session()?;
        match (failure, &self.stop) {
            (Some(error), _) => Err(error),
            (None, Some(StopReason::Failed(words))) => Err(RunError::System(words.clone())),
            _ => {
                let conclusion = self.conclusion();
                self.store.close();
                Ok(RunEnd::Ended(Box::new(self.standings), conclusion))
            }
        }
    }

    fn conclusion(&self) -> RunOutcome {
        let missing = self.standings.schedule().games().saturating_sub(self.done.count());
        match &self.stop {
            Some(StopReason::Decided) => RunOutcome::Decided,
            Some(StopReason::Fault(words)) => RunOutcome::Stopped(words.clone()),
            Some(_) if self.grown.is_some() => RunOutcome::Interrupted,
            _ if missing == 0 && self.walkovers > 0 => {
                RunOutcome::Walkovers { games: self.walkovers, disqualified: self.disqualified.clone() }
            }
            _ if missing == 0 => RunOutcome::Complete,
            Some(_) => RunOutcome::Interrupted,
            None => RunOutcome::Incomplete { games: missing, disqualified: self.disqualified.clone() },
        }
    }

    fn notify(&mut self, event: &RunEvent<'_>) {
        self.observer.on_event(event, &self.standings);
    }

    /// Waits for the next event; `None` if the shutdown deadline passes.
    fn next_event(&self, events: &Receiver<Event>) -> Option<Event> {
        match self.shutdown {
            Shutdown::NotYet => events.recv().ok(),
            Shutdown::Until(end) | Shutdown::AtLast(end) => {
                events.recv_timeout(end.saturating_duration_since(Instant::now())).ok()
            }
        }
    }

    /// Kills engines at the deadline, so that the workers return. Returns whether there is time left to wait.
    fn kill_engines(&mut self) -> bool {
        match self.shutdown {
            Shutdown::Until(_) => {
                self.kill_remaining();
                self.shutdown = Shutdown::AtLast(Instant::now() + KILL_GRACE);
                true
            }
            Shutdown::NotYet | Shutdown::AtLast(_) => false,
        }
    }

    /// Whether this program killed the engines, so that their behavior is no fault.
    fn has_killed(&self) -> bool {
        matches!(self.shutdown, Shutdown::AtLast(_))
    }

    /// Sets the shutdown deadline, unless an earlier one is set.
    fn set_shutdown_deadline(&mut self, time: Duration) {
        let end = Instant::now() + time;
        self.shutdown = match self.shutdown {
            Shutdown::NotYet => Shutdown::Until(end),
            Shutdown::Until(earlier) => Shutdown::Until(earlier.min(end)),
            at_last @ Shutdown::AtLast(_) => at_last,
        };
    }

    /// Submits work while the queue has capacity; closes the queue when no work is left.
    fn submit_work(&mut self) -> Result<(), RunError> {
        if self.closed {
            return Ok(());
        }
        while self.stop.is_none() && self.may_start() && self.queue.capacity() > 0 {
            let Some(work) = self.next_work()? else { break };
            self.playing += 1;
            self.queue.submit(work);
        }
        let may_end = self.stop.is_some()
            || self.is_handed_over()
            || self.next_pair >= self.standings.schedule().pairs();
        let nothing_left = self.playing == 0 && may_end;
        if nothing_left {
            self.close();
        }
        Ok(())
    }

    fn close(&mut self) {
        self.closed = true;
        self.set_shutdown_deadline(self.prepared.plan.settings.timeouts.quit.duration() + EXIT_GRACE);
        self.queue.close();
    }

    /// The next pair with unplayed games; those of disqualified entrants are skipped or lost.
    fn next_work(&mut self) -> Result<Option<Work>, RunError> {
        while let Some(pair) = self.standings.schedule().pair_in_turn(self.next_pair) {
            self.next_pair += 1;
            let missing =
                self.standings.schedule().games_of(pair).filter(|game| !self.done.contains(game.number));
            let (playable, left): (Vec<_>, Vec<_>) = missing.partition(|game| self.can_play(game));
            for game in left {
                self.skip_game(game)?;
            }
            if !playable.is_empty() {
                if !self.are_built(&playable) {
                    return Ok(None);
                }
                self.warn_of_repeats(&playable);
                let opened = |game: ScheduledGame| OpenedGame {
                    game,
                    opening: self.prepared.openings.get(game.opening),
                };
                let games = playable.into_iter().map(opened).collect();
                return Ok(Some(Work { pair: pair.number, games }));
            }
        }
        Ok(None)
    }

    /// Warns once if openings repeat for engines without time limits.
    fn warn_of_repeats(&mut self, games: &[ScheduledGame]) {
        let plan = &self.prepared.plan;
        let is_timeless = |entrant: usize| {
            let entrant = &plan.entrants[entrant];
            entrant.clock.is_timeless() && entrant.engine.book.is_none()
        };
        let is_repeat = |game: &ScheduledGame| {
            self.prepared.openings_known.is_some_and(|known| game.opening >= known as usize)
                && is_timeless(game.white)
                && is_timeless(game.black)
        };
        if self.has_warned_of_repeats || !games.iter().any(is_repeat) {
            return;
        }
        self.has_warned_of_repeats = true;
        self.notify(&RunEvent::Notice(
            "Warning: all openings have been used and repeat; without a clock engines play copies of earlier \
             games, which say nothing new but make errors and tests look too sure: take a larger book (--openings)",
        ));
    }

    /// Handles a game that will not be played. If later games depend on it, it is lost as a walkover, so that the
    /// tournament continues; otherwise it is skipped and can be played after a resume.
    fn skip_game(&mut self, game: ScheduledGame) -> Result<(), RunError> {
        let is_out = [game.white, game.black].map(|entrant| self.disqualified.contains_key(&entrant));
        let outcome = match is_out {
            [true, false] => Outcome::Win(Color::Black),
            [false, true] => Outcome::Win(Color::White),
            [true, true] => Outcome::Draw,
            [false, false] => return Ok(self.games.skip(game.number)?),
        };
        if !self.standings.schedule().has_walkovers() {
            return Ok(self.games.skip(game.number)?);
        }
        self.walkovers += 1;
        let fen = self.prepared.openings.get(game.opening).fen;
        self.finish_game(GameRecord::walkover(game, fen, outcome))
    }

    fn can_play(&self, game: &ScheduledGame) -> bool {
        !self.disqualified.contains_key(&game.white) && !self.disqualified.contains_key(&game.black)
    }

    fn handle(&mut self, event: Event) -> Result<(), RunError> {
        match event {
            Event::EngineStarted { entrant, process, name, author, options } => {
                self.processes.insert(process);
                self.store.save_engine(entrant, &name, &author)?;
                self.games.set_engine(entrant, &name, &author);
                self.store.save_process(process)?;
                self.notify(&RunEvent::EngineStarted { entrant, options: &options });
            }
            Event::EngineExited { process } => {
                self.processes.remove(&process);
                self.store.remove_process(process)?;
            }
            // Killed engines have no faults.
            Event::EngineFault(_) | Event::Disqualified { .. } if self.has_killed() => {}
            Event::GameFinished(record) if self.has_killed() && record.termination.is_fault() => {}
            Event::EngineFault(fault) => {
                self.store_fault(&fault)?;
                self.apply_policy(fault.entrant, &fault.words)?;
            }
            Event::RemoteFault(fault) => self.store_fault(&fault)?,
            Event::OptionRejected { entrant, rejected } => {
                if self.warned.insert((entrant, rejected.words.clone())) {
                    self.notify(&RunEvent::OptionRejected { entrant, rejected: &rejected });
                    self.stop_if_strict(entrant, &rejected.words);
                }
            }
            Event::SearchWarning { entrant, game, warning } => {
                self.notify(&RunEvent::SearchWarning { entrant, game: &game, warning: &warning });
                self.stop_if_strict(entrant, &warning.finding.kind.to_string());
            }
            Event::EngineWarning { entrant, words } => {
                if self.warned.insert((entrant, words.clone())) {
                    self.notify(&RunEvent::EngineWarning { entrant, words: &words });
                    self.stop_if_strict(entrant, &words);
                }
            }
            Event::Disqualified { entrant, disqualification } => {
                self.disqualify(entrant, disqualification)?
            }
            Event::GameStarted(game) => self.notify(&RunEvent::GameStarted(&game)),
            Event::GameFinished(record) => self.finish_game(*record)?,
            Event::GameAbandoned(game) if self.stop.is_none() => self.skip_game(game)?,
            Event::GameAbandoned(_) => {}
            Event::MachineJoined(machine) => self.notify(&RunEvent::MachineJoined(&machine)),
            Event::MachineVerified(machine) => self.store.put_machine(&machine)?,
            Event::Notice { words } => self.notify(&RunEvent::Notice(&words)),
            Event::SystemFailed { words } => self.stop(StopReason::Failed(words)),
            Event::WorkDone { worker, pair } => {
                self.playing -= 1;
                self.queue.acknowledge(worker, pair);
            }
            Event::WorkerEnded { worker } => {
                self.queue.worker_left(worker);
                if !self.closed {
                    self.stop(StopReason::Failed("a thread of ours failed".to_owned()));
                    self.close();
                }
            }
            Event::Control(request) if request.is_withdrawn() => {}
            Event::Control(request) => {
                let answer = self.control(request.command.clone())?;
                request.answer(answer);
            }
            Event::Stop(reason) => self.stop(reason),
            Event::Kill => {
                self.stop(StopReason::User);
                self.kill_remaining();
                self.shutdown = Shutdown::AtLast(Instant::now());
            }
        }
        Ok(())
    }

    /// Ends the run at a warning if the plan requires it.
    fn stop_if_strict(&mut self, entrant: usize, words: &str) {
        let plan = &self.prepared.plan;
        if plan.settings.run.strict {
            let words = format!("{} {words}", plan.entrants[entrant].name);
            self.stop(StopReason::Fault(words));
        }
    }

    fn store_fault(&mut self, fault: &EngineFault) -> Result<(), RunError> {
        self.store.save_fault(fault)?;
        self.standings.add_between_games(&self.store)?;
        self.notify(&RunEvent::EngineFault(fault));
        Ok(())
    }

    /// Stores a game; it counts only then.
    fn finish_game(&mut self, mut record: GameRecord) -> Result<(), RunError> {
        let saved = self.store.save(&record)?;
        self.queue.stored(record.game.number);
        if saved == SaveOutcome::Known {
            return Ok(());
        }
        self.done.insert(record.game.number);
        self.standings.add(&record);
        // The files have the bytes that a later run writes from the store.
        record.round_times();
        self.games.put(&record)?;
        self.notify(&RunEvent::GameFinished(&record));
        let is_crash = record.termination.kind() == TerminationKind::Crash;
        if let Some(fault) = &record.fault
            && (is_crash || self.prepared.plan.settings.run.on_fault != OnFault::StopOnCrash)
        {
            self.apply_policy(record.entrant(fault.color), &fault.words)?;
        }
        self.check_test();
        Ok(())
    }

    /// Applies the plan's fault policy: stop the run, or disqualify an entrant after too many faults in this
    /// session.
    fn apply_policy(&mut self, entrant: usize, words: &str) -> Result<(), RunError> {
        let plan = &self.prepared.plan;
        if plan.settings.run.on_fault != OnFault::Recover {
            let words = format!("{} {words}", plan.entrants[entrant].name);
            self.stop(StopReason::Fault(words));
            return Ok(());
        }
        self.faults[entrant] += 1;
        let faults = self.faults[entrant];
        if (1..=faults).contains(&plan.settings.run.disqualify_after) {
            self.disqualify(entrant, Disqualification::Faults(faults))?;
        }
        Ok(())
    }

    /// Disqualifies an entrant for this session.
    fn disqualify(&mut self, entrant: usize, disqualification: Disqualification) -> Result<(), RunError> {
        if self.disqualified.contains_key(&entrant) {
            return Ok(());
        }
        self.store.save_disqualification(entrant, &disqualification.to_string())?;
        self.disqualified.insert(entrant, disqualification.clone());
        self.standings.add_between_games(&self.store)?;
        self.notify(&RunEvent::Disqualified { entrant, disqualification: &disqualification });
        self.queue.cancel_entrant(entrant);
        // Walkovers would look like wins in a race without its base, and like a loss of Elo in a bisection.
        let Some(rounds) = self.standings.schedule().candidates() else { return Ok(()) };
        let part = match rounds.selection() {
            Selection::Race(_) if rounds.base() == entrant => "the base of the race",
            Selection::Bisection(_) => "which the bisection needs",
            Selection::Race(_) => return Ok(()),
        };
        let name = &self.prepared.plan.entrants[entrant].name;
        self.stop(StopReason::Fault(format!("{name}, {part}, {disqualification}")));
        Ok(())
    }

    fn check_test(&mut self) {
        if let Some(test) = self.standings.test()
            && test.verdict != Verdict::Continue
        {
            self.stop(StopReason::Decided);
        }
    }

    /// Stops all games at once, unless the run is already stopping for an equal or stronger reason.
    fn stop(&mut self, reason: StopReason) {
        if self.stop.as_ref().is_some_and(|earlier| *earlier >= reason) {
            return;
        }
        if self.stop.is_none() {
            self.notify(&RunEvent::Stopping(&reason));
            self.queue.cancel();
        }
        self.set_shutdown_deadline(self.prepared.plan.settings.timeouts.quit.duration() + EXIT_GRACE);
        self.stop = Some(reason);
    }

    /// Kills remaining engine processes of slots that did not end.
    fn kill_remaining(&mut self) {
        for process in self.processes.drain() {
            let _ = process.sweep();
            let _ = self.store.remove_process(process);
        }
    }
}
