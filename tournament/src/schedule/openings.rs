//! Which opening each round begins with. Knows how many openings there are, not what they are.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// An order of all openings, gone through again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningOrder {
    order: Vec<usize>,
    start: usize,
}

impl OpeningOrder {
    /// In the order of the file, from this one (counted from 0) on.
    pub fn sequential(openings: usize, start: usize) -> OpeningOrder {
        OpeningOrder { order: (0..openings).collect(), start }
    }

    /// As a seed shuffles them; the same seed always gives the same order.
    pub fn random(openings: usize, seed: u64, start: usize) -> OpeningOrder {
        let mut order: Vec<usize> = (0..openings).collect();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // Fisher and Yates, in the form of R. Durstenfeld (1964).
        for last in (1..order.len()).rev() {
            order.swap(last, below(&mut random, last + 1));
        }
        OpeningOrder { order, start }
    }

    /// The index of the opening of a round, both counted from 0; 0 if there are no openings.
    pub fn of_round(&self, round: u32) -> usize {
        let count = self.order.len().max(1);
        self.order.get((self.start + round as usize) % count).copied().unwrap_or(0)
    }
}

/// A number below the limit, each with the same chance: what would favor the small ones is drawn again.
pub(crate) fn below(random: &mut ChaCha8Rng, limit: usize) -> usize {
    let limit = limit as u64;
    let fair = u64::MAX - u64::MAX % limit;
    loop {
        let drawn = random.next_u64();
        if drawn < fair {
            return (drawn % limit) as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(order: &OpeningOrder, count: u32) -> Vec<usize> {
        (0..count).map(|round| order.of_round(round)).collect()
    }

    #[test]
    fn every_opening_comes_once_before_any_comes_again() {
        let order = OpeningOrder::random(100, 7, 3);
        let mut rounds = first(&order, 100);
        rounds.sort_unstable();
        assert_eq!(rounds, (0..100).collect::<Vec<_>>());
        assert_eq!(order.of_round(100), order.of_round(0));
    }

    #[test]
    fn a_seed_is_an_order_for_ever() {
        assert_eq!(first(&OpeningOrder::random(10, 1, 0), 10), [2, 7, 6, 3, 4, 9, 0, 5, 8, 1]);
        assert_ne!(first(&OpeningOrder::random(10, 2, 0), 10), first(&OpeningOrder::random(10, 1, 0), 10));
    }

    #[test]
    fn the_order_of_the_file_may_begin_anywhere() {
        assert_eq!(first(&OpeningOrder::sequential(4, 2), 5), [2, 3, 0, 1, 2]);
    }
}
