//! The workers of a run: active, silent and disqualified ones, with limits.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use smalt_match::game::{Machine, MachineReport};
use smalt_match::plan::MoveClock;

/// Maximum number of workers, and of stored disqualifications.
const MAX_WORKERS: usize = 10_000;

/// Minimum and maximum number of submitted pairs.
const MIN_PAIRS: usize = 8;
const MAX_PAIRS: usize = 20_000;

/// Number of leases of silence after which a worker is removed; it can rejoin.
const REMEMBERED_LEASES: u32 = 1000;

#[derive(Debug)]
pub(super) struct Member {
    pub(super) machine: Machine,
    pub(super) report: Box<MachineReport>,
    pub(super) has_played: bool,
    pub(super) clocks: Vec<MoveClock>,
    pub(super) seen: Instant,
    pub(super) is_silent: bool,
    /// Pairs that it leased; some may be finished or leased to others.
    pub(super) held: HashSet<u32>,
}

impl Member {
    fn slots(&self) -> usize {
        self.report.slots as usize
    }

    /// Maximum number of leased pairs: those in play, those with pending results, and as many again for lost ones.
    pub(super) fn max_held(&self) -> usize {
        4 * self.slots() + 8
    }
}

/// Workers by their names on the server.
#[derive(Debug, Default)]
pub(super) struct Members {
    present: HashMap<String, Member>,
    /// Disqualified workers with reasons.
    disqualified: HashMap<String, String>,
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

    pub(super) fn active(&self) -> impl Iterator<Item = &Member> {
        self.present.values().filter(|member| !member.is_silent)
    }

    pub(super) fn has_room(&self) -> bool {
        self.present.len() < MAX_WORKERS
    }

    /// Two pairs per concurrent game, so that no slot waits.
    pub(super) fn wanted(&self) -> usize {
        let slots: usize = self.active().map(Member::slots).sum();
        (2 * slots).clamp(MIN_PAIRS, MAX_PAIRS)
    }

    /// A unique name, numbered if necessary.
    pub(super) fn free_name(&self, worker: &str, name: &str) -> String {
        let others = self.present.iter().filter(|(id, member)| *id != worker && !member.is_silent);
        let taken: HashSet<&str> = others.map(|(_, member)| member.machine.name.as_str()).collect();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        candidates.find(|candidate| !taken.contains(candidate.as_str())).unwrap_or_else(|| name.to_owned())
    }

    /// Marks workers as silent after two leases; returns the new ones.
    pub(super) fn mark_silent(&mut self, now: Instant, lease: Duration) -> Vec<String> {
        let longest = REMEMBERED_LEASES * lease;
        self.present.retain(|_, member| now.saturating_duration_since(member.seen) < longest);
        let is_late = |member: &Member| now.saturating_duration_since(member.seen) > 2 * lease;
        let late = self.present.values_mut().filter(|member| !member.is_silent && is_late(member));
        let silenced = late.map(|member| {
            member.is_silent = true;
            member.machine.name.clone()
        });
        silenced.collect()
    }

    pub(super) fn disqualify(&mut self, worker: &str, words: String) {
        if self.disqualified.len() < MAX_WORKERS {
            self.disqualified.insert(worker.to_owned(), words);
        }
    }

    /// Reason of a disqualification, if any.
    pub(super) fn disqualification(&self, worker: &str) -> Option<&str> {
        self.disqualified.get(worker).map(String::as_str)
    }
}
