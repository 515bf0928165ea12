//! Groups positions by key, with one record per game, so that results of held-out games never mix with training data.
//! Balances the phases.

use std::collections::HashMap;
use std::collections::hash_map;
use std::io;

use smalt::evaluation::features;
use smalt::evaluation::trace::FeatureCounter;
use smalt_chess::Move;
use smalt_chess::splitmix::splitmix;
use smalt_dataset::choose::PositionReason;
use smalt_dataset::record::{self, RECORD_SIZE, Sample};

use super::Rules;
use super::report::{ExtractReport, PHASES};

#[derive(Default)]
pub(super) struct Merger {
    records: Vec<[u8; RECORD_SIZE]>,
    /// Move played, for each record.
    moves: Vec<Option<Move>>,
    /// Next record of the same position, for each record.
    next: Vec<Option<u32>>,
    /// Positions in order of first occurrence.
    positions: Vec<Occurrences>,
    /// Indices into `positions`.
    by_key: HashMap<u64, u32>,
    counter: FeatureCounter,
}

/// The records of one position.
struct Occurrences {
    first: u32,
    last: u32,
    phase: u8,
}

impl Merger {
    /// Adds an occurrence to the record of the same position and game, or as a new record.
    pub(super) fn add(&mut self, sample: &Sample, report: &mut ExtractReport) {
        let Ok(bytes) = sample.to_bytes() else {
            report.dropped.count(PositionReason::Crowded);
            return;
        };
        let record = self.records.len() as u32;
        match self.by_key.entry(sample.position.key()) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert(self.positions.len() as u32);
                let phase = features(&sample.position, &mut self.counter).phase as u8;
                self.positions.push(Occurrences { first: record, last: record, phase });
            }
            hash_map::Entry::Occupied(entry) => {
                report.dropped.count(PositionReason::Duplicate);
                let position = &mut self.positions[*entry.get() as usize];
                let last = position.last as usize;
                if record::game_of(&self.records[last]) == sample.game {
                    record::count_again(&mut self.records[last]);
                    return;
                }
                self.next[last] = Some(record);
                position.last = record;
            }
        }
        self.records.push(bytes);
        self.moves.push(sample.mv);
        self.next.push(None);
    }

    /// Passes the records with their moves to `take`, with the phases balanced: those of equal positions together if
    /// grouped, else game by game.
    pub(super) fn finish(
        self,
        rules: &Rules,
        is_grouped: bool,
        report: &mut ExtractReport,
        mut take: impl FnMut(&[u8; RECORD_SIZE], Option<Move>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (kept, mut order) = (self.balanced(rules), Vec::with_capacity(self.records.len()));
        for (position, kept) in self.positions.iter().zip(kept) {
            if !kept {
                report.dropped.count(PositionReason::Balance);
                continue;
            }
            report.positions += 1;
            report.phases[usize::from(position.phase)] += 1;
            order.extend(std::iter::successors(Some(position.first), |&record| self.next[record as usize]));
        }
        if !is_grouped {
            order.sort_unstable();
        }
        report.records += order.len() as u64;
        order.iter().map(|&record| record as usize).try_for_each(|at| take(&self.records[at], self.moves[at]))
    }

    /// Which positions are kept: at most a share of each phase, drawn by the seed.
    fn balanced(&self, rules: &Rules) -> Vec<bool> {
        let mut kept = vec![true; self.positions.len()];
        let Some(factor) = rules.balance else { return kept };
        let mut bins: Vec<Vec<usize>> = vec![Vec::new(); PHASES];
        for (index, position) in self.positions.iter().enumerate() {
            bins[usize::from(position.phase)].push(index);
        }
        let occurring = bins.iter().filter(|bin| !bin.is_empty()).count();
        let most = (factor * self.positions.len() as f64 / occurring.max(1) as f64).ceil() as usize;
        for bin in &mut bins {
            bin.sort_by_key(|&index| splitmix(rules.seed ^ splitmix(index as u64)));
            for &index in bin.iter().skip(most) {
                kept[index] = false;
            }
        }
        kept
    }
}
