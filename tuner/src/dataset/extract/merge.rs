//! Positions by key: the same position in several games becomes one with their mean result. Knows no games.

use std::collections::HashMap;
use std::collections::hash_map;

use smalt::evaluation::features;
use smalt::evaluation::trace::FeatureCounter;

use super::super::mixed;
use super::super::record::{RECORD_SIZE, Sample};
use super::Rules;
use super::report::{ExtractReport, PHASES, PositionReason};

/// Collects positions.
#[derive(Default)]
pub(super) struct Merger {
    /// Records, in the order in which positions were first met.
    records: Vec<[u8; RECORD_SIZE]>,
    /// Sums of results and numbers of occurrences.
    sums: Vec<(f32, u32)>,
    phases: Vec<u8>,
    places: HashMap<u64, u32>,
    counter: FeatureCounter,
}

impl Merger {
    /// Adds a position, or adds to the one that it repeats.
    pub(super) fn add(&mut self, sample: &Sample, report: &mut ExtractReport) {
        let next = self.records.len() as u32;
        match self.places.entry(sample.position.key()) {
            hash_map::Entry::Occupied(place) => {
                let index = *place.get() as usize;
                let (sum, count) = &mut self.sums[index];
                *sum += sample.result;
                *count += 1;
                forget_other_players(&mut self.records[index], sample.players);
                report.dropped.count(PositionReason::Duplicate);
            }
            hash_map::Entry::Vacant(place) => match sample.to_bytes() {
                Ok(record) => {
                    place.insert(next);
                    self.records.push(record);
                    self.sums.push((sample.result, 1));
                    self.phases.push(features(&sample.position, &mut self.counter).phase as u8);
                }
                Err(_) => report.dropped.count(PositionReason::Crowded),
            },
        }
    }

    /// The records to write, balanced as the rules say.
    pub(super) fn finish(self, rules: &Rules, report: &mut ExtractReport) -> Vec<[u8; RECORD_SIZE]> {
        let kept = self.balanced(rules);
        let mut records = Vec::with_capacity(self.records.len());
        for (index, mut record) in self.records.into_iter().enumerate() {
            if !kept[index] {
                report.dropped.count(PositionReason::Balance);
                continue;
            }
            report.phases[usize::from(self.phases[index])] += 1;
            let (sum, count) = self.sums[index];
            if count > 1
                && let Ok(sample) = Sample::from_bytes(&record)
            {
                let count = count.min(u16::MAX.into());
                let merged = Sample { result: sum / count as f32, count: count as u16, ..sample };
                record = merged.to_bytes().expect("the record was packed before");
            }
            records.push(record);
        }
        records
    }

    /// Which records stay: of each phase at most so many, chosen by the seed.
    fn balanced(&self, rules: &Rules) -> Vec<bool> {
        let mut kept = vec![true; self.records.len()];
        let Some(factor) = rules.balance else { return kept };
        let mut bins: Vec<Vec<usize>> = vec![Vec::new(); PHASES];
        for (index, &phase) in self.phases.iter().enumerate() {
            bins[usize::from(phase)].push(index);
        }
        let occurring = bins.iter().filter(|bin| !bin.is_empty()).count();
        let most = (factor * self.records.len() as f64 / occurring.max(1) as f64).ceil() as usize;
        for bin in &mut bins {
            bin.sort_by_key(|&index| mixed(rules.seed ^ mixed(index as u64)));
            for &index in bin.iter().skip(most) {
                kept[index] = false;
            }
        }
        kept
    }
}

/// A position that different players had is nobody's.
fn forget_other_players(record: &mut [u8; RECORD_SIZE], players: [u8; 2]) {
    let known = &mut record[RECORD_SIZE - 2..];
    if *known != players {
        known.fill(0);
    }
}
