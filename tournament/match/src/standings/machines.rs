//! Results by machine: whether those of one differ from those of the others by more than chance.

use std::collections::BTreeMap;

use smalt_stats::Wdl;
use smalt_stats::homogeneity::{Homogeneity, homogeneity};

use crate::game::GameRecord;
use crate::store::{Store, StoreError};

/// p-value below which a machine's results are reported as different.
pub const SIGNIFICANCE: f64 = 0.001;

/// Results by machine and pairing, from the view of the entrant with the lower index.
#[derive(Clone, Debug, Default)]
pub struct MachineResults(BTreeMap<String, BTreeMap<(usize, usize), Wdl>>);

impl MachineResults {
    /// The results of a store; empty without remote machines.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn read(store: &Store) -> Result<MachineResults, StoreError> {
        let mut results = MachineResults::default();
        if !store.machines()?.is_empty() {
            store.for_each_game(|record| results.add(&record))?;
        }
        Ok(results)
    }

    fn add(&mut self, record: &GameRecord) {
        let Some(machine) = &record.machine else { return };
        let (white, black, outcome) = (record.game.white, record.game.black, record.white_outcome());
        let pairing = (white.min(black), white.max(black));
        let outcome = if white < black { outcome } else { outcome.mirrored() };
        let results = self.0.entry(machine.name.clone()).or_default();
        results.entry(pairing).or_default().record(outcome);
    }

    /// Number of games of a machine.
    pub fn games_of(&self, machine: &str) -> u64 {
        self.0.get(machine).map_or(0, |results| results.values().map(Wdl::games).sum())
    }

    /// A machine against all others; `None` if it has no pairing in common with them.
    pub fn residual_of(&self, machine: &str) -> Option<Homogeneity> {
        let against_others = |(pairing, &own): (&(usize, usize), &Wdl)| {
            let others = self.0.iter().filter(|(name, _)| *name != machine);
            (own, others.filter_map(|(_, results)| results.get(pairing)).copied().sum())
        };
        let pairings: Vec<(Wdl, Wdl)> = self.0.get(machine)?.iter().map(against_others).collect();
        homogeneity(&pairings)
    }

    /// Machines whose results differ from those of the others at [`SIGNIFICANCE`].
    pub fn different(&self) -> impl Iterator<Item = (&str, Homogeneity)> {
        let residuals =
            self.0.keys().filter_map(|machine| Some((machine.as_str(), self.residual_of(machine)?)));
        residuals.filter(|(_, residual)| residual.p < SIGNIFICANCE)
    }
}

#[cfg(test)]
mod tests {
    use smalt_stats::GameResult;

    use super::*;

    #[test]
    fn a_machine_whose_engine_loses_differs_from_the_others() {
        let mut results = MachineResults::default();
        for (machine, outcomes) in [("fast", [40, 40, 20]), ("slow", [38, 43, 19]), ("broken", [5, 25, 70])] {
            let counts = results.0.entry(machine.to_owned()).or_default().entry((0, 1)).or_default();
            for (outcome, count) in
                [GameResult::Win, GameResult::Draw, GameResult::Loss].into_iter().zip(outcomes)
            {
                (0..count).for_each(|_| counts.record(outcome));
            }
        }
        assert!(results.different().any(|(machine, _)| machine == "broken"));
        assert_eq!(results.games_of("slow"), 100);
        let two = MachineResults(results.0.into_iter().filter(|(name, _)| name != "broken").collect());
        assert!(two.residual_of("fast").unwrap().p > 0.5);
        assert_eq!(two.different().count(), 0);
        assert_eq!(two.residual_of("unknown"), None);
    }
}
