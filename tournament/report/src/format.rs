//! Numbers, durations and counts for readers. A number that is not finite becomes [`MISSING`].

use std::time::Duration;

/// Placeholder for unknown values.
pub const MISSING: &str = "-";

/// Whether positive numbers have a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sign {
    /// A minus for negative numbers only.
    #[default]
    Negative,
    /// Plus or minus, except at zero: for differences.
    Both,
}

/// A number with `decimals` decimals; never `-0`.
pub fn number(value: f64, decimals: usize, sign: Sign) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    let plain = format!("{value:.decimals$}");
    let is_zero = plain.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    match sign {
        _ if is_zero => plain.trim_start_matches('-').to_owned(),
        Sign::Both if value > 0.0 => format!("+{plain}"),
        _ => plain,
    }
}

/// `value ± error`; the value alone if the error is unknown.
pub fn estimate(value: f64, error: Option<f64>, decimals: usize, sign: Sign) -> String {
    interval(&Interval { value: Some(value), error, ..Interval::default() }, decimals, sign)
}

/// A value with its interval, as far as known. Without a single error both ends are shown, or the only known one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// Value between both ends.
    pub value: Option<f64>,
    /// Half-width; shown if the interval is about symmetric.
    pub error: Option<f64>,
    /// `None` if unbounded on this side.
    pub low: Option<f64>,
    /// `None` if unbounded on this side.
    pub high: Option<f64>,
}

/// `value ± error`; otherwise `value (low, high)`, or `> low` (`< high`) if only that is known; ends are whole
/// numbers.
pub fn interval(interval: &Interval, decimals: usize, sign: Sign) -> String {
    TwoPartText::of(interval, decimals, sign).joined()
}

/// A text in two parts, a value and its spread, so that tables can align them.
pub(crate) struct TwoPartText {
    pub(crate) value: String,
    pub(crate) spread: Spread,
}

/// Spread of a value.
pub(crate) enum Spread {
    /// Half-width of the interval.
    Error(String),
    /// Both ends of the interval.
    Ends(String),
    Unknown,
}

impl TwoPartText {
    /// A text without an error.
    pub(crate) fn plain(value: String) -> TwoPartText {
        TwoPartText { value, spread: Spread::Unknown }
    }

    /// A value and its interval, as far as known.
    pub(crate) fn of(interval: &Interval, decimals: usize, sign: Sign) -> TwoPartText {
        let finite = |number: Option<f64>| number.filter(|number| number.is_finite());
        let ends = (finite(interval.low), finite(interval.high));
        // Of a narrow interval whole numbers say too little.
        let is_narrow = ends.0.zip(ends.1).is_some_and(|(low, high)| high - low < NARROW);
        let end = |end: f64| number(end, if is_narrow { decimals } else { 0 }, sign);
        let Some(value) = finite(interval.value) else {
            return TwoPartText::plain(match ends {
                (Some(low), None) => format!("> {}", end(low)),
                (None, Some(high)) => format!("< {}", end(high)),
                _ => MISSING.to_owned(),
            });
        };
        let spread = match (finite(interval.error), ends) {
            (Some(error), (low, high)) if is_symmetric(value, low, high, decimals) => {
                Spread::Error(number(error, decimals, Sign::Negative))
            }
            (_, (Some(low), Some(high))) => Spread::Ends(format!("({}, {})", end(low), end(high))),
            _ => Spread::Unknown,
        };
        TwoPartText { value: number(value, decimals, sign), spread }
    }

    /// Both parts on one line.
    pub(crate) fn joined(self) -> String {
        let TwoPartText { value, spread } = self;
        match spread {
            Spread::Error(error) => format!("{value} ± {error}"),
            Spread::Ends(ends) => format!("{value} {ends}"),
            Spread::Unknown => value,
        }
    }
}

/// Width below which the ends of an interval have decimals.
const NARROW: f64 = 20.0;

/// Whether the error alone gives both ends: to 3% of the width, or half a unit of the last decimal shown. True if an end
/// is unknown.
fn is_symmetric(value: f64, low: Option<f64>, high: Option<f64>, decimals: usize) -> bool {
    low.zip(high).is_none_or(|(low, high)| {
        (low + high - 2.0 * value).abs() <= (0.03 * (high - low)).max(0.5 / 10_f64.powi(decimals as i32))
    })
}

/// A share as a percentage: 0.125 is `12.5%`.
pub fn percent(share: f64, decimals: usize) -> String {
    if share.is_finite() {
        format!("{}%", number(100.0 * share, decimals, Sign::Negative))
    } else {
        MISSING.to_owned()
    }
}

/// An integer with thousands separators: `1,234,567`.
pub fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::from(if value < 0 { "-" } else { "" });
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The two largest units of a duration: `3d 4h`, `2h 05m`, `3m 20s`, `4.2s`, `35ms`, `140µs`.
///
/// Rounded to the unit shown, halves up, but never to `60s` or `60m`.
pub fn duration(value: Duration) -> String {
    let seconds = (value.as_secs_f64()).round() as u64;
    let minutes = (value.as_secs_f64() / 60.0).round() as u64;
    let hours = (value.as_secs_f64() / 3600.0).round() as u64;
    if hours >= 24 {
        format!("{}d {}h", hours / 24, hours % 24)
    } else if minutes >= 60 {
        format!("{}h {:02}m", minutes / 60, minutes % 60)
    } else if seconds >= 60 {
        format!("{}m {:02}s", seconds / 60, seconds % 60)
    } else if value.as_secs() >= 1 {
        let tenths = (value.as_secs_f64() * 10.0).round() as u64;
        format!("{}.{}s", tenths / 10, tenths % 10)
    } else if value.as_millis() >= 1 {
        format!("{}ms", value.as_millis())
    } else {
        format!("{}µs", value.as_micros())
    }
}

/// A number with its noun: `1 game`, `2 games`. `what` is the singular; the plural takes an s.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        for (value, decimals, shown) in
            [(-0.04, 1, "0.0"), (0.04, 1, "0.0"), (-0.05001, 1, "-0.1"), (3.0, 0, "+3")]
        {
            assert_eq!(number(value, decimals, Sign::Both), shown);
        }
        assert_eq!(number(3.0, 2, Sign::Negative), "3.00");
    }

    #[test]
    fn nan_and_infinity_are_shown_as_missing() {
        assert_eq!(number(f64::NAN, 1, Sign::Both), "-");
        assert_eq!(percent(f64::INFINITY, 1), "-");
        assert_eq!(estimate(f64::NAN, Some(1.0), 1, Sign::Both), "-");
        assert_eq!(estimate(12.34, Some(f64::INFINITY), 1, Sign::Both), "+12.3");
        assert_eq!(estimate(-12.34, Some(5.0), 1, Sign::Both), "-12.3 ± 5.0");
    }

    #[test]
    fn an_interval_shows_its_known_ends() {
        let check = |value, error, low, high, shown: &str| {
            let given = Interval { value, error, low, high };
            assert_eq!(interval(&given, 1, Sign::Both), shown);
        };
        check(Some(12.34), Some(5.0), Some(7.4), Some(17.4), "+12.3 ± 5.0");
        check(Some(373.84), Some(231.1), Some(141.4), Some(690.6), "+373.8 (+141, +691)");
        check(Some(0.4), Some(452.91), Some(-473.1), Some(432.7), "+0.4 (-473, +433)");
        check(Some(100.0), Some(30.2), Some(70.4), Some(130.9), "+100.0 ± 30.2");
        check(Some(2.9), Some(3.1), Some(0.2), Some(6.4), "+2.9 (+0.2, +6.4)");
        check(None, None, Some(136.9), None, "> +137");
        check(None, None, None, Some(18.9), "< +19");
        check(Some(12.34), None, None, None, "+12.3");
        check(None, None, None, None, "-");
        check(Some(f64::NAN), Some(1.0), Some(f64::NEG_INFINITY), None, "-");
    }

    #[test]
    fn durations_show_two_units_and_round_over_cleanly() {
        let check =
            |milliseconds, shown: &str| assert_eq!(duration(Duration::from_millis(milliseconds)), shown);
        check(0, "0µs");
        check(35, "35ms");
        check(4_240, "4.2s");
        check(59_400, "59.4s");
        check(59_700, "1m 00s");
        check(200_000, "3m 20s");
        check(3_599_900, "1h 00m");
        check(7_500_000, "2h 05m");
        check(86_399_000, "1d 0h");
        check(273_600_000, "3d 4h");
    }

    #[test]
    fn one_thing_has_no_s() {
        assert_eq!([0, 1, 2].map(|number| count(number, "game")), ["0 games", "1 game", "2 games"]);
    }

    #[test]
    fn thousands_are_grouped() {
        for (value, shown) in [(0, "0"), (-999, "-999"), (1000, "1,000"), (-1_234_567, "-1,234,567")] {
            assert_eq!(grouped(value), shown);
        }
    }
}
