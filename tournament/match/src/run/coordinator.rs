//! Owns the state of a run: which games are done, which are being played, who is out, when it is over. It handles one
//! event after the other, stores every game before anything else is told of it, and never waits without a deadline
//! once the run is stopping.

use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use smalt_chess::{Color, Outcome};
use smalt_driver::process::ProcessIdentity;
use smalt_stats::Verdict;

use super::done::DoneGames;
use super::event::{Disqualification, Event, RunEvent, RunObserver, StopReason};
use super::queue::{OpenedGame, Queue, Work};
use crate::game::termination::TerminationKind;
use crate::game::{EngineFault, GameRecord};
use crate::game_file::GameFiles;
use crate::plan::OnFault;
use crate::schedule::ScheduledGame;
use crate::setup::Prepared;
use crate::standings::Standings;
use crate::store::{SaveOutcome, Store, StoreError};

/// How long workers may take to leave beyond the time that their engines have for `quit`: to end what is deaf to that.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// How long they may take from then on.
const KILL_GRACE: Duration = Duration::from_millis(300);

/// How a run came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// Every game was played.
    Complete,
    /// The sequential test was decided.
    Decided,
    /// Games of entrants that were out were not played.
    Incomplete {
        /// How many.
        games: u32,
        /// Who is out (an index of the plan's entrants), and why.
        disqualified: BTreeMap<usize, Disqualification>,
    },
    /// Games of a tournament that goes on by results were lost without being played, by entrants that were out.
    Walkovers {
        /// How many.
        games: u32,
        /// Who is out, and why.
        disqualified: BTreeMap<usize, Disqualification>,
    },
    /// The user stopped it.
    Interrupted,
    /// An engine's fault stopped it, as the plan said.
    Stopped(String),
}

impl RunOutcome {
    /// Whether nothing is left to be played.
    pub fn is_final(&self) -> bool {
        matches!(self, RunOutcome::Complete | RunOutcome::Decided | RunOutcome::Walkovers { .. })
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Results could not be kept.
    #[error("keep the results: failed to {0}")]
    Store(#[from] StoreError),
    /// The games could not be written.
    #[error("write the games: {0}")]
    Pgn(#[from] std::io::Error),
    /// The system failed us.
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
    /// What was told of engines that play not quite as their entrants say.
    warned: HashSet<(usize, String)>,
    /// Whether users know that openings come again.
    has_warned_of_repeats: bool,
    walkovers: u32,
    playing: u32,
    processes: HashSet<ProcessIdentity>,
    stop: Option<StopReason>,
    shutdown: Shutdown,
    closed: bool,
}

/// How far the workers' leaving is.
#[derive(Clone, Copy, Debug)]
enum Shutdown {
    /// Nobody has to leave.
    NotYet,
    /// They have until then; after it their engines are killed.
    Until(Instant),
    /// Engines were killed; nobody waits longer than until then.
    AtLast(Instant),
}

impl<'a> Coordinator<'a> {
    /// Takes over a store, with the games that it has already.
    ///
    /// # Errors
    /// If the store cannot be read, or the games not be written.
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
            processes: HashSet::new(),
            stop: None,
            shutdown: Shutdown::NotYet,
            closed: false,
        })
    }

    /// Plays to the end; gives the standings and how it ended. All workers have left then.
    ///
    /// # Errors
    /// If the system or the disk failed; what was stored before stays stored.
    pub fn run(mut self, events: &Receiver<Event>) -> Result<(Standings, RunOutcome), RunError> {
        self.store.begin_session(self.queue.slots())?;
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
        self.notify(&RunEvent::Ended);
        self.store.end_session()?;
        match (failure, &self.stop) {
            (Some(error), _) => Err(error),
            (None, Some(StopReason::Failed(words))) => Err(RunError::System(words.clone())),
            _ => {
                let conclusion = self.conclusion();
                self.store.close();
                Ok((self.standings, conclusion))
            }
        }
    }

    fn conclusion(&self) -> RunOutcome {
        let missing = self.standings.schedule().games().saturating_sub(self.done.count());
        match &self.stop {
            Some(StopReason::Decided) => RunOutcome::Decided,
            Some(StopReason::Fault(words)) => RunOutcome::Stopped(words.clone()),
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

    /// Waits for the next event; none when workers that should leave have not done so in time.
    fn next_event(&self, events: &Receiver<Event>) -> Option<Event> {
        match self.shutdown {
            Shutdown::NotYet => events.recv().ok(),
            Shutdown::Until(end) | Shutdown::AtLast(end) => {
                events.recv_timeout(end.saturating_duration_since(Instant::now())).ok()
            }
        }
    }

    /// Time is up: engines are killed, so that the workers come back. Whether there is any more time to wait.
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

    /// Whether engines were killed, so that what they do is our doing.
    fn has_killed(&self) -> bool {
        matches!(self.shutdown, Shutdown::AtLast(_))
    }

    /// All workers must have left after this time, or at an earlier end that was set before.
    fn leave_within(&mut self, time: Duration) {
        let end = Instant::now() + time;
        self.shutdown = match self.shutdown {
            Shutdown::NotYet => Shutdown::Until(end),
            Shutdown::Until(earlier) => Shutdown::Until(earlier.min(end)),
            at_last @ Shutdown::AtLast(_) => at_last,
        };
    }

    /// Gives out work as long as somebody wants some; closes the queue when there is none left.
    fn submit_work(&mut self) -> Result<(), RunError> {
        if self.closed {
            return Ok(());
        }
        while self.stop.is_none() && self.queue.capacity() > 0 {
            let Some(work) = self.next_work()? else { break };
            self.playing += 1;
            self.queue.submit(work);
        }
        let nothing_left =
            self.playing == 0 && (self.stop.is_some() || self.next_pair >= self.standings.schedule().pairs());
        if nothing_left {
            self.close();
        }
        Ok(())
    }

    fn close(&mut self) {
        self.closed = true;
        self.leave_within(self.prepared.plan.settings.timeouts.quit.duration() + EXIT_GRACE);
        self.queue.close();
    }

    /// The next pair with games to be played; those of entrants that are out are left, or lost.
    fn next_work(&mut self) -> Result<Option<Work>, RunError> {
        while let Some(pair) = self.standings.schedule().pair(self.next_pair) {
            self.next_pair += 1;
            let missing =
                self.standings.schedule().games_of(pair).filter(|game| !self.done.contains(game.number));
            let (playable, left): (Vec<_>, Vec<_>) = missing.partition(|game| self.can_play(game));
            for game in left {
                self.skip_game(game)?;
            }
            if !playable.is_empty() {
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

    /// Tells once when openings begin to come again for engines that no clock makes play otherwise.
    fn warn_of_repeats(&mut self, games: &[ScheduledGame]) {
        let plan = &self.prepared.plan;
        let is_timeless = |entrant: usize| plan.entrants[entrant].clock.is_timeless();
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
            "Warning: all openings have been used and come again; without a clock engines play copies of earlier \
             games, which say nothing new but make errors and tests look too sure: take a larger book (--openings)",
        ));
    }

    /// A game that will not be played. Where later games follow from results it is lost by who is out, so that the
    /// tournament goes on; elsewhere it is left out, and can be made up for.
    fn skip_game(&mut self, game: ScheduledGame) -> Result<(), RunError> {
        let is_out = [game.white, game.black].map(|entrant| self.disqualified.contains_key(&entrant));
        let outcome = match is_out {
            [true, false] => Outcome::Win(Color::Black),
            [false, true] => Outcome::Win(Color::White),
            [true, true] => Outcome::Draw,
            [false, false] => return Ok(self.games.skip(game.number)?),
        };
        if !self.standings.schedule().goes_by_results() {
            return Ok(self.games.skip(game.number)?);
        }
        self.walkovers += 1;
        let fen = self.prepared.openings.get(game.opening).fen;
        self.finish_game(&GameRecord::walkover(game, fen, outcome))
    }

    fn can_play(&self, game: &ScheduledGame) -> bool {
        !self.disqualified.contains_key(&game.white) && !self.disqualified.contains_key(&game.black)
    }

    fn handle(&mut self, event: Event) -> Result<(), RunError> {
        match event {
            Event::EngineStarted { entrant, process, name, author } => {
                self.processes.insert(process);
                self.store.note_engine(entrant, &name, &author)?;
                self.store.note_process(process)?;
            }
            Event::EngineExited { process } => {
                self.processes.remove(&process);
                self.store.forget_process(process)?;
            }
            // What engines do once we have killed them is no fault of theirs.
            Event::EngineFault(_) | Event::Disqualified { .. } if self.has_killed() => {}
            Event::GameFinished(record) if self.has_killed() && record.termination.is_fault() => {}
            Event::EngineFault(fault) => {
                self.store_fault(&fault)?;
                self.apply_policy(fault.entrant, &fault.words)?;
            }
            Event::RemoteFault(fault) => self.store_fault(&fault)?,
            Event::EngineWarning { entrant, words } => {
                if self.warned.insert((entrant, words.clone())) {
                    self.notify(&RunEvent::EngineWarning { entrant, words: &words });
                }
            }
            Event::Disqualified { entrant, disqualification } => {
                self.disqualify(entrant, disqualification)?
            }
            Event::GameStarted(game) => self.notify(&RunEvent::GameStarted(&game)),
            Event::GameFinished(record) => self.finish_game(&record)?,
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
            Event::Stop(reason) => self.stop(reason),
            Event::Kill => {
                self.stop(StopReason::User);
                self.kill_remaining();
                self.shutdown = Shutdown::AtLast(Instant::now());
            }
        }
        Ok(())
    }

    fn store_fault(&mut self, fault: &EngineFault) -> Result<(), RunError> {
        self.store.note_fault(fault)?;
        self.standings.add_between_games(&self.store)?;
        self.notify(&RunEvent::EngineFault(fault));
        Ok(())
    }

    /// Stores a game; only then does it count.
    fn finish_game(&mut self, record: &GameRecord) -> Result<(), RunError> {
        let saved = self.store.save(record)?;
        self.queue.stored(record.game.number);
        if saved == SaveOutcome::Known {
            return Ok(());
        }
        self.done.insert(record.game.number);
        self.standings.add(record);
        self.write_game(record.game.number)?;
        self.notify(&RunEvent::GameFinished(record));
        let is_crash = record.termination.kind() == TerminationKind::Crash;
        if let Some(fault) = &record.fault
            && (is_crash || self.prepared.plan.settings.run.on_fault != OnFault::StopOnCrash)
        {
            self.apply_policy(record.entrant(fault.color), &fault.words)?;
        }
        self.check_test();
        Ok(())
    }

    /// Writes a game as the store has it, so that the same bytes come of it at any time.
    fn write_game(&mut self, number: u32) -> Result<(), RunError> {
        if self.games.is_empty() {
            return Ok(());
        }
        let mut written = Ok(());
        self.store.for_each_game_of(number..=number, |record| written = self.games.put(&record))?;
        Ok(written?)
    }

    /// Files of games that somebody removed or replaced during the run are written again.
    fn restore_games(&mut self) -> Result<(), RunError> {
        let restored = self
            .games
            .restore(|each| Ok::<(), RunError>(self.store.for_each_game(|record| each(&record))?))?;
        for (lost, file) in restored {
            let words = format!(
                "Warning: {} was removed, renamed or replaced during the run; all games were written again, to {}",
                lost.display(),
                file.display()
            );
            self.notify(&RunEvent::Notice(&words));
        }
        Ok(())
    }

    /// What the plan wants after a fault: to stop, or to go on until an entrant has had too many since this start.
    fn apply_policy(&mut self, entrant: usize, words: &str) -> Result<(), RunError> {
        let plan = &self.prepared.plan;
        if plan.settings.run.on_fault != OnFault::Recover {
            let words = format!("{} {words}", plan.entrants[entrant].name);
            self.stop(StopReason::Fault(words));
            return Ok(());
        }
        self.faults[entrant] += 1;
        let faults = self.faults[entrant];
        if (1..=faults).contains(&plan.settings.run.strike_after) {
            self.disqualify(entrant, Disqualification::Faults(faults))?;
        }
        Ok(())
    }

    /// The entrant plays no more games in this session.
    fn disqualify(&mut self, entrant: usize, disqualification: Disqualification) -> Result<(), RunError> {
        if self.disqualified.contains_key(&entrant) {
            return Ok(());
        }
        self.store.note_strike(entrant, &disqualification.to_string())?;
        self.disqualified.insert(entrant, disqualification.clone());
        self.standings.add_between_games(&self.store)?;
        self.notify(&RunEvent::Disqualified { entrant, disqualification: &disqualification });
        self.queue.cancel_entrant(entrant);
        Ok(())
    }

    fn check_test(&mut self) {
        if let Some(test) = self.standings.test()
            && test.verdict != Verdict::Continue
        {
            self.stop(StopReason::Decided);
        }
    }

    /// Ends all games at once, unless that is under way for a reason as strong.
    fn stop(&mut self, reason: StopReason) {
        if self.stop.as_ref().is_some_and(|earlier| *earlier >= reason) {
            return;
        }
        if self.stop.is_none() {
            self.notify(&RunEvent::Stopping(&reason));
            self.queue.cancel();
        }
        self.leave_within(self.prepared.plan.settings.timeouts.quit.duration() + EXIT_GRACE);
        self.stop = Some(reason);
    }

    /// Ends what is left of engines whose slots did not come to their end.
    fn kill_remaining(&mut self) {
        for process in self.processes.drain() {
            let _ = process.sweep();
            let _ = self.store.forget_process(process);
        }
    }
}
