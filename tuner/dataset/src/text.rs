//! Labelled positions as lines of text in the formats of other tuners.
//!
//! Accepted are `FEN | score | result`, EPD with `c9 "1-0"`, and a FEN followed by `[1.0]` or by the result alone.
//! Results and scores are White's; results are numbers or PGN results. Empty lines and lines that begin with `#` are
//! skipped.

use std::borrow::Cow;
use std::io::{self, BufReader};
use std::path::Path;

use rayon::prelude::*;
use smalt_chess::{FenError, Outcome, Position};
use smalt_workbench::signals::is_stopped;

use super::Worked;
use super::games::GameCounter;
use super::record::{RecordError, Sample};
use super::source::{DataSource, MAX_LINE, OpenError, open_text, read_line};

/// Why a line was skipped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error("{0}")]
    Position(#[from] FenError),
    #[error("no result: expected `c9 \"1-0\"`, `[1.0]` or `FEN | score | result`")]
    NoResult,
    #[error("the score is not a number: {0:?}")]
    Score(String),
    #[error("the line is not valid UTF-8")]
    Encoding,
    #[error("{0}")]
    Record(RecordError),
    #[error("the file is cut off: it ends in the middle of this record")]
    Cut,
    #[error("the rest of the file can't be read: {0}")]
    Unreadable(String),
}

/// Damage of the data: a file that is cut off, or a stream that does not decompress. `None` for errors of the system and
/// after a termination signal.
pub(crate) fn damage(error: &io::Error) -> Option<LineError> {
    if error.raw_os_error().is_some() || is_stopped() {
        return None;
    }
    Some(match error.kind() {
        io::ErrorKind::UnexpectedEof => LineError::Cut,
        _ => LineError::Unreadable(error.to_string()),
    })
}

/// Parses one line: a position, its result, and its score if present. The game is 0.
///
/// # Errors
/// If the position or the result can't be read.
pub fn parse_line(line: &str) -> Result<Sample, LineError> {
    let line = line.trim();
    let (fen, score, result) = match line.split_once('|') {
        Some((fen, rest)) => {
            let (score, result) = rest.split_once('|').ok_or(LineError::NoResult)?;
            (fen, Some(parse_score(score)?), parse_result(result))
        }
        None => {
            let end = fen_end(line);
            (&line[..end], find_score(line, &line[end..]), find_result(&line[end..]))
        }
    };
    let position = Position::from_fen(&clocked(fen.trim(), line))?;
    let result = result.ok_or(LineError::NoResult)?;
    Ok(Sample::new(position, result, score))
}

/// The FEN with the counters of EPD's operations (hmvc, fmvn) if it has none.
fn clocked<'a>(fen: &'a str, line: &str) -> Cow<'a, str> {
    let operation = |name: &str| {
        let words = line.split(';').find_map(|operation| operation.trim_start().rsplit_once(name))?;
        let number: u16 = words.1.trim().parse().ok()?;
        Some(number)
    };
    match operation("fmvn ") {
        Some(move_number) if fen.split_whitespace().count() == 4 => {
            Cow::Owned(format!("{fen} {} {move_number}", operation("hmvc ").unwrap_or(0)))
        }
        _ => Cow::Borrowed(fen),
    }
}

/// A position with its score in centipawns (if any) and its result.
pub(super) fn parse_labels(fen: &str, score: Option<&str>, result: f32) -> Result<Sample, LineError> {
    let score = score.map(parse_score).transpose()?;
    Ok(Sample::new(Position::from_fen(fen.trim())?, result, score))
}

fn parse_score(text: &str) -> Result<i16, LineError> {
    let text = text.trim();
    let score: f32 = text.parse().map_err(|_| LineError::Score(text.to_owned()))?;
    if !score.is_finite() {
        return Err(LineError::Score(text.to_owned()));
    }
    Ok(score.round().clamp(-32_000.0, 32_000.0) as i16)
}

/// End of the FEN: after four fields, or six with counters.
fn fen_end(line: &str) -> usize {
    let is_counter = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut end = 0;
    for field in 0..6 {
        let start = end + (line[end..].len() - line[end..].trim_start().len());
        let length = line[start..].find([' ', '\t', ';', '[', '"']).unwrap_or(line.len() - start);
        let word = &line[start..start + length];
        if field >= 4 && !is_counter(word) {
            break;
        }
        end = start + length;
    }
    end
}

/// White's score from EPD's `ce`, which is from the side to move's view.
fn find_score(line: &str, rest: &str) -> Option<i16> {
    let words = rest.split(';').find_map(|operation| operation.trim().strip_prefix("ce "))?;
    let score = parse_score(words).ok()?;
    Some(if line.split_whitespace().nth(1) == Some("b") { -score } else { score })
}

/// The result after the FEN: in brackets, in the operation c9 (or any quoted text that is a result), or alone.
fn find_result(rest: &str) -> Option<f32> {
    if let Some((_, after)) = rest.split_once('[') {
        return parse_result(after.split(']').next()?);
    }
    if rest.contains('"') {
        let after_c9 = rest.split_once("c9").map_or(rest, |(_, after)| after);
        return after_c9.split('"').skip(1).step_by(2).find_map(parse_result);
    }
    let mut words = rest.split(|letter: char| letter.is_ascii_whitespace() || matches!(letter, ';' | ','));
    words.rfind(|word| !word.is_empty()).and_then(parse_result)
}

pub(super) fn parse_result(text: &str) -> Option<f32> {
    let text = text.trim();
    if let Some(outcome) = Outcome::parse(text) {
        return Some(outcome.white_score() as f32);
    }
    text.parse().ok().filter(|result| (0.0..=1.0).contains(result))
}

/// A text file of positions.
pub struct LabelledText {
    source: BufReader<DataSource>,
    /// Why the rest can't be read.
    damage: Option<LineError>,
}

impl LabelledText {
    /// Opens a file, plain or compressed.
    ///
    /// # Errors
    /// If it can't be opened.
    pub(crate) fn open(path: &Path) -> Result<LabelledText, OpenError> {
        Ok(LabelledText { source: open_text(path)?, damage: None })
    }

    /// See [`super::Dataset::for_each_batch`].
    pub(super) fn for_each_batch<T: Send>(
        mut self,
        size: usize,
        work: &(impl Fn(&Sample) -> T + Sync),
        give: &mut dyn FnMut(Vec<Worked<T>>),
    ) -> io::Result<()> {
        let (mut number, mut games) = (0, GameCounter::default());
        loop {
            let lines = self.read_lines(size, &mut number)?;
            if lines.is_empty() && self.damage.is_none() {
                return Ok(());
            }
            let parse =
                |line: &[u8]| str::from_utf8(line).map_err(|_| LineError::Encoding).and_then(parse_line);
            let read = |(number, line): &(u64, Vec<u8>)| (*number, parse(line));
            let mut parsed: Vec<Worked<Sample>> = lines.par_iter().map(read).collect();
            for (number, sample) in &mut parsed {
                if let Ok(sample) = sample {
                    games.assign(*number, sample);
                }
            }
            let worked = parsed.into_par_iter();
            give(worked.map(|(number, sample)| (number, sample.map(|sample| work(&sample)))).collect());
            if let Some(error) = self.damage {
                give(vec![(number + 1, Err(error))]);
                return Ok(());
            }
        }
    }

    /// The next lines, with their numbers; empty lines and comments are skipped.
    fn read_lines(&mut self, size: usize, number: &mut u64) -> io::Result<Vec<(u64, Vec<u8>)>> {
        let mut lines = Vec::with_capacity(size);
        while lines.len() < size {
            let mut line = Vec::with_capacity(96);
            match read_line(&mut self.source, &mut line, MAX_LINE) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    self.damage = Some(damage(&error).ok_or(error)?);
                    break;
                }
            }
            *number += 1;
            let text = line.trim_ascii();
            if !text.is_empty() && !text.starts_with(b"#") {
                lines.push((*number, line));
            }
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 3 9";

    #[track_caller]
    fn check(line: &str, result: f32, score: Option<i16>) {
        let sample = parse_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!((sample.result, sample.score), (result, score), "{line}");
        assert_eq!(sample.position.king(smalt_chess::Color::White), smalt_chess::Square::E1);
    }

    #[test]
    fn every_form_is_read() {
        check(&format!("{FEN} | 35 | 1.0"), 1.0, Some(35));
        check(&format!("{FEN} | -35.6 | 0-1"), 0.0, Some(-36));
        check(&format!("{FEN}|0|0.5"), 0.5, Some(0));
        check(&format!("{FEN} c9 \"1/2-1/2\";"), 0.5, None);
        check("4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"1-0\";", 1.0, None);
        check("4k3/8/8/8/8/8/4P3/4K3 w - - c8 \"x\"; c9 \"0-1\";", 0.0, None);
        check(&format!("{FEN} [1.0]"), 1.0, None);
        check(&format!("{FEN}[0.25]"), 0.25, None);
        check(&format!("{FEN} \"0-1\""), 0.0, None);
        check(&format!("{FEN}; 0.5"), 0.5, None);
        check(&format!("{FEN} 1/2-1/2\r\n"), 0.5, None);
    }

    #[test]
    fn epd_has_its_counters_as_operations() {
        let sample = parse_line("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7; fmvn 31; ce 5; c9 \"1-0\";").unwrap();
        let position = sample.position;
        assert_eq!((position.halfmove_clock(), position.fullmove_number(), sample.score), (7, 31, Some(5)));
    }

    #[test]
    fn lines_without_a_result_or_position_are_refused() {
        for line in [FEN, "", "[1.0]", "4k3 w [1.0]", &format!("{FEN} [2.0]"), &format!("{FEN} | 1.0")] {
            assert!(parse_line(line).is_err(), "{line}");
        }
        let line = format!("{FEN} | much | 1.0");
        assert_eq!(parse_line(&line), Err(LineError::Score("much".into())));
        assert_eq!(parse_line(&format!("{FEN} | NaN | 1.0")), Err(LineError::Score("NaN".into())));
    }
}
