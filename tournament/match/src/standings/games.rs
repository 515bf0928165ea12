//! Game results by player name.

use std::collections::HashMap;

use smalt_stats::Wdl;
use smalt_stats::ratings::Pairing;

/// Results by players and colors.
#[derive(Clone, Debug, Default)]
pub struct Games {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    results: HashMap<(usize, usize), Wdl>,
}

impl Games {
    /// Index of a player; adds an unknown name.
    pub fn player(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Adds games of two players, by index; results are from White's view.
    pub fn add(&mut self, white: usize, black: usize, results: Wdl) {
        *self.results.entry((white, black)).or_default() += results;
    }

    /// The games under other names: `rename` maps each player's name. Drops games of players mapped to `None`, and
    /// games of a player against itself.
    pub fn renamed<'a>(&'a self, rename: impl Fn(&'a str) -> Option<&'a str>) -> Games {
        let mut renamed = Games::default();
        for Pairing { white, black, results } in self.pairings() {
            let [white, black] = [white, black].map(|player| rename(&self.names[player]));
            if let (Some(white), Some(black)) = (white, black)
                && white != black
            {
                let (white, black) = (renamed.player(white), renamed.player(black));
                renamed.add(white, black, results);
            }
        }
        renamed
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Index of a player's name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    pub fn count(&self) -> u64 {
        self.results.values().map(Wdl::games).sum()
    }

    /// All results, in order of indices.
    pub fn pairings(&self) -> Vec<Pairing> {
        let pairing =
            |(&(white, black), &results): (&(usize, usize), &Wdl)| Pairing { white, black, results };
        let mut pairings: Vec<Pairing> = self.results.iter().map(pairing).collect();
        pairings.sort_by_key(|pairing| (pairing.white, pairing.black));
        pairings
    }
}
