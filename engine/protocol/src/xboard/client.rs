//! Messages to an engine.

use std::fmt;
use std::time::Duration;

use smalt_chess::{Outcome, Role, San, Square, UciMove};

use super::seconds::{Minutes, Seconds, centiseconds, minutes, seconds, to_centiseconds};
use crate::number;
use crate::words::{OneLine, Words, trim, without_braces};

/// A line to the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientMessage<'a> {
    Xboard,
    ProtocolVersion(u32),
    Accepted(&'a str),
    Rejected(&'a str),
    New,
    Variant(&'a str),
    Quit,
    /// `random` (GNU Chess 4).
    Random,
    Force,
    Go,
    PlayOther,
    /// `white` (obsolete): White is to move, the engine plays Black.
    White,
    /// `black` (obsolete): Black is to move, the engine plays White.
    Black,
    Level {
        /// Moves per period; 0 for the whole game.
        moves: u32,
        base: Duration,
        increment: Duration,
    },
    /// `st`: time per move.
    MoveTime(Duration),
    /// `sd`: depth limit in plies.
    Depth(u32),
    /// `nps`: number of nodes that count as one second.
    NodeRate(u64),
    /// `time`: the engine's clock.
    Time(Duration),
    /// `otim`: the opponent's clock.
    OpponentTime(Duration),
    /// A move of the opponent, or of either side in force mode.
    Move {
        /// In coordinate notation or SAN.
        text: &'a str,
        /// Whether `usermove` precedes it.
        form: MoveForm,
    },
    MoveNow,
    /// Answer `pong` with this number after everything before it is done.
    Ping(u64),
    /// The opponent offers a draw.
    Draw,
    /// The game has ended.
    Result {
        /// Outcome; `None` for an unfinished game.
        outcome: Option<Outcome>,
        comment: &'a str,
    },
    /// Set up this position.
    SetBoard(&'a str),
    /// Edit mode: [`EditLine`]s follow.
    Edit,
    Hint,
    /// Show the book moves.
    Book,
    /// Take back one move, in force mode.
    Undo,
    /// Take back two moves and play on.
    Remove,
    /// Think on the opponent's time.
    Hard,
    Easy,
    /// Show the thinking output.
    Post,
    NoPost,
    /// Analysis mode: think about the position without moving.
    Analyze,
    /// Leave analysis mode.
    Exit,
    /// `.`: report the progress of the analysis.
    Status,
    Exclude(MoveSet<'a>),
    Include(MoveSet<'a>),
    /// `name`: the opponent.
    Name(&'a str),
    /// `rating`: the engine's and the opponent's.
    Rating(i64, i64),
    /// `ics`: the server; `-` for none.
    Ics(&'a str),
    /// `computer`: the opponent is an engine.
    Computer,
    Pause,
    Resume,
    /// `memory`: limit in megabytes.
    Memory(u64),
    /// `cores`: number of CPUs.
    Cores(u64),
    EgtPath {
        kind: &'a str,
        path: &'a str,
    },
    Option {
        name: &'a str,
        /// Value; `None` for a button.
        value: Option<&'a str>,
    },
    /// A command with a missing or unreadable argument; the whole line.
    Unreadable(&'a str),
    Other(&'a str),
}

/// A set of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveSet<'a> {
    All,
    /// One move, in coordinate notation or SAN.
    One(&'a str),
}

/// Form of a move line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveForm {
    Bare,
    /// With `usermove`, if the engine requested it.
    UserMove,
}

/// A line in edit mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditLine {
    Clear,
    /// Switch the color; it starts with White.
    ChangeColor,
    /// Put a piece on a square.
    Place(Role, Square),
    Remove(Square),
    /// End of edit mode.
    End,
}

impl<'a> ClientMessage<'a> {
    pub fn parse(line: &'a str) -> ClientMessage<'a> {
        let mut words = Words::new(line);
        let line = words.line();
        let Some(first) = words.next() else { return ClientMessage::Other(line) };
        parse_plain(first)
            .or_else(|| parse_command(first, words))
            .or_else(|| is_move(line).then_some(ClientMessage::Move { text: line, form: MoveForm::Bare }))
            .unwrap_or_else(|| match TAKES_ARGUMENTS.contains(&first) {
                true => ClientMessage::Unreadable(line),
                false => ClientMessage::Other(line),
            })
    }
}

fn is_move(word: &str) -> bool {
    !word.contains(' ') && (UciMove::parse(word).is_ok() || San::parse(word).is_ok())
}

/// Parses commands without arguments; anything after the word is ignored.
fn parse_plain(word: &str) -> Option<ClientMessage<'static>> {
    Some(match word {
        "xboard" => ClientMessage::Xboard,
        "new" => ClientMessage::New,
        "quit" => ClientMessage::Quit,
        "random" => ClientMessage::Random,
        "force" => ClientMessage::Force,
        "go" => ClientMessage::Go,
        "playother" => ClientMessage::PlayOther,
        "white" => ClientMessage::White,
        "black" => ClientMessage::Black,
        "?" => ClientMessage::MoveNow,
        "draw" => ClientMessage::Draw,
        "edit" => ClientMessage::Edit,
        "hint" => ClientMessage::Hint,
        "bk" => ClientMessage::Book,
        "undo" => ClientMessage::Undo,
        "remove" => ClientMessage::Remove,
        "hard" => ClientMessage::Hard,
        "easy" => ClientMessage::Easy,
        "post" => ClientMessage::Post,
        "nopost" => ClientMessage::NoPost,
        "analyze" => ClientMessage::Analyze,
        "exit" => ClientMessage::Exit,
        "." => ClientMessage::Status,
        "computer" => ClientMessage::Computer,
        "pause" => ClientMessage::Pause,
        "resume" => ClientMessage::Resume,
        _ => return None,
    })
}

/// Commands that require arguments.
const TAKES_ARGUMENTS: [&str; 23] = [
    "protover", "accepted", "rejected", "variant", "level", "st", "sd", "nps", "time", "otim", "usermove",
    "ping", "result", "setboard", "name", "rating", "ics", "memory", "cores", "egtpath", "option", "exclude",
    "include",
];

fn parse_command<'a>(command: &str, mut words: Words<'a>) -> Option<ClientMessage<'a>> {
    let rest = words.rest();
    let text = (!rest.is_empty()).then_some(rest);
    let number = number::unsigned(words.clone().next().unwrap_or_default());
    Some(match command {
        "protover" => ClientMessage::ProtocolVersion(u32::try_from(number?).unwrap_or(u32::MAX)),
        "accepted" => ClientMessage::Accepted(text?),
        "rejected" => ClientMessage::Rejected(text?),
        "variant" => ClientMessage::Variant(text?),
        "level" => ClientMessage::Level {
            moves: number::unsigned_32(words.next()?)?,
            base: minutes(words.next()?)?,
            increment: seconds(words.next()?)?,
        },
        "st" => ClientMessage::MoveTime(seconds(words.next()?)?),
        "sd" => ClientMessage::Depth(u32::try_from(number?).unwrap_or(u32::MAX)),
        "nps" => ClientMessage::NodeRate(number?),
        "time" => ClientMessage::Time(centiseconds(words.next()?)?),
        "otim" => ClientMessage::OpponentTime(centiseconds(words.next()?)?),
        "usermove" => ClientMessage::Move { text: words.next()?, form: MoveForm::UserMove },
        "ping" => ClientMessage::Ping(number?),
        "result" => parse_result(words)?,
        "setboard" => ClientMessage::SetBoard(text?),
        "name" => ClientMessage::Name(text?),
        "rating" => ClientMessage::Rating(number::signed(words.next()?)?, number::signed(words.next()?)?),
        "ics" => ClientMessage::Ics(text?),
        "exclude" => ClientMessage::Exclude(parse_move_set(words.next()?)),
        "include" => ClientMessage::Include(parse_move_set(words.next()?)),
        "memory" => ClientMessage::Memory(number?),
        "cores" => ClientMessage::Cores(number?),
        "egtpath" => ClientMessage::EgtPath { kind: words.next()?, path: words.rest() },
        "option" => {
            let (name, value) =
                rest.split_once('=').map_or((rest, None), |(name, value)| (trim(name), Some(trim(value))));
            (!name.is_empty()).then_some(ClientMessage::Option { name, value })?
        }
        _ => return None,
    })
}

fn parse_move_set(word: &str) -> MoveSet<'_> {
    if word == "all" { MoveSet::All } else { MoveSet::One(word) }
}

fn parse_result(mut words: Words<'_>) -> Option<ClientMessage<'_>> {
    let outcome = match words.next()? {
        "*" => None,
        word => Some(Outcome::parse(word)?),
    };
    Some(ClientMessage::Result { outcome, comment: without_braces(words.rest()) })
}

impl EditLine {
    /// Parses a line in edit mode; `None` if it is not one.
    pub fn parse(line: &str) -> Option<EditLine> {
        let line = trim(line);
        Some(match line {
            "#" => EditLine::Clear,
            "c" => EditLine::ChangeColor,
            "." => EditLine::End,
            _ => {
                let mut letters = line.chars();
                let letter = letters.next()?;
                let square = Square::parse(letters.as_str())?;
                match letter {
                    'x' => EditLine::Remove(square),
                    _ if letter.is_ascii_uppercase() => EditLine::Place(Role::from_char(letter)?, square),
                    _ => return None,
                }
            }
        })
    }
}

impl fmt::Display for MoveSet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveSet::All => f.write_str("all"),
            MoveSet::One(text) => OneLine(text).fmt(f),
        }
    }
}

impl fmt::Display for EditLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditLine::Clear => f.write_str("#"),
            EditLine::ChangeColor => f.write_str("c"),
            EditLine::End => f.write_str("."),
            EditLine::Remove(square) => write!(f, "x{square}"),
            EditLine::Place(role, square) => write!(f, "{}{square}", role.to_upper_char()),
        }
    }
}

impl fmt::Display for ClientMessage<'_> {
    /// Without a line feed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ClientMessage as M;
        let plain = match self {
            M::Xboard => "xboard",
            M::New => "new",
            M::Quit => "quit",
            M::Random => "random",
            M::Force => "force",
            M::Go => "go",
            M::PlayOther => "playother",
            M::White => "white",
            M::Black => "black",
            M::MoveNow => "?",
            M::Draw => "draw",
            M::Edit => "edit",
            M::Hint => "hint",
            M::Book => "bk",
            M::Undo => "undo",
            M::Remove => "remove",
            M::Hard => "hard",
            M::Easy => "easy",
            M::Post => "post",
            M::NoPost => "nopost",
            M::Analyze => "analyze",
            M::Exit => "exit",
            M::Status => ".",
            M::Computer => "computer",
            M::Pause => "pause",
            M::Resume => "resume",
            M::ProtocolVersion(version) => return write!(f, "protover {version}"),
            M::Accepted(name) => return write!(f, "accepted {}", OneLine(name)),
            M::Rejected(name) => return write!(f, "rejected {}", OneLine(name)),
            M::Variant(name) => return write!(f, "variant {}", OneLine(name)),
            M::Level { moves, base, increment } => {
                return write!(f, "level {moves} {} {}", Minutes(*base), Seconds(*increment));
            }
            M::MoveTime(time) => return write!(f, "st {}", Seconds(*time)),
            M::Depth(plies) => return write!(f, "sd {plies}"),
            M::NodeRate(rate) => return write!(f, "nps {rate}"),
            M::Time(time) => return write!(f, "time {}", to_centiseconds(*time)),
            M::OpponentTime(time) => return write!(f, "otim {}", to_centiseconds(*time)),
            M::Move { text, form: MoveForm::Bare } => return OneLine(text).fmt(f),
            M::Move { text, form: MoveForm::UserMove } => return write!(f, "usermove {}", OneLine(text)),
            M::Ping(number) => return write!(f, "ping {number}"),
            M::Result { outcome: None, comment } => return write!(f, "result * {{{}}}", OneLine(comment)),
            M::Result { outcome: Some(outcome), comment } => {
                return write!(f, "result {outcome} {{{}}}", OneLine(comment));
            }
            M::SetBoard(fen) => return write!(f, "setboard {}", OneLine(fen)),
            M::Name(name) => return write!(f, "name {}", OneLine(name)),
            M::Rating(own, other) => return write!(f, "rating {own} {other}"),
            M::Ics(host) => return write!(f, "ics {}", OneLine(host)),
            M::Exclude(moves) => return write!(f, "exclude {moves}"),
            M::Include(moves) => return write!(f, "include {moves}"),
            M::Memory(megabytes) => return write!(f, "memory {megabytes}"),
            M::Cores(count) => return write!(f, "cores {count}"),
            M::EgtPath { kind, path } => return write!(f, "egtpath {} {}", OneLine(kind), OneLine(path)),
            M::Option { name, value: None } => return write!(f, "option {}", OneLine(name)),
            M::Option { name, value: Some(value) } => {
                return write!(f, "option {}={}", OneLine(name), OneLine(value));
            }
            M::Unreadable(line) | M::Other(line) => return OneLine(line).fmt(f),
        };
        f.write_str(plain)
    }
}
