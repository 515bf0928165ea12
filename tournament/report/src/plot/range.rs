//! Axis ranges and ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;

/// A range of all finite numbers with a margin; `None` if there are none.
pub(super) fn around(numbers: impl Iterator<Item = f64>) -> Option<Range<f64>> {
    let (least, most) = numbers
        .filter(|number| number.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
            (least.min(number), most.max(number))
        });
    if least > most {
        return None;
    }
    let air = match (most - least) * 0.05 {
        air if air > 0.0 => air,
        _ => most.abs().max(1.0) * 0.05,
    };
    Some(least - air..most + air)
}

/// A round tick distance for about this number of ticks: 1, 2 or 5 times a power of ten.
pub(super) fn round_step(range: &Range<f64>, marks: usize) -> f64 {
    let rough = (range.end - range.start) / marks.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * power);
    steps.into_iter().find(|&step| step >= rough * 0.999).unwrap_or(10.0 * power)
}

/// A range with ticks at multiples of a step only.
pub(super) struct Marked {
    range: RangedCoordf64,
    marks: Vec<f64>,
}

/// The range with its ticks.
pub(super) fn marked(range: Range<f64>, step: f64) -> Marked {
    let (first, last) = ((range.start / step).ceil() as i64, (range.end / step).floor() as i64);
    let marks = (first..=last).map(|index| index as f64 * step).collect();
    Marked { range: range.into(), marks }
}

/// A range of logarithms with ticks at 1, 2 and 5 times the powers of ten, or only at the powers if there are many.
pub(super) fn marked_by_powers(range: Range<f64>) -> Marked {
    let (first, last) = (range.start.floor() as i32, range.end.ceil() as i32);
    let between: &[f64] = if last - first <= 4 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let marks =
        (first..=last).flat_map(|power| between.iter().map(move |factor| factor.log10() + f64::from(power)));
    let marks = marks.filter(|mark| range.contains(mark)).collect();
    Marked { range: range.into(), marks }
}

impl Ranged for Marked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.range.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.marks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.range()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_air_and_needs_numbers() {
        assert_eq!(around([0.0, f64::NAN, 10.0].into_iter()), Some(-0.5..10.5));
        assert_eq!(around([100.0].into_iter()), Some(95.0..105.0));
        assert_eq!(around([0.0].into_iter()), Some(-0.05..0.05));
        assert_eq!(around([f64::INFINITY].into_iter()), None);
    }

    #[test]
    fn steps_are_round() {
        for (range, step) in [(0.0..10.0, 2.0), (0.0..1.0, 0.2), (0.0..4.0, 1.0), (-300.0..300.0, 200.0)] {
            assert!((round_step(&range, 5) - step).abs() < 1e-12, "{range:?}");
        }
    }
}
