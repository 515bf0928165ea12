//! Thinking output: `ply score time nodes pv`. Engines print floods of these lines, so nothing here allocates.

use std::fmt;
use std::time::Duration;

use super::seconds::{centiseconds, to_centiseconds};
use crate::number;
use crate::score::{Bound, ReportedScore, Score};
use crate::words::{OneLine, Words};

/// Thinking output, from the side to move's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thinking<'a> {
    /// Depth in plies.
    pub depth: u32,
    /// The character right after the depth; GNU Chess 4 wrote its time in whole seconds when there is one.
    pub depth_mark: Option<char>,
    /// Score; the mark at the end of the line gives its bound.
    pub score: ReportedScore,
    /// Search time, by the engine's clock.
    pub time: Duration,
    pub nodes: u64,
    /// Selective depth in plies.
    pub selective_depth: Option<u32>,
    pub nps: Option<u64>,
    pub tbhits: Option<u64>,
    /// PV as the engine wrote it, without the mark: move numbers, comments, any notation.
    pub pv: &'a str,
}

/// Mark at the end of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnding {
    Plain,
    /// `?`: fail low.
    FailedLow,
    /// `!`: fail high.
    FailedHigh,
}

/// Mate scores: this plus the number of moves to mate (section 10 of the protocol).
const MATE: i64 = 100_000;

/// Largest distance to mate.
const MOST_MOVES: i64 = 1_000;

impl LineEnding {
    fn of(pv: &str) -> LineEnding {
        match pv.as_bytes().last() {
            Some(b'?') => LineEnding::FailedLow,
            Some(b'!') => LineEnding::FailedHigh,
            _ => LineEnding::Plain,
        }
    }

    fn to_bound(self) -> Bound {
        match self {
            LineEnding::Plain => Bound::Exact,
            LineEnding::FailedLow => Bound::Upper,
            LineEnding::FailedHigh => Bound::Lower,
        }
    }
}

/// Parses four numbers and a PV. `None` for anything else.
pub(super) fn parse<'a>(words: &mut Words<'a>) -> Option<Thinking<'a>> {
    let (depth, depth_mark) = parse_depth(words.next()?)?;
    let score = parse_score(words.next()?)?;
    let time = centiseconds(words.next()?)?;
    let nodes = number::unsigned(words.next()?)?;
    let rest = words.rest();
    let (extra, pv) = split_extra(rest);
    let mut extra = Words::new(extra).map_while(number::unsigned);
    let count = extra.clone().count();
    let (selective_depth, nps) = match count {
        0 | 1 => (None, None),
        2 => (extra.next(), None),
        _ => (extra.next(), extra.next()),
    };
    let tbhits = extra.last();
    let mark = LineEnding::of(pv);
    let pv = if mark == LineEnding::Plain { pv } else { crate::words::trim(&pv[..pv.len() - 1]) };
    let time = if depth_mark.is_some() { time.saturating_mul(100) } else { time };
    Some(Thinking {
        depth,
        depth_mark,
        score: ReportedScore { score, bound: mark.to_bound() },
        time,
        nodes,
        selective_depth: selective_depth.map(|plies| u32::try_from(plies).unwrap_or(u32::MAX)),
        nps,
        tbhits,
        pv,
    })
}

/// `9`, or `9.` `9+` `9&` of GNU Chess 4.
fn parse_depth(word: &str) -> Option<(u32, Option<char>)> {
    let mark = word.chars().last().filter(|last| !last.is_ascii_digit());
    let digits = &word[..word.len() - mark.map_or(0, char::len_utf8)];
    let is_mark = mark.is_none_or(|mark| mark.is_ascii_punctuation());
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
    (is_mark && is_number).then_some(())?;
    Some((number::unsigned_32(digits)?, mark))
}

/// A number, or a mate score as some engines write it: `Mat5`, `-Mat05`, `#3`, `+M4`.
fn parse_score(word: &str) -> Option<Score> {
    if let Some(moves) = parse_mate_word(word) {
        return Some(Score::Mate(moves));
    }
    let number = number::signed(word)?;
    let distance = number.saturating_abs() - MATE;
    if (0..=MOST_MOVES).contains(&distance) {
        // Mate in 0 is a mate by the next move.
        let moves = i32::try_from(distance.max(1)).ok()?;
        return Some(Score::Mate(if number < 0 { -moves } else { moves }));
    }
    let magnitude = number.saturating_abs();
    let plies = OLD_MATES.iter().map(|mate| mate - magnitude).find(|plies| (0..=MOST_PLIES).contains(plies));
    match plies {
        Some(plies) => {
            let moves = i32::try_from((plies + 1) / 2).ok()?.max(1);
            Some(Score::Mate(if number < 0 { -moves } else { moves }))
        }
        None => number::symmetric_32(word).map(Score::Centipawns),
    }
}

/// Mate scores of older engines: this minus the plies to mate. Seen in GNU Chess (10,000), Phalanx (30,000), HoiChess
/// (100,000) and Sjeng (1,000,000).
const OLD_MATES: [i64; 5] = [10_000, 30_000, 32_768, 100_000, 1_000_000];

/// Largest distance to mate in these scores, in plies.
const MOST_PLIES: i64 = 99;

fn parse_mate_word(word: &str) -> Option<i32> {
    let (sign, rest) = match word.as_bytes().first()? {
        b'-' => (-1, &word[1..]),
        b'+' => (1, &word[1..]),
        _ => (1, word),
    };
    let rest = ["Mate", "Mat", "M", "#"].iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    let moves = i32::try_from(number::signed(rest)?).ok()?;
    (moves.abs() <= MOST_MOVES as i32).then_some(sign * moves)
}

/// Numbers between the nodes and a tab are extra fields, if only numbers precede the tab.
fn split_extra(rest: &str) -> (&str, &str) {
    let is_extra = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte <= b' ');
    if is_extra(rest) {
        return (rest, "");
    }
    let tab = rest.match_indices('\t').map(|(at, _)| at).rfind(|&at| is_extra(&rest[..at]));
    let (extra, pv) = tab.map_or(("", rest), |at| rest.split_at(at));
    (extra, crate::words::trim(pv))
}

/// Formats the line; extra fields, if any, before a tab.
pub(super) fn write(f: &mut fmt::Formatter<'_>, thinking: &Thinking<'_>) -> fmt::Result {
    let Thinking { depth, depth_mark, score, time, nodes, selective_depth, nps, tbhits, pv } = thinking;
    write!(f, "{depth}")?;
    depth_mark.map_or(Ok(()), |mark| write!(f, "{mark}"))?;
    match score.score {
        Score::Centipawns(centipawns) => write!(f, " {centipawns}")?,
        Score::Mate(moves) if moves < 0 => write!(f, " {}", i64::from(moves) - MATE)?,
        Score::Mate(0) => f.write_str(" #0")?,
        Score::Mate(moves) => write!(f, " {}", i64::from(moves) + MATE)?,
    }
    let time = to_centiseconds(*time) / if depth_mark.is_some() { 100 } else { 1 };
    write!(f, " {time} {nodes}")?;
    match (selective_depth, nps, tbhits) {
        (None, None, None) => {}
        (None, None, Some(hits)) => write!(f, " {hits}\t")?,
        (plies, None, hits) => write!(f, " {} {}\t", plies.unwrap_or(0), hits.unwrap_or(0))?,
        (plies, Some(nps), hits) => {
            write!(f, " {} {nps} {}\t", plies.unwrap_or(0), hits.unwrap_or(0))?;
        }
    }
    write!(f, " {}", OneLine(pv))?;
    f.write_str(match score.bound {
        Bound::Exact => "",
        Bound::Lower => " !",
        Bound::Upper => " ?",
    })
}
