//! Rewrites weights in source code of any language: the numbers between comments with `smalt:begin NAME` and
//! `smalt:end NAME`. The rest is unchanged.

use std::ops::Range;

use super::schema::Schema;
use super::{Selection, format_number};

const BEGIN: &str = "smalt:begin";
const END: &str = "smalt:end";
const HALVES: [&str; 2] = ["mg", "eg"];

/// Why a source could not be rewritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// No marked region.
    #[error(
        "no comment has `{BEGIN} NAME`: mark the numbers that are tuned, as docs/trace-protocol.md shows"
    )]
    NoRegion,
    #[error("line {line}: `{BEGIN} {name}` has no `{END} {name}` after it")]
    NoEnd { line: usize, name: String },
    /// A region without a name, or with an unknown one.
    #[error(
        "line {line}: {name:?} names no parameter: expected a group, a term or a parameter, and mg or eg for one half"
    )]
    Name { line: usize, name: String },
    #[error("line {line}: {name} has {found} numbers here, and {expected} in the evaluation")]
    Count { line: usize, name: String, found: usize, expected: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// `//` to the end of the line, and `/* … */`.
    Slashes,
    /// `#` to the end of the line.
    Hash,
}

impl Comments {
    /// Comment syntax by file extension.
    pub(crate) fn of_path(path: &std::path::Path) -> Comments {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending {
            "py" | "toml" | "rb" | "nim" | "jl" | "yaml" | "yml" | "sh" | "txt" => Comments::Hash,
            _ => Comments::Slashes,
        }
    }
}

/// A source with new numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    pub text: String,
    /// Parameters that were written.
    pub written: Vec<usize>,
    /// The replaced numbers as written.
    pub replaced: Vec<String>,
}

/// Replaces the numbers of all marked regions; `note` is their origin and goes into the opening comments.
///
/// # Errors
/// If there is no region, or one does not match the parameters.
pub fn rewrite_source(
    text: &str,
    comments: Comments,
    schema: &Schema,
    parameters: &[f64],
    note: &str,
) -> Result<Rewritten, SourceError> {
    let mut out = String::with_capacity(text.len() + 256);
    let (mut written, mut old, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(Region { line, name, half, heading, body }) = next_region(text, at)? {
        let parameters_of_region =
            parameters_of(schema, name, half).ok_or_else(|| SourceError::Name { line, name: name.into() })?;
        let numbers = numbers(&text[body.clone()], comments);
        if numbers.len() != parameters_of_region.len() {
            let (found, expected) = (numbers.len(), parameters_of_region.len());
            return Err(SourceError::Count { line, name: name.into(), found, expected });
        }
        let new = parameters_of_region.iter().zip(&numbers).map(|(&parameter, number)| {
            let decimals = schema.weight_of(parameter).decimals.max(number.decimals);
            format_number(parameters[parameter], decimals) + &number.suffix
        });
        let new: Vec<String> = new.collect();
        out.push_str(&text[at..heading.start]);
        out.push_str(&new_heading(&text[heading], name, half, note));
        out.push_str(&replaced(&text[body.clone()], &numbers, &new));
        written.extend(parameters_of_region);
        old.extend(numbers.iter().map(|number| text[body.clone()][number.place.clone()].to_owned()));
        at = body.end;
    }
    if at == 0 {
        return Err(SourceError::NoRegion);
    }
    out.push_str(&text[at..]);
    written.sort_unstable();
    Ok(Rewritten { text: out, written, replaced: old })
}

/// The numbers of a marked region.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MarkedNumbers {
    /// Name of the region, with its half.
    pub name: String,
    /// In the order of the source; `None` for a number in another base.
    pub values: Vec<Option<f64>>,
}

/// The numbers of all marked regions.
///
/// # Errors
/// If a region has no end.
pub(crate) fn marked_numbers(text: &str, comments: Comments) -> Result<Vec<MarkedNumbers>, SourceError> {
    let (mut regions, mut at) = (Vec::new(), 0);
    while let Some(Region { name, half, body, .. }) = next_region(text, at)? {
        at = body.end;
        let body = &text[body];
        let value = |number: Literal| {
            let digits = body[number.place].strip_suffix(&number.suffix)?.replace([' ', '_', '\''], "");
            digits.parse().ok()
        };
        let values = numbers(body, comments).into_iter().map(value).collect();
        regions.push(MarkedNumbers { name: name.to_owned() + half_word(half), values });
    }
    Ok(regions)
}

/// A marked region of a source.
struct Region<'a> {
    /// Line of its `smalt:begin`.
    line: usize,
    name: &'a str,
    half: Option<usize>,
    /// The rest of the opening comment after `smalt:begin`.
    heading: Range<usize>,
    /// The text between the two comments.
    body: Range<usize>,
}

/// The first region that begins at `start` or later.
fn next_region(text: &str, start: usize) -> Result<Option<Region<'_>>, SourceError> {
    let Some(begin) = find_begin(text, start) else { return Ok(None) };
    let line = text[..begin].lines().count();
    let line_end = text[begin..].find('\n').map_or(text.len(), |end| begin + end);
    let comment_end = text[begin..line_end].find("*/").map_or(line_end, |end| begin + end);
    let mut words = text[begin..comment_end].split_whitespace();
    let name = words.next().unwrap_or_default();
    let half = words.next().and_then(|word| HALVES.iter().position(|half| *half == word));
    let no_end = || SourceError::NoEnd { line, name: name.to_owned() };
    let end = find_end(text, comment_end, name).ok_or_else(no_end)?;
    Ok(Some(Region { line, name, half, heading: begin..comment_end, body: comment_end..end }))
}

/// The half in the name of a region.
fn half_word(half: Option<usize>) -> &'static str {
    half.map_or("", |half| [" mg", " eg"][half])
}

/// End of the next `smalt:begin` followed by a space; others only mention it.
fn find_begin(text: &str, start: usize) -> Option<usize> {
    let mut ends = text[start..].match_indices(BEGIN).map(|(at, _)| start + at + BEGIN.len());
    ends.find(|&end| text[end..].starts_with([' ', '\t']))
}

/// Start of `smalt:end NAME`.
fn find_end(text: &str, start: usize, name: &str) -> Option<usize> {
    let limit = find_begin(text, start).unwrap_or(text.len());
    text[start..limit].match_indices(END).map(|(at, _)| start + at).find(|at| {
        let rest = &text[at + END.len()..];
        rest.split_whitespace().next() == Some(name) && rest.starts_with([' ', '\t'])
    })
}

/// Parameters of a region in the order of its numbers.
fn parameters_of(schema: &Schema, name: &str, half: Option<usize>) -> Option<Vec<usize>> {
    let mut all = Selection::named(schema, name).ok()?;
    all.retain(|parameter| {
        half.is_none_or(|half| parameter % 2 == half || schema.weight_of(*parameter).is_single)
    });
    Some(all).filter(|all| !all.is_empty())
}

/// Text after `smalt:begin`: name, half, and the note replacing an older one.
fn new_heading(old: &str, name: &str, half: Option<usize>, note: &str) -> String {
    let half = half_word(half);
    let after = old.split_once(name).map_or("", |(_, after)| after);
    let after =
        if half.is_empty() { after } else { after.trim_start().strip_prefix(&half[1..]).unwrap_or(after) };
    let after = match after.trim_start().strip_prefix("(tuned") {
        Some(old_note) => old_note.split_once(')').map_or("", |(_, rest)| rest),
        None => after,
    };
    format!(" {name}{half} (tuned {note}){after}")
}

/// A number in a source.
struct Literal {
    /// Range of the number, sign included.
    place: Range<usize>,
    decimals: usize,
    /// Letters after the digits, as in `1.5f`.
    suffix: String,
}

/// Numbers of a region, except those in comments, names, strings, types, and brackets of dimensions and indices.
fn numbers(text: &str, comments: Comments) -> Vec<Literal> {
    let bytes = text.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 128;
    let (mut all, mut at) = (Vec::new(), 0);
    // The last two tokens outside comments, a name as `a` and a number as `0`; and the place of a sign.
    let (mut tokens, mut sign) = ([b'='; 2], None);
    let mut is_type = true;
    while at < bytes.len() {
        let rest = &text[at..];
        let skip_to = |end: Option<usize>| end.map_or(bytes.len(), |end| at + end);
        let is_line_comment = match comments {
            Comments::Slashes => rest.starts_with("//"),
            Comments::Hash => rest.starts_with('#'),
        };
        if is_line_comment {
            at = skip_to(rest.find('\n'));
            continue;
        } else if comments == Comments::Slashes && rest.starts_with("/*") {
            at = skip_to(rest.find("*/").map(|end| end + 2));
            continue;
        } else if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (token, end) = match bytes[at] {
            b'"' => (b'"', skip_to(rest[1..].find('"').map(|end| end + 2))),
            b'0'..=b'9' => (b'0', number_end(bytes, at)),
            byte if is_name(byte) => (b'a', skip_to(rest.bytes().position(|byte| !is_name(byte)))),
            b'<' if is_type && tokens[1] == b'a' => {
                type_end(bytes, at).map_or((b'<', at + 1), |end| (b'>', end))
            }
            byte => (byte, at + 1),
        };
        // A declaration has its type before the first value.
        is_type = token == b';' || is_type && !matches!(token, b'=' | b'{' | b'(');
        if token == b'0' && !is_length(bytes, at, end) {
            all.push(number(text, sign.unwrap_or(at), at, end));
        }
        // A sign after a number or a name is an operator. After a name in brackets, as in a cast, it belongs to the
        // number: `f(x) - 5` has the number -5.
        let is_unary =
            matches!(tokens, [_, b'(' | b'[' | b'{' | b',' | b'=' | b':' | b';' | b'>'] | [b'a', b')']);
        sign = (matches!(token, b'-' | b'+') && is_unary).then_some(at);
        tokens = [tokens[1], token];
        at = end;
    }
    all
}

/// End of a type's parameters that begin here, as in `array<int, 8> R`; `None` for a call such as `make<8>()` and for
/// comparisons.
fn type_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in (start..).zip(&bytes[start..]) {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b' ' | b',' | b':' | b'_' | b'*' | b'[' | b']' => {}
            byte if byte.is_ascii_alphanumeric() => {}
            _ => return None,
        }
        if depth == 0 {
            let is_call = bytes[at + 1..].trim_ascii_start().starts_with(b"(");
            return (!is_call).then_some(at + 1);
        }
    }
    None
}

/// End of a number: digits with separators, a fraction, an exponent, a suffix.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let is_part = |at: usize| match bytes[at] {
        b'.' | b'_' | b'\'' => {
            bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric() || bytes[at] == b'.')
        }
        b'-' | b'+' => {
            matches!(bytes[at - 1], b'e' | b'E') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        }
        byte => byte.is_ascii_alphanumeric(),
    };
    (start..bytes.len()).find(|&at| !is_part(at)).unwrap_or(bytes.len())
}

/// Whether a number is a dimension or an index: `name[64]`, `[64]int`, `[64][2]int`, `[i32; 64]`, `[3] = 5`.
fn is_length(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
    let mut before = bytes[..start].iter().rev().skip_while(is_blank);
    let mut after = bytes[end..].iter().skip_while(is_blank);
    match (before.next(), after.next()) {
        (Some(b';'), Some(b']')) => true,
        (Some(b'['), Some(b']')) => {
            let (before, after) = (before.next(), after.find(|byte| !byte.is_ascii_whitespace()));
            is_name(before) || before == Some(&b']') || is_name(after) || matches!(after, Some(b'=' | b'['))
        }
        _ => false,
    }
}

/// The number with these digits and an optional sign before them.
fn number(text: &str, sign: usize, start: usize, end: usize) -> Literal {
    let literal = &text[start..end];
    let digits = literal.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(literal.len());
    let (digits, suffix) = literal.split_at(digits);
    // `1.` and `1.f` get a digit after the point: `7f` is not a number in C.
    let decimals = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len().max(1));
    // The new number is decimal, without an exponent or another base: `1e3`, `0x1F`, `0b101`, `0o17`.
    let is_exponent = suffix.starts_with(['e', 'E']);
    let is_other_base = digits == "0" && suffix.starts_with(['x', 'X', 'b', 'B', 'o', 'O']);
    let suffix = if is_exponent || is_other_base { String::new() } else { suffix.to_owned() };
    Literal { place: sign..end, decimals, suffix }
}

/// A region with new numbers; aligned columns stay aligned.
fn replaced(text: &str, numbers: &[Literal], new: &[String]) -> String {
    let spaces = |number: &Literal| {
        let before = &text[..number.place.start];
        before.len() - before.trim_end_matches(' ').len()
    };
    let is_first = |number: &Literal| {
        let before = text[..number.place.start].trim_end_matches(' ');
        before.is_empty() || before.ends_with(['\n', '\t'])
    };
    let has_columns = numbers.iter().any(|number| !is_first(number) && spaces(number) > 1);
    let gap = |number: &Literal| {
        let before = text[..number.place.start].trim_end_matches(' ');
        usize::from(spaces(number) > 0 && !before.ends_with(['(', '{', '[']))
    };
    let missing = |(number, new): (&Literal, &String)| {
        (gap(number) + new.len()).saturating_sub(spaces(number) + number.place.len())
    };
    let wider = numbers.iter().zip(new).map(missing).max().unwrap_or(0);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (number, new) in numbers.iter().zip(new) {
        let before = number.place.start - if has_columns { spaces(number) } else { 0 };
        out.push_str(&text[at..before]);
        let width = if has_columns { spaces(number) + number.place.len() + wider } else { 0 };
        out.push_str(&format!("{new:>width$}"));
        at = number.place.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::header::Header;

    fn header() -> Header {
        let mut text =
            String::from("trace version 1\ntrace parameter material.pawn 82 94\ntrace parameter tempo 10\n");
        (0..8).for_each(|index| {
            text.push_str(&format!("trace parameter table.rank[{index}] {index} -{index}\n"))
        });
        text.push_str("trace parameter rate 0.5 decimals=2\ntrace ready\n");
        Header::parse(&text).unwrap()
    }

    /// The text with the header's numbers, each half doubled minus one.
    fn tuned(text: &str, comments: Comments) -> Result<String, SourceError> {
        let header = header();
        let parameters: Vec<f64> = header.start.iter().map(|number| 2.0 * number - 1.0).collect();
        rewrite_source(text, comments, &header.schema, &parameters, "by a test").map(|new| new.text)
    }

    #[track_caller]
    fn check(comments: Comments, before: &str, after: &str) {
        let text = tuned(before, comments).unwrap();
        assert_eq!(text, after);
        // A second rewrite could only change the note, which is equal.
        assert_eq!(tuned(&text, comments).unwrap(), after);
    }

    #[test]
    fn layout_macros_casts_and_comments_stay() {
        check(
            Comments::Slashes,
            "int x = 5; // no `smalt:begin`\n// smalt:begin material.pawn\nconst Score Pawn = S(82, 94); // was S(80, 90)\n// smalt:end material.pawn\nint y;\n",
            "int x = 5; // no `smalt:begin`\n// smalt:begin material.pawn (tuned by a test)\nconst Score Pawn = S(163, 187); // was S(80, 90)\n// smalt:end material.pawn\nint y;\n",
        );
        check(
            Comments::Slashes,
            "const int tempo = /* smalt:begin tempo */ (int16_t)-10 /* smalt:end tempo */;",
            "const int tempo = /* smalt:begin tempo (tuned by a test) */ (int16_t)19 /* smalt:end tempo */;",
        );
        check(
            Comments::Hash,
            "# smalt:begin table.rank eg\nRANK8 = [0, -1, -2, -3,  # 99\n         -4, -5, -6, -7]\n# smalt:end table.rank\n",
            "# smalt:begin table.rank eg (tuned by a test)\nRANK8 = [-1, -3, -5, -7,  # 99\n         -9, -11, -13, -15]\n# smalt:end table.rank\n",
        );
        check(
            Comments::Slashes,
            "// smalt:begin rate\nfloat rate = 0.500f;\n// smalt:end rate",
            "// smalt:begin rate (tuned by a test)\nfloat rate = 0.000f;\n// smalt:end rate",
        );
    }

    #[test]
    fn marked_numbers_are_read_by_region() {
        let text = "// smalt:begin a.b eg\nx = {-1, 2.5f, 0x1F};\n// smalt:end a.b\n/* smalt:begin tempo */ (int)- 1'000 /* smalt:end tempo */";
        let [first, second] = &marked_numbers(text, Comments::Slashes).unwrap()[..] else { panic!() };
        assert_eq!((first.name.as_str(), &first.values[..]), ("a.b eg", &[Some(-1.0), Some(2.5), None][..]));
        assert_eq!((second.name.as_str(), &second.values[..]), ("tempo", &[Some(-1000.0)][..]));
    }

    #[test]
    fn numbers_of_any_form_become_numbers_of_the_language() {
        for (before, after) in [
            ("1.f", "19.0f"),
            ("1.", "19.0"),
            ("1.0", "19.0"),
            ("10i32", "19i32"),
            ("10L", "19L"),
            ("0b1010", "19"),
            ("0o12", "19"),
            ("0X0A", "19"),
            ("0xA", "19"),
            ("1e1", "19"),
            ("make<10>()", "make<19>()"),
        ] {
            let text = |number: &str, note: &str| {
                format!("// smalt:begin tempo{note}\ntempo = {number};\n// smalt:end tempo")
            };
            check(Comments::Slashes, &text(before, ""), &text(after, " (tuned by a test)"));
        }
    }

    #[test]
    fn lengths_and_indices_are_no_numbers_of_a_table() {
        let values = "0, 1, 2, 3, 4, 5, 6, 7";
        let new = "-1, 1, 3, 5, 7, 9, 11, 13";
        for (before, after) in [
            ("int rank[8] = {", "};"),
            ("pub const RANK: [i32; 8] = [", "];"),
            ("var rank = [8]int{", "}"),
            ("const rank = [8] i32{ ", " };"),
            ("int[] rank = new int[8] { ", " };"),
            ("int rank[2][8] = { [1] = {", "} };"),
            ("rank = [", "]"),
            ("std::array<int, 8> R = {", "};"),
            ("constexpr std::array<Score<16>, 8> R{{", "}};"),
            ("static RANK: Table<i32, 8> = [", "];"),
            ("const Score<16> rank[8] = {", "};"),
        ] {
            let text = |numbers: &str, note: &str| {
                format!(
                    "// smalt:begin table.rank mg{note}\n{before}{numbers}{after}\n// smalt:end table.rank\n"
                )
            };
            check(Comments::Slashes, &text(values, ""), &text(new, " (tuned by a test)"));
        }
    }

    #[test]
    fn columns_stay_columns() {
        check(
            Comments::Slashes,
            "// smalt:begin table.rank\n    S( 0,  0), S( 1, -1), S( 2, -2), S( 3, -3),\n    S( 4, -4), S( 5, -5), S( 6, -6), S( 7, -7),\n// smalt:end table.rank\n",
            "// smalt:begin table.rank (tuned by a test)\n    S( -1,  -1), S(  1,  -3), S(  3,  -5), S(  5,  -7),\n    S(  7,  -9), S(  9, -11), S( 11, -13), S( 13, -15),\n// smalt:end table.rank\n",
        );
    }

    #[test]
    fn regions_that_do_not_match_are_refused_with_their_line() {
        let error = |text: &str| tuned(text, Comments::Slashes).unwrap_err().to_string();
        assert!(error("int x = 1;").contains("smalt:begin NAME"));
        assert!(error("\n// smalt:begin tempo\n10").contains("line 2: `smalt:begin tempo` has no"));
        assert!(error("// smalt:begin nothing\n1\n// smalt:end nothing").contains("names no parameter"));
        assert!(
            error("// smalt:begin tempo\n1, 2\n// smalt:end tempo").contains("has 2 numbers here, and 1")
        );
        assert!(error("// smalt:begin tempo\n1\n// smalt:end tempos").contains("has no"));
        assert!(
            error("// smalt:begin tempo\n1\n// smalt:begin rate\n1\n// smalt:end tempo").contains("has no")
        );
    }
}
