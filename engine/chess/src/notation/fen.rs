//! Forsyth-Edwards Notation, with castling rights as X-FEN or Shredder-FEN.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use thiserror::Error;

use crate::piece::{Color, Piece, Role};
use crate::position::{Position, PositionError};
use crate::setup::{CastlingSide, Setup};
use crate::square::{File, Rank, Square};

/// Why a text is not valid FEN.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseFenError {
    /// The piece placement is not eight ranks of eight files.
    #[error("the pieces are not eight ranks of eight squares: {0:?}")]
    Board(String),
    /// The side to move is neither `w` nor `b`.
    #[error("the side to move is neither w nor b: {0:?}")]
    Turn(String),
    /// A castling right has an unknown letter or no rook.
    #[error("the castling rights fit no king and rook: {0:?}")]
    Castling(String),
    /// The en passant field is neither `-` nor a square.
    #[error("the en-passant field is neither - nor a square: {0:?}")]
    EnPassant(String),
    /// A move counter is not a number up to 65,535.
    #[error("a move counter is not a number from 0 to 65535: {0:?}")]
    Counter(String),
    /// Text follows the six fields.
    #[error("unexpected text after the six fields: {0:?}")]
    Trailing(String),
}

/// Why a text is not a legal position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// The text is not valid FEN.
    #[error(transparent)]
    Parse(#[from] ParseFenError),
    /// The position is illegal.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// Notation of castling rights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenStyle {
    /// `KQkq` for the outermost rook on its side, otherwise the letter of the rook's file.
    XFen,
    /// Always the letter of the rook's file.
    Shredder,
}

impl Setup {
    /// Parses a FEN of one to six fields; missing ones default to `w`, `-`, `-`, `0` and `1`, as do counters written
    /// `-`.
    ///
    /// # Errors
    /// Names the invalid field.
    pub fn parse_fen(text: &str) -> Result<Setup, ParseFenError> {
        let mut fields = text.split_ascii_whitespace();
        let mut setup = Setup::empty();
        parse_board(fields.next().unwrap_or_default(), &mut setup)?;
        setup.turn = match fields.next() {
            None | Some("w" | "W") => Color::White,
            Some("b" | "B") => Color::Black,
            Some(other) => return Err(ParseFenError::Turn(other.into())),
        };
        parse_castling(fields.next().unwrap_or("-"), &mut setup)?;
        setup.en_passant = match fields.next() {
            None | Some("-") => None,
            Some(other) => Some(Square::parse(other).ok_or_else(|| ParseFenError::EnPassant(other.into()))?),
        };
        setup.halfmove_clock = parse_counter(fields.next(), 0)?;
        setup.fullmove_number = parse_counter(fields.next(), 1)?.max(1);
        match fields.next() {
            None => Ok(setup),
            Some(other) => Err(ParseFenError::Trailing(other.into())),
        }
    }

    /// The FEN of the setup.
    pub fn to_fen(&self, style: FenStyle) -> String {
        let mut text = String::with_capacity(80);
        self.write_fen(&mut text, style).expect("writing to a string does not fail");
        text
    }

    fn write_fen(&self, out: &mut String, style: FenStyle) -> fmt::Result {
        write_board(&self.board, out)?;
        write!(out, " {} ", self.turn.to_char())?;
        self.write_castling(out, style)?;
        match self.en_passant {
            Some(square) => write!(out, " {square}")?,
            None => out.push_str(" -"),
        }
        write!(out, " {} {}", self.halfmove_clock, self.fullmove_number)
    }

    fn write_castling(&self, out: &mut String, style: FenStyle) -> fmt::Result {
        if self.castling_rooks.is_empty() {
            return out.write_char('-');
        }
        for color in Color::ALL {
            let rank = color.rank(Rank::First);
            // Rights are written from the h-file to the a-file.
            for file in File::ALL.into_iter().rev() {
                let rook = Square::new(file, rank);
                if self.castling_rooks.contains(rook) {
                    let letter = self.castling_letter(color, rook, style);
                    out.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
                }
            }
        }
        Ok(())
    }

    fn castling_letter(&self, color: Color, rook: Square, style: FenStyle) -> char {
        let side = self.king_of(color).map(|king| CastlingSide::of(king, rook));
        match (style, side) {
            (FenStyle::XFen, Some(side)) if self.outermost_rook(color, side) == Some(rook) => match side {
                CastlingSide::King => 'k',
                CastlingSide::Queen => 'q',
            },
            _ => rook.file().to_char(),
        }
    }

    /// The outermost back-rank rook of a side between its king and the edge.
    fn outermost_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let rank = color.rank(Rank::First);
        let (king, rook) = (Piece::new(color, Role::King), Piece::new(color, Role::Rook));
        let inward = |step: usize| match side {
            CastlingSide::King => Square::new(File::ALL[7 - step], rank),
            CastlingSide::Queen => Square::new(File::ALL[step], rank),
        };
        let stands = |piece: Piece| move |square: &Square| self.board[square.index()] == Some(piece);
        let outermost = (0..8).map(inward).find(stands(rook))?;
        let innermost = (0..8).map(inward).find(stands(king))?;
        (CastlingSide::of(innermost, outermost) == side).then_some(outermost)
    }
}

fn parse_board(text: &str, setup: &mut Setup) -> Result<(), ParseFenError> {
    let wrong = || ParseFenError::Board(text.into());
    let mut rows = text.split('/');
    for rank in Rank::ALL.into_iter().rev() {
        parse_row(rows.next().ok_or_else(wrong)?, rank, setup).ok_or_else(wrong)?;
    }
    if rows.next().is_none() { Ok(()) } else { Err(wrong()) }
}

fn parse_row(row: &str, rank: Rank, setup: &mut Setup) -> Option<()> {
    let mut file = 0;
    for letter in row.chars() {
        if let Some(gap @ 1..=8) = letter.to_digit(10) {
            file += gap as usize;
        } else {
            let at = *File::ALL.get(file)?;
            setup.board[Square::new(at, rank).index()] = Some(Piece::from_char(letter)?);
            file += 1;
        }
    }
    (file == 8).then_some(())
}

fn parse_castling(text: &str, setup: &mut Setup) -> Result<(), ParseFenError> {
    if text == "-" {
        return Ok(());
    }
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rook = match letter.to_ascii_lowercase() {
            'k' => setup.outermost_rook(color, CastlingSide::King),
            'q' => setup.outermost_rook(color, CastlingSide::Queen),
            other => File::from_char(other).map(|file| Square::new(file, color.rank(Rank::First))),
        };
        setup.castling_rooks.insert(rook.ok_or_else(|| ParseFenError::Castling(text.into()))?);
    }
    Ok(())
}

fn parse_counter(text: Option<&str>, missing: u16) -> Result<u16, ParseFenError> {
    match text {
        None | Some("-") => Ok(missing),
        Some(text) => text.parse().map_err(|_| ParseFenError::Counter(text.into())),
    }
}

fn write_board(board: &[Option<Piece>; 64], out: &mut String) -> fmt::Result {
    for rank in Rank::ALL.into_iter().rev() {
        let mut gap = 0;
        for file in File::ALL {
            match board[Square::new(file, rank).index()] {
                None => gap += 1,
                Some(piece) => {
                    if gap > 0 {
                        write!(out, "{gap}")?;
                    }
                    gap = 0;
                    out.push(piece.to_char());
                }
            }
        }
        if gap > 0 {
            write!(out, "{gap}")?;
        }
        if rank != Rank::First {
            out.push('/');
        }
    }
    Ok(())
}

impl Position {
    /// Parses a FEN into a position.
    ///
    /// # Errors
    /// Says whether the text or the position is invalid, and why.
    pub fn from_fen(text: &str) -> Result<Position, FenError> {
        Ok(Position::new(&Setup::parse_fen(text)?)?)
    }

    /// The X-FEN of the position. The en passant square is written only if a capture on it is legal.
    pub fn to_fen(&self) -> String {
        self.fen_setup().to_fen(FenStyle::XFen)
    }

    /// As [`Position::to_fen`], with castling rights as rook files (Shredder-FEN).
    pub fn to_shredder_fen(&self) -> String {
        self.fen_setup().to_fen(FenStyle::Shredder)
    }

    fn fen_setup(&self) -> Setup {
        Setup { en_passant: self.legal_en_passant().and(self.en_passant()), ..self.to_setup() }
    }
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Position, FenError> {
        Position::from_fen(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fen_comes_back_as_it_was() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 2",
            "4k3/8/8/8/8/8/8/RR2K3 w B - 12 34",
            "4k3/8/8/8/8/8/8/4K3 w - - 65535 65535",
        ] {
            assert_eq!(Position::from_fen(fen).unwrap().to_fen(), fen);
        }
    }

    #[test]
    fn missing_fields_have_their_defaults() {
        let full = Setup::parse_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        for fen in ["4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w", " 4k3/8/8/8/8/8/8/4K3  w -\t- - -\r\n"] {
            assert_eq!(Setup::parse_fen(fen), full, "{fen:?}");
        }
    }

    #[test]
    fn castling_rights_are_read_in_every_style() {
        for (rights, printed, shredder) in
            [("KQkq", "KQkq", "HAha"), ("HAha", "KQkq", "HAha"), ("QK", "KQ", "HA"), ("aH", "Kq", "Ha")]
        {
            let position = Position::from_fen(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} - 0 1")).unwrap();
            assert!(position.to_fen().contains(&format!(" {printed} ")), "{rights}");
            assert!(position.to_shredder_fen().contains(&format!(" {shredder} ")), "{rights}");
        }
    }

    #[test]
    fn an_invalid_fen_names_the_field_and_the_reason() {
        let check = |fen: &str, message: &str| {
            assert_eq!(Position::from_fen(fen).unwrap_err().to_string(), message, "{fen:?}");
        };
        let board = |text: &str| format!("the pieces are not eight ranks of eight squares: {text:?}");
        check("", &board(""));
        for text in
            ["8/8/8/8/8/8/8", "8/8/8/8/8/8/8/8/8", "9/8/8/8/8/8/8/8", "x7/8/8/8/8/8/8/8", "44p/8/8/8/8/8/8/8"]
        {
            check(text, &board(text));
        }
        let kings = "4k3/8/8/8/8/8/8/4K3";
        check(&format!("{kings} x"), "the side to move is neither w nor b: \"x\"");
        check(&format!("{kings} w K"), "the castling rights fit no king and rook: \"K\"");
        check(&format!("{kings} w H"), "the castling right of the rook on h1 fits no king and rook there");
        check(&format!("{kings} w - e9"), "the en-passant field is neither - nor a square: \"e9\"");
        check(&format!("{kings} w - e6"), "e6 can't be an en-passant square here");
        check(&format!("{kings} w - - -1"), "a move counter is not a number from 0 to 65535: \"-1\"");
        check(&format!("{kings} w - - 0 65536"), "a move counter is not a number from 0 to 65535: \"65536\"");
        check(&format!("{kings} w - - 0 1 2"), "unexpected text after the six fields: \"2\"");
        check("4k3/8/8/8/8/8/8/7Q b - - 0 1", "white has no king");
    }
}
