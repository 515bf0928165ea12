//! Writes a game in PGN export format: one tag per line, the roster first; moves in SAN, lines shorter than 80 columns
//! unless a word is longer; the result last.

use std::fmt::{self, Write};

use super::game::{Element, PgnGame};
use crate::moves::Move;
use crate::notation::letters::Letters;
use crate::notation::san::{San, SanBody};
use crate::notation::uci_move::{CastlingMode, UciMove};
use crate::piece::Color;
use crate::position::Position;

/// Maximum line length, in characters.
const COLUMNS: usize = 79;

/// Notation of the written moves. Export format uses SAN; some programs read only others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MoveNotation {
    /// `Nf3`, `exd5`: SAN, as in export format.
    #[default]
    San,
    /// `Ng1f3`, `e4xd5`: SAN with both squares for every move but castling.
    Lan,
    /// `g1f3`, `e4d5`, `e1g1`; castling in Chess960 as king takes rook.
    Uci,
}

impl MoveNotation {
    fn write(self, out: &mut String, mv: Move, position: &Position, mode: CastlingMode) {
        if self == MoveNotation::Uci {
            return out.push_str(&UciMove::from_move(mv, mode).letters());
        }
        let mut san = San::from_move(mv, position);
        if let (MoveNotation::Lan, SanBody::Normal(normal)) = (self, &mut san.body) {
            (normal.file, normal.rank) = (Some(mv.from().file()), Some(mv.from().rank()));
        }
        out.push_str(&san.letters());
    }
}

/// A game written with its moves in another notation.
#[derive(Clone, Copy, Debug)]
pub struct WrittenGame<'a> {
    game: &'a PgnGame,
    notation: MoveNotation,
}

impl PgnGame {
    /// The game, to be written with its moves in this notation.
    pub fn written_in(&self, notation: MoveNotation) -> WrittenGame<'_> {
        WrittenGame { game: self, notation }
    }
}

impl fmt::Display for PgnGame {
    /// Ends with the line end after the result; put an empty line between games.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.written_in(MoveNotation::San).fmt(f)
    }
}

impl fmt::Display for WrittenGame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrittenGame { game, notation } = *self;
        for (name, value) in game.tags().iter() {
            writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
        writeln!(f)?;
        let is_960 = game.tags().get("Variant").is_some_and(|variant| variant == "Chess960");
        let mode = if is_960 { CastlingMode::Chess960 } else { CastlingMode::of(game.start()) };
        let lines = vec![LinePosition::new(*game.start())];
        let mut movetext = Movetext { words: LineWrapper::default(), lines, notation, mode };
        for element in game.movetext() {
            movetext.element(element)?;
        }
        for _ in 1..movetext.lines.len() {
            movetext.words.close();
        }
        movetext.words.begin();
        match game.outcome() {
            Some(outcome) => write!(movetext.words.text, "{outcome}")?,
            None => movetext.words.text.push('*'),
        }
        f.write_str(&movetext.words.finish())
    }
}

/// The current end of a line.
struct LinePosition {
    before: Position,
    now: Position,
    /// Whether a Black move needs its number: at the start of a line, or after a comment or variation.
    needs_number: bool,
}

impl LinePosition {
    fn new(start: Position) -> LinePosition {
        LinePosition { before: start, now: start, needs_number: true }
    }

    /// Writes the number before the next move, if it needs one.
    fn write_number(&self, out: &mut String) {
        let dots = match (self.now.turn(), self.needs_number) {
            (Color::White, _) => ". ",
            (Color::Black, true) => "... ",
            (Color::Black, false) => return,
        };
        let mut number = Letters::<5>::of("");
        number.push_number(self.now.fullmove_number().into(), 1);
        out.push_str(&number);
        out.push_str(dots);
    }

    fn play(&mut self, mv: Move) {
        self.before = self.now;
        self.now.play(mv);
        self.needs_number = false;
    }
}

struct Movetext {
    words: LineWrapper,
    /// The main line and the open variations.
    lines: Vec<LinePosition>,
    notation: MoveNotation,
    mode: CastlingMode,
}

impl Movetext {
    fn element(&mut self, element: &Element) -> fmt::Result {
        let line = self.lines.last_mut().expect("a game closes no more variations than it opens");
        let words = &mut self.words;
        match element {
            Element::Move(mv) => {
                words.begin();
                line.write_number(&mut words.text);
                self.notation.write(&mut words.text, *mv, &line.now, self.mode);
                line.play(*mv);
            }
            Element::Pass => {
                words.begin();
                line.write_number(&mut words.text);
                words.text.push_str("--");
                line.before = line.now;
                line.now = line.now.after_null_move();
                line.needs_number = false;
            }
            Element::Nag(nag) => {
                words.begin();
                write!(words.text, "${nag}")?;
            }
            Element::Comment(text) => {
                line.needs_number = true;
                words.comment(text);
            }
            Element::BeginVariation => {
                line.needs_number = true;
                let start = line.before;
                self.lines.push(LinePosition::new(start));
                words.open();
            }
            Element::EndVariation => {
                self.lines.pop();
                words.close();
            }
        }
        Ok(())
    }
}

/// Text wrapped into lines. The last word may still grow; when the next one begins, it moves to a new line if it does
/// not fit.
#[derive(Default)]
struct LineWrapper {
    text: String,
    /// Where the last word starts. The space before it may become a line end.
    word: usize,
    /// Characters before it on its line, including that space.
    column: usize,
    /// Whether the next text is joined to it.
    joins: bool,
}

impl LineWrapper {
    /// Starts a word, which is never broken.
    fn begin(&mut self) {
        if !std::mem::replace(&mut self.joins, false) && self.settle() {
            self.text.push(' ');
            self.column += 1;
            self.word = self.text.len();
        }
    }

    /// Completes the last word; returns whether its line has any.
    fn settle(&mut self) -> bool {
        let word = &self.text[self.word..];
        let length = if word.is_ascii() { word.len() } else { word.chars().count() };
        if self.column > 0 && self.column + length > COLUMNS {
            self.text.replace_range(self.word - 1..self.word, "\n");
            self.column = 0;
        }
        self.column += length;
        self.column > 0
    }

    fn open(&mut self) {
        self.begin();
        self.text.push('(');
        self.joins = true;
    }

    fn close(&mut self) {
        self.text.push(')');
        self.joins = false;
    }

    fn comment(&mut self, text: &str) {
        if text.contains('}') {
            return self.line_comment(text);
        }
        self.begin();
        self.text.push('{');
        for (index, word) in text.split(' ').enumerate() {
            // At the start of a line these characters would mean an escape or a tag.
            if index > 0 && word.starts_with(['%', '[']) {
                self.text.push(' ');
            } else if index > 0 {
                self.begin();
            }
            self.text.push_str(word);
        }
        self.text.push('}');
    }

    /// A comment to the end of the line, which may contain a closing brace.
    fn line_comment(&mut self, text: &str) {
        self.begin();
        self.text.push_str("; ");
        self.text.push_str(text);
        self.settle();
        self.text.push('\n');
        (self.word, self.column) = (self.text.len(), 0);
    }

    fn finish(mut self) -> String {
        self.settle();
        self.text.push('\n');
        self.text
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
