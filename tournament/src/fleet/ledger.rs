//! What a coordinator knows of its fleet: which pairs are out, who the workers are, whom it does not trust any more. It
//! answers their questions and says what is to be done; it does nothing itself, and knows neither server nor clock.
//!
//! A worker is hostile until it is proven otherwise, game by game: [`super::verify`]. One whose game cannot have been is
//! struck off, and what it held is given to others.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;
use std::time::{Duration, Instant, SystemTime};

use super::Work;
use super::verify::Rules;
use super::wire::{
    Answer, EngineIdentity, Introduction, Question, RecordMessage, Report, Request, TermsMessage, WorkMessage,
};
use crate::game::Machine;
use crate::plan::{Binaries, MoveClock, Plan};
use crate::run::{Event, Strike};
use crate::store::{BinaryReport, EngineFault, MachineReport};

/// How many pairs are out at least, so that a worker that joins finds some.
const FEWEST_PAIRS: usize = 8;

/// The most workers that are remembered.
const MOST_WORKERS: usize = 100_000;
/// How many faults and warnings a worker may tell of outside of games: an engine that is struck out after so many has told
/// enough.
const MOST_REPORTS: u32 = 1_000;

/// After how many leases of silence a worker is forgotten; should it return, it introduces itself again.
const REMEMBERED: u32 = 1000;

/// What is to be done.
#[derive(Debug)]
pub enum Effect {
    /// The coordinator must hear this.
    Tell(Event),
    /// This pair goes into the queue, anew if it was there.
    Publish(u32, WorkMessage),
    /// This pair leaves the queue.
    Remove(u32),
}

/// When a question is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Now.
    Now(Box<Answer>),
    /// By [`Answer::Stored`], when this game is stored.
    WhenStored(u32),
    /// Never.
    None,
}

impl Reply {
    fn now(answer: Answer) -> Reply {
        Reply::Now(Box::new(answer))
    }

    fn refused(words: impl Into<String>) -> Reply {
        Reply::now(Answer::Refused { words: words.into() })
    }
}

/// See the module.
#[derive(Debug)]
pub struct Ledger {
    rules: Rules,
    terms: TermsMessage,
    names: Vec<String>,
    clocks: Vec<MoveClock>,
    binaries: Binaries,
    lease: Duration,
    /// The first engine that was seen for each entrant, and the machine that has it.
    reference: Vec<Option<(String, EngineIdentity)>>,
    out: BTreeMap<u32, Outstanding>,
    pair_of: HashMap<u32, u32>,
    /// One more than the last pair that was given out.
    end: u32,
    workers: HashMap<String, Member>,
    struck: HashMap<String, String>,
}

/// A pair that is not done.
#[derive(Debug)]
struct Outstanding {
    work: Work,
    /// Its games that are not stored, and whether one came that will be.
    missing: Vec<(u32, bool)>,
    holder: Option<String>,
}

#[derive(Debug)]
struct Member {
    machine: Machine,
    /// What it said of itself, until it has played a game.
    unproved: Option<Box<MachineReport>>,
    slots: usize,
    clocks: Vec<MoveClock>,
    seen: Instant,
    is_silent: bool,
    /// How many faults and warnings it has told of.
    reports: u32,
}

impl Ledger {
    /// Of a run in which nothing is out.
    pub fn new(plan: &Plan, rules: Rules, terms: TermsMessage, known: &[MachineReport]) -> Ledger {
        let mut reference = vec![None; plan.entrants.len()];
        for machine in known {
            for (slot, engine) in reference.iter_mut().zip(&machine.engines) {
                let identity = EngineIdentity {
                    name: engine.name.clone(),
                    author: engine.author.clone(),
                    sha256: engine.sha256.clone(),
                };
                slot.get_or_insert_with(|| (machine.name.clone(), identity));
            }
        }
        Ledger {
            rules,
            lease: Duration::from_millis(terms.lease_ms),
            terms,
            names: plan.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            clocks: plan.entrants.iter().map(|entrant| entrant.clock.clone()).collect(),
            binaries: plan.fleet.as_ref().map_or(Binaries::Same, |fleet| fleet.binaries),
            reference,
            out: BTreeMap::new(),
            pair_of: HashMap::new(),
            end: 0,
            workers: HashMap::new(),
            struck: HashMap::new(),
        }
    }

    /// How many pairs should be out: two for each game that can be played at once, so that nobody waits for the next.
    pub fn wanted(&self) -> usize {
        let slots: usize =
            self.workers.values().filter(|member| !member.is_silent).map(|member| member.slots).sum();
        (2 * slots).max(FEWEST_PAIRS)
    }

    /// Gives out a pair.
    pub fn offer(&mut self, work: Work) -> Effect {
        let pair = work.pair;
        self.end = self.end.max(pair + 1);
        let message = WorkMessage::from(&work);
        let missing: Vec<_> = work.games.iter().map(|opened| (opened.game.number, false)).collect();
        self.pair_of.extend(missing.iter().map(|(game, _)| (*game, pair)));
        self.out.insert(pair, Outstanding { work, missing, holder: None });
        Effect::Publish(pair, message)
    }

    /// The pairs that should be in the queue, with what stands there.
    pub fn outstanding(&self) -> impl Iterator<Item = (u32, WorkMessage)> {
        self.out.iter().map(|(pair, out)| (*pair, WorkMessage::from(&out.work)))
    }

    /// Whether this pair is not done.
    pub fn is_out(&self, pair: u32) -> bool {
        self.out.contains_key(&pair)
    }

    /// A game is in the store. The last one of its pair ends the work.
    pub fn stored(&mut self, game: u32) -> Vec<Effect> {
        let Some(pair) = self.pair_of.remove(&game) else { return Vec::new() };
        let Some(out) = self.out.get_mut(&pair) else { return Vec::new() };
        out.missing.retain(|(missing, _)| *missing != game);
        if out.missing.is_empty() { self.end_work(pair) } else { Vec::new() }
    }

    fn end_work(&mut self, pair: u32) -> Vec<Effect> {
        self.out.remove(&pair);
        vec![Effect::Tell(Event::WorkDone { worker: 0, pair })]
    }

    /// The run ends before its pairs are done.
    pub fn end(&mut self) -> Vec<Effect> {
        let pairs = std::mem::take(&mut self.out).into_keys();
        pairs.map(|pair| Effect::Tell(Event::WorkDone { worker: 0, pair })).collect()
    }

    /// This entrant plays no more: its games that did not come are given up.
    pub fn withdraw(&mut self, entrant: usize) -> Vec<Effect> {
        let mut effects = Vec::new();
        let is_his = |out: &Outstanding| {
            out.work.games.iter().any(|opened| [opened.game.white, opened.game.black].contains(&entrant))
        };
        let pairs: Vec<u32> = self.out.iter().filter(|(_, out)| is_his(out)).map(|(pair, _)| *pair).collect();
        for pair in pairs {
            let Some(out) = self.out.get_mut(&pair) else { continue };
            let (kept, given_up): (Vec<_>, Vec<_>) =
                std::mem::take(&mut out.missing).into_iter().partition(|(_, came)| *came);
            out.missing = kept;
            for (game, _) in given_up {
                self.pair_of.remove(&game);
                let opened = out.work.games.iter().find(|opened| opened.game.number == game);
                effects.extend(opened.map(|opened| Effect::Tell(Event::GameAbandoned(opened.game))));
            }
            effects.push(Effect::Remove(pair));
            if out.missing.is_empty() {
                effects.extend(self.end_work(pair));
            }
        }
        effects
    }

    /// Who has been silent for too long is not counted on. What it holds is given to others by the server.
    pub fn tick(&mut self, now: Instant) -> Vec<Effect> {
        let patience = 2 * self.lease;
        self.workers.retain(|_, member| now.saturating_duration_since(member.seen) < REMEMBERED * self.lease);
        let late = self
            .workers
            .values_mut()
            .filter(|member| !member.is_silent && now.saturating_duration_since(member.seen) > patience);
        let mut effects = Vec::new();
        for member in late {
            member.is_silent = true;
            effects.push(notice(format!(
                "{} has been silent for long; others get its games",
                member.machine.name
            )));
        }
        effects
    }

    /// Answers a question.
    pub fn ask(&mut self, request: Request, now: Instant, time: SystemTime) -> (Reply, Vec<Effect>) {
        let Request { worker, question } = request;
        if let Some(words) = self.struck.get(&worker) {
            return (Reply::refused(words.clone()), Vec::new());
        }
        match question {
            Question::Terms => return (Reply::now(Answer::Terms(Box::new(self.terms.clone()))), Vec::new()),
            Question::Join(introduction) => return self.join(worker, *introduction, now),
            _ => {}
        }
        let Some(member) = self.workers.get_mut(&worker) else {
            return (Reply::now(Answer::Unknown), Vec::new());
        };
        member.seen = now;
        let mut effects = Vec::new();
        if std::mem::take(&mut member.is_silent) {
            effects.push(notice(format!("{} is back", member.machine.name)));
        }
        let (reply, more) = match question {
            Question::Take { pair } => (self.take(&worker, pair), Vec::new()),
            Question::Result { pair, game, record } => self.result(&worker, pair, game, &record, time),
            Question::Tell(report) => (Reply::None, self.hear(&worker, report)),
            Question::Terms | Question::Join(_) => (Reply::None, Vec::new()),
        };
        effects.extend(more);
        (reply, effects)
    }

    fn join(&mut self, worker: String, introduction: Introduction, now: Instant) -> (Reply, Vec<Effect>) {
        if let Err(words) = self.check_engines(&introduction) {
            let text = format!("{} may not join: {words}", introduction.name);
            return (Reply::refused(words), vec![notice(text)]);
        }
        let is_new = !self.workers.contains_key(&worker);
        if self.workers.len() >= MOST_WORKERS && is_new {
            return (Reply::refused("there are too many workers"), Vec::new());
        }
        let name = self.free_name(&worker, &introduction.name);
        for (slot, engine) in self.reference.iter_mut().zip(&introduction.engines) {
            slot.get_or_insert_with(|| (name.clone(), engine.clone()));
        }
        let speed = NonZeroU64::new(introduction.speed).unwrap_or(NonZeroU64::MIN);
        let report = Box::new(machine_report(name.clone(), introduction));
        let member = Member {
            machine: Machine { name, speed },
            unproved: Some(report.clone()),
            slots: report.slots as usize,
            clocks: self.clocks.iter().map(|clock| clock.scaled(Some(speed))).collect(),
            seen: now,
            is_silent: false,
            reports: 0,
        };
        self.workers.insert(worker, member);
        let effects = if is_new { vec![Effect::Tell(Event::MachineJoined(report))] } else { Vec::new() };
        (Reply::now(Answer::Welcome), effects)
    }

    /// Whether these are the engines that others have, too.
    fn check_engines(&self, introduction: &Introduction) -> Result<(), String> {
        if introduction.engines.len() != self.names.len() {
            return Err("it does not tell of every entrant".to_owned());
        }
        for (index, engine) in introduction.engines.iter().enumerate() {
            let Some((machine, known)) = &self.reference[index] else { continue };
            let name = &self.names[index];
            if engine.name != known.name {
                return Err(format!(
                    "its {name} calls itself {:?}, and that of {machine} {:?}; give both the same engine",
                    engine.name, known.name
                ));
            }
            if self.binaries == Binaries::Same && engine.sha256 != known.sha256 {
                return Err(format!(
                    "its {name} is another file (SHA-256 {}…) than that of {machine} ({}…); give both the same, or \
                     permit it by --allow-mixed",
                    &engine.sha256[..12],
                    known.sha256.get(..12).unwrap_or_default()
                ));
            }
        }
        Ok(())
    }

    /// Its name, with a number if another is called so.
    fn free_name(&self, worker: &str, name: &str) -> String {
        let others = || {
            let others = self.workers.iter().filter(|(id, member)| *id != worker && !member.is_silent);
            others.map(|(_, member)| &member.machine.name)
        };
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        let free = candidates.find(|candidate| !others().any(|other| other == candidate));
        free.unwrap_or_else(|| name.to_owned())
    }

    fn take(&mut self, worker: &str, pair: u32) -> Reply {
        match self.out.get_mut(&pair) {
            Some(out) => {
                out.holder = Some(worker.to_owned());
                let games = out.missing.iter().filter(|(_, came)| !came).map(|(game, _)| *game).collect();
                Reply::now(Answer::Games { games })
            }
            // From before the coordinator was restarted: it will be given out again.
            None if pair >= self.end => Reply::now(Answer::Later),
            None => Reply::now(Answer::Games { games: Vec::new() }),
        }
    }

    fn result(
        &mut self,
        worker: &str,
        pair: u32,
        game: u32,
        record: &RecordMessage,
        time: SystemTime,
    ) -> (Reply, Vec<Effect>) {
        let Some(out) = self.out.get_mut(&pair) else {
            let answer = if pair >= self.end { Answer::Later } else { Answer::Unneeded };
            return (Reply::now(answer), Vec::new());
        };
        let Some(given) = out.work.games.iter().find(|opened| opened.game.number == game) else {
            return self.strike(
                worker,
                &format!("game {} is none of pair {}", u64::from(game) + 1, u64::from(pair) + 1),
            );
        };
        let Some((_, came)) = out.missing.iter_mut().find(|(missing, _)| *missing == game) else {
            return (Reply::now(Answer::Stored), Vec::new());
        };
        if *came {
            return (Reply::WhenStored(game), Vec::new());
        }
        let Some(member) = self.workers.get_mut(worker) else {
            return (Reply::now(Answer::Unknown), Vec::new());
        };
        let clocks = [&member.clocks[given.game.white], &member.clocks[given.game.black]];
        let verified = record.to_claim().map_err(|error| error.to_string()).and_then(|claim| {
            self.rules.verify(given, clocks, claim, time).map_err(|error| error.to_string())
        });
        match verified {
            Ok(mut record) => {
                *came = true;
                record.machine = Some(member.machine.clone());
                let proved = member.unproved.take().map(Event::MachineProved);
                let events = proved.into_iter().chain([Event::GameFinished(Box::new(record))]);
                (Reply::WhenStored(game), events.map(Effect::Tell).collect())
            }
            Err(words) => {
                self.strike(worker, &format!("its game {} cannot have been: {words}", u64::from(game) + 1))
            }
        }
    }

    /// Nothing more is taken from this worker, and what it holds goes to others.
    fn strike(&mut self, worker: &str, words: &str) -> (Reply, Vec<Effect>) {
        let name = self.workers.remove(worker).map_or_else(String::new, |member| member.machine.name);
        if self.struck.len() < MOST_WORKERS {
            self.struck.insert(worker.to_owned(), format!("struck off: {words}"));
        }
        // Others need not have the engines of a liar.
        for known in &mut self.reference {
            known.take_if(|(machine, _)| *machine == name);
        }
        let mut effects = vec![notice(format!("{name} is struck off: {words}"))];
        let held = self.out.values_mut().filter(|out| out.holder.as_deref() == Some(worker));
        for out in held {
            out.holder = None;
            effects.push(Effect::Publish(out.work.pair, WorkMessage::from(&out.work)));
        }
        (Reply::refused(format!("struck off: {words}")), effects)
    }

    fn hear(&mut self, worker: &str, report: Report) -> Vec<Effect> {
        match report {
            Report::Alive => Vec::new(),
            Report::Started { game } => {
                let out = self.pair_of.get(&game).and_then(|pair| self.out.get(pair));
                let opened =
                    out.and_then(|out| out.work.games.iter().find(|opened| opened.game.number == game));
                opened.map(|opened| Effect::Tell(Event::GameStarted(opened.game))).into_iter().collect()
            }
            Report::Fault { entrant, .. }
            | Report::Warning { entrant, .. }
            | Report::Unable { entrant, .. }
                if entrant as usize >= self.names.len() =>
            {
                self.strike(worker, "it tells of no entrant").1
            }
            Report::Fault { .. } | Report::Warning { .. } if !self.may_report(worker) => {
                self.strike(worker, "it tells of too many faults and warnings").1
            }
            Report::Fault { entrant, name, words, transcript } => {
                let entrant = entrant as usize;
                vec![Effect::Tell(Event::EngineFault(EngineFault { entrant, name, words, transcript }))]
            }
            Report::Warning { entrant, words } => {
                vec![Effect::Tell(Event::EngineWarning { entrant: entrant as usize, words })]
            }
            Report::Unable { entrant, times, words } => {
                self.dismiss(worker, entrant as usize, times as usize, words)
            }
            Report::Leaving => {
                let left = self.workers.remove(worker);
                left.map(|member| notice(format!("{} has left", member.machine.name))).into_iter().collect()
            }
        }
    }

    /// Counts a fault or warning of a worker, which would fill the store otherwise.
    fn may_report(&mut self, worker: &str) -> bool {
        let Some(member) = self.workers.get_mut(worker) else { return false };
        member.reports += 1;
        member.reports <= MOST_REPORTS
    }

    /// A worker that cannot start an engine plays no more; where nobody else is left the entrant is out, as it would be
    /// on one machine.
    fn dismiss(&mut self, worker: &str, entrant: usize, times: usize, words: String) -> Vec<Effect> {
        let Some(member) = self.workers.remove(worker) else { return Vec::new() };
        let (machine, name) = (&member.machine.name, &self.names[entrant]);
        let text = format!("{machine} leaves: {name} failed to start {times} times running (it {words})");
        self.struck.insert(worker.to_owned(), format!("{name} did not start"));
        let mut effects = vec![notice(text)];
        if self.workers.values().all(|member| member.is_silent) {
            effects
                .push(Effect::Tell(Event::EntrantOut { entrant, strike: Strike::Starts { times, words } }));
        }
        effects
    }
}

fn notice(words: String) -> Effect {
    Effect::Tell(Event::Notice { words })
}

fn machine_report(name: String, introduction: Introduction) -> MachineReport {
    let Introduction { program, cpu, cores, slots, speed, engines, .. } = introduction;
    let binary = |engine: EngineIdentity| BinaryReport {
        name: engine.name,
        author: engine.author,
        sha256: engine.sha256,
    };
    MachineReport {
        name,
        program,
        cpu,
        cores,
        slots,
        speed,
        engines: engines.into_iter().map(binary).collect(),
    }
}

#[cfg(test)]
mod tests;
