//! Results of games by the names of those who played. Knows no files and no ratings.

use std::collections::HashMap;

use smalt_stats::Wdl;
use smalt_stats::ratings::Pairing;

/// Who played whom with which color, and how it ended.
#[derive(Clone, Debug, Default)]
pub struct Games {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    results: HashMap<(usize, usize), Wdl>,
}

impl Games {
    /// The number of this player, a new one if it is met for the first time.
    pub fn player(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Adds games of two players, numbered by [`Self::player`]; the results are in White's view.
    pub fn add(&mut self, white: usize, black: usize, results: Wdl) {
        *self.results.entry((white, black)).or_default() += results;
    }

    /// All names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of the player of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// How many games there are.
    pub fn count(&self) -> u64 {
        self.results.values().map(Wdl::games).sum()
    }

    /// All results, in the order of the players' numbers.
    pub fn pairings(&self) -> Vec<Pairing> {
        let pairing =
            |(&(white, black), &results): (&(usize, usize), &Wdl)| Pairing { white, black, results };
        let mut pairings: Vec<Pairing> = self.results.iter().map(pairing).collect();
        pairings.sort_by_key(|pairing| (pairing.white, pairing.black));
        pairings
    }
}
