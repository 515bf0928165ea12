//! Extended position description: a position and operations on it, one a line, `bm Nf3; id "WAC.001";`.
//!
//! All operations are kept, known or not; what the known ones mean is read on demand, so that one bad move in a suite
//! invalidates only itself.

mod meaning;
mod parse;

pub use meaning::{EpdMoveError, PerftCount};
pub use parse::ParseEpdError;

use std::fmt;
use std::str::FromStr;

use crate::notation::fen::FenStyle;
use crate::position::Position;

/// A position and the operations on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The position. Its counters come from `hmvc` and `fmvn`, or from the fields of a FEN where they stand.
    pub position: Position,
    /// All other operations, in their order. An opcode may occur twice.
    pub operations: Vec<Operation>,
}

/// An opcode and its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// Letters, digits and `_ - .`; begins with a letter.
    pub opcode: String,
    /// What follows up to the semicolon.
    pub operands: Vec<Operand>,
}

/// One operand of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A word without spaces, quotes and semicolons: a move or a number.
    Word(String),
    /// A text in quotes; it holds no quotes itself, nor line ends.
    Text(String),
}

impl Operand {
    /// The operand without its quotes.
    pub fn as_str(&self) -> &str {
        match self {
            Operand::Word(text) | Operand::Text(text) => text,
        }
    }
}

impl Epd {
    /// A position without operations.
    pub fn new(position: Position) -> Epd {
        Epd { position, operations: Vec::new() }
    }

    /// Reads one line. Taken besides the standard's form: the counters of a FEN after the four fields, a missing
    /// en-passant field, a missing last semicolon, and semicolons before operations instead of behind
    /// (`;D1 20 ;D2 400`).
    ///
    /// # Errors
    /// If the position is none, an opcode is malformed, or a quoted text does not end.
    pub fn parse(line: &str) -> Result<Epd, ParseEpdError> {
        parse::epd(line)
    }

    /// The first operation with an opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.opcode == opcode)
    }

    /// Appends an operation whose operand is a text. Quotes become apostrophes, line ends spaces.
    pub fn push_text(&mut self, opcode: &str, text: &str) {
        let text = text.replace('"', "'").replace(['\n', '\r'], " ");
        self.operations.push(Operation { opcode: opcode.into(), operands: vec![Operand::Text(text)] });
    }

    /// Appends an operation whose operands are words: they must hold no spaces, quotes or semicolons.
    pub fn push_words<W: ToString>(&mut self, opcode: &str, words: impl IntoIterator<Item = W>) {
        let operands = words.into_iter().map(|word| Operand::Word(word.to_string())).collect();
        self.operations.push(Operation { opcode: opcode.into(), operands });
    }
}

impl FromStr for Epd {
    type Err = ParseEpdError;

    fn from_str(line: &str) -> Result<Epd, ParseEpdError> {
        Epd::parse(line)
    }
}

impl fmt::Display for Epd {
    /// The four fields, the operations each with its semicolon, and `hmvc` and `fmvn` last where they are not the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fen = self.position.to_setup().to_fen(FenStyle::XFen);
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        f.write_str(&fields.join(" "))?;
        for operation in &self.operations {
            write!(f, " {operation}")?;
        }
        if self.position.halfmove_clock() != 0 {
            write!(f, " hmvc {};", self.position.halfmove_clock())?;
        }
        if self.position.fullmove_number() != 1 {
            write!(f, " fmvn {};", self.position.fullmove_number())?;
        }
        Ok(())
    }
}

impl fmt::Display for Operation {
    /// Writes the closing semicolon.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.opcode)?;
        for operand in &self.operands {
            match operand {
                Operand::Word(word) => write!(f, " {word}")?,
                Operand::Text(text) => write!(f, " \"{text}\"")?,
            }
        }
        f.write_str(";")
    }
}
