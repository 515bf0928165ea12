//! Standard Algebraic Notation (SAN): `Nf3`, `exd8=Q+`, `O-O`.
//!
//! [`San`] is only the text. It accepts what books, suites and programs write in practice, and prints PGN export
//! format; a position resolves it ([`San::to_move`], [`San::from_move`]).

mod meaning;
mod parse;

pub use meaning::SanError;

use std::fmt;
use std::str::FromStr;

use crate::notation::letters::Letters;
use crate::piece::Role;
use crate::setup::CastlingSide;
use crate::square::{File, Rank, Square};

/// A SAN move with its check or mate mark.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct San {
    /// Move without check mark and annotation.
    pub body: SanBody,
    /// Check or checkmate mark; not verified by parsing.
    pub mark: CheckMark,
}

/// A SAN move without its check mark.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SanBody {
    /// `--`: a null move.
    Null,
    /// `O-O` or `O-O-O`.
    Castle(CastlingSide),
    /// Any other move.
    Normal(SanMove),
}

/// A move of one piece in SAN.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SanMove {
    /// The moving piece. A text of two squares without a letter (`g1f3`) has the pawn here and matches any piece.
    pub role: Role,
    /// The file it comes from, if given.
    pub file: Option<File>,
    /// The rank it comes from, if given.
    pub rank: Option<Rank>,
    /// Whether the move is written as a capture.
    pub action: SanAction,
    /// Destination square.
    pub to: Square,
    /// Promotion role: knight, bishop, rook or queen.
    pub promotion: Option<Role>,
}

/// Whether a move is written as a capture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SanAction {
    /// Without an `x`.
    Move,
    /// With an `x`.
    Capture,
}

/// Check or mate mark of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CheckMark {
    /// No mark.
    None,
    /// `+`: check.
    Check,
    /// `#`: checkmate.
    Checkmate,
}

/// The text is not a SAN move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a move in algebraic notation: expected a form like Nf3, exd8=Q+ or O-O")]
pub struct ParseSanError;

impl San {
    /// Parses a move. Beyond the standard it accepts castling with zeros or lower-case letters; marks missing, repeated
    /// or after a space; `!` and `?`; `e.p.`; any origin squares, also `Bg7-f8` and `g7f8`; promotion without `=`, in
    /// parentheses or lower case; a leading `P`; `:` for `x`; `--` and `Z0` for a null move.
    ///
    /// # Errors
    /// If the text is anything else.
    pub fn parse(text: &str) -> Result<San, ParseSanError> {
        San::parse_bytes(text.as_bytes())
    }

    /// As [`San::parse`], from bytes that need not be text.
    ///
    /// # Errors
    /// If the bytes are not a SAN move.
    pub fn parse_bytes(text: &[u8]) -> Result<San, ParseSanError> {
        parse::san(text).ok_or(ParseSanError)
    }
}

impl FromStr for San {
    type Err = ParseSanError;

    fn from_str(text: &str) -> Result<San, ParseSanError> {
        San::parse(text)
    }
}

impl San {
    pub(super) fn letters(&self) -> Word {
        let mut word = match self.body {
            SanBody::Null => Word::of("--"),
            SanBody::Castle(CastlingSide::King) => Word::of("O-O"),
            SanBody::Castle(CastlingSide::Queen) => Word::of("O-O-O"),
            SanBody::Normal(normal) => normal.letters(),
        };
        match self.mark {
            CheckMark::None => {}
            CheckMark::Check => word.push('+'),
            CheckMark::Checkmate => word.push('#'),
        }
        word
    }
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.letters())
    }
}

impl fmt::Display for SanMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.letters())
    }
}

/// Long enough for `Qh4xe1` with a promotion, which no move needs, and a mark.
pub(super) type Word = Letters<9>;

impl SanMove {
    fn letters(&self) -> Word {
        let mut word = Word::of("");
        if self.role != Role::Pawn {
            word.push(self.role.to_upper_char());
        }
        self.file.into_iter().for_each(|file| word.push(file.to_char()));
        self.rank.into_iter().for_each(|rank| word.push(rank.to_char()));
        if self.action == SanAction::Capture {
            word.push('x');
        }
        word.push(self.to.file().to_char());
        word.push(self.to.rank().to_char());
        if let Some(role) = self.promotion {
            word.push('=');
            word.push(role.to_upper_char());
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, printed: &str) {
        let san = San::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(san.to_string(), printed, "{text:?}");
        assert_eq!(San::parse(printed), Ok(san), "{text:?}");
    }

    #[test]
    fn the_export_format_prints_as_it_parses() {
        for text in [
            "e4", "exd5", "e8=Q", "exd8=N+", "Nf3", "Nbd7", "N1f3", "Ng1f3", "Qh4xe1#", "O-O", "O-O-O+",
            "--", "Kxe2",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn human_spellings_are_accepted() {
        for (text, printed) in [
            ("0-0", "O-O"),
            ("0-0-0#", "O-O-O#"),
            ("o-o+", "O-O+"),
            ("O-O!?", "O-O"),
            ("e8Q", "e8=Q"),
            ("e8q+", "e8=Q+"),
            ("e8(N)", "e8=N"),
            ("e8/R", "e8=R"),
            ("e7e8q", "e7e8=Q"),
            ("exd6e.p.", "exd6"),
            ("exd6 e.p.+", "exd6+"),
            ("exd6ep", "exd6"),
            ("Qxf7 +", "Qxf7+"),
            ("Qxf7++", "Qxf7+"),
            ("Qxf7+!!", "Qxf7+"),
            ("Qxf7!!#", "Qxf7#"),
            ("Bg7-f8", "Bg7f8"),
            ("e2-e4", "e2e4"),
            ("Bg7xf8", "Bg7xf8"),
            ("Bg7:f8", "Bg7xf8"),
            ("Pe4", "e4"),
            ("g1f3", "g1f3"),
            ("Z0", "--"),
        ] {
            check(text, printed);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "", "e", "e9", "i4", "Nf", "Xf3", "e8=K", "e8=P", "Ne8=Q", "O-", "O-O-O-O", "OO", "Nf3 Nc6",
            "e4e5e6", "Nxx3", "é4", "+", "e.p.", "1-0", "N--f3", "e4x", "12", "Nf3+x", "-", "nf3",
        ] {
            assert_eq!(San::parse(text), Err(ParseSanError), "{text:?}");
        }
    }
}
