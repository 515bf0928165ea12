//! Time controls in the notation of engine testers: `40/60+0.6`, `10+0.1`, `1:30`.
//!
//! The running clocks are left to the game.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

/// The periods of a time control. The last one repeats if it counts moves. Without periods, time is unlimited.
///
/// Written as `moves/seconds+increment` (cutechess notation); several periods are separated by commas, and `inf` is
/// unlimited time. Also accepted: minutes (`moves/minutes:seconds+increment`), and colons between periods as in PGN,
/// where they cannot separate minutes from seconds; `0/` is the rest of the game. Decimals are
/// exact.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TimeControl {
    periods: Vec<Period>,
}

/// One period of a time control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Period {
    /// Number of moves; `None` is the rest of the game.
    pub moves: Option<NonZeroU32>,
    /// Time for the whole period.
    pub time: Duration,
    pub increment: Duration,
}

/// Why a text or list of periods is not a valid time control.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TimeControlError {
    #[error("bad number of moves {0:?}: expected a whole number, as in 40/60")]
    Moves(String),
    #[error(
        "bad time {0:?}: expected seconds like 60 or 0.5, or minutes and seconds like 1:30, up to a year"
    )]
    Time(String),
    #[error("neither time nor increment is above zero in {0:?}")]
    NoTime(String),
    #[error("{0:?} is for the rest of the game, so no period can follow it")]
    Unreachable(String),
}

/// A year, so that sums cannot overflow.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

impl TimeControl {
    pub const UNLIMITED: TimeControl = TimeControl { periods: Vec::new() };

    /// A time control of these periods; an empty list means unlimited time.
    ///
    /// # Errors
    /// If a period has no time or more than a year, or follows one without a number of moves.
    pub fn new(periods: Vec<Period>) -> Result<TimeControl, TimeControlError> {
        for (n, period) in periods.iter().enumerate() {
            period.check()?;
            if period.moves.is_none() && n + 1 < periods.len() {
                return Err(TimeControlError::Unreachable(period.to_string()));
            }
        }
        Ok(TimeControl { periods })
    }

    /// Parses `moves/minutes:seconds+increment`, where moves, minutes and increment are optional; several such periods
    /// separated by commas; or `inf`.
    ///
    /// # Errors
    /// If the text is malformed or [`TimeControl::new`] refuses the periods.
    pub fn parse(text: &str) -> Result<TimeControl, TimeControlError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("inf") {
            return Ok(TimeControl::UNLIMITED);
        }
        let separators: &[char] = if parts_periods_by_colons(text) { &[',', ':'] } else { &[','] };
        TimeControl::new(text.split(separators).map(Period::parse).collect::<Result<_, _>>()?)
    }

    /// The periods in order; empty when time is unlimited.
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// The current period after a side's first `moves` moves, and the moves left in it. `None` if time is unlimited.
    pub fn period_after(&self, moves_played: u32) -> Option<(Period, Option<NonZeroU32>)> {
        let (last, first) = self.periods.split_last()?;
        let mut played = moves_played;
        for period in first {
            let moves = period.moves.map_or(u32::MAX, NonZeroU32::get);
            if played < moves {
                return Some((*period, NonZeroU32::new(moves - played)));
            }
            played -= moves;
        }
        Some((*last, last.moves.and_then(|moves| NonZeroU32::new(moves.get() - played % moves.get()))))
    }
}

impl Period {
    fn parse(text: &str) -> Result<Period, TimeControlError> {
        let (moves, times) = match text.split_once('/') {
            Some((moves, times)) => (parse_moves(moves)?, times),
            None => (None, text),
        };
        let (time, increment) = times.split_once('+').unwrap_or((times, "0"));
        Ok(Period { moves, time: parse_clock(time)?, increment: parse_seconds(increment)? })
    }

    fn check(&self) -> Result<(), TimeControlError> {
        if self.time.is_zero() && self.increment.is_zero() {
            return Err(TimeControlError::NoTime(self.to_string()));
        }
        match [self.time, self.increment].into_iter().find(|&time| time > LONGEST) {
            Some(time) => Err(TimeControlError::Time(Seconds(time).to_string())),
            None => Ok(()),
        }
    }
}

/// Whether colons separate periods, not minutes from seconds: they follow an increment or precede a number of moves.
fn parts_periods_by_colons(text: &str) -> bool {
    text.split(',').any(|part| {
        let pieces: Vec<&str> = part.split(':').collect();
        pieces.windows(2).any(|pair| pair[0].contains('+') || pair[1].contains('/'))
    })
}

/// Zero means the rest of the game, as in cutechess.
fn parse_moves(text: &str) -> Result<Option<NonZeroU32>, TimeControlError> {
    text.trim().parse().map(NonZeroU32::new).map_err(|_| TimeControlError::Moves(text.to_owned()))
}

fn parse_clock(text: &str) -> Result<Duration, TimeControlError> {
    let bad = || TimeControlError::Time(text.to_owned());
    let Some((minutes, seconds)) = text.split_once(':') else {
        return parse_seconds(text);
    };
    let minutes: u64 = minutes.trim().parse().map_err(|_| bad())?;
    let minutes = minutes.checked_mul(60).map(Duration::from_secs).ok_or_else(bad)?;
    minutes.checked_add(parse_seconds(seconds)?).ok_or_else(bad)
}

/// Parses seconds with up to nine decimals, exactly.
fn parse_seconds(text: &str) -> Result<Duration, TimeControlError> {
    let bad = || TimeControlError::Time(text.to_owned());
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + decimals.len() == 0 || decimals.len() > 9 || !all_digits(whole) || !all_digits(decimals)
    {
        return Err(bad());
    }
    let seconds = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| bad())? };
    let nanoseconds = format!("{decimals:0<9}").parse().map_err(|_| bad())?;
    Ok(Duration::new(seconds, nanoseconds))
}

/// Prints a duration in seconds with the decimals it needs.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:09}", self.0.subsec_nanos());
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{}", self.0.as_secs()),
            decimals => write!(f, "{}.{decimals}", self.0.as_secs()),
        }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        Seconds(self.time).fmt(f)?;
        if !self.increment.is_zero() {
            write!(f, "+{}", Seconds(self.increment))?;
        }
        Ok(())
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.periods.split_first() else {
            return f.write_str("inf");
        };
        first.fmt(f)?;
        others.iter().try_for_each(|period| write!(f, ",{period}"))
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        TimeControl::parse(text)
    }
}
