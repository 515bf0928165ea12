//! Messages of an engine.

use std::fmt;
use std::time::Duration;

use smalt_chess::{Color, Outcome};

use super::feature_text::{self, Feature};
use super::seconds::{centiseconds, to_centiseconds};
use super::thinking_text::{self, Thinking};
use crate::number;
use crate::words::{OneLine, Words, trim, without_braces};

/// A line from an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineMessage<'a> {
    Features(Vec<Feature<'a>>),
    /// `move`, in coordinate notation or SAN; empty if missing. Also `1. ... e7e5`.
    Move(&'a str),
    Pong(u64),
    Result {
        outcome: Outcome,
        comment: &'a str,
    },
    Resign,
    /// `offer draw`: an offer, an acceptance, or a claim sent with its move.
    OfferDraw,
    /// `Illegal move`; the whole line, since the wording varies.
    IllegalMove(&'a str),
    /// `Error`; the whole line.
    Error(&'a str),
    Hint(&'a str),
    Thinking(Thinking<'a>),
    /// `stat01`: analysis status.
    Status(Status),
    /// A message for the user.
    Tell {
        whom: Audience,
        text: &'a str,
    },
    /// A comment (`#`).
    Comment(&'a str),
    Other(&'a str),
}

/// Status of an analysis (`stat01:`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub time: Duration,
    pub nodes: u64,
    /// Depth in plies.
    pub depth: u32,
    /// Root moves not yet searched at this depth.
    pub moves_left: u32,
    /// Number of root moves.
    pub moves: u32,
}

/// Recipients of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    Opponent,
    Others,
    All,
    User,
    UserAsError,
    Server,
}

/// Old forms of a result: start of the line and outcome; `None` if it depends on the engine's color.
const OLD_RESULTS: [(&str, Outcome); 5] = [
    ("White resigns", Outcome::Win(Color::Black)),
    ("Black resigns", Outcome::Win(Color::White)),
    ("White mates", Outcome::Win(Color::White)),
    ("Black mates", Outcome::Win(Color::Black)),
    ("game is a draw", Outcome::Draw),
];

impl<'a> EngineMessage<'a> {
    /// Parses one line by its first word.
    pub fn parse(line: &'a str) -> EngineMessage<'a> {
        let mut words = Words::new(line);
        let line = words.line();
        let Some(first) = words.next() else { return EngineMessage::Other(line) };
        if first.starts_with(|c: char| c.is_ascii_digit()) {
            return parse_numbers(first, words).unwrap_or(EngineMessage::Other(line));
        }
        parse_words(first, words.clone()).or_else(|| parse_old(line)).unwrap_or(EngineMessage::Other(line))
    }
}

/// Lines that start with a digit: thinking output, results, and moves in the old form.
fn parse_numbers<'a>(first: &'a str, mut words: Words<'a>) -> Option<EngineMessage<'a>> {
    if let Some(outcome) = Outcome::parse(first) {
        let comment = without_braces(words.rest());
        return Some(EngineMessage::Result { outcome, comment });
    }
    let is_number = number::unsigned(first.strip_suffix('.').unwrap_or(first)).is_some();
    if is_number && words.accept(|word| (word == "...").then_some(())).is_some() {
        return words.next().map(EngineMessage::Move);
    }
    let mut whole = Words::new(words.line());
    thinking_text::parse(&mut whole).map(EngineMessage::Thinking)
}

fn parse_words<'a>(first: &'a str, mut words: Words<'a>) -> Option<EngineMessage<'a>> {
    if first.starts_with('#') {
        return Some(EngineMessage::Comment(trim(&words.line()[1..])));
    }
    let tell = |whom| Some(EngineMessage::Tell { whom, text: words.rest() });
    match first {
        "feature" => Some(EngineMessage::Features(feature_text::parse(words.rest()))),
        "move" => Some(EngineMessage::Move(words.next().unwrap_or_default())),
        "pong" => words.next().and_then(number::unsigned).map(EngineMessage::Pong),
        "resign" => Some(EngineMessage::Resign),
        "offer" => (words.next() == Some("draw")).then_some(EngineMessage::OfferDraw),
        "Hint:" => words.next().map(EngineMessage::Hint),
        "stat01:" => parse_status(words).map(EngineMessage::Status),
        "Illegal" | "illegal" => words
            .next()
            .is_some_and(|word| word.starts_with("move"))
            .then(|| EngineMessage::IllegalMove(words.line())),
        "Error" => Some(EngineMessage::Error(words.line())),
        "tellopponent" => tell(Audience::Opponent),
        "tellothers" => tell(Audience::Others),
        "tellall" => tell(Audience::All),
        "telluser" => tell(Audience::User),
        "tellusererror" => tell(Audience::UserAsError),
        "tellics" | "tellicsnoalias" => tell(Audience::Server),
        _ => None,
    }
}

/// Five numbers; the current move that may follow is not parsed.
fn parse_status(mut words: Words<'_>) -> Option<Status> {
    Some(Status {
        time: centiseconds(words.next()?)?,
        nodes: number::unsigned(words.next()?)?,
        depth: number::unsigned_32(words.next()?)?,
        moves_left: number::unsigned_32(words.next()?)?,
        moves: number::unsigned_32(words.next()?)?,
    })
}

fn parse_old(line: &str) -> Option<EngineMessage<'_>> {
    let old = OLD_RESULTS.iter().find(|(start, _)| line.starts_with(start));
    old.map(|&(_, outcome)| EngineMessage::Result { outcome, comment: without_braces(line) })
        .or_else(|| line.starts_with("computer resigns").then_some(EngineMessage::Resign))
}

impl fmt::Display for EngineMessage<'_> {
    /// Without a line feed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use EngineMessage as M;
        match self {
            M::Features(features) => {
                f.write_str("feature")?;
                features.iter().try_for_each(|feature| write!(f, " {feature}"))
            }
            M::Move("") => f.write_str("move"),
            M::Move(text) => write!(f, "move {}", OneLine(text)),
            M::Pong(number) => write!(f, "pong {number}"),
            M::Result { outcome, comment } => write!(f, "{outcome} {{{}}}", OneLine(comment)),
            M::Resign => f.write_str("resign"),
            M::OfferDraw => f.write_str("offer draw"),
            M::Hint(text) => write!(f, "Hint: {}", OneLine(text)),
            M::Thinking(thinking) => thinking_text::write(f, thinking),
            M::Status(Status { time, nodes, depth, moves_left, moves }) => {
                write!(f, "stat01: {} {nodes} {depth} {moves_left} {moves}", to_centiseconds(*time))
            }
            M::Tell { whom, text } => write!(f, "{whom} {}", OneLine(text)),
            M::Comment(text) => write!(f, "# {}", OneLine(text)),
            M::IllegalMove(line) | M::Error(line) | M::Other(line) => OneLine(line).fmt(f),
        }
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Audience::Opponent => "tellopponent",
            Audience::Others => "tellothers",
            Audience::All => "tellall",
            Audience::User => "telluser",
            Audience::UserAsError => "tellusererror",
            Audience::Server => "tellics",
        })
    }
}
