//! Filter of games; empty criteria match everything.

use std::fmt;
use std::str::FromStr;

use smalt_chess::Outcome;

use smalt_match::game::{GameRecord, Termination};

/// A range of numbers, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    first: u32,
    last: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number from 1, or two like 5-12, and not {0:?}")]
pub(crate) struct ParseSpanError(String);

impl FromStr for Span {
    type Err = ParseSpanError;

    fn from_str(text: &str) -> Result<Span, ParseSpanError> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(Span { first, last }),
            _ => Err(ParseSpanError(text.to_owned())),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

impl Span {
    /// Whether it contains a number counted from 0.
    pub(crate) fn holds(&self, number: u32) -> bool {
        (self.first..=self.last).contains(&number.saturating_add(1))
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Players; any if empty.
    pub entrants: Vec<usize>,
    pub outcome: Option<Outcome>,
    /// Terminations; any if empty.
    pub terminations: Vec<Termination>,
    pub games: Option<Span>,
    /// Number of its pair.
    pub pairs: Option<Span>,
}

impl Filter {
    /// Whether a game matches.
    pub(crate) fn passes(&self, record: &GameRecord) -> bool {
        let game = &record.game;
        let plays = |entrant: &usize| *entrant == game.white || *entrant == game.black;
        (self.entrants.is_empty() || self.entrants.iter().any(plays))
            && self.outcome.is_none_or(|outcome| outcome == record.outcome)
            && (self.terminations.is_empty() || self.terminations.contains(&record.termination))
            && self.games.is_none_or(|span| span.holds(game.number))
            && self.pairs.is_none_or(|span| span.holds(game.pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_from_one() {
        let check = |text: &str, number: u32, expected: bool| {
            assert_eq!(text.parse::<Span>().unwrap().holds(number), expected, "{text} {number}");
        };
        check("1", 0, true);
        check("1", 1, false);
        check("2-4", 3, true);
        check("2-4", 4, false);
        for text in ["0", "", "4-2", "-3", "x"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }
}
