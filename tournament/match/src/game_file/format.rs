//! The text of games in a file, and the separators between them.

use crate::epd::epd_line;
use crate::game::GameRecord;
use crate::pgn::PgnWriter;

/// Format of a game file.
#[derive(Clone, Debug)]
pub enum GameFormat {
    /// PGN games, each followed by an empty line.
    Pgn(PgnWriter),
    /// EPD lines of final positions, with the names of the entrants.
    Epd(Vec<String>),
}

impl GameFormat {
    pub fn write(&self, record: &GameRecord) -> String {
        match self {
            GameFormat::Pgn(writer) => writer.write(record),
            GameFormat::Epd(names) => epd_line(record, names),
        }
    }

    /// Sets the reported name and author of an engine, for the tags of games.
    pub fn set_engine(&mut self, entrant: usize, name: &str, author: &str) {
        if let GameFormat::Pgn(writer) = self {
            writer.set_engine(entrant, name, author);
        }
    }

    /// Whether this is the first line of a game.
    pub(super) fn begins_with(&self, line: &[u8]) -> bool {
        match self {
            GameFormat::Pgn(_) => line.starts_with(b"[Event "),
            GameFormat::Epd(_) => true,
        }
    }

    /// Separator between this end of a file and the next game.
    pub(super) fn separator(&self, tail: &[u8]) -> &'static str {
        match self {
            _ if tail.is_empty() => "",
            GameFormat::Epd(_) if tail.ends_with(b"\n") => "",
            GameFormat::Epd(_) => "\n",
            GameFormat::Pgn(_) if tail.ends_with(b"\n\n") || tail.ends_with(b"\n\r\n") => "",
            GameFormat::Pgn(_) if has_open_comment(tail) => "}\n\n",
            GameFormat::Pgn(_) if tail.ends_with(b"\n") => "\n",
            GameFormat::Pgn(_) => "\n\n",
        }
    }
}

/// Whether the last PGN game ends inside a comment, as in a truncated file.
pub(super) fn has_open_comment(tail: &[u8]) -> bool {
    let mut is_open = false;
    for line in tail.split(|&byte| byte == b'\n') {
        if line.starts_with(b"[Event ") {
            is_open = false;
        }
        if !is_open && line.starts_with(b"[") {
            continue;
        }
        for &byte in line {
            match byte {
                b'{' => is_open = true,
                b'}' => is_open = false,
                b';' if !is_open => break,
                _ => {}
            }
        }
    }
    is_open
}
