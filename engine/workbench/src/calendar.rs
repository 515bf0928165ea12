//! Dates as texts, in universal time: for PGN and names of files. Knows no time zones.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment as people count it, in universal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    year: i64,
    month: u64,
    day: u64,
    second_of_day: u64,
}

impl Moment {
    /// The moment of a time; 1970 for what is before.
    pub fn of(time: SystemTime) -> Moment {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let (year, month, day) = civil_from_days(seconds / 86_400);
        Moment { year, month, day, second_of_day: seconds % 86_400 }
    }

    fn clock(&self) -> (u64, u64, u64) {
        let second = self.second_of_day;
        (second / 3600, second / 60 % 60, second % 60)
    }

    /// `2026.11.21`, as PGN writes dates.
    pub fn pgn_date(&self) -> String {
        format!("{:04}.{:02}.{:02}", self.year, self.month, self.day)
    }

    /// `2026-11-21T03:45:00 +0000`, as fastchess writes times.
    pub fn pgn_time(&self) -> String {
        let (hour, minute, second) = self.clock();
        format!("{:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02} +0000", self.year, self.month, self.day)
    }

    /// `20261121-034500`, which sorts by time.
    pub fn file_stamp(&self) -> String {
        let (hour, minute, second) = self.clock();
        format!("{:04}{:02}{:02}-{hour:02}{minute:02}{second:02}", self.year, self.month, self.day)
    }
}

/// Year, month and day of a number of days since 1970-01-01 (H. Hinnant, *chrono-Compatible Low-Level Date
/// Algorithms*): years that begin in March have their leap day last.
fn civil_from_days(days: u64) -> (i64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + 400 * era + u64::from(month <= 2);
    (year.cast_signed(), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn moments_are_counted_as_the_calendar_does() {
        let check = |seconds: u64, expected: &str| {
            assert_eq!(Moment::of(UNIX_EPOCH + Duration::from_secs(seconds)).pgn_time(), expected);
        };
        check(0, "1970-01-01T00:00:00 +0000");
        check(951_782_399, "2000-02-28T23:59:59 +0000");
        check(951_782_400, "2000-02-29T00:00:00 +0000");
        check(4_107_542_400, "2100-03-01T00:00:00 +0000");
        check(1_795_232_700, "2026-11-21T03:45:00 +0000");
    }

    #[test]
    fn names_of_files_sort_by_time() {
        let moment = Moment::of(UNIX_EPOCH + Duration::from_secs(1_795_232_700));
        assert_eq!((moment.file_stamp(), moment.pgn_date()), ("20261121-034500".into(), "2026.11.21".into()));
    }
}
