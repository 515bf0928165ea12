//! SplitMix64: a hash of 64 bits, and a generator of random numbers (G. Steele, D. Lea, C. Flood, *Fast splittable
//! pseudorandom number generators*, 2014).

/// What the generator adds to its state for each number.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number that follows a state, which is also a hash of the state.
#[inline]
pub const fn splitmix(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(STEP);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let numbers = [splitmix(1_234_567), splitmix(1_234_567 + STEP)];
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
