//! Extended Position Description: one line with a position and operations such as `bm Nf3; id "WAC.001";`.
//!
//! All operations are kept, known or not. Known ones are interpreted on access, so that a bad move in a suite
//! invalidates only itself.

mod meaning;
mod parse;

pub use meaning::{EpdMoveError, PerftCount};
pub use parse::ParseEpdError;

use std::fmt;
use std::str::FromStr;

use crate::notation::fen::FenStyle;
use crate::position::Position;

/// A position with operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Epd {
    /// The position. Its counters come from `hmvc` and `fmvn`, or from FEN fields if present.
    pub position: Position,
    /// All other operations in order. An opcode may occur twice.
    pub operations: Vec<Operation>,
}

/// An opcode and its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// Letters, digits, `_`, `-` and `.`; starts with a letter.
    pub opcode: String,
    /// The operands up to the semicolon.
    pub operands: Vec<Operand>,
}

/// One operand of an operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A word without spaces, quotes or semicolons: a move or a number.
    Word(String),
    /// A quoted text; it contains no quotes or line ends.
    Text(String),
}

impl Operand {
    /// The operand without quotes.
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

    /// Parses one line. Beyond the standard it accepts FEN counters after the four fields, a missing en passant field,
    /// a missing last semicolon, and semicolons before instead of after operations (`;D1 20 ;D2 400`).
    ///
    /// # Errors
    /// If the position is illegal, an opcode is malformed, or a quoted text is not closed.
    pub fn parse(line: &str) -> Result<Epd, ParseEpdError> {
        parse::epd(line)
    }

    /// The first operation with this opcode.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.opcode == opcode)
    }

    /// Appends an operation with a text operand. Quotes become apostrophes, line ends spaces.
    pub fn push_text(&mut self, opcode: &str, text: &str) {
        let text = text.replace('"', "'").replace(['\n', '\r'], " ");
        self.operations.push(Operation { opcode: opcode.into(), operands: vec![Operand::Text(text)] });
    }

    /// Appends an operation with word operands, which must not contain spaces, quotes or semicolons.
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
    /// The four fields, each operation with its semicolon, and last `hmvc` and `fmvn` if they are not the defaults.
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
