//! The workers of a run: who is there, what they may hold, how much they have told, and who was sent away. Workers choose
//! their own names and may come back under others, so all is bounded for all of them together, too.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use crate::game::{Machine, MachineReport};
use crate::plan::MoveClock;

/// The most workers that are remembered, of those that are there and of those that were sent away.
const MOST_WORKERS: usize = 10_000;

/// How many faults and warnings a worker may tell of outside of games, and all of them together.
const MOST_REPORTS: u32 = 1_000;
const MOST_REPORTS_OF_ALL: u32 = 5_000;
/// Of how many the last lines are kept.
const MOST_TRANSCRIPTS: u32 = 1_000;

/// How many pairs are out at least, so that a worker that joins finds some, and at most.
const FEWEST_PAIRS: usize = 8;
const MOST_PAIRS: usize = 20_000;

/// How many games at once are believed of a worker that has not played any.
const UNPROVED_SLOTS: usize = 256;

/// After how many leases of silence a worker is forgotten; should it return, it introduces itself again.
const REMEMBERED: u32 = 1000;

/// A worker that is there, or was not long ago.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) machine: Machine,
    pub(super) report: Box<MachineReport>,
    /// Whether it has played a game that can be true.
    pub(super) is_proved: bool,
    pub(super) clocks: Vec<MoveClock>,
    pub(super) seen: Instant,
    pub(super) is_silent: bool,
    /// Pairs that it took; some may be done, or with others.
    pub(super) held: HashSet<u32>,
}

impl Member {
    /// How many games at once are believed of it.
    fn slots(&self) -> usize {
        let slots = self.report.slots as usize;
        if self.is_proved { slots } else { slots.min(UNPROVED_SLOTS) }
    }

    /// How many pairs it may have: those it plays, those whose results wait, and as many again that it lost sight of.
    pub(super) fn most_held(&self) -> usize {
        4 * self.slots() + 8
    }
}

/// What becomes of a fault or a warning that a worker tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hearing {
    /// It is noted with its last lines.
    Whole,
    /// It is noted without them.
    Brief,
    /// There are enough.
    Unheard,
    /// This worker told too many.
    Flood,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Members {
    present: HashMap<String, Member>,
    /// Why, by worker, and in which order.
    sent_away: HashMap<String, String>,
    order: VecDeque<String>,
    /// How much each has told, also before it joined anew.
    reports: HashMap<String, u32>,
    all_reports: u32,
}

impl Members {
    pub(super) fn get_mut(&mut self, worker: &str) -> Option<&mut Member> {
        self.present.get_mut(worker)
    }

    pub(super) fn insert(&mut self, worker: String, member: Member) {
        self.present.insert(worker, member);
    }

    pub(super) fn remove(&mut self, worker: &str) -> Option<Member> {
        self.present.remove(worker)
    }

    /// Those who are there and not silent.
    pub(super) fn active(&self) -> impl Iterator<Item = &Member> {
        self.present.values().filter(|member| !member.is_silent)
    }

    /// Whether one more can be remembered. Those who are silent and never played make room.
    pub(super) fn has_room(&mut self) -> bool {
        if self.present.len() >= MOST_WORKERS {
            self.present.retain(|_, member| member.is_proved || !member.is_silent);
        }
        self.present.len() < MOST_WORKERS
    }

    /// Two pairs for each game that can be played at once, so that nobody waits for the next.
    pub(super) fn wanted(&self) -> usize {
        let slots: usize = self.active().map(Member::slots).sum();
        (2 * slots).clamp(FEWEST_PAIRS, MOST_PAIRS)
    }

    /// This name, with a number if another is called so.
    pub(super) fn free_name(&self, worker: &str, name: &str) -> String {
        let others = self.present.iter().filter(|(id, member)| *id != worker && !member.is_silent);
        let taken: HashSet<&str> = others.map(|(_, member)| member.machine.name.as_str()).collect();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        candidates.find(|candidate| !taken.contains(candidate.as_str())).unwrap_or_else(|| name.to_owned())
    }

    /// Who has been silent for longer than two leases, now first.
    pub(super) fn fall_silent(&mut self, now: Instant, lease: Duration) -> Vec<String> {
        self.present.retain(|_, member| now.saturating_duration_since(member.seen) < REMEMBERED * lease);
        let is_late = |member: &Member| now.saturating_duration_since(member.seen) > 2 * lease;
        let late = self.present.values_mut().filter(|member| !member.is_silent && is_late(member));
        let silenced = late.map(|member| {
            member.is_silent = true;
            member.machine.name.clone()
        });
        silenced.collect()
    }

    /// Nothing more is heard from this worker, and it is told why. Those of long ago are forgotten.
    pub(super) fn send_away(&mut self, worker: &str, words: String) {
        if self.sent_away.insert(worker.to_owned(), words).is_none() {
            self.order.push_back(worker.to_owned());
        }
        if self.order.len() > MOST_WORKERS
            && let Some(first) = self.order.pop_front()
        {
            self.sent_away.remove(&first);
        }
    }

    /// Why this worker was sent away, if it was.
    pub(super) fn why_away(&self, worker: &str) -> Option<&str> {
        self.sent_away.get(worker).map(String::as_str)
    }

    /// Counts a fault or a warning, which would fill the store otherwise.
    pub(super) fn hear(&mut self, worker: &str) -> Hearing {
        if self.reports.len() >= MOST_WORKERS && !self.reports.contains_key(worker) {
            return Hearing::Unheard;
        }
        let count = self.reports.entry(worker.to_owned()).or_default();
        *count += 1;
        if *count > MOST_REPORTS {
            return Hearing::Flood;
        }
        self.all_reports = self.all_reports.saturating_add(1);
        match self.all_reports {
            ..=MOST_TRANSCRIPTS => Hearing::Whole,
            count if count <= MOST_REPORTS_OF_ALL => Hearing::Brief,
            _ => Hearing::Unheard,
        }
    }
}
