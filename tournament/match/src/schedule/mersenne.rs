//! The generator mt19937-64 (T. Nishimura, Tables of 64-bit Mersenne Twisters, 2000), which fastchess uses to shuffle
//! openings.

const WORDS: usize = 312;
const MIDDLE: usize = 156;
const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
const UPPER: u64 = 0xffff_ffff_8000_0000;
const LOWER: u64 = 0x7fff_ffff;
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// A stream of numbers from a seed.
pub(super) struct MersenneTwister {
    state: [u64; WORDS],
    next: usize,
}

impl MersenneTwister {
    pub(super) fn new(seed: u64) -> MersenneTwister {
        let mut state = [seed; WORDS];
        for index in 1..WORDS {
            let before = state[index - 1];
            state[index] = (before ^ (before >> 62)).wrapping_mul(MULTIPLIER).wrapping_add(index as u64);
        }
        MersenneTwister { state, next: WORDS }
    }

    fn twist(&mut self) {
        for index in 0..WORDS {
            let bits = (self.state[index] & UPPER) | (self.state[(index + 1) % WORDS] & LOWER);
            let twisted = (bits >> 1) ^ if bits & 1 == 1 { MATRIX } else { 0 };
            self.state[index] = self.state[(index + MIDDLE) % WORDS] ^ twisted;
        }
        self.next = 0;
    }

    pub(super) fn next_u64(&mut self) -> u64 {
        if self.next == WORDS {
            self.twist();
        }
        let mut bits = self.state[self.next];
        self.next += 1;
        bits ^= (bits >> 29) & 0x5555_5555_5555_5555;
        bits ^= (bits << 17) & 0x71d6_7fff_eda6_0000;
        bits ^= (bits << 37) & 0xfff7_eee0_0000_0000;
        bits ^ (bits >> 43)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The C++ standard states the 10,000th number of the default seed ([rand.predef]).
    #[test]
    fn the_numbers_are_those_of_the_standard() {
        let mut random = MersenneTwister::new(5489);
        let last = (0..10_000).map(|_| random.next_u64()).last();
        assert_eq!(last, Some(9_981_545_732_273_789_042));
    }
}
