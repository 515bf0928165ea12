//! The arguments of `info`. Engines print floods of these lines, so parsing does not allocate, and moves and strings
//! stay slices of the line.

use std::fmt;
use std::time::Duration;

use smalt_chess::UciMove;

use crate::info::{CurrentLine, Info, Refutation};
use crate::moves::Moves;
use crate::number;
use crate::score::{Bound, ReportedScore, Score, Wdl};
use crate::words::{OneLine, Words};

/// Field keywords; the next one ends a move sequence.
#[derive(Clone, Copy)]
enum Key {
    Depth,
    SelectiveDepth,
    Time,
    Nodes,
    Pv,
    Multipv,
    Score,
    Centipawns,
    Mate,
    LowerBound,
    UpperBound,
    Wdl,
    CurrentMove,
    CurrentMoveNumber,
    Hashfull,
    Nps,
    Tbhits,
    Sbhits,
    Cpuload,
    String,
    Refutation,
    CurrentLine,
}

impl Key {
    fn parse(word: &str) -> Option<Key> {
        Some(match word {
            "depth" => Key::Depth,
            "seldepth" => Key::SelectiveDepth,
            "time" => Key::Time,
            "nodes" => Key::Nodes,
            "pv" => Key::Pv,
            "multipv" => Key::Multipv,
            "score" => Key::Score,
            "cp" => Key::Centipawns,
            "mate" => Key::Mate,
            "lowerbound" => Key::LowerBound,
            "upperbound" => Key::UpperBound,
            "wdl" => Key::Wdl,
            "currmove" => Key::CurrentMove,
            "currmovenumber" => Key::CurrentMoveNumber,
            "hashfull" => Key::Hashfull,
            "nps" => Key::Nps,
            "tbhits" => Key::Tbhits,
            "sbhits" => Key::Sbhits,
            "cpuload" => Key::Cpuload,
            "string" => Key::String,
            "refutation" => Key::Refutation,
            "currline" => Key::CurrentLine,
            _ => return None,
        })
    }
}

/// Parses the arguments of `info`. The last value of a repeated field counts.
pub(super) fn parse<'a>(mut words: Words<'a>) -> Info<'a> {
    let mut info = Info::default();
    let (mut score, mut bound) = (None, Bound::Exact);
    while let Some(word) = words.next() {
        let Some(key) = Key::parse(word) else { continue };
        match key {
            Key::Depth => set(&mut info.depth, words.accept(number::unsigned_32)),
            Key::SelectiveDepth => set(&mut info.selective_depth, words.accept(number::unsigned_32)),
            Key::Time => set(&mut info.time, words.accept(number::unsigned).map(Duration::from_millis)),
            Key::Nodes => set(&mut info.nodes, words.accept(number::unsigned)),
            Key::Pv => info.pv = moves(&mut words),
            Key::Multipv => set(&mut info.multipv, words.accept(number::unsigned_32)),
            Key::Score => {}
            Key::Centipawns => set(&mut score, words.accept(number::symmetric_32).map(Score::Centipawns)),
            Key::Mate => set(&mut score, words.accept(number::symmetric_32).map(Score::Mate)),
            Key::LowerBound => bound = Bound::Lower,
            Key::UpperBound => bound = Bound::Upper,
            Key::Wdl => set(&mut info.wdl, wdl(&mut words)),
            Key::CurrentMove => set(&mut info.current_move, words.accept(one_move)),
            Key::CurrentMoveNumber => set(&mut info.current_move_number, words.accept(number::unsigned_32)),
            Key::Hashfull => set(&mut info.hashfull, words.accept(number::unsigned_32)),
            Key::Nps => set(&mut info.nps, words.accept(number::unsigned)),
            Key::Tbhits => set(&mut info.tbhits, words.accept(number::unsigned)),
            Key::Sbhits => set(&mut info.sbhits, words.accept(number::unsigned)),
            Key::Cpuload => set(&mut info.cpuload, words.accept(number::unsigned_32)),
            Key::String => {
                info.string = Some(words.rest());
                break;
            }
            Key::Refutation => set(&mut info.refutation, refutation(&mut words)),
            Key::CurrentLine => info.current_line = Some(current_line(&mut words)),
        }
    }
    info.score = score.map(|score| ReportedScore { score, bound });
    info
}

fn set<T>(place: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *place = value;
    }
}

fn one_move(word: &str) -> Option<UciMove> {
    UciMove::parse(word).ok()
}

/// Whether the word ends a move sequence. A digit as second character occurs only in moves, so most words of a PV need
/// no lookup.
fn ends_moves(word: &str) -> bool {
    !matches!(word.as_bytes(), [_, b'1'..=b'8', ..]) && Key::parse(word).is_some()
}

fn moves<'a>(words: &mut Words<'a>) -> Moves<'a> {
    Moves::from_line(words.until(ends_moves))
}

fn wdl(words: &mut Words<'_>) -> Option<Wdl> {
    Some(Wdl {
        win: words.accept(number::unsigned_32)?,
        draw: words.accept(number::unsigned_32)?,
        loss: words.accept(number::unsigned_32)?,
    })
}

fn refutation<'a>(words: &mut Words<'a>) -> Option<Refutation<'a>> {
    Some(Refutation { refuted: words.accept(one_move)?, line: moves(words) })
}

fn current_line<'a>(words: &mut Words<'a>) -> CurrentLine<'a> {
    // `0000` is read as a move, not as a number.
    let processor = words.accept(|word| number::unsigned_32(word).filter(|_| one_move(word).is_none()));
    CurrentLine { processor, line: moves(words) }
}

/// Formats `info`: numbers first, then the PV, last the string, which takes the rest of the line.
pub(super) fn write(f: &mut fmt::Formatter<'_>, info: &Info<'_>) -> fmt::Result {
    f.write_str("info")?;
    fact(f, "depth", info.depth)?;
    fact(f, "seldepth", info.selective_depth)?;
    fact(f, "multipv", info.multipv)?;
    if let Some(score) = info.score {
        write_score(f, score)?;
    }
    if let Some(Wdl { win, draw, loss }) = info.wdl {
        write!(f, " wdl {win} {draw} {loss}")?;
    }
    fact(f, "nodes", info.nodes)?;
    fact(f, "nps", info.nps)?;
    fact(f, "hashfull", info.hashfull)?;
    fact(f, "tbhits", info.tbhits)?;
    fact(f, "sbhits", info.sbhits)?;
    fact(f, "time", info.time.map(|time| time.as_millis().min(u128::from(u64::MAX))))?;
    fact(f, "cpuload", info.cpuload)?;
    fact(f, "currmove", info.current_move)?;
    fact(f, "currmovenumber", info.current_move_number)?;
    if let Some(Refutation { refuted, line }) = info.refutation {
        write!(f, " refutation {refuted}")?;
        write_moves(f, &line)?;
    }
    if let Some(CurrentLine { processor, line }) = info.current_line {
        f.write_str(" currline")?;
        processor.map_or(Ok(()), |processor| write!(f, " {processor}"))?;
        write_moves(f, &line)?;
    }
    if !info.pv.is_empty() {
        write!(f, " pv {}", info.pv)?;
    }
    fact(f, "string", info.string.map(OneLine))
}

fn fact<T: fmt::Display>(f: &mut fmt::Formatter<'_>, name: &str, value: Option<T>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

fn write_moves(f: &mut fmt::Formatter<'_>, moves: &Moves<'_>) -> fmt::Result {
    moves.iter().try_for_each(|mv| write!(f, " {mv}"))
}

fn write_score(f: &mut fmt::Formatter<'_>, reported: ReportedScore) -> fmt::Result {
    match reported.score {
        Score::Centipawns(centipawns) => write!(f, " score cp {centipawns}")?,
        Score::Mate(moves) => write!(f, " score mate {moves}")?,
    }
    f.write_str(match reported.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    })
}
