//! The stored text of a game's moves: one word per move, `e2e4/35/12/98000/410250/8` with score, depth, nodes,
//! microseconds used by the engine and microseconds of the runner. If known, these fields follow: seldepth, tbhits,
//! microseconds left on the clock, the principal variation (moves joined by dots), hashfull, the warnings about the
//! search, and lines of the engine (percent-encoded, joined by commas). A book move is only `e2e4`; unknown fields
//! are empty.

use std::fmt::Write;
use std::time::Duration;

use smalt_chess::UciMove;
use smalt_protocol::Score;

use super::PlyRecord;
use super::record::SearchRecord;
use super::search_warning::WarningCounts;

/// Formats the moves of a game.
pub fn to_text(plies: &[PlyRecord]) -> String {
    let mut text = String::with_capacity(32 * plies.len());
    for (index, ply) in plies.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        push(&mut text, ply);
    }
    text
}

fn push(text: &mut String, ply: &PlyRecord) {
    text.push_str(&ply.mv.letters());
    let Some(search) = &ply.search else { return };
    text.push('/');
    if let Some(score) = search.score {
        push_score(text, score);
    }
    push_field(text, search.depth);
    push_field(text, search.nodes);
    push_field(text, Some(micros(search.elapsed)));
    push_field(text, search.latency.map(micros));
    push_further(text, search);
}

fn push_score(text: &mut String, score: Score) {
    let value = match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) => {
            text.push('#');
            moves
        }
    };
    text.push_str(itoa::Buffer::new().format(value));
}

/// Appends a slash, and the number if it is known.
fn push_field(text: &mut String, number: Option<impl itoa::Integer>) {
    text.push('/');
    if let Some(number) = number {
        text.push_str(itoa::Buffer::new().format(number));
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn push_further(text: &mut String, search: &SearchRecord) {
    let SearchRecord { selective_depth, hashfull, tbhits, left, pv, warnings, lines, .. } = search;
    let is_more_known = selective_depth.is_some() || tbhits.is_some() || left.is_some() || hashfull.is_some();
    let has_output = !warnings.is_empty() || !lines.is_empty();
    if !is_more_known && pv.is_empty() && !has_output {
        return;
    }
    push_field(text, *selective_depth);
    push_field(text, *tbhits);
    push_field(text, left.map(micros));
    text.push('/');
    for (index, mv) in pv.iter().enumerate() {
        text.push_str(if index > 0 { "." } else { "" });
        text.push_str(&mv.letters());
    }
    if hashfull.is_some() || has_output {
        push_field(text, *hashfull);
    }
    if has_output {
        write!(text, "/{warnings}").expect("a string takes any text");
    }
    if !lines.is_empty() {
        text.push('/');
    }
    for (index, line) in lines.iter().enumerate() {
        text.push_str(if index > 0 { "," } else { "" });
        push_encoded(text, line);
    }
}

/// Percent-encodes all bytes except letters and digits, so that a line is part of a word.
fn push_encoded(text: &mut String, line: &str) {
    for byte in line.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            byte => write!(text, "%{byte:02x}").expect("a string takes any text"),
        }
    }
}

fn decode(text: &str) -> Option<Box<str>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let length = if first == b'%' { 3 } else { 1 };
        let part = rest.get(..length)?;
        bytes.push(if first == b'%' { u8::from_str_radix(&part[1..], 16).ok()? } else { first });
        rest = &rest[length..];
    }
    String::from_utf8(bytes).ok().map(String::into_boxed_str)
}

/// Parses the text of [`to_text`]; fields of later versions are skipped.
pub fn parse(text: &str) -> Option<Vec<PlyRecord>> {
    text.split_ascii_whitespace().map(parse_word).collect()
}

fn parse_word(word: &str) -> Option<PlyRecord> {
    let mut parts = word.split('/');
    let mv = UciMove::parse(parts.next()?).ok()?;
    let Some(score) = parts.next() else { return Some(PlyRecord { mv, search: None }) };
    let search = SearchRecord {
        score: known(score, parse_score)?,
        depth: known(parts.next()?, |text| text.parse().ok())?,
        nodes: known(parts.next()?, |text| text.parse().ok())?,
        elapsed: Duration::from_micros(parts.next()?.parse().ok()?),
        latency: known(parts.next()?, |text| text.parse().ok().map(Duration::from_micros))?,
        selective_depth: known(parts.next().unwrap_or_default(), |text| text.parse().ok())?,
        tbhits: known(parts.next().unwrap_or_default(), |text| text.parse().ok())?,
        left: known(parts.next().unwrap_or_default(), |text| text.parse().ok().map(Duration::from_micros))?,
        pv: known(parts.next().unwrap_or_default(), parse_variation)?.unwrap_or_default(),
        hashfull: known(parts.next().unwrap_or_default(), |text| text.parse().ok())?,
        warnings: known(parts.next().unwrap_or_default(), WarningCounts::parse)?.unwrap_or_default(),
        lines: known(parts.next().unwrap_or_default(), parse_lines)?.unwrap_or_default(),
    };
    Some(PlyRecord { mv, search: Some(search) })
}

/// `Some(None)` for an empty field, `None` for an invalid one.
fn known<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    if text.is_empty() { Some(None) } else { parse(text).map(Some) }
}

fn parse_variation(text: &str) -> Option<Box<[UciMove]>> {
    text.split('.').map(|mv| UciMove::parse(mv).ok()).collect()
}

fn parse_lines(text: &str) -> Option<Box<[Box<str>]>> {
    text.split(',').map(decode).collect()
}

fn parse_score(text: &str) -> Option<Score> {
    match text.strip_prefix('#') {
        Some(moves) => moves.parse().ok().map(Score::Mate),
        None => text.parse().ok().map(Score::Centipawns),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_moves_reads_as_they_were() {
        let text = "e2e4 e7e5/35/12/98000/410250/ g1f3/#-3///7/8 b8c6////0/ a2a3/1/2/3/4/5/9/7/6/e7e5.g1f3 a7a6////0//6/// h2h3////0/////a6a5/987 b7b6////0//////12 g2g4////0//////12/a2i1 g7g5////0////////info%20string%20x,%22";
        let plies = parse(text).unwrap();
        assert_eq!(to_text(&plies), text);
        assert_eq!(plies[0].search, None);
        assert_eq!(plies[2].search.as_ref().unwrap().score, Some(Score::Mate(-3)));
        assert_eq!(plies[4].search.as_ref().unwrap().pv.len(), 2);
        assert_eq!(plies[6].search.as_ref().unwrap().hashfull, Some(987));
        assert_eq!(plies[8].search.as_ref().unwrap().warnings.to_string(), "a2i1");
        let lines = &plies[9].search.as_ref().unwrap().lines;
        assert_eq!(lines.iter().map(|line| &**line).collect::<Vec<_>>(), ["info string x", "\""]);
    }

    #[test]
    fn other_texts_are_refused() {
        let bad_output =
            ["e2e4////0//////12/z1", "e2e4////0////////a%2", "e2e4////0////////a%zz", "e2e4////0////////%ff"];
        for text in ["e2", "e2e4/", "e2e4/x////0/", "e2e4/1/2/3/4"].into_iter().chain(bad_output) {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("").unwrap(), []);
    }
}
