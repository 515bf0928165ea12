//! Messages to an engine.

use std::fmt;

use crate::limits::SearchLimits;
use crate::moves::Moves;
use crate::option;
use crate::uci::go_text;
use crate::words::{OneLine, Words};

/// A line to the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientMessage<'a> {
    Uci,
    Debug(Switch),
    IsReady,
    SetOption {
        /// Name, inner spaces included.
        name: &'a str,
        /// Value, inner spaces included; empty for `<empty>`, `None` for a button.
        value: Option<&'a str>,
    },
    Register(Register<'a>),
    UciNewGame,
    Position {
        start: Start<'a>,
        /// Moves from the start position, up to the first unreadable one.
        moves: Moves<'a>,
    },
    Go(SearchLimits),
    Stop,
    PonderHit,
    Quit,
    /// Any other line, such as a non-standard command.
    Other(&'a str),
}

/// On or off (`check`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    On,
    Off,
}

/// Answer to a registration request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register<'a> {
    Later,
    Account { name: Option<&'a str>, code: Option<&'a str> },
}

/// The first position of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start<'a> {
    /// The standard start position.
    Standard,
    /// A FEN, not yet validated.
    Fen(&'a str),
}

impl<'a> ClientMessage<'a> {
    /// Parses one line.
    ///
    /// Unknown words before a command are skipped, as the protocol requires. An incomplete command (`setoption` without
    /// a name) is [`ClientMessage::Other`].
    pub fn parse(line: &'a str) -> ClientMessage<'a> {
        let words = Words::new(line);
        let mut ahead = words.clone();
        while let Some(word) = ahead.next() {
            if let Some(command) = Keyword::parse(word) {
                return command.parse_rest(ahead).unwrap_or(ClientMessage::Other(words.line()));
            }
        }
        ClientMessage::Other(words.line())
    }
}

/// The skipped words of a `go` line: unknown ones, and limits without a valid value.
pub fn unread_words_of_go(line: &str) -> Vec<&str> {
    let mut words = Words::new(line);
    words.find(|&word| word == "go");
    let mut unread = Vec::new();
    go_text::parse(words, &mut |word| unread.push(word));
    unread
}

/// The first word of a message.
enum Keyword {
    Uci,
    Debug,
    IsReady,
    SetOption,
    Register,
    UciNewGame,
    Position,
    Go,
    Stop,
    PonderHit,
    Quit,
}

impl Keyword {
    fn parse(word: &str) -> Option<Keyword> {
        Some(match word {
            "uci" => Keyword::Uci,
            "debug" => Keyword::Debug,
            "isready" => Keyword::IsReady,
            "setoption" => Keyword::SetOption,
            "register" => Keyword::Register,
            "ucinewgame" => Keyword::UciNewGame,
            "position" => Keyword::Position,
            "go" => Keyword::Go,
            "stop" => Keyword::Stop,
            "ponderhit" => Keyword::PonderHit,
            "quit" => Keyword::Quit,
            _ => return None,
        })
    }

    fn parse_rest(self, words: Words<'_>) -> Option<ClientMessage<'_>> {
        Some(match self {
            Keyword::Uci => ClientMessage::Uci,
            Keyword::Debug => ClientMessage::Debug(parse_switch(words)?),
            Keyword::IsReady => ClientMessage::IsReady,
            Keyword::SetOption => parse_set_option(words)?,
            Keyword::Register => ClientMessage::Register(parse_register(words)?),
            Keyword::UciNewGame => ClientMessage::UciNewGame,
            Keyword::Position => parse_position(words)?,
            Keyword::Go => ClientMessage::Go(go_text::parse(words, &mut |_| {})),
            Keyword::Stop => ClientMessage::Stop,
            Keyword::PonderHit => ClientMessage::PonderHit,
            Keyword::Quit => ClientMessage::Quit,
        })
    }
}

fn parse_switch(mut words: Words<'_>) -> Option<Switch> {
    words.find_map(|word| match word {
        "on" => Some(Switch::On),
        "off" => Some(Switch::Off),
        _ => None,
    })
}

fn parse_set_option(mut words: Words<'_>) -> Option<ClientMessage<'_>> {
    words.find(|&word| word == "name")?;
    let name = words.until(|word| word == "value");
    let value = words.next().map(|_value| option::unwrap_empty(words.rest()));
    (!name.is_empty()).then_some(ClientMessage::SetOption { name, value })
}

fn parse_register(mut words: Words<'_>) -> Option<Register<'_>> {
    let is_key = |word: &str| matches!(word, "name" | "code");
    let (mut name, mut code) = (None, None);
    while let Some(word) = words.next() {
        match word {
            "later" => return Some(Register::Later),
            "name" => name = Some(words.until(is_key)),
            "code" => code = Some(words.until(is_key)),
            _ => {}
        }
    }
    (name.is_some() || code.is_some()).then_some(Register::Account { name, code })
}

fn parse_position(mut words: Words<'_>) -> Option<ClientMessage<'_>> {
    let start = words.find_map(|word| match word {
        "startpos" => Some(Start::Standard),
        "fen" => Some(Start::Fen("")),
        _ => None,
    })?;
    let text = words.until(|word| word == "moves");
    let start = match start {
        Start::Standard => Start::Standard,
        Start::Fen(_) if text.is_empty() => return None,
        Start::Fen(_) => Start::Fen(text),
    };
    words.next();
    Some(ClientMessage::Position { start, moves: Moves::from_line(words.rest()) })
}

impl fmt::Display for ClientMessage<'_> {
    /// Without a line feed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientMessage::Uci => f.write_str("uci"),
            ClientMessage::Debug(Switch::On) => f.write_str("debug on"),
            ClientMessage::Debug(Switch::Off) => f.write_str("debug off"),
            ClientMessage::IsReady => f.write_str("isready"),
            ClientMessage::SetOption { name, value } => write_set_option(f, name, *value),
            ClientMessage::Register(register) => write_register(f, register),
            ClientMessage::UciNewGame => f.write_str("ucinewgame"),
            ClientMessage::Position { start, moves } => write_position(f, start, moves),
            ClientMessage::Go(limits) => go_text::write(f, limits),
            ClientMessage::Stop => f.write_str("stop"),
            ClientMessage::PonderHit => f.write_str("ponderhit"),
            ClientMessage::Quit => f.write_str("quit"),
            ClientMessage::Other(line) => OneLine(line).fmt(f),
        }
    }
}

fn write_set_option(f: &mut fmt::Formatter<'_>, name: &str, value: Option<&str>) -> fmt::Result {
    write!(f, "setoption name {}", OneLine(name))?;
    match value {
        Some(value) => write!(f, " value {}", OneLine(option::wrap_empty(value))),
        None => Ok(()),
    }
}

fn write_register(f: &mut fmt::Formatter<'_>, register: &Register<'_>) -> fmt::Result {
    f.write_str("register")?;
    let Register::Account { name, code } = register else {
        return f.write_str(" later");
    };
    for (key, text) in [("name", name), ("code", code)] {
        if let Some(text) = text {
            write!(f, " {key} {}", OneLine(text))?;
        }
    }
    Ok(())
}

fn write_position(f: &mut fmt::Formatter<'_>, start: &Start<'_>, moves: &Moves<'_>) -> fmt::Result {
    match start {
        Start::Standard => f.write_str("position startpos")?,
        Start::Fen(fen) => write!(f, "position fen {}", OneLine(fen))?,
    }
    if moves.is_empty() { Ok(()) } else { write!(f, " moves {moves}") }
}
