//! Parses one line of EPD: four position fields, then operations up to each semicolon.

use super::{Epd, Operand, Operation};
use crate::notation::fen::{FenError, ParseFenError};
use crate::position::Position;
use crate::setup::Setup;
use crate::square::Square;

/// Why a line is not valid EPD.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseEpdError {
    /// The line is empty.
    #[error("the line is empty")]
    Empty,
    /// The position fields are not a legal position.
    #[error("{0}")]
    Position(#[from] FenError),
    /// An operation does not start with an opcode.
    #[error("expected an opcode, found {0:?}")]
    Opcode(String),
    /// A quoted text is not closed.
    #[error("the text of {0} has no closing quote")]
    Unterminated(String),
}

pub(super) fn epd(line: &str) -> Result<Epd, ParseEpdError> {
    // The first line of a file may start with a byte order mark.
    let mut rest = line.trim_start_matches('\u{feff}').trim();
    if rest.is_empty() {
        return Err(ParseEpdError::Empty);
    }
    let mut setup = fields(&mut rest)?;
    let mut operations = Vec::new();
    while let Some(operation) = next_operation(&mut rest)? {
        match (operation.opcode.as_str(), counter(&operation)) {
            ("hmvc", Some(clock)) => setup.halfmove_clock = clock,
            ("fmvn", Some(number)) => setup.fullmove_number = number.max(1),
            _ => operations.push(operation),
        }
    }
    let position = Position::new(&setup).map_err(FenError::Position)?;
    Ok(Epd { position, operations })
}

/// Consumes the four fields, and the two FEN counters if present.
fn fields(rest: &mut &str) -> Result<Setup, FenError> {
    let mut fen = String::with_capacity(rest.len().min(100));
    for _ in 0..3 {
        fen.push_str(next_word(rest));
        fen.push(' ');
    }
    // Some suites omit the en passant field: then an opcode follows at once.
    let is_square = |word: &str| word == "-" || Square::parse(word).is_some();
    fen.push_str(next_word_if(rest, is_square).unwrap_or("-"));
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    for _ in 0..2 {
        if let Some(word) = next_word_if(rest, is_number) {
            fen.push(' ');
            fen.push_str(word);
        }
    }
    Setup::parse_fen(&fen).map_err(|error: ParseFenError| error.into())
}

fn counter(operation: &Operation) -> Option<u16> {
    match operation.operands.as_slice() {
        [Operand::Word(word)] => word.parse().ok(),
        _ => None,
    }
}

/// Consumes the next word, up to a space or semicolon.
fn next_word<'a>(rest: &mut &'a str) -> &'a str {
    let text = rest.trim_start();
    let end = text.find(|letter: char| letter.is_ascii_whitespace() || letter == ';').unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    *rest = after;
    word
}

fn next_word_if<'a>(rest: &mut &'a str, wanted: impl Fn(&str) -> bool) -> Option<&'a str> {
    let mut ahead = *rest;
    let word = next_word(&mut ahead);
    (!word.is_empty() && wanted(word)).then(|| {
        *rest = ahead;
        word
    })
}

fn next_operation(rest: &mut &str) -> Result<Option<Operation>, ParseEpdError> {
    *rest = rest.trim_start_matches(|letter: char| letter.is_ascii_whitespace() || letter == ';');
    if rest.is_empty() {
        return Ok(None);
    }
    // Some suites put a colon after it, as in `PV: e2e4`.
    let word = next_word(rest);
    let opcode = word.strip_suffix(':').unwrap_or(word);
    if !is_opcode(opcode) {
        return Err(ParseEpdError::Opcode(opcode.into()));
    }
    let mut operands = Vec::new();
    loop {
        *rest = rest.trim_start_matches(|letter: char| letter.is_ascii_whitespace());
        if rest.is_empty() || rest.starts_with(';') {
            return Ok(Some(Operation { opcode: opcode.into(), operands }));
        }
        operands.push(next_operand(rest, opcode)?);
    }
}

fn next_operand(rest: &mut &str, opcode: &str) -> Result<Operand, ParseEpdError> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let (text, after) =
            quoted.split_once('"').ok_or_else(|| ParseEpdError::Unterminated(opcode.into()))?;
        *rest = after;
        return Ok(Operand::Text(text.replace(['\n', '\r'], " ")));
    }
    let is_end = |letter: char| letter.is_ascii_whitespace() || matches!(letter, ';' | '"');
    let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
    *rest = after;
    Ok(Operand::Word(word.into()))
}

fn is_opcode(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}
