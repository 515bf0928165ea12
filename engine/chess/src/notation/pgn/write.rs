//! Writes a game in the export format of the PGN standard: one tag a line, the roster first; moves in algebraic notation,
//! lines of fewer than 80 columns where words allow it; the result last.

use std::fmt::{self, Write};

use super::game::{Element, PgnGame};
use crate::moves::Move;
use crate::notation::san::{San, SanBody};
use crate::notation::uci_move::{CastlingMode, UciMove};
use crate::piece::Color;
use crate::position::Position;

/// The longest line, in characters.
const COLUMNS: usize = 79;

/// How the moves of a game are written. The export format has algebraic notation; some programs read others alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MoveNotation {
    /// `Nf3`, `exd5`: what the standard's export format has.
    #[default]
    San,
    /// `Ng1f3`, `e4xd5`: the same with both squares of every move but castling.
    Lan,
    /// `g1f3`, `e4d5`, `e1g1`; castling in Chess960 as king takes rook.
    Uci,
}

impl MoveNotation {
    fn text(self, mv: Move, position: &Position, mode: CastlingMode) -> String {
        match self {
            MoveNotation::San => San::from_move(mv, position).to_string(),
            MoveNotation::Lan => {
                let mut san = San::from_move(mv, position);
                if let SanBody::Normal(normal) = &mut san.body {
                    (normal.file, normal.rank) = (Some(mv.from().file()), Some(mv.from().rank()));
                }
                san.to_string()
            }
            MoveNotation::Uci => UciMove::from_move(mv, mode).to_string(),
        }
    }
}

/// A game to be written with its moves in another notation.
#[derive(Clone, Copy, Debug)]
pub struct WrittenGame<'a> {
    game: &'a PgnGame,
    notation: MoveNotation,
}

impl PgnGame {
    /// The same game, with its moves in this notation.
    pub fn written_in(&self, notation: MoveNotation) -> WrittenGame<'_> {
        WrittenGame { game: self, notation }
    }
}

impl fmt::Display for PgnGame {
    /// Ends with the line end behind the result; put an empty line between games.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.written_in(MoveNotation::San).fmt(f)
    }
}

impl fmt::Display for WrittenGame<'_> {
    /// As [`PgnGame`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrittenGame { game, notation } = *self;
        for (name, value) in game.tags().iter() {
            writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
        writeln!(f)?;
        let is_960 = game.tags().get("Variant").is_some_and(|variant| variant == "Chess960");
        let mode = if is_960 { CastlingMode::Chess960 } else { CastlingMode::of(game.start()) };
        let lines = vec![Line::new(*game.start())];
        let mut movetext = Movetext { words: Words::new(f), lines, notation, mode };
        for element in game.movetext() {
            movetext.element(element)?;
        }
        let result = game.outcome().map_or("*".into(), |outcome| outcome.to_string());
        movetext.finish(&result)
    }
}

/// Where the moves of a line stand.
struct Line {
    before: Position,
    now: Position,
    /// Whether a move of Black's needs its number: at the start of a line, or after a comment or a variation.
    needs_number: bool,
}

impl Line {
    fn new(start: Position) -> Line {
        Line { before: start, now: start, needs_number: true }
    }

    /// The number before the next move, if it takes one.
    fn number(&self) -> String {
        let number = self.now.fullmove_number();
        match (self.now.turn(), self.needs_number) {
            (Color::White, _) => format!("{number}. "),
            (Color::Black, true) => format!("{number}... "),
            (Color::Black, false) => String::new(),
        }
    }

    fn play(&mut self, mv: Move) {
        self.before = self.now;
        self.now.play(mv);
        self.needs_number = false;
    }
}

struct Movetext<'a, 'b> {
    words: Words<'a, 'b>,
    /// The main line and the open variations.
    lines: Vec<Line>,
    notation: MoveNotation,
    mode: CastlingMode,
}

impl Movetext<'_, '_> {
    fn element(&mut self, element: &Element) -> fmt::Result {
        let line = self.lines.last_mut().expect("a game closes no more variations than it opens");
        match element {
            Element::Move(mv) => {
                let text = format!("{}{}", line.number(), self.notation.text(*mv, &line.now, self.mode));
                line.play(*mv);
                self.words.word(&text)
            }
            Element::Pass => {
                let text = format!("{}--", line.number());
                line.before = line.now;
                line.now = line.now.after_null_move();
                line.needs_number = false;
                self.words.word(&text)
            }
            Element::Nag(nag) => self.words.word(&format!("${nag}")),
            Element::Comment(text) => {
                line.needs_number = true;
                self.words.comment(text)
            }
            Element::BeginVariation => {
                line.needs_number = true;
                let start = line.before;
                self.lines.push(Line::new(start));
                self.words.open()
            }
            Element::EndVariation => {
                self.lines.pop();
                self.words.close();
                Ok(())
            }
        }
    }

    fn finish(mut self, result: &str) -> fmt::Result {
        for _ in 1..self.lines.len() {
            self.words.close();
        }
        self.words.word(result)?;
        self.words.flush()?;
        self.words.out.write_char('\n')
    }
}

/// Fills lines with words. One word is held back, because a parenthesis may still be joined to it.
struct Words<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    column: usize,
    pending: String,
    /// Whether the next word is joined to the pending one.
    joins: bool,
}

impl<'a, 'b> Words<'a, 'b> {
    fn new(out: &'a mut fmt::Formatter<'b>) -> Words<'a, 'b> {
        Words { out, column: 0, pending: String::new(), joins: false }
    }

    /// A word that is never broken.
    fn word(&mut self, text: &str) -> fmt::Result {
        if !std::mem::replace(&mut self.joins, false) {
            self.flush()?;
        }
        self.pending.push_str(text);
        Ok(())
    }

    fn open(&mut self) -> fmt::Result {
        self.word("(")?;
        self.joins = true;
        Ok(())
    }

    fn close(&mut self) {
        self.pending.push(')');
        self.joins = false;
    }

    fn comment(&mut self, text: &str) -> fmt::Result {
        if text.contains('}') {
            return self.line_comment(text);
        }
        let mut words = text.split(' ');
        self.word("{")?;
        self.pending.push_str(words.next().unwrap_or_default());
        for word in words {
            // At the start of a line these would be an escape or a tag.
            if word.starts_with(['%', '[']) {
                self.pending.push(' ');
                self.pending.push_str(word);
            } else {
                self.word(word)?;
            }
        }
        self.pending.push('}');
        Ok(())
    }

    /// The form that may hold a closing brace: it goes to the end of the line.
    fn line_comment(&mut self, text: &str) -> fmt::Result {
        self.word("; ")?;
        self.pending.push_str(text);
        self.flush()?;
        self.out.write_char('\n')?;
        self.column = 0;
        Ok(())
    }

    /// Writes the pending word, on a new line if it does not fit.
    fn flush(&mut self) -> fmt::Result {
        let length = self.pending.chars().count();
        if length == 0 {
            return Ok(());
        }
        if self.column > 0 && self.column + 1 + length > COLUMNS {
            self.out.write_char('\n')?;
            self.column = 0;
        } else if self.column > 0 {
            self.out.write_char(' ')?;
            self.column += 1;
        }
        self.out.write_str(&self.pending)?;
        self.column += length;
        self.pending.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PgnReader, Variations};
    use super::*;

    #[test]
    fn moves_are_written_in_every_notation_and_read_back() {
        let mut game = PgnGame::new(Position::start());
        for text in ["e4", "d5", "exd5", "Nf6", "Nf3", "g6", "Be2", "Bg7", "O-O", "Nxd5"] {
            let mv = San::parse(text).unwrap().to_move(game.position()).unwrap();
            game.push_move(mv).unwrap();
        }
        let check = |notation, expected: &str| {
            let text = game.written_in(notation).to_string();
            let moves = text.lines().last().unwrap().trim_end_matches(" *");
            assert_eq!(moves, expected);
            let read = PgnReader::new(text.as_bytes()).read_game(Variations::Keep).unwrap().unwrap();
            assert_eq!(read.to_string(), game.to_string());
        };
        check(MoveNotation::San, "1. e4 d5 2. exd5 Nf6 3. Nf3 g6 4. Be2 Bg7 5. O-O Nxd5");
        check(MoveNotation::Lan, "1. e2e4 d7d5 2. e4xd5 Ng8f6 3. Ng1f3 g7g6 4. Bf1e2 Bf8g7 5. O-O Nf6xd5");
        check(MoveNotation::Uci, "1. e2e4 d7d5 2. e4d5 g8f6 3. g1f3 g7g6 4. f1e2 f8g7 5. e1g1 f6d5");
    }
}
