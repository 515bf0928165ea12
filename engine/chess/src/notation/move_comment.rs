//! PGN move comments of match runners, `+0.35/12 0.412s`, `-M4/8 0.000s, Black mates`, `book`, in the format shared by
//! fastchess and cutechess.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::notation::letters::Letters;

/// A runner's comment on one move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MoveComment {
    /// Opening book move.
    Book,
    /// Move of an engine.
    Search(SearchComment),
}

/// The engine's report on its move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SearchComment {
    /// From the point of view of the side that moved.
    pub score: CommentScore,
    /// Search depth in plies.
    pub depth: u32,
    /// Time used, in whole milliseconds, if given.
    pub time: Option<Duration>,
    /// The remainder without the comma: other values, or how the game ended. May be empty.
    pub rest: String,
}

/// Score in a move comment, from the point of view of the side that moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CommentScore {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// The side mates in this many plies.
    Mates(u32),
    /// The side is mated in this many plies.
    Mated(u32),
}

/// The comment is not in this format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a runner's comment on a move: expected a form like +0.35/12 0.41s, -M4/8 or book")]
pub struct ParseMoveCommentError;

impl MoveComment {
    /// Parses a comment without braces. Times may end in `s` or `ms` and are rounded to milliseconds.
    ///
    /// # Errors
    /// If the text does not start like a runner's comment.
    pub fn parse(text: &str) -> Result<MoveComment, ParseMoveCommentError> {
        let text = text.trim();
        if text == "book" {
            return Ok(MoveComment::Book);
        }
        search_comment(text).map(MoveComment::Search).ok_or(ParseMoveCommentError)
    }
}

fn search_comment(text: &str) -> Option<SearchComment> {
    let (score, rest) = text.split_once('/')?;
    let score = parse_score(score)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let depth = rest[..digits].parse().ok()?;
    let rest = rest[digits..].trim_start();
    let (word, after) = rest.split_at(rest.find([' ', ',']).unwrap_or(rest.len()));
    let (time, rest) = match parse_time(word) {
        Some(time) => (Some(time), after),
        None => (None, rest),
    };
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    Some(SearchComment { score, depth, time, rest: rest.into() })
}

fn parse_score(text: &str) -> Option<CommentScore> {
    let (negative, size) = match text.as_bytes().first()? {
        b'+' => (false, &text[1..]),
        b'-' => (true, &text[1..]),
        _ => (false, text),
    };
    if let Some(plies) = size.strip_prefix(['M', '#']) {
        let plies = number(plies)?;
        return Some(if negative { CommentScore::Mated(plies) } else { CommentScore::Mates(plies) });
    }
    let (pawns, hundredths) = size.split_once('.')?;
    let hundredths = match hundredths.len() {
        1 => 10 * number(hundredths)?,
        2 => number(hundredths)?,
        _ => return None,
    };
    let size = i32::try_from(number(pawns)?.checked_mul(100)?.checked_add(hundredths)?).ok()?;
    Some(CommentScore::Centipawns(if negative { -size } else { size }))
}

fn parse_time(word: &str) -> Option<Duration> {
    if let Some(text) = word.strip_suffix("ms") {
        return Some(Duration::from_millis(number(text)?.into()));
    }
    let (seconds, fraction) =
        word.strip_suffix('s')?.split_once('.').unwrap_or((&word[..word.len() - 1], "0"));
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Four digits decide the third: pad with zeros, truncate, round.
    let padded = fraction.bytes().chain(std::iter::repeat(b'0')).take(4);
    let tenths = padded.fold(0, |value, digit| 10 * value + u64::from(digit - b'0'));
    Some(Duration::from_millis(u64::from(number(seconds)?) * 1000 + (tenths + 5) / 10))
}

/// Parses digits only, up to 32 bits.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl FromStr for MoveComment {
    type Err = ParseMoveCommentError;

    fn from_str(text: &str) -> Result<MoveComment, ParseMoveCommentError> {
        MoveComment::parse(text)
    }
}

impl fmt::Display for MoveComment {
    /// Without braces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveComment::Book => f.write_str("book"),
            MoveComment::Search(comment) => comment.fmt(f),
        }
    }
}

impl fmt::Display for SearchComment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut word = self.score.letters();
        word.push('/');
        word.push_number(self.depth.into(), 1);
        if let Some(time) = self.time {
            word.push(' ');
            word.push_number(time.as_secs(), 1);
            word.push('.');
            word.push_number(time.subsec_millis().into(), 3);
            word.push('s');
        }
        f.write_str(&word)?;
        match self.rest.is_empty() {
            true => Ok(()),
            false => write!(f, ", {}", self.rest),
        }
    }
}

/// Long enough for the longest score, depth and time, 49 letters.
type Word = Letters<49>;

impl CommentScore {
    fn letters(self) -> Word {
        let (sign, size) = match self {
            CommentScore::Centipawns(0) => ("", 0),
            CommentScore::Centipawns(value) if value < 0 => ("-", value.unsigned_abs()),
            CommentScore::Centipawns(value) => ("+", value.unsigned_abs()),
            CommentScore::Mates(plies) => ("+M", plies),
            CommentScore::Mated(plies) => ("-M", plies),
        };
        let mut word = Word::of(sign);
        match self {
            CommentScore::Centipawns(_) => {
                word.push_number((size / 100).into(), 1);
                word.push('.');
                word.push_number((size % 100).into(), 2);
            }
            CommentScore::Mates(_) | CommentScore::Mated(_) => word.push_number(size.into(), 1),
        }
        word
    }
}

impl fmt::Display for CommentScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.letters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, printed: &str) {
        let comment = MoveComment::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(comment.to_string(), printed);
        assert_eq!(MoveComment::parse(printed), Ok(comment));
    }

    #[test]
    fn comments_of_runners_round_trip() {
        check("book", "book");
        check("+0.35/12 0.412s", "+0.35/12 0.412s");
        check("+0.35/12 0.41s", "+0.35/12 0.410s");
        check("-M4/8 0.000s, Black mates", "-M4/8 0.000s, Black mates");
        check("+M3/49 0.001s", "+M3/49 0.001s");
        check("0.00/31 48s", "0.00/31 48.000s");
        check("-12.01/8 9.3s", "-12.01/8 9.300s");
        check("+0.10/9 0.0019s", "+0.10/9 0.002s");
        check("-0.05/7 412ms", "-0.05/7 0.412s");
        check("+1.50/20", "+1.50/20");
        check("+1.50/20, White wins by adjudication", "+1.50/20, White wins by adjudication");
        check("+0.30/10 0.50s, n=1000, nps=2000", "+0.30/10 0.500s, n=1000, nps=2000");
    }

    #[test]
    fn scores_and_times_have_their_units() {
        let comment = MoveComment::parse("-1.07/21 2.25s, sd=30").unwrap();
        let expected = SearchComment {
            score: CommentScore::Centipawns(-107),
            depth: 21,
            time: Some(Duration::from_millis(2250)),
            rest: "sd=30".into(),
        };
        assert_eq!(comment, MoveComment::Search(expected));
    }

    #[test]
    fn other_comments_are_refused() {
        for text in
            ["", "a blunder", "1/2", "+0.35", "x/12 0.4s", "+0.351/3", "+M/3", "/", "[%clk 0:10]", "+-1.00/3"]
        {
            assert_eq!(MoveComment::parse(text), Err(ParseMoveCommentError), "{text:?}");
        }
    }
}
