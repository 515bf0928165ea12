//! Column values, range-checked on reading: the file may be damaged or hostile. A number beyond its range is written as
//! the last one within, so that what is written can be read.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::Row;
use rusqlite::types::Type;
use smalt_workbench::calendar::unix_ms;

/// Last millisecond of the year 9999, the calendar's limit.
const LATEST_MS: u64 = 253_402_300_799_999;

/// The longest duration of a game, in microseconds: a century.
const LONGEST_US: u64 = 100 * 366 * 24 * 3600 * 1_000_000;

/// A value that this program never writes, with the reason.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
struct InvalidValue(String);

/// The error for a column with an invalid value.
pub(super) fn invalid(column: usize, words: impl Into<String>) -> rusqlite::Error {
    let cause = Box::new(InvalidValue(words.into()));
    rusqlite::Error::FromSqlConversionFailure(column, Type::Null, cause)
}

fn out_of_range(column: usize, name: &str) -> rusqlite::Error {
    invalid(column, format!("{name} is out of range"))
}

/// Text of an SQLite error about a value.
pub(super) fn explain(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, cause) => cause.to_string(),
        rusqlite::Error::IntegralValueOutOfRange(column, _) => {
            format!("the number in column {column} is out of range")
        }
        rusqlite::Error::InvalidColumnType(_, name, _) => format!("{name} has another type"),
        rusqlite::Error::QueryReturnedNoRows => "it is empty".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn whole(row: &Row<'_>, column: usize, name: &str) -> rusqlite::Result<u64> {
    u64::try_from(row.get::<_, i64>(column)?).map_err(|_| out_of_range(column, name))
}

/// A number stored from 1 and used from 0.
pub(super) fn number(row: &Row<'_>, column: usize, name: &str) -> rusqlite::Result<u32> {
    let number = u32::try_from(whole(row, column, name)?).ok().filter(|&number| number != u32::MAX);
    number.ok_or_else(|| out_of_range(column, name))
}

/// A time in milliseconds since 1970.
pub(super) fn time(row: &Row<'_>, column: usize, name: &str) -> rusqlite::Result<SystemTime> {
    match whole(row, column, name)? {
        ms @ ..=LATEST_MS => Ok(UNIX_EPOCH + Duration::from_millis(ms)),
        _ => Err(out_of_range(column, name)),
    }
}

/// The column of a number.
pub(super) fn from_number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The column of an index or of a small count, read by [`number`].
pub(super) fn from_index(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX).min(i64::from(u32::MAX - 1))
}

/// Begin of a game in milliseconds since 1970, and its duration in microseconds: its end is a time, too.
pub(super) fn to_begin_and_duration(begin: SystemTime, duration: Duration) -> (i64, i64) {
    let duration = to_us(duration);
    (to_ms(begin).min(from_number(LATEST_MS) - duration / 1000), duration)
}

/// Milliseconds since 1970.
pub(super) fn to_ms(time: SystemTime) -> i64 {
    from_number(unix_ms(time).min(LATEST_MS))
}

/// Microseconds of a game.
pub(super) fn to_us(time: Duration) -> i64 {
    from_number(u64::try_from(time.as_micros()).unwrap_or(u64::MAX).min(LONGEST_US))
}

/// A time, or NULL.
pub(super) fn time_if_any(row: &Row<'_>, column: usize, name: &str) -> rusqlite::Result<Option<SystemTime>> {
    if is_null(row, column)? { Ok(None) } else { time(row, column, name).map(Some) }
}

/// The duration of a game in microseconds.
pub(super) fn duration(row: &Row<'_>, column: usize, name: &str) -> rusqlite::Result<Duration> {
    match whole(row, column, name)? {
        us @ ..=LONGEST_US => Ok(Duration::from_micros(us)),
        _ => Err(out_of_range(column, name)),
    }
}

/// A count, or NULL.
pub(super) fn whole_if_any(row: &Row<'_>, column: usize, name: &str) -> rusqlite::Result<Option<u64>> {
    if is_null(row, column)? { Ok(None) } else { whole(row, column, name).map(Some) }
}

/// An index below the number of entrants.
pub(super) fn entrant(row: &Row<'_>, column: usize, entrants: usize) -> rusqlite::Result<usize> {
    let index = usize::try_from(whole(row, column, "an entrant")?).ok().filter(|&index| index < entrants);
    index.ok_or_else(|| out_of_range(column, "an entrant"))
}

fn is_null(row: &Row<'_>, column: usize) -> rusqlite::Result<bool> {
    row.get_ref(column).map(|value| value.data_type() == Type::Null)
}
