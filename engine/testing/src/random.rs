//! A deterministic random number generator.

use smalt_chess::splitmix::{STEP, splitmix};

/// SplitMix64, seeded with the state.
pub struct Random(pub u64);

impl Random {
    /// A random 64-bit number.
    pub fn number(&mut self) -> u64 {
        let number = splitmix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    /// A random number below the bound, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }

    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}
