//! Writes a game in the export format of the PGN standard: one tag a line, the roster first; moves in algebraic notation,
//! lines of fewer than 80 columns where words allow it; the result last.

use std::fmt::{self, Write};

use super::game::{Element, PgnGame};
use crate::moves::Move;
use crate::notation::san::San;
use crate::piece::Color;
use crate::position::Position;

/// The longest line, in characters.
const COLUMNS: usize = 79;

impl fmt::Display for PgnGame {
    /// Ends with the line end behind the result; put an empty line between games.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in self.tags().iter() {
            writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
        writeln!(f)?;
        let mut movetext = Movetext { words: Words::new(f), lines: vec![Line::new(*self.start())] };
        for element in self.movetext() {
            movetext.element(element)?;
        }
        let result = self.outcome().map_or("*".into(), |outcome| outcome.to_string());
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
}

impl Movetext<'_, '_> {
    fn element(&mut self, element: &Element) -> fmt::Result {
        let line = self.lines.last_mut().expect("a game closes no more variations than it opens");
        match element {
            Element::Move(mv) => {
                let text = format!("{}{}", line.number(), San::from_move(*mv, &line.now));
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
