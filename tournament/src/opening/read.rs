//! Texts of openings: EPD lines, or games in PGN. What is illegal, finished or unreadable is skipped, with its line and
//! the reason.

use std::path::Path;

use smalt_chess::notation::pgn::{PgnError, PgnGame, PgnReader, Variations};
use smalt_chess::{DrawClaims, Epd, Game, Position};

use super::{Book, Opening};

/// How openings are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A position a line, with operations that are not looked at. A line of FEN is one, too.
    Epd,
    /// Games, whose first moves are played.
    Pgn,
}

impl Format {
    /// By the end of a file's name.
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "epd" | "fen" | "txt" => Some(Format::Epd),
            "pgn" => Some(Format::Pgn),
            _ => None,
        }
    }
}

/// A line that is no opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Its number, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// Why there is no book.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BookError {
    /// Nothing in the text can be used.
    #[error("find a single opening{}", .first.as_ref().map(|first| format!(": line {} {}", first.line, first.reason)).unwrap_or_default())]
    Empty {
        /// The first line that was skipped.
        first: Option<Skipped>,
    },
}

/// Reads all openings of a text; of games no more than so many plies.
///
/// # Errors
/// If there is none.
pub fn parse(text: &[u8], format: Format, plies: Option<u32>) -> Result<Book, BookError> {
    let book = match format {
        Format::Epd => parse_epd(&String::from_utf8_lossy(text)),
        Format::Pgn => parse_pgn(text, plies),
    };
    if book.openings.is_empty() {
        return Err(BookError::Empty { first: book.skipped.into_iter().next() });
    }
    Ok(book)
}

fn parse_epd(text: &str) -> Book {
    let mut book = Book { openings: Vec::new(), skipped: Vec::new() };
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match parse_position(line) {
            Ok(position) => book.openings.push(Opening::from_position(position)),
            Err(reason) => book.skipped.push(Skipped { line: number, reason }),
        }
    }
    book
}

fn parse_position(line: &str) -> Result<Position, String> {
    let position = Epd::parse(line).map_err(|error| format!("is no position: {error}"))?.position;
    match position.ending() {
        Some(ending) => Err(format!("is a finished game: {ending}")),
        None => Ok(position),
    }
}

fn parse_pgn(text: &[u8], plies: Option<u32>) -> Book {
    let mut book = Book { openings: Vec::new(), skipped: Vec::new() };
    let mut reader = PgnReader::new(text);
    let most = plies.map_or(usize::MAX, |plies| plies as usize);
    loop {
        match reader.read_game(Variations::Skip) {
            Ok(None) => return book,
            Ok(Some(game)) => match opening_of(&game, most) {
                Ok(opening) => book.openings.push(opening),
                Err(reason) => book.skipped.push(Skipped { line: game.line(), reason }),
            },
            Err(PgnError::Skipped(skipped)) => {
                let reason = skipped.problem.kind.to_string();
                book.skipped.push(Skipped { line: skipped.line, reason });
            }
            Err(PgnError::Io(error)) => {
                // Reading from memory does not fail; but should it, nothing must be lost in silence.
                book.skipped.push(Skipped { line: reader.line(), reason: error.to_string() });
                return book;
            }
        }
    }
}

/// The first moves of a game. One that ends in an error before so many moves is no opening.
fn opening_of(written: &PgnGame, most: usize) -> Result<Opening, String> {
    let line = written.main_line().take(most);
    let mut game = Game::new(*written.start());
    for played in line {
        game.play(played.mv).map_err(|error| error.to_string())?;
    }
    if game.moves().len() < most
        && let Some(problem) = written.problems().first()
    {
        return Err(format!("has an error: {problem}"));
    }
    match game.ending(DrawClaims::Automatic) {
        Some(ending) => Err(format!("is a finished game: {ending}")),
        None => Ok(Opening { moves: game.moves().to_vec(), ..Opening::from_position(*written.start()) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_positions_or_are_reported() {
        let text = "\
# a comment
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id \"start\";

rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1
7k/5Q2/6K1/8/8/8/8/8 b - -
nonsense
";
        let book = parse(text.as_bytes(), Format::Epd, None).unwrap();
        assert_eq!(book.openings.len(), 2);
        assert_eq!(book.openings[0], Opening::standard());
        let lines: Vec<_> = book.skipped.iter().map(|skipped| skipped.line).collect();
        assert_eq!(lines, [5, 6]);
        assert_eq!(book.skipped[0].reason, "is a finished game: stalemate");
    }

    #[test]
    fn games_begin_with_their_first_moves() {
        let text = "\
[Event \"a\"]

1. e4 e5 2. Nf3 Nc6 *

[Event \"b\"]

1. d4 d5 2. Qxd5 *

[Event \"c\"]

1. f3 e5 2. g4 Qh4# 0-1
";
        let check = |plies, moves: &[usize], lines: &[u64]| {
            let book = parse(text.as_bytes(), Format::Pgn, plies).unwrap();
            assert_eq!(book.openings.iter().map(|opening| opening.moves.len()).collect::<Vec<_>>(), moves);
            assert_eq!(book.skipped.iter().map(|skipped| skipped.line).collect::<Vec<_>>(), lines);
        };
        check(None, &[4], &[5, 9]);
        check(Some(3), &[3, 3], &[5]);
        check(Some(2), &[2, 2, 2], &[]);
    }

    #[test]
    fn a_text_without_openings_is_an_error() {
        let error = parse(b"\nx\n", Format::Epd, None).unwrap_err();
        assert!(error.to_string().starts_with("find a single opening: line 2 is no position"), "{error}");
    }
}
