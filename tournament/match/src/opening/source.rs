//! Sources of openings: EPD lines or PGN games, read in order.

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use smalt_chess::notation::pgn::{PgnError, PgnGame, PgnReader, Variations};
use smalt_chess::{DrawClaims, Epd, Game, Move, Position, Setup};

use super::Opening;
use crate::plan::BookFormat;
use smalt_workbench::decompress::DecompressReader;

/// Maximum line length, in bytes.
const LONGEST_LINE: u64 = 4096;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

/// Halfmove clock at which the fifty-move rule ends a game.
const FIFTY_MOVES: u16 = 100;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpeningOrigin {
    /// Built-in balanced positions of standard chess.
    Builtin,
    /// The 960 start positions of Chess960 by number.
    Chess960,
    /// Only the standard start position.
    Start,
    /// A file, plain or compressed.
    File(PathBuf, BookFormat),
}

/// A source of openings with a maximum length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningSource {
    pub origin: OpeningOrigin,
    /// Maximum number of plies of each opening; all if `None`.
    pub plies: Option<u32>,
}

/// An unchecked entry of a source.
pub(super) enum RawOpening<'a> {
    Line(&'a str),
    Game(&'a PgnGame),
    /// An unreadable entry, with the reason.
    Unreadable(String),
    /// A Chess960 start position by number.
    Number(u16),
}

/// A checked opening, without the texts that only used openings need.
pub(super) struct OpeningParts {
    pub start: Position,
    pub moves: Vec<Move>,
    name: Option<String>,
    eco: Option<String>,
}

impl OpeningParts {
    /// The final position, in which the engines start.
    pub(super) fn last_position(&self) -> Position {
        let mut position = self.start;
        for &mv in &self.moves {
            position.play(mv);
        }
        position
    }

    /// Polyglot key of the final position.
    pub(super) fn last_key(&self) -> u64 {
        self.last_position().repetition_key()
    }

    pub(super) fn into_opening(self) -> Opening {
        let OpeningParts { start, moves, name, eco } = self;
        Opening { moves, name, eco, ..Opening::from_position(start) }
    }
}

impl OpeningSource {
    /// A source without a maximum length.
    pub(crate) fn new(origin: OpeningOrigin) -> OpeningSource {
        OpeningSource { origin, plies: None }
    }

    /// Calls `each` with every entry and its line number. Polyglot books have no entries.
    pub(super) fn for_each(&self, mut each: impl FnMut(u64, RawOpening<'_>)) -> io::Result<()> {
        match &self.origin {
            OpeningOrigin::Builtin => for_each_line(smalt_data::OPENINGS.text.as_bytes(), each),
            OpeningOrigin::Chess960 => {
                (0..960).for_each(|number| each(u64::from(number) + 1, RawOpening::Number(number)));
                Ok(())
            }
            OpeningOrigin::Start => {
                each(1, RawOpening::Line(START));
                Ok(())
            }
            OpeningOrigin::File(path, BookFormat::Epd) => {
                for_each_line(BufReader::new(DecompressReader::open(path)?), each)
            }
            OpeningOrigin::File(path, BookFormat::Pgn) => for_each_game(DecompressReader::open(path)?, each),
            OpeningOrigin::File(_, BookFormat::Polyglot) => Ok(()),
        }
    }

    /// Parses an entry; the error is the reason why it is unusable.
    pub(super) fn parse_opening(&self, entry: &RawOpening<'_>) -> Result<OpeningParts, String> {
        match entry {
            RawOpening::Line(line) => opening_of_line(line),
            RawOpening::Game(game) => {
                opening_of_game(game, self.plies.map_or(usize::MAX, |plies| plies as usize))
            }
            RawOpening::Unreadable(reason) => Err(reason.clone()),
            RawOpening::Number(number) => {
                let setup = Setup::chess960(*number).ok_or("is not a start position of Chess960")?;
                let start = Position::new(&setup).map_err(|error| error.to_string())?;
                Ok(OpeningParts {
                    start,
                    moves: Vec::new(),
                    name: Some(format!("Chess960 {number}")),
                    eco: None,
                })
            }
        }
    }
}

fn for_each_line(mut text: impl BufRead, mut each: impl FnMut(u64, RawOpening<'_>)) -> io::Result<()> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let read = text.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            break;
        }
        if read as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            text.skip_until(b'\n')?;
            each(number, RawOpening::Unreadable(format!("is longer than {LONGEST_LINE} bytes")));
            continue;
        }
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_start_matches('\u{feff}').trim();
        if !line.is_empty() && !line.starts_with('#') {
            each(number, RawOpening::Line(line));
        }
    }
    Ok(())
}

fn for_each_game(text: impl Read, mut each: impl FnMut(u64, RawOpening<'_>)) -> io::Result<()> {
    let mut reader = PgnReader::new(text);
    loop {
        match reader.read_game(Variations::Skip) {
            Ok(None) => return Ok(()),
            Ok(Some(game)) => each(game.line(), RawOpening::Game(&game)),
            Err(PgnError::Skipped(skipped)) => {
                each(skipped.line, RawOpening::Unreadable(skipped.problem.kind.to_string()));
            }
            Err(PgnError::Io(error)) => return Err(error),
        }
    }
}

fn opening_of_line(line: &str) -> Result<OpeningParts, String> {
    let epd = Epd::parse(line).map_err(|error| format!("is not a valid position: {error}"))?;
    check_open(&epd.position)?;
    let text = |opcode: &str| {
        let operand = epd.operation(opcode)?.operands.first()?.as_str();
        (!operand.is_empty()).then(|| operand.to_owned())
    };
    Ok(OpeningParts { start: epd.position, moves: Vec::new(), name: text("id"), eco: text("eco") })
}

fn check_open(position: &Position) -> Result<(), String> {
    match position.ending() {
        Some(ending) => Err(format!("is a finished game: {ending}")),
        None if position.halfmove_clock() >= FIFTY_MOVES => {
            Err("is a finished game: fifty moves have passed".to_owned())
        }
        None => Ok(()),
    }
}

/// The opening moves of a game. A game with an error within these moves is unusable.
fn opening_of_game(written: &PgnGame, most: usize) -> Result<OpeningParts, String> {
    let mut game = Game::new(*written.start());
    for played in written.main_line().take(most) {
        game.play(played.mv).map_err(|error| error.to_string())?;
    }
    if game.moves().len() < most
        && let Some(problem) = written.problems().iter().find(|problem| !problem.kind.spares_moves())
    {
        return Err(format!("has an error: {}", problem.kind));
    }
    if let Some(ending) = game.ending(DrawClaims::Automatic) {
        return Err(format!("is a finished game: {ending}"));
    }
    let tag = |name: &str| {
        written.tags().get(name).filter(|value| !matches!(*value, "" | "?" | "-")).map(str::to_owned)
    };
    let name = match (tag("Opening"), tag("Variation")) {
        (Some(opening), Some(variation)) => Some(format!("{opening}, {variation}")),
        (opening, _) => opening,
    };
    Ok(OpeningParts { start: *written.start(), moves: game.moves().to_vec(), name, eco: tag("ECO") })
}
