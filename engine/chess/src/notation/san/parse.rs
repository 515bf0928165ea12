//! Parses SAN, from its end (check marks) to its beginning.

use super::{CheckMark, San, SanAction, SanBody, SanMove};
use crate::piece::Role;
use crate::setup::CastlingSide;
use crate::square::{File, Rank, Square};

pub(super) fn san(text: &[u8]) -> Option<San> {
    let (text, mark) = split_marks(text);
    let body = match text {
        b"--" | b"Z0" => SanBody::Null,
        [b'O' | b'0' | b'o', b'-', rest @ ..] => SanBody::Castle(castling(rest)?),
        _ => SanBody::Normal(normal(text)?),
    };
    Some(San { body, mark })
}

/// Strips marks, comments and spaces from the end.
fn split_marks(mut text: &[u8]) -> (&[u8], CheckMark) {
    let mut mark = CheckMark::None;
    loop {
        text = match text {
            [rest @ .., b'+'] => {
                mark = mark.max(CheckMark::Check);
                rest
            }
            [rest @ .., b'#'] => {
                mark = CheckMark::Checkmate;
                rest
            }
            [rest @ .., b'!' | b'?' | b' ']
            | [rest @ .., b'e', b'.', b'p', b'.']
            | [rest @ .., b'e', b'p'] => rest,
            _ => return (text, mark),
        };
    }
}

fn castling(rest: &[u8]) -> Option<CastlingSide> {
    match rest {
        [b'O' | b'0' | b'o'] => Some(CastlingSide::King),
        [b'O' | b'0' | b'o', b'-', b'O' | b'0' | b'o'] => Some(CastlingSide::Queen),
        _ => None,
    }
}

fn normal(text: &[u8]) -> Option<SanMove> {
    let (text, promotion) = split_promotion(text);
    let (text, to) = split_square(text)?;
    let (text, action) = match text {
        [rest @ .., b'x' | b':'] => (rest, SanAction::Capture),
        [rest @ .., b'-'] if !rest.is_empty() => (rest, SanAction::Move),
        _ => (text, SanAction::Move),
    };
    let (role, origin) = match text {
        [letter @ (b'P' | b'N' | b'B' | b'R' | b'Q' | b'K'), rest @ ..] => {
            (Role::from_char(char::from(*letter))?, rest)
        }
        _ => (Role::Pawn, text),
    };
    let (file, rank) = match *origin {
        [] => (None, None),
        [one] => (file(one), rank(one)),
        [a, b] => (Some(file(a)?), Some(rank(b)?)),
        _ => return None,
    };
    let origin_is_read = origin.is_empty() || file.is_some() || rank.is_some();
    // A square without a piece letter may have a single file letter or rank digit before it: only for pawns, which have
    // a file.
    let promotion_fits = promotion.is_none() || role == Role::Pawn;
    (origin_is_read && promotion_fits).then_some(SanMove { role, file, rank, action, to, promotion })
}

/// Strips the promotion from the end: `=Q`, `Q`, `q`, `(Q)`, `/Q`.
fn split_promotion(text: &[u8]) -> (&[u8], Option<Role>) {
    let (rest, letter) = match text {
        [rest @ .., b'(', letter, b')'] | [rest @ .., b'=' | b'/', letter] | [rest @ .., letter] => {
            (rest, *letter)
        }
        [] => return (text, None),
    };
    match Role::from_char(char::from(letter)) {
        Some(role @ (Role::Knight | Role::Bishop | Role::Rook | Role::Queen)) => (rest, Some(role)),
        _ => (text, None),
    }
}

fn split_square(text: &[u8]) -> Option<(&[u8], Square)> {
    let [rest @ .., a, b] = text else { return None };
    Some((rest, Square::new(file(*a)?, rank(*b)?)))
}

/// The file of a lower-case letter; upper-case ones are pieces.
fn file(letter: u8) -> Option<File> {
    letter.is_ascii_lowercase().then(|| File::from_char(char::from(letter))).flatten()
}

fn rank(digit: u8) -> Option<Rank> {
    Rank::from_char(char::from(digit))
}
