//! Random numbers for resampling: fast, and the same in every version.

use std::f64::consts::TAU;

/// A generator of 64 bits (G. Steele, D. Lea, C. Flood, *Fast splittable pseudorandom number generators*, 2014).
#[derive(Clone, Debug)]
pub(crate) struct SplitMix(u64);

/// Increment of the state: 2^64 divided by the golden ratio, rounded to odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix {
    pub(crate) fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// Stream `number` of a seed, independent of its other streams.
    pub(crate) fn stream(seed: u64, number: u64) -> SplitMix {
        let mut numbers = SplitMix(number);
        SplitMix(seed ^ numbers.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in 0..bound, with a bias of bound / 2^64.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An index drawn by its probability; `chances` sum to 1.
    pub(crate) fn outcome(&mut self, chances: &[f64]) -> usize {
        let mut point = self.unit();
        let below = |chance: &f64| {
            point -= chance;
            point < 0.0
        };
        chances.iter().position(below).unwrap_or(chances.len().saturating_sub(1))
    }

    /// Standard normal variable (G. Box and M. Muller, 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_numbers() {
        let mut random = SplitMix::new(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn outcomes_come_as_often_as_their_chances_say() {
        let mut random = SplitMix::new(5);
        let chances = [0.05, 0.22, 0.46, 0.22, 0.05];
        let mut counts = [0; 5];
        (0..20_000).for_each(|_| counts[random.outcome(&chances)] += 1);
        for (count, chance) in counts.into_iter().zip(chances) {
            assert!((f64::from(count) / 20_000.0 - chance).abs() < 0.01, "{counts:?}");
        }
        assert_eq!(random.outcome(&[0.0, 0.0, 1.0]), 2);
    }

    #[test]
    fn normal_numbers_have_their_mean_and_deviation() {
        let mut random = SplitMix::stream(7, 3);
        let numbers: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.04, "{mean} {variance}");
    }
}
