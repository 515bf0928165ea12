//! Histogram of latencies with logarithmic classes (eight per doubling), for percentiles.

use std::time::Duration;

/// Classes of each doubling.
const CLASSES: f64 = 8.0;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latencies {
    counts: Vec<u64>,
    longest: Duration,
}

impl Latencies {
    pub(crate) fn add(&mut self, time: Duration) {
        let class = class_of(time);
        if class >= self.counts.len() {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] += 1;
        self.longest = self.longest.max(time);
    }

    /// Number of recorded times.
    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The longest recorded time.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// Quantile: the time not exceeded by this share (in [0, 1]), at most a tenth too long.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let wanted = (share * self.count() as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let class = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        })?;
        Some(upper_end(class).min(self.longest))
    }
}

/// Logarithmic class of a time in nanoseconds.
fn class_of(time: Duration) -> usize {
    let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1) as f64;
    (nanoseconds.log2() * CLASSES) as usize
}

fn upper_end(class: usize) -> Duration {
    Duration::from_secs_f64(((class + 1) as f64 / CLASSES).exp2() * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_a_tenth() {
        let mut latencies = Latencies::default();
        for microseconds in 1..=1000 {
            latencies.add(Duration::from_micros(microseconds));
        }
        for (share, expected) in [(0.5, 500.0), (0.99, 990.0), (0.001, 1.0), (1.0, 1000.0)] {
            let found = latencies.quantile(share).unwrap().as_secs_f64() * 1e6;
            assert!((found / expected - 1.0).abs() < 0.1, "{share}: {found}");
        }
        assert_eq!(latencies.longest(), Duration::from_millis(1));
    }

    #[test]
    fn nothing_has_no_percentiles() {
        assert_eq!(Latencies::default().quantile(0.5), None);
    }
}
