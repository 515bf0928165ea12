//! CPU affinity and timeouts of a run. Values only.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::value::{SecondsSetting, defaults};

/// CPU affinity: the thread of a game and its engines, which work in turns, share one processor, so that a move is
/// passed on without waking another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    /// On if every game gets as many processors as it has busy threads, or an equal share, and no other run has bound
    /// games to them.
    #[default]
    Auto,
    /// As `Auto`, but an error if impossible.
    On,
    Off,
    /// On these processors, by system number.
    These(Vec<usize>),
}

impl FromStr for Affinity {
    type Err = String;

    /// Parses `auto`, `on`, `off`, or processors: `0,2,4-7`.
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

/// Section `[timeouts]`: timeouts of engines other than those of moves.
#[derive(Args, Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Timeouts")]
pub struct Timeouts {
    /// Timeout from the start of an engine to uciok, in seconds
    #[arg(
        id = "timeouts_start",
        long = "timeout-start",
        value_name = "SECONDS",
        default_value = "10",
        hide_short_help = true
    )]
    pub start: SecondsSetting,
    /// Timeout of isready (for a new game, with large tables), in seconds
    #[arg(
        id = "timeouts_ping",
        long = "timeout-ping",
        value_name = "SECONDS",
        default_value = "10",
        hide_short_help = true
    )]
    pub ping: SecondsSetting,
    /// Timeout of isready after ucinewgame, in seconds [default: as --timeout-ping]
    #[arg(id = "timeouts_newgame", long = "timeout-newgame", value_name = "SECONDS", hide_short_help = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newgame: Option<SecondsSetting>,
    /// Timeout from stop to the best move, in seconds
    #[arg(
        id = "timeouts_stop",
        long = "timeout-stop",
        value_name = "SECONDS",
        default_value = "5",
        hide_short_help = true
    )]
    pub stop: SecondsSetting,
    /// Timeout until an engine reads a command, in seconds
    #[arg(
        id = "timeouts_write",
        long = "timeout-write",
        value_name = "SECONDS",
        default_value = "5",
        hide_short_help = true
    )]
    pub write: SecondsSetting,
    /// Timeout from quit to the exit of an engine, which is then killed, in seconds
    #[arg(
        id = "timeouts_quit",
        long = "timeout-quit",
        value_name = "SECONDS",
        default_value = "5",
        hide_short_help = true
    )]
    pub quit: SecondsSetting,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        defaults()
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
}
