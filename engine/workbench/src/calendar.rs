//! UTC dates and times as text, for PGN, file names and tables, and times of day by the local clock.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::{self, Date as CivilDate, Time};
use jiff::tz::TimeZone;

/// Milliseconds since 1970; 0 before.
pub fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Date and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtcTime(Timestamp);

impl UtcTime {
    /// The UTC time of a system time; times before 1970 become 1970.
    pub fn of(time: SystemTime) -> UtcTime {
        UtcTime(Timestamp::try_from(time.max(UNIX_EPOCH)).unwrap_or(Timestamp::UNIX_EPOCH))
    }

    fn format(&self, format: &str) -> String {
        self.0.strftime(format).to_string()
    }

    /// `2026.11.21`, the date format of PGN.
    pub fn pgn_date(&self) -> String {
        self.format("%Y.%m.%d")
    }

    /// `2026-11-21T03:45:00 +0000`, the time format of fastchess.
    pub fn pgn_time(&self) -> String {
        self.format("%Y-%m-%dT%H:%M:%S +0000")
    }

    /// `20261121-034500`, which sorts by time.
    pub fn file_stamp(&self) -> String {
        self.format("%Y%m%d-%H%M%S")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(CivilDate);

impl Date {
    /// Today in UTC.
    pub fn today() -> Date {
        Date(TimeZone::UTC.to_datetime(Timestamp::now()).date())
    }

    /// Parses a date like `2026-11-21`.
    pub fn parse(text: &str) -> Option<Date> {
        CivilDate::strptime("%Y-%m-%d", text).ok().map(Date)
    }

    /// Days since 1970-01-01.
    pub fn to_days(self) -> i64 {
        (self.0 - civil::date(1970, 1, 1)).get_days().into()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The next time at which the local clock shows this time of day, as in `07:00`; `None` if the text is no such time. UTC
/// where the system does not tell its time zone.
pub fn next_time_of_day(text: &str) -> Option<SystemTime> {
    next_after(Timestamp::now(), &TimeZone::system(), text)
}

fn next_after(now: Timestamp, zone: &TimeZone, text: &str) -> Option<SystemTime> {
    let time = Time::strptime("%H:%M", text).ok()?;
    let today = zone.to_datetime(now).date();
    let on = |date: CivilDate| zone.to_timestamp(date.to_datetime(time)).ok();
    let next = on(today).filter(|next| *next > now).or_else(|| on(today.tomorrow().ok()?))?;
    next.try_into().ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_follow_the_calendar() {
        let check = |seconds: u64, expected: &str| {
            assert_eq!(UtcTime::of(UNIX_EPOCH + Duration::from_secs(seconds)).pgn_time(), expected);
        };
        check(0, "1970-01-01T00:00:00 +0000");
        check(951_782_399, "2000-02-28T23:59:59 +0000");
        check(951_782_400, "2000-02-29T00:00:00 +0000");
        check(4_107_542_400, "2100-03-01T00:00:00 +0000");
        check(1_795_232_700, "2026-11-21T03:45:00 +0000");
    }

    #[test]
    fn names_of_files_sort_by_time() {
        let moment = UtcTime::of(UNIX_EPOCH + Duration::from_secs(1_795_232_700));
        assert_eq!((moment.file_stamp(), moment.pgn_date()), ("20261121-034500".into(), "2026.11.21".into()));
    }

    #[test]
    fn invalid_dates_are_refused() {
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
            let parsed = Date::parse(date).unwrap();
            assert_eq!((parsed.to_days(), parsed.to_string()), (days, date.to_owned()));
        }
    }

    #[test]
    fn a_time_of_day_comes_today_or_tomorrow() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        // 2026-11-21, 05:45 there.
        let now = UNIX_EPOCH + Duration::from_secs(1_795_232_700);
        let check = |text: &str, hours: Option<f64>| {
            let next = next_after(now.try_into().unwrap(), &zone, text);
            assert_eq!(next, hours.map(|hours| now + Duration::from_secs_f64(3600.0 * hours)), "{text}");
        };
        check("07:00", Some(1.25));
        check("05:45", Some(24.0));
        check("00:15", Some(18.5));
        check("23:59", Some(18.0 + 14.0 / 60.0));
        for text in ["", "7", "24:00", "07:60", "tomorrow", "07:00 "] {
            check(text, None);
        }
    }
}
