//! Messages of an engine.

use std::fmt;

use smalt_chess::UciMove;

use crate::info::Info;
use crate::option::OptionDeclaration;
use crate::uci::{info_text, option_text};
use crate::words::{OneLine, Words};

/// A line from an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineMessage<'a> {
    Id(Id<'a>),
    UciOk,
    ReadyOk,
    BestMove {
        best: BestMove<'a>,
        ponder: Option<UciMove>,
    },
    CopyProtection(Admission),
    Registration(Admission),
    Info(Info<'a>),
    Option(OptionDeclaration),
    /// Any other line, such as a banner or log line.
    Other(&'a str),
}

/// Identity of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Id<'a> {
    Name(&'a str),
    Author(&'a str),
}

/// Best move of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BestMove<'a> {
    /// A move, or the null move `0000`, which some engines send when there is none.
    Move(UciMove),
    /// No move: `(none)`, `none` or `NULL`.
    None,
    /// A word that is not a move; empty if the word is missing.
    Unreadable(&'a str),
}

/// State of copy protection or registration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    Checking,
    Ok,
    Error,
}

impl<'a> EngineMessage<'a> {
    /// Parses one line.
    ///
    /// The first word decides. Unknown words before it are not skipped, unlike in commands to engines: to mistake a log
    /// line for a best move is worse than to miss one. Later unknown words are skipped.
    pub fn parse(line: &'a str) -> EngineMessage<'a> {
        let mut words = Words::new(line);
        let line = words.line();
        let message = match words.next() {
            Some("info") => return EngineMessage::Info(info_text::parse(words)),
            Some("bestmove") => return parse_best_move(words),
            Some("readyok") => Some(EngineMessage::ReadyOk),
            Some("uciok") => Some(EngineMessage::UciOk),
            Some("id") => parse_id(words),
            Some("option") => option_text::parse(words).map(EngineMessage::Option),
            Some("copyprotection") => parse_admission(words).map(EngineMessage::CopyProtection),
            Some("registration") => parse_admission(words).map(EngineMessage::Registration),
            _ => None,
        };
        message.unwrap_or(EngineMessage::Other(line))
    }
}

fn parse_best_move(mut words: Words<'_>) -> EngineMessage<'_> {
    let best = words.accept(|word| (word != "ponder").then(|| BestMove::parse(word)));
    words.find(|&word| word == "ponder");
    let ponder = words.next().and_then(|word| UciMove::parse(word).ok());
    EngineMessage::BestMove { best: best.unwrap_or(BestMove::Unreadable("")), ponder }
}

impl BestMove<'_> {
    /// Parses the move of a `bestmove`; empty if missing.
    pub fn parse(word: &str) -> BestMove<'_> {
        match UciMove::parse(word) {
            Ok(mv) => BestMove::Move(mv),
            Err(_) if ["(none)", "none", "null"].iter().any(|none| none.eq_ignore_ascii_case(word)) => {
                BestMove::None
            }
            Err(_) => BestMove::Unreadable(word),
        }
    }
}

fn parse_id(mut words: Words<'_>) -> Option<EngineMessage<'_>> {
    Some(EngineMessage::Id(match words.next()? {
        "name" => Id::Name(words.rest()),
        "author" => Id::Author(words.rest()),
        _ => return None,
    }))
}

fn parse_admission(mut words: Words<'_>) -> Option<Admission> {
    words.find_map(|word| match word {
        "checking" => Some(Admission::Checking),
        "ok" => Some(Admission::Ok),
        "error" => Some(Admission::Error),
        _ => None,
    })
}

impl fmt::Display for EngineMessage<'_> {
    /// Without a line feed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineMessage::Id(Id::Name(name)) => write!(f, "id name {}", OneLine(name)),
            EngineMessage::Id(Id::Author(author)) => write!(f, "id author {}", OneLine(author)),
            EngineMessage::UciOk => f.write_str("uciok"),
            EngineMessage::ReadyOk => f.write_str("readyok"),
            EngineMessage::BestMove { best, ponder } => {
                write!(f, "bestmove{best}")?;
                ponder.map_or(Ok(()), |ponder| write!(f, " ponder {ponder}"))
            }
            EngineMessage::CopyProtection(state) => write!(f, "copyprotection {state}"),
            EngineMessage::Registration(state) => write!(f, "registration {state}"),
            EngineMessage::Info(info) => info_text::write(f, info),
            EngineMessage::Option(option) => option_text::write(f, option),
            EngineMessage::Other(line) => OneLine(line).fmt(f),
        }
    }
}

impl fmt::Display for BestMove<'_> {
    /// With a leading space, unless the word is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BestMove::Move(mv) => write!(f, " {mv}"),
            BestMove::None => f.write_str(" (none)"),
            BestMove::Unreadable("") => Ok(()),
            BestMove::Unreadable(word) => write!(f, " {}", OneLine(word)),
        }
    }
}

impl fmt::Display for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Admission::Checking => "checking",
            Admission::Ok => "ok",
            Admission::Error => "error",
        })
    }
}
