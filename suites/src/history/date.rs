//! The date of today, as it stands in tables. Knows the Gregorian calendar and nothing of time zones.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    year: i64,
    month: i64,
    day: i64,
}

impl Date {
    /// Today in UTC.
    pub fn today() -> Date {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Date::from_days(i64::try_from(since.as_secs() / 86_400).unwrap_or_default())
    }

    /// Reads a day written as `2026-11-21`.
    pub fn parse(text: &str) -> Option<Date> {
        let mut parts = text.splitn(3, '-').map(|part| part.parse::<i64>().ok());
        let date = Date { year: parts.next()??, month: parts.next()??, day: parts.next()?? };
        (Date::from_days(date.to_days()) == date).then_some(date)
    }

    /// Days since 1970-01-01, by the same source as the way back.
    pub fn to_days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    }

    /// The day so many days after 1970-01-01. Years are counted from March, so that a leap day comes last (H. Hinnant,
    /// *chrono-compatible low-level date algorithms*).
    fn from_days(days: i64) -> Date {
        let days = days + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Date { year, month, day: day_of_year - (153 * from_march + 2) / 5 + 1 }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_day_is_refused() {
        for text in ["", "2026", "2026-11", "2026-02-29", "2026-13-01", "yesterday", "2026-11-21T10"] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn days_have_their_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_778, "2026-11-21"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(Date::from_days(days).to_string(), date);
            assert_eq!(Date::parse(date).map(Date::to_days), Some(days));
        }
    }
}
