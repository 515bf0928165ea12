//! Brownian motion with drift between two bounds: the limit of the LLR of a long test.

use crate::normal::cdf;

/// A motion that starts at 0, between `lower` < 0 and `upper` > 0, and stops at the first bound it reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Mean change per unit of time.
    pub(super) drift: f64,
    /// Variance of the change per unit of time, above 0.
    pub(super) variance: f64,
}

impl Motion {
    /// Probability of stopping at the lower bound.
    pub(super) fn stops_low(&self) -> f64 {
        let pull = 2.0 * self.drift / self.variance;
        let (lower, upper) = (self.lower, self.upper);
        // Near zero the formulas below lose all digits to cancellation; this is their limit.
        if pull.abs() * (upper - lower) < 1e-9 {
            return upper / (upper - lower);
        }
        // (e^(-pull·upper) - 1) / (e^(-pull·upper) - e^(-pull·lower)), written without overflow.
        if pull > 0.0 {
            (pull * lower).exp() * (-pull * upper).exp_m1() / (pull * (lower - upper)).exp_m1()
        } else {
            (pull * upper).exp_m1() / (pull * (upper - lower)).exp_m1()
        }
    }

    /// Mean stopping time.
    pub(super) fn mean_time(&self) -> f64 {
        if (self.drift / self.variance).abs() * (self.upper - self.lower) < 1e-6 {
            return -self.lower * self.upper / self.variance;
        }
        let low = self.stops_low();
        (low * self.lower + (1.0 - low) * self.upper) / self.drift
    }

    /// Quantile of the stopping time.
    pub(super) fn quantile_of_time(&self, probability: f64) -> f64 {
        let has_stopped =
            |time: f64| self.share_of_worse(time, self.lower) + 1.0 - self.share_of_worse(time, self.upper);
        let mut high = self.mean_time();
        while has_stopped(high) < probability {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if has_stopped(middle) < probability {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// Probability of an outcome no better than being at `place` at `time` (at a bound: stopping just then): to have
    /// stopped at the lower bound by `time`, or to be at or below `place`. A later stop is better at the lower bound and
    /// worse at the upper one.
    pub(super) fn share_of_worse(&self, time: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        let pull = self.drift / self.variance;
        let share = if self.variance * time / width.powi(2) < 1e-2 || (pull * width).abs() > 15.0 {
            self.share_by_images(time, place)
        } else {
            self.share_by_eigenfunctions(time, place)
        };
        share.clamp(0.0, 1.0)
    }

    /// The eigenfunction series, which converges quickly unless little time has passed.
    fn share_by_eigenfunctions(&self, time: f64, place: f64) -> f64 {
        use std::f64::consts::PI;
        let width = self.upper - self.lower;
        let (start, end) = (-self.lower, place - self.lower);
        let pull = self.drift / self.variance;
        let rate = |mode: f64| {
            0.5 * self.variance * (mode * PI / width).powi(2) + 0.5 * self.drift.powi(2) / self.variance
        };
        let front = (-rate(1.0) * time + pull * (end - start)).exp();
        let mut sum = 0.0;
        for mode in 1..1000 {
            let mode = f64::from(mode);
            let faded = (-(rate(mode) - rate(1.0)) * time).exp();
            let angle = PI * mode * end / width;
            let shape = (2.0 * width * pull * angle.sin() - 2.0 * PI * mode * angle.cos())
                / ((width * pull).powi(2) + (PI * mode).powi(2));
            sum += faded * shape * (PI * mode * start / width).sin();
            if (front * faded * shape).abs() <= 1e-12 {
                break;
            }
        }
        self.stops_low() + front * sum
    }

    /// The first images, accurate while little time has passed or the drift is strong (D. Siegmund, *Sequential
    /// Analysis*, 1985).
    fn share_by_images(&self, time: f64, place: f64) -> f64 {
        let deviation = (time * self.variance).sqrt();
        let offset = self.drift * time;
        let pull = 2.0 * self.drift / self.variance;
        let image = |bound: f64, z: f64| {
            if pull * bound >= 10.0 {
                let density = (-0.5 * z * z + pull * bound).exp() / std::f64::consts::TAU.sqrt();
                -density * (1.0 / z - 1.0 / z.powi(3))
            } else {
                (pull * bound).exp() * cdf(z)
            }
        };
        let direct = cdf((place - offset) / deviation);
        // Mirror images at each bound.
        let low = image(self.lower, (2.0 * self.lower - place + offset) / deviation);
        let high = image(self.upper, (place - offset - 2.0 * self.upper) / deviation);
        direct + low - high
    }
}
