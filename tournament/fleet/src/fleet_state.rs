//! State of a fleet in the coordinator: workers, leases of pairs, disqualified workers. It answers requests and
//! returns effects, without a server or clock.
//!
//! The server authenticates workers. Every game is replayed by the rules ([`super::verify`]); a worker that sends an
//! invalid one is disqualified, and its pairs go to others, so no single worker can end the run.

mod engines;
mod members;
mod notices;
mod reports;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::num::NonZeroU64;
use std::time::{Duration, Instant, SystemTime};

use super::rate_limit::RateLimit;
use super::verify::{GameVerifier, InvalidGame};
use super::wire::{
    RecordMessage, Response, RunConfigMessage, WorkMessage, WorkerNotice, WorkerRequest, trimmed,
};
use engines::Engines;
use members::{Member, Members};
use smalt_match::estimate::seconds_a_game;
use smalt_match::game::{Machine, MachineReport};
use smalt_match::plan::{MoveClock, Plan};
use smalt_match::run::{Event, Work};

/// A pair without results is leased to other workers after this many expected durations of a pair, and after this
/// many leases at the earliest.
const PAIRS_WAITED: u32 = 20;
const LEASES_WAITED: u32 = 60;

/// Maximum number of workers that may send results of one pair: the latest lease holders.
const MAX_TAKERS: usize = 64;

/// An effect for the coordinator's task.
#[derive(Debug)]
pub(crate) enum Effect {
    /// Send an event to the coordinator.
    Send(Event),
    /// Put a pair into the queue, possibly again.
    Publish(u32, WorkMessage),
    /// Remove a pair from the queue.
    Remove(u32),
}

/// Time of a reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReplyTime {
    Now(Box<Response>),
    /// With [`Response::Stored`], once this game is stored.
    WhenStored(u32),
    None,
}

impl ReplyTime {
    fn now(answer: Response) -> ReplyTime {
        ReplyTime::Now(Box::new(answer))
    }

    fn refused(words: impl Into<String>) -> ReplyTime {
        ReplyTime::now(Response::Refused { words: trimmed(&words.into()) })
    }
}

#[derive(Debug)]
pub struct FleetState {
    rules: GameVerifier,
    config: RunConfigMessage,
    /// Digest of the configuration.
    digest: String,
    /// Session of the coordinator.
    session: String,
    clocks: Vec<MoveClock>,
    lease: Duration,
    engines: Engines,
    out: BTreeMap<u32, Outstanding>,
    pair_of: HashMap<u32, u32>,
    /// End of the submitted pair numbers, exclusive.
    end: u32,
    members: Members,
    notices: RateLimit,
    /// Whether a worker last asked for the configuration: it may build engines before it joins.
    is_preparing: bool,
    /// Expected duration of a pair by its time controls; number and total duration of played pairs.
    expected: Duration,
    lasted: (u32, Duration),
}

/// A pair without all results.
#[derive(Debug)]
struct Outstanding {
    work: Work,
    /// Games not stored yet, and whether a result was accepted.
    missing: Vec<(u32, bool)>,
    hold: Option<Lease>,
    /// Workers that leased it, latest last.
    takers: VecDeque<String>,
    /// Number of expired leases.
    expiries: u32,
}

/// The lease of a pair: its worker, and the time since its last result.
#[derive(Debug)]
struct Lease {
    worker: String,
    taken: Instant,
    silent_since: Instant,
    /// Games reported as started.
    started: Vec<u32>,
}

impl FleetState {
    /// The state of a run without submitted pairs.
    pub fn new(
        plan: &Plan,
        rules: GameVerifier,
        config: RunConfigMessage,
        known: &[MachineReport],
    ) -> FleetState {
        let names = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let allows_mixed = plan.fleet().is_some_and(|fleet| fleet.allow_mixed);
        let expected =
            seconds_a_game(plan).and_then(|seconds| Duration::try_from_secs_f64(2.0 * seconds).ok());
        FleetState {
            rules,
            engines: Engines::of(names, allows_mixed, known, &config.files),
            lease: Duration::from_millis(config.lease_ms),
            digest: config.digest(),
            session: String::new(),
            config,
            clocks: plan.entrants.iter().map(|entrant| entrant.clock.clone()).collect(),
            out: BTreeMap::new(),
            pair_of: HashMap::new(),
            end: 0,
            members: Members::default(),
            notices: RateLimit::default(),
            is_preparing: false,
            expected: expected.unwrap_or_default(),
            lasted: (0, Duration::ZERO),
        }
    }

    /// Names the session that workers join.
    pub(crate) fn begin_session(&mut self, session: &str) {
        session.clone_into(&mut self.session);
    }

    /// Number of pairs to keep submitted.
    pub(crate) fn wanted(&self) -> usize {
        self.members.wanted()
    }

    /// Whether no worker is active.
    pub(crate) fn is_alone(&self) -> bool {
        self.members.active().next().is_none()
    }

    /// Whether a worker has the configuration and has neither joined nor refused.
    pub(crate) fn is_preparing(&self) -> bool {
        self.is_preparing
    }

    pub(crate) fn submit(&mut self, work: Work) -> Effect {
        let pair = work.pair;
        self.end = self.end.max(pair + 1);
        let message = WorkMessage::from(&work);
        let missing: Vec<_> = work.games.iter().map(|opened| (opened.game.number, false)).collect();
        self.pair_of.extend(missing.iter().map(|(game, _)| (*game, pair)));
        let (hold, takers) = (None, VecDeque::new());
        self.out.insert(pair, Outstanding { work, missing, hold, takers, expiries: 0 });
        Effect::Publish(pair, message)
    }

    /// Pairs that should be in the queue, with their messages.
    pub(crate) fn outstanding(&self) -> impl Iterator<Item = (u32, WorkMessage)> {
        self.out.iter().map(|(pair, out)| (*pair, WorkMessage::from(&out.work)))
    }

    /// Handles a stored game; the last game of a pair completes its work.
    pub(crate) fn stored(&mut self, game: u32) -> Vec<Effect> {
        let Some(pair) = self.pair_of.remove(&game) else { return Vec::new() };
        let Some(out) = self.out.get_mut(&pair) else { return Vec::new() };
        out.missing.retain(|(missing, _)| *missing != game);
        if out.missing.is_empty() { self.end_work(pair) } else { Vec::new() }
    }

    fn end_work(&mut self, pair: u32) -> Vec<Effect> {
        self.out.remove(&pair);
        vec![Effect::Send(Event::WorkDone { worker: 0, pair })]
    }

    /// Ends the run early.
    pub(crate) fn end(&mut self) -> Vec<Effect> {
        let pairs = std::mem::take(&mut self.out).into_keys();
        pairs.map(|pair| Effect::Send(Event::WorkDone { worker: 0, pair })).collect()
    }

    /// Abandons the unplayed games of a disqualified entrant.
    pub(crate) fn cancel_entrant(&mut self, entrant: usize) -> Vec<Effect> {
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
                effects.extend(opened.map(|opened| Effect::Send(Event::GameAbandoned(opened.game))));
            }
            effects.push(Effect::Remove(pair));
            if out.missing.is_empty() {
                effects.extend(self.end_work(pair));
            }
        }
        effects
    }

    /// Marks silent workers. The server gives their pairs to others.
    pub(crate) fn tick(&mut self, now: Instant) -> Vec<Effect> {
        let mut effects = Vec::new();
        for name in self.members.mark_silent(now, self.lease) {
            effects.push(notice(format!("{name} has not answered for long; its games go to other workers")));
        }
        effects.extend(self.expire_leases(now));
        notices::limit(&mut self.notices, &mut effects, now);
        if let Some(count) = self.notices.dropped(now) {
            effects.push(notice(format!("{count} more notices about workers were dropped")));
        }
        effects
    }

    /// Expires leases of pairs without results, even if their workers still extend them.
    fn expire_leases(&mut self, now: Instant) -> Vec<Effect> {
        let (count, sum) = self.lasted;
        let mean = sum.checked_div(count).unwrap_or_default().max(self.expected);
        let patience = (LEASES_WAITED * self.lease).max(mean.saturating_mul(PAIRS_WAITED));
        let mut effects = Vec::new();
        for (pair, out) in &mut self.out {
            // The time doubles, in case these games really take that long.
            let patience = patience.saturating_mul(1 << out.expiries.min(16));
            let is_over = |hold: &mut Lease| now.saturating_duration_since(hold.silent_since) > patience;
            let Some(hold) = out.hold.take_if(is_over) else { continue };
            out.expiries += 1;
            if let Some(member) = self.members.get_mut(&hold.worker).filter(|member| !member.is_silent) {
                effects.push(notice(format!(
                    "No results of pair {} from {}; it goes to other workers as well",
                    u64::from(*pair) + 1,
                    member.machine.name
                )));
            }
            effects.push(Effect::Publish(*pair, WorkMessage::from(&out.work)));
        }
        effects
    }

    /// Answers a request of a worker, identified by its name on the server.
    pub(crate) fn ask(
        &mut self,
        worker: &str,
        question: WorkerRequest,
        now: Instant,
        time: SystemTime,
    ) -> (ReplyTime, Vec<Effect>) {
        let (reply, mut effects) = self.answer(worker, question, now, time);
        notices::limit(&mut self.notices, &mut effects, now);
        (reply, effects)
    }

    fn answer(
        &mut self,
        worker: &str,
        question: WorkerRequest,
        now: Instant,
        time: SystemTime,
    ) -> (ReplyTime, Vec<Effect>) {
        if let Some(words) = self.members.disqualification(worker) {
            return (ReplyTime::refused(words), Vec::new());
        }
        match question {
            WorkerRequest::Config => {
                self.is_preparing = true;
                return (ReplyTime::now(Response::Config(Box::new(self.config.clone()))), Vec::new());
            }
            WorkerRequest::OldJoin(report) => {
                let words =
                    "its smalt-tournament is older than that of the run; use the same version everywhere";
                let text = format!("{} was refused: {words}", trimmed(&report.name));
                return (ReplyTime::refused(words), vec![notice(text)]);
            }
            // It was prepared for an earlier run of this name.
            WorkerRequest::Join { config, .. } if config != self.digest => {
                return (ReplyTime::now(Response::Changed), Vec::new());
            }
            WorkerRequest::Join { machine, .. } => return self.join(worker, machine, now),
            WorkerRequest::Notify(WorkerNotice::Unfit { name, words }) => {
                self.is_preparing = false;
                return (ReplyTime::None, vec![notice(format!("{name} cannot play: {words}"))]);
            }
            _ => {}
        }
        let mut effects = Vec::new();
        let Some(member) = self.members.get_mut(worker) else {
            return (ReplyTime::now(Response::Unknown), effects);
        };
        member.seen = now;
        if std::mem::take(&mut member.is_silent) {
            effects.push(notice(format!("{} is back", member.machine.name)));
        }
        let (reply, more) = match question {
            WorkerRequest::Take { pair } => (self.take(worker, pair, now), Vec::new()),
            WorkerRequest::Result { pair, game, record } => {
                self.result(worker, pair, game, &record, (now, time))
            }
            WorkerRequest::Notify(report) => (ReplyTime::None, self.handle_notice(worker, report)),
            WorkerRequest::Config | WorkerRequest::Join { .. } | WorkerRequest::OldJoin(_) => {
                (ReplyTime::None, Vec::new())
            }
        };
        effects.extend(more);
        (reply, effects)
    }

    fn join(
        &mut self,
        worker: &str,
        mut report: Box<MachineReport>,
        now: Instant,
    ) -> (ReplyTime, Vec<Effect>) {
        self.is_preparing = false;
        let speed = NonZeroU64::new(report.speed).unwrap_or(NonZeroU64::MIN);
        if let Err(words) = self.engines.check(&report.engines) {
            let text = format!("{} was refused: {words}", report.name);
            return (ReplyTime::refused(words), vec![notice(text)]);
        }
        if self.members.get_mut(worker).is_none() && !self.members.has_room() {
            return (ReplyTime::refused("there are too many workers"), Vec::new());
        }
        report.name = self.members.free_name(worker, &report.name);
        let earlier = self.members.remove(worker);
        let is_new = earlier.is_none();
        let member = Member {
            machine: Machine { name: report.name.clone(), speed },
            has_played: earlier
                .as_ref()
                .is_some_and(|earlier| earlier.has_played && earlier.report == report),
            report: report.clone(),
            clocks: self.clocks.iter().map(|clock| clock.scaled(Some(speed))).collect(),
            seen: now,
            is_silent: false,
            held: earlier.map_or_else(HashSet::new, |earlier| earlier.held),
        };
        self.members.insert(worker.to_owned(), member);
        let effects = if is_new { vec![Effect::Send(Event::MachineJoined(report))] } else { Vec::new() };
        (ReplyTime::now(Response::Welcome { session: self.session.clone() }), effects)
    }

    fn take(&mut self, worker: &str, pair: u32, now: Instant) -> ReplyTime {
        let Some(member) = self.members.get_mut(worker) else { return ReplyTime::now(Response::Unknown) };
        if !self.out.contains_key(&pair) {
            // Leased before the coordinator restarted: it will be submitted again.
            let unknown = pair >= self.end;
            return ReplyTime::now(if unknown {
                Response::Later
            } else {
                Response::Games { games: Vec::new() }
            });
        }
        if member.held.len() >= member.max_held() {
            let is_held = |pair: &u32| {
                let hold = self.out.get(pair).and_then(|out| out.hold.as_ref());
                hold.is_some_and(|hold| hold.worker == worker)
            };
            member.held.retain(is_held);
            if member.held.len() >= member.max_held() && !member.held.contains(&pair) {
                return ReplyTime::now(Response::Later);
            }
        }
        member.held.insert(pair);
        let Some(out) = self.out.get_mut(&pair) else { return ReplyTime::now(Response::Later) };
        // A worker that leases it again has no results yet.
        let earlier = out.hold.take().filter(|hold| hold.worker == worker);
        let new = Lease { worker: worker.to_owned(), taken: now, silent_since: now, started: Vec::new() };
        out.hold = Some(earlier.unwrap_or(new));
        if !out.takers.iter().any(|taker| taker == worker) {
            out.takers.push_back(worker.to_owned());
            if out.takers.len() > MAX_TAKERS {
                out.takers.pop_front();
            }
        }
        let games = out.missing.iter().filter(|(_, came)| !came).map(|(game, _)| *game).collect();
        ReplyTime::now(Response::Games { games })
    }

    fn result(
        &mut self,
        worker: &str,
        pair: u32,
        game: u32,
        record: &RecordMessage,
        (now, time): (Instant, SystemTime),
    ) -> (ReplyTime, Vec<Effect>) {
        let Some(out) = self.out.get_mut(&pair) else {
            let answer = if pair >= self.end { Response::Later } else { Response::Unneeded };
            return (ReplyTime::now(answer), Vec::new());
        };
        if !out.takers.iter().any(|taker| taker == worker) {
            // Leased before the coordinator restarted, or never: it must be leased now.
            return (ReplyTime::now(Response::Unknown), Vec::new());
        }
        let Some(given) = out.work.games.iter().find(|opened| opened.game.number == game) else {
            return self.disqualify(
                worker,
                &format!("game {} is not part of pair {}", u64::from(game) + 1, u64::from(pair) + 1),
            );
        };
        let Some((_, came)) = out.missing.iter_mut().find(|(missing, _)| *missing == game) else {
            return (ReplyTime::now(Response::Stored), Vec::new());
        };
        if *came {
            return (ReplyTime::WhenStored(game), Vec::new());
        }
        let Some(member) = self.members.get_mut(worker) else {
            return (ReplyTime::now(Response::Unknown), Vec::new());
        };
        let clocks = [&member.clocks[given.game.white], &member.clocks[given.game.black]];
        let verified = match record.to_report() {
            Ok(claim) => self
                .rules
                .verify(given, clocks, claim, time)
                .map_err(|error| (error == InvalidGame::Opening, error.to_string())),
            Err(error) => Err((false, error.to_string())),
        };
        let mut record = match verified {
            Ok(record) => record,
            Err((is_stale, words)) => {
                let words = format!("its game {} is invalid: {words}", u64::from(game) + 1);
                // Its pair may be a message of an earlier run that the server kept: the worker is honest then.
                return if is_stale { self.refuse(worker, &words) } else { self.disqualify(worker, &words) };
            }
        };
        let mut events = Vec::new();
        if !member.has_played {
            // Other workers may have played with other engines since it joined.
            if let Err(words) = self.engines.check(&member.report.engines) {
                return self.refuse(worker, &words);
            }
            member.has_played = true;
            self.engines.bind(&member.report);
            events.push(Event::MachineVerified(member.report.clone()));
        }
        *came = true;
        record.machine = Some(member.machine.clone());
        if let Some(hold) = out.hold.as_mut().filter(|hold| hold.worker == worker) {
            hold.silent_since = now;
            if out.missing.iter().all(|(_, came)| *came) {
                let (count, sum) = self.lasted;
                let time = now.saturating_duration_since(hold.taken);
                self.lasted = (count.saturating_add(1), sum.saturating_add(time));
                member.held.remove(&pair);
            }
        }
        events.push(Event::GameFinished(Box::new(record)));
        (ReplyTime::WhenStored(game), events.into_iter().map(Effect::Send).collect())
    }

    /// Disqualifies a worker; its pairs go to others.
    fn disqualify(&mut self, worker: &str, words: &str) -> (ReplyTime, Vec<Effect>) {
        let words = format!("disqualified: {words}");
        self.members.disqualify(worker, words.clone());
        self.refuse(worker, &words)
    }

    /// Refuses further work of a worker; its pairs go to others.
    fn refuse(&mut self, worker: &str, words: &str) -> (ReplyTime, Vec<Effect>) {
        let mut effects = self.release(worker);
        if let Some(member) = self.members.remove(worker) {
            effects.insert(0, notice(format!("{} was removed: {words}", member.machine.name)));
        }
        (ReplyTime::refused(words), effects)
    }

    /// Puts the pairs of a worker back into the queue.
    fn release(&mut self, worker: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for out in self.out.values_mut() {
            if out.hold.take_if(|hold| hold.worker == worker).is_some() {
                effects.push(Effect::Publish(out.work.pair, WorkMessage::from(&out.work)));
            }
        }
        effects
    }
}

fn notice(words: String) -> Effect {
    Effect::Send(Event::Notice { words })
}

#[cfg(test)]
pub(super) mod tests;
