//! xboard's time formats: centiseconds, seconds with decimals, minutes with seconds after a colon.

use std::fmt;
use std::time::Duration;

use crate::number;

/// Centiseconds; a negative time becomes zero.
pub(super) fn centiseconds(word: &str) -> Option<Duration> {
    let centi = u64::try_from(number::signed(word)?).unwrap_or(0);
    Some(Duration::from_millis(centi.min(LONGEST * 100) * 10))
}

/// Rounded down.
pub(super) fn to_centiseconds(time: Duration) -> u128 {
    time.as_millis() / 10
}

/// `12` or `0.25`; decimals beyond the ninth are ignored.
pub(super) fn seconds(word: &str) -> Option<Duration> {
    let (whole, decimals) = word.split_once('.').unwrap_or((word, ""));
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole = if whole.is_empty() && !decimals.is_empty() { 0 } else { number::unsigned(whole)? };
    let nanoseconds = decimals.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanoseconds = nanoseconds.fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
    Some(Duration::new(whole.min(LONGEST), nanoseconds))
}

/// Upper bound in seconds, so that sums cannot overflow.
const LONGEST: u64 = u32::MAX as u64;

/// `5` (minutes) or `0:30`; anything after the seconds is ignored, as the protocol requires.
pub(super) fn minutes(word: &str) -> Option<Duration> {
    let (minutes, rest) = word.split_once(':').unwrap_or((word, "0"));
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let minutes = number::unsigned(minutes)?.min(LONGEST / 60);
    let total = Duration::from_secs(minutes * 60) + seconds(&rest[..end])?;
    Some(total.min(Duration::from_secs(LONGEST)))
}

/// Formats seconds with as many decimals as needed.
pub(super) struct Seconds(pub(super) Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.as_secs())?;
        write_decimals(f, self.0)
    }
}

/// Formats whole minutes, or minutes and seconds.
pub(super) struct Minutes(pub(super) Duration);

impl fmt::Display for Minutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minutes, seconds) = (self.0.as_secs() / 60, self.0.as_secs() % 60);
        write!(f, "{minutes}")?;
        if seconds == 0 && self.0.subsec_nanos() == 0 {
            return Ok(());
        }
        write!(f, ":{seconds:02}")?;
        write_decimals(f, self.0)
    }
}

fn write_decimals(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    match time.subsec_nanos() {
        0 => Ok(()),
        nanoseconds => write!(f, ".{}", format!("{nanoseconds:09}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_each_form() {
        let ms = Duration::from_millis;
        assert_eq!(centiseconds("1234"), Some(ms(12_340)));
        assert_eq!(centiseconds("-5"), Some(ms(0)));
        assert_eq!(seconds("0.25"), Some(ms(250)));
        assert_eq!(seconds("1.x"), None);
        assert_eq!(minutes("5"), Some(ms(300_000)));
        assert_eq!(minutes("0:30+5"), Some(ms(30_000)));
    }

    #[test]
    fn times_are_written_as_short_as_they_can_be() {
        let check = |ms: u64, expected: [&str; 2]| {
            let time = Duration::from_millis(ms);
            assert_eq!([Seconds(time).to_string(), Minutes(time).to_string()], expected);
        };
        check(300_000, ["300", "5"]);
        check(61_500, ["61.5", "1:01.5"]);
    }
}
