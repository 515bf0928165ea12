//! The arguments of `go`.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use smalt_chess::UciMove;

use crate::limits::{Clock, SearchLimits};
use crate::number;
use crate::words::Words;

/// Parses the arguments of `go`. Unknown words and arguments without their number are passed to `skip`. A
/// negative number counts as zero. An increment without a clock is dropped.
pub(super) fn parse<'a>(mut words: Words<'a>, skip: &mut dyn FnMut(&'a str)) -> SearchLimits {
    let mut limits = SearchLimits::default();
    let (mut white_increment, mut black_increment, mut moves_to_go) = (None, None, None);
    while let Some(word) = words.next() {
        match word {
            "searchmoves" => {
                let known = limits.search_moves.len();
                while let Some(mv) = words.accept(|word| UciMove::parse(word).ok()) {
                    limits.search_moves.push(mv);
                }
                if limits.search_moves.len() == known {
                    skip(word);
                }
            }
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            "wtime" => set(&mut limits.white, words.accept(clock), word, skip),
            "btime" => set(&mut limits.black, words.accept(clock), word, skip),
            "winc" => set(&mut white_increment, words.accept(milliseconds), word, skip),
            "binc" => set(&mut black_increment, words.accept(milliseconds), word, skip),
            "movestogo" => set(&mut moves_to_go, words.accept(count_32), word, skip),
            "depth" => set(&mut limits.depth, words.accept(count_32), word, skip),
            "nodes" => set(&mut limits.nodes, words.accept(count), word, skip),
            "mate" => set(&mut limits.mate, words.accept(count_32), word, skip),
            "movetime" => set(&mut limits.move_time, words.accept(milliseconds), word, skip),
            "perft" => set(&mut limits.perft, words.accept(count_32), word, skip),
            _ => skip(word),
        }
    }
    // Some interfaces send `movestogo 0` for sudden death.
    limits.moves_to_go = moves_to_go.and_then(NonZeroU32::new);
    for (clock, increment) in [(&mut limits.white, white_increment), (&mut limits.black, black_increment)] {
        if let Some(clock) = clock {
            clock.increment = increment.unwrap_or_default();
        }
    }
    limits
}

fn set<'a, T>(place: &mut Option<T>, value: Option<T>, name: &'a str, skip: &mut dyn FnMut(&'a str)) {
    match value {
        Some(value) => *place = Some(value),
        None => skip(name),
    }
}

/// A count; a negative one becomes zero.
fn count(word: &str) -> Option<u64> {
    number::signed(word)?;
    Some(number::unsigned(word).unwrap_or(0))
}

fn count_32(word: &str) -> Option<u32> {
    count(word).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

fn clock(word: &str) -> Option<Clock> {
    milliseconds(word).map(|remaining| Clock { remaining, increment: Duration::ZERO })
}

/// Milliseconds; a negative time becomes zero.
fn milliseconds(word: &str) -> Option<Duration> {
    number::signed(word).map(|ms| Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
}

/// Formats `go`. Increments are written with the clocks even if zero, since some engines otherwise keep the previous
/// value.
pub(super) fn write(f: &mut fmt::Formatter<'_>, limits: &SearchLimits) -> fmt::Result {
    f.write_str("go")?;
    if limits.ponder {
        f.write_str(" ponder")?;
    }
    let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    number(f, " wtime ", limits.white.map(|clock| ms(clock.remaining)))?;
    number(f, " btime ", limits.black.map(|clock| ms(clock.remaining)))?;
    number(f, " winc ", limits.white.map(|clock| ms(clock.increment)))?;
    number(f, " binc ", limits.black.map(|clock| ms(clock.increment)))?;
    number(f, " movestogo ", limits.moves_to_go)?;
    number(f, " depth ", limits.depth)?;
    number(f, " nodes ", limits.nodes)?;
    number(f, " mate ", limits.mate)?;
    number(f, " movetime ", limits.move_time.map(ms))?;
    number(f, " perft ", limits.perft)?;
    if limits.infinite {
        f.write_str(" infinite")?;
    }
    // Last, since simple engines treat every following word as a move.
    if !limits.search_moves.is_empty() {
        f.write_str(" searchmoves")?;
    }
    limits.search_moves.iter().try_for_each(|mv| write!(f, " {mv}"))
}

fn number<T: fmt::Display>(f: &mut fmt::Formatter<'_>, name: &str, value: Option<T>) -> fmt::Result {
    let Some(value) = value else { return Ok(()) };
    f.write_str(name)?;
    value.fmt(f)
}
