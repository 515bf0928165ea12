//! Order of openings, as indices.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::mersenne::MersenneTwister;

/// A cyclic order of all openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningOrder {
    openings: u32,
    start: u32,
    /// Shuffled order; `None` for file order.
    order: Option<Vec<u32>>,
}

impl OpeningOrder {
    /// File order, from `start` (counted from 0).
    pub(crate) fn sequential(openings: u32, start: u32) -> OpeningOrder {
        OpeningOrder { openings, start, order: None }
    }

    /// Random order; the same seed gives the same order.
    pub(crate) fn random(openings: u32, seed: u64, start: u32) -> OpeningOrder {
        let mut order: Vec<u32> = (0..openings).collect();
        shuffle(&mut order, seed);
        OpeningOrder { openings, start, order: Some(order) }
    }

    /// fastchess's order for `-srand`: the same seed gives the same order there.
    pub(crate) fn of_fastchess(openings: u32, srand: u64, start: u32) -> OpeningOrder {
        let mut order: Vec<u32> = (0..openings).collect();
        let mut random = MersenneTwister::new(srand);
        for place in 0..order.len().saturating_sub(1) {
            let rest = (order.len() - place) as u64;
            order.swap(place, place + (random.next_u64() % rest) as usize);
        }
        OpeningOrder { openings, start, order: Some(order) }
    }

    /// Index in the file of the opening with this index of use; 0 if there are no openings.
    pub(crate) fn place(&self, used: u32) -> u32 {
        let openings = u64::from(self.openings.max(1));
        let at = ((u64::from(self.start) + u64::from(used)) % openings) as u32;
        match &self.order {
            Some(order) => order.get(at as usize).copied().unwrap_or(0),
            None => at,
        }
    }
}

/// Fisher-Yates shuffle (R. Durstenfeld, 1964).
pub(super) fn shuffle<T>(list: &mut [T], seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for last in (1..list.len()).rev() {
        list.swap(last, below(&mut random, last + 1));
    }
}

/// A uniform random number below the limit, by rejection.
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

    fn first(order: &OpeningOrder, count: u32) -> Vec<u32> {
        (0..count).map(|used| order.place(used)).collect()
    }

    #[test]
    fn every_opening_comes_once_before_any_comes_again() {
        let order = OpeningOrder::random(100, 7, 3);
        let mut rounds = first(&order, 100);
        rounds.sort_unstable();
        assert_eq!(rounds, (0..100).collect::<Vec<_>>());
        assert_eq!(order.place(100), order.place(0));
    }

    #[test]
    fn a_seed_is_an_order_for_ever() {
        assert_eq!(first(&OpeningOrder::random(10, 1, 0), 10), [2, 7, 6, 3, 4, 9, 0, 5, 8, 1]);
        assert_ne!(first(&OpeningOrder::random(10, 2, 0), 10), first(&OpeningOrder::random(10, 1, 0), 10));
    }

    /// The openings of `fastchess -rounds 10 -openings order=random start=3 -srand 12345678901234567890` (1.8.2) over a book of 16.
    #[test]
    fn a_seed_of_fastchess_gives_its_order() {
        let order = OpeningOrder::of_fastchess(16, 12_345_678_901_234_567_890, 2);
        assert_eq!(first(&order, 10), [3, 13, 15, 7, 8, 11, 4, 6, 5, 12]);
    }

    #[test]
    fn the_order_of_the_file_may_begin_anywhere() {
        assert_eq!(first(&OpeningOrder::sequential(4, 2), 5), [2, 3, 0, 1, 2]);
    }
}
