//! What a run asks of its machine: which processors games are bound to, and how long engines may take to answer.
//! Values only; who binds is [`crate::fleet`], who waits is the driver.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::rules::{RuleError, read_words, refuse};

/// Whether games are bound to processors: the thread of a game and its engines, which never have two things to do at
/// once, then share one, and a move is handed over without waking another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// Where every game gets as many processors as it has threads that work at the same time, or all get the same
    /// share, and no other run has bound games to them.
    #[default]
    Auto,
    /// As `Auto`, but the run is refused where it cannot be.
    On,
    /// Never.
    Off,
    /// To these processors, as the system numbers them, as `On`.
    These(Vec<usize>),
}

impl FromStr for Affinity {
    type Err = String;

    /// Reads `auto`, `on`, `off`, or processors: `0,2,4-7`.
    fn from_str(text: &str) -> Result<Affinity, String> {
        match text {
            "auto" => return Ok(Affinity::Auto),
            "on" => return Ok(Affinity::On),
            "off" => return Ok(Affinity::Off),
            _ => {}
        }
        let mut processors = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let read = |number: &str| number.trim().parse::<usize>().ok().filter(|&number| number < 65_536);
            match (read(first), read(last)) {
                (Some(first), Some(last)) if first <= last => processors.extend(first..=last),
                _ => {
                    return Err(format!(
                        "bad affinity {text:?}: expected auto, on, off, or processors like 0,2,4-7"
                    ));
                }
            }
        }
        processors.sort_unstable();
        processors.dedup();
        Ok(Affinity::These(processors))
    }
}

impl fmt::Display for Affinity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Affinity::Auto => f.write_str("auto"),
            Affinity::On => f.write_str("on"),
            Affinity::Off => f.write_str("off"),
            Affinity::These(processors) => {
                let numbers: Vec<String> = processors.iter().map(ToString::to_string).collect();
                f.write_str(&numbers.join(","))
            }
        }
    }
}

/// How long an engine may take for what is not a move, in seconds. What is not said is [`Timeouts::default`]'s.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TimeoutsFile {
    /// From its start to the end of its introduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Until it says that it is ready (for a new game, with large tables).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping: Option<f64>,
    /// From `stop` to its move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
    /// Until it reads what it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<f64>,
    /// From `quit` to its leaving; then it is asked by a signal, and at last killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quit: Option<f64>,
}

/// The same, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// See [`TimeoutsFile::start`].
    pub start: Duration,
    /// See [`TimeoutsFile::ping`].
    pub ping: Duration,
    /// See [`TimeoutsFile::stop`].
    pub stop: Duration,
    /// See [`TimeoutsFile::write`].
    pub write: Duration,
    /// See [`TimeoutsFile::quit`].
    pub quit: Duration,
}

impl Default for Timeouts {
    /// Two engines that do not leave by themselves are gone within three seconds.
    fn default() -> Timeouts {
        Timeouts {
            start: Duration::from_secs(10),
            ping: Duration::from_secs(10),
            stop: Duration::from_secs(5),
            write: Duration::from_secs(5),
            quit: Duration::from_secs(5),
        }
    }
}

/// The longest time-out: a day. Tables of a terabyte are filled by then.
const LONGEST_SECONDS: f64 = 86_400.0;

impl TimeoutsFile {
    /// What is not said here is taken from another.
    #[must_use]
    pub fn or(self, other: TimeoutsFile) -> TimeoutsFile {
        TimeoutsFile {
            start: self.start.or(other.start),
            ping: self.ping.or(other.ping),
            stop: self.stop.or(other.stop),
            write: self.write.or(other.write),
            quit: self.quit.or(other.quit),
        }
    }

    /// Checks all; gives the name of one that is no time.
    pub(super) fn check(&self) -> Result<Timeouts, &'static str> {
        let read = |key, seconds: Option<f64>, usual| match seconds {
            None => Ok(usual),
            Some(seconds) if seconds > 0.0 && seconds <= LONGEST_SECONDS => {
                Ok(Duration::from_secs_f64(seconds))
            }
            Some(_) => Err(key),
        };
        let usual = Timeouts::default();
        Ok(Timeouts {
            start: read("start", self.start, usual.start)?,
            ping: read("ping", self.ping, usual.ping)?,
            stop: read("stop", self.stop, usual.stop)?,
            write: read("write", self.write, usual.write)?,
            quit: read("quit", self.quit, usual.quit)?,
        })
    }
}

impl Timeouts {
    pub(super) fn to_file(self) -> TimeoutsFile {
        TimeoutsFile {
            start: Some(self.start.as_secs_f64()),
            ping: Some(self.ping.as_secs_f64()),
            stop: Some(self.stop.as_secs_f64()),
            write: Some(self.write.as_secs_f64()),
            quit: Some(self.quit.as_secs_f64()),
        }
    }
}

impl FromStr for TimeoutsFile {
    type Err = RuleError;

    /// Reads `start=20 ping=20 stop=5 write=5 quit=5`, each of them if it is there.
    fn from_str(text: &str) -> Result<TimeoutsFile, RuleError> {
        let mut file = TimeoutsFile::default();
        let take = |key: &str, value: &str| {
            let slot = match key {
                "start" => &mut file.start,
                "ping" => &mut file.ping,
                "stop" => &mut file.stop,
                "write" => &mut file.write,
                "quit" => &mut file.quit,
                _ => return None,
            };
            *slot = value.parse().ok();
            Some(slot.map(|_| ()).ok_or_else(|| format!("{key} is a number of seconds")))
        };
        read_words(text, take, "start, ping, stop, write and quit")?;
        match file.check() {
            Ok(_) => Ok(file),
            Err(key) => Err(refuse(text, format!("{key} must be above zero, and a day at most"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_read_as_they_are_printed() {
        let check = |text: &str, printed: &str| {
            assert_eq!(text.parse::<Affinity>().unwrap().to_string(), printed);
        };
        check("auto", "auto");
        check("on", "on");
        check("off", "off");
        check("0,4-6,2,4", "0,2,4,5,6");
        for text in ["", "yes", "3-1", "1,,2", "-1", "99999999"] {
            assert!(text.parse::<Affinity>().is_err(), "{text}");
        }
    }

    #[test]
    fn timeouts_are_read_from_words_and_must_be_times() {
        let file: TimeoutsFile = "start=20 ping=0.5".parse().unwrap();
        let timeouts = file.check().unwrap();
        assert_eq!((timeouts.start, timeouts.ping), (Duration::from_secs(20), Duration::from_millis(500)));
        assert_eq!(timeouts.stop, Timeouts::default().stop);
        assert_eq!(timeouts.to_file().check(), Ok(timeouts));
        let check = |text: &str, expected: &str| {
            assert_eq!(text.parse::<TimeoutsFile>().unwrap_err().to_string(), expected)
        };
        check("strat=3", "bad word \"strat=3\": the keys are start, ping, stop, write and quit");
        check("stop=soon", "bad word \"stop=soon\": stop is a number of seconds");
        check("stop=0", "bad word \"stop=0\": stop must be above zero, and a day at most");
    }
}
