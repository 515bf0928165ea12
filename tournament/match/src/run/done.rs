//! Set of finished games, one bit per game, so that memory stays constant in runs of millions of games.

/// A set of game numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct DoneGames {
    bits: Vec<u64>,
    count: u32,
}

impl DoneGames {
    /// An empty set sized for numbers below `games`; it grows for larger ones.
    pub(super) fn with_room(games: u32) -> DoneGames {
        DoneGames { bits: vec![0; games.div_ceil(64) as usize], count: 0 }
    }

    pub(super) fn insert(&mut self, number: u32) {
        let (word, bit) = place(number);
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.count += u32::from(self.bits[word] & bit == 0);
        self.bits[word] |= bit;
    }

    /// Whether the game is finished.
    pub(super) fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Number of finished games.
    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

fn place(number: u32) -> (usize, u64) {
    ((number / 64) as usize, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_once_and_beyond_the_room() {
        let mut done = DoneGames::with_room(65);
        for number in [0, 64, 64, 1000] {
            done.insert(number);
        }
        assert_eq!(done.count(), 3);
        let found: Vec<_> = (0..1100).filter(|&number| done.contains(number)).collect();
        assert_eq!(found, [0, 64, 1000]);
    }
}
