//! The header of a trace: the engine's parameters and formula, one declaration per line (see
//! `docs/trace-protocol.md`).

use std::collections::HashSet;
use std::fmt;

use super::curve::{Bend, CurveForm};
use crate::weights::schema::Bounds;
use crate::weights::schema::{Curve, Schema, SchemaWeight};

/// Protocol version. Older versions are accepted, newer ones refused.
pub(crate) const VERSION: u32 = 1;

/// Maximum number of curves in a header.
pub(super) const MOST_CURVES: usize = 8;

/// Maximum number of weights in a header.
const MOST_WEIGHTS: usize = 1 << 16;

/// Maximum number of decimals of a parameter.
const MOST_DECIMALS: usize = 9;

/// Default bounds of a parameter.
const WIDE: Bounds = Bounds { least: -1e6, most: 1e6 };

/// The header of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Score units of a pawn, 100 for centipawns.
    pub unit: f64,
    /// Phase of a middlegame; 0 is an endgame.
    pub phase: f64,
    /// Scale of an endgame without scaling down.
    pub scale: f64,
    /// Maximum difference, in score units, between the engine's score and the one from the coefficients.
    pub tolerance: f64,
    /// Whether boards begin with a1, b1, …; otherwise with a8, b8, ….
    pub is_a1_first: bool,
    /// Curves of the non-linear groups.
    pub curves: Vec<CurveForm>,
    /// Names, bounds and ties of the weights.
    pub schema: Schema,
    /// Start values of all parameters.
    pub start: Vec<f64>,
    /// Names of the weights.
    names: HashSet<String>,
    text: String,
}

/// An invalid trace line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line:?}: {reason}")]
pub struct HeaderError {
    pub line: String,
    pub reason: String,
}

/// Whether a header is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderProgress {
    More,
    /// It ended with `trace ready`.
    Ready,
}

impl Default for Header {
    fn default() -> Header {
        let (curves, schema, start) = (Vec::new(), Schema::default(), Vec::new());
        let text = String::new();
        let is_a1_first = false;
        Header {
            unit: 100.0,
            phase: 24.0,
            scale: 64.0,
            tolerance: 2.0,
            is_a1_first,
            curves,
            schema,
            start,
            names: HashSet::new(),
            text,
        }
    }
}

impl Header {
    /// Parses the lines of a complete header.
    ///
    /// # Errors
    /// If a line is invalid, or `trace ready` is missing.
    pub fn parse(text: &str) -> Result<Header, HeaderError> {
        let mut header = Header::default();
        for line in text.lines() {
            if header.push(line)? == HeaderProgress::Ready {
                return Ok(header);
            }
        }
        Err(HeaderError { line: String::new(), reason: "the header has no `trace ready`".to_owned() })
    }

    /// Parses the next line. Lines without `trace` are skipped, since engines print other output too.
    ///
    /// # Errors
    /// If the line is invalid.
    pub(crate) fn push(&mut self, line: &str) -> Result<HeaderProgress, HeaderError> {
        let mut words = line.split_whitespace();
        if words.next() != Some("trace") {
            return Ok(HeaderProgress::More);
        }
        let words: Vec<&str> = words.collect();
        let failed = |reason| HeaderError { line: line.trim().to_owned(), reason };
        let progress = self.declare(&words).map_err(failed)?;
        self.text.push_str(line.trim());
        self.text.push('\n');
        Ok(progress)
    }

    fn declare(&mut self, words: &[&str]) -> Result<HeaderProgress, String> {
        let (keyword, rest) = words.split_first().ok_or("expected a declaration")?;
        match *keyword {
            "version" => match rest.first().and_then(|word| word.parse::<u32>().ok()) {
                Some(1..=VERSION) => {}
                Some(version) => {
                    return Err(format!(
                        "version {version} is newer than this program, which reads {VERSION}"
                    ));
                }
                None => return Err("expected a version".to_owned()),
            },
            "unit" => self.unit = positive(rest)?,
            "phase" => self.phase = positive(rest)?,
            "scale" => self.scale = positive(rest)?,
            "tolerance" => self.tolerance = number(rest.first().copied())?,
            "squares" => match rest {
                ["a1"] => self.is_a1_first = true,
                ["a8"] => self.is_a1_first = false,
                _ => return Err("expected the first square of boards, a8 or a1".to_owned()),
            },
            "curve" => self.declare_curve(rest)?,
            "parameter" => self.declare_parameter(rest)?,
            "constraint" => self.constrain(rest)?,
            "ready" if self.start.is_empty() => return Err("no parameter was declared".to_owned()),
            "ready" => return Ok(HeaderProgress::Ready),
            // Later versions may add declarations.
            _ => {}
        }
        Ok(HeaderProgress::More)
    }

    fn declare_curve(&mut self, words: &[&str]) -> Result<(), String> {
        let (name, forms) = words.split_first().ok_or("expected the name of a curve")?;
        if self.curves.len() == MOST_CURVES {
            return Err(format!("a header has at most {MOST_CURVES} curves"));
        }
        let (middlegame, endgame) = match forms.iter().position(|word| *word == "eg") {
            Some(at) => (&forms[..at], &forms[at + 1..]),
            None => (forms, forms),
        };
        let bends = [Bend::parse(middlegame)?, Bend::parse(endgame)?];
        self.curves.push(CurveForm { name: (*name).to_owned(), bends });
        Ok(())
    }

    fn declare_parameter(&mut self, words: &[&str]) -> Result<(), String> {
        let (name, rest) = words.split_first().ok_or("expected the name of a parameter")?;
        let numbers: Vec<f64> = rest.iter().map_while(|word| word.parse().ok()).collect();
        let is_single = match numbers.len() {
            1 => true,
            2 => false,
            _ => return Err("expected one value, or a middlegame and an endgame value".to_owned()),
        };
        if self.schema.weights.len() == MOST_WEIGHTS {
            return Err(format!("a header has at most {MOST_WEIGHTS} parameters"));
        }
        if self.names.contains(*name) {
            return Err("a parameter of this name was declared before".to_owned());
        }
        let (mut bounds, mut decimals, mut curve) = (WIDE, 0, None);
        for word in &rest[numbers.len()..] {
            let (key, value) = word.split_once('=').ok_or(format!("{word}: expected key=value"))?;
            match key {
                "min" => bounds.least = number(Some(value))?,
                "max" => bounds.most = number(Some(value))?,
                "decimals" => {
                    let count = value.parse().ok().filter(|&count| count <= MOST_DECIMALS);
                    decimals = count.ok_or(format!("{word}: expected 0 to {MOST_DECIMALS}"))?;
                }
                "curve" => {
                    let index = self.curves.iter().position(|curve| curve.name == value);
                    let index = index.ok_or(format!("{word}: no curve of this name was declared before"))?;
                    curve = Some(Curve { index, lift: self.curves[index].lift() });
                }
                _ => {}
            }
        }
        if numbers.iter().any(|number| !(bounds.least..=bounds.most).contains(number)) {
            return Err("the value is outside of its bounds".to_owned());
        }
        self.names.insert((*name).to_owned());
        let term = name.split('[').next().unwrap_or(name);
        self.schema.weights.push(SchemaWeight {
            name: (*name).to_owned(),
            term: term.to_owned(),
            group_length: term.find('.').unwrap_or(term.len()),
            is_single,
            bounds,
            decimals,
            twin: None,
            rises: false,
            curve,
        });
        self.start.extend([numbers[0], numbers.get(1).copied().unwrap_or(numbers[0])]);
        Ok(())
    }

    fn constrain(&mut self, words: &[&str]) -> Result<(), String> {
        let &[term, constraint] = words else { return Err("expected a table and its constraint".to_owned()) };
        let weights = &mut self.schema.weights;
        let first = weights.iter().position(|weight| weight.term == term);
        let first = first.ok_or(format!("{term}: no table of this name was declared before"))?;
        let length = weights[first..].iter().take_while(|weight| weight.term == term).count();
        let table = &mut weights[first..first + length];
        match constraint {
            "mirrored" if length == 64 => {
                (0..64).for_each(|square| table[square].twin = Some(first + (square ^ 7)));
            }
            "mirrored" => return Err(format!("{term} has {length} weights: only a board of 64 is mirrored")),
            "rising" => table[..length - 1].iter_mut().for_each(|weight| weight.rises = true),
            _ => return Err(format!("{constraint}: expected mirrored or rising")),
        }
        Ok(())
    }
}

impl fmt::Display for Header {
    /// Formats its lines, each terminated by a line feed.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn number(word: Option<&str>) -> Result<f64, String> {
    let number = word.and_then(|word| word.parse().ok()).filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "expected a number".to_owned())
}

/// Whether a number can be stored: trace files have single precision.
pub(super) fn fits(number: f64) -> bool {
    (number as f32).is_finite()
}

fn positive(words: &[&str]) -> Result<f64, String> {
    number(words.first().copied())
        .ok()
        .filter(|&number| number as f32 > 0.0 && fits(number))
        .ok_or("expected a number above 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "info string hello\ntrace version 1\ntrace phase 24\ntrace scale 64\n\
        trace squares a1\ntrace curve safety quadratic 512 eg linear 16\ntrace parameter material.pawn 82 94 min=0\n\
        trace parameter tempo 10 max=20 decimals=1\ntrace parameter safety.knight 20 8 curve=safety\ntrace ready\n";

    #[test]
    fn a_header_declares_parameters_and_comes_back_from_its_text() {
        let header = Header::parse(HEADER).unwrap();
        assert_eq!(header.start, [82.0, 94.0, 10.0, 10.0, 20.0, 8.0]);
        assert!(header.is_a1_first && !Header::default().is_a1_first);
        let [pawn, tempo, knight] = &header.schema.weights[..] else { panic!("{:?}", header.schema) };
        assert_eq!((pawn.group(), pawn.is_single, pawn.bounds.least), ("material", false, 0.0));
        assert_eq!((tempo.group(), tempo.is_single, tempo.decimals), ("tempo", true, 1));
        assert!(
            knight.curve.is_some_and(|curve| curve.index == 0 && curve.lift[0] > 0.0 && curve.lift[1] == 0.0)
        );
        assert_eq!(Header::parse(&header.to_string()), Ok(header));
    }

    #[test]
    fn boards_are_mirrored_and_lists_rise() {
        let mut text = String::from("trace version 1\n");
        (0..64).for_each(|square| text.push_str(&format!("trace parameter psqt.king[{square}] 0 0\n")));
        (0..3).for_each(|index| text.push_str(&format!("trace parameter mobility.knight[{index}] 0 0\n")));
        text.push_str(
            "trace constraint psqt.king mirrored\ntrace constraint mobility.knight rising\ntrace ready\n",
        );
        let weights = Header::parse(&text).unwrap().schema.weights;
        assert_eq!((weights[0].twin, weights[12].twin, weights[64].twin), (Some(7), Some(11), None));
        assert_eq!(weights[64..].iter().map(|weight| weight.rises).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn names_are_unique_and_limited_in_number() {
        let mut header = Header::default();
        for index in 0..MOST_WEIGHTS {
            header.push(&format!("trace parameter a[{index}] 0")).unwrap();
        }
        let refused = |header: &mut Header, line| header.push(line).unwrap_err().reason;
        assert!(refused(&mut header, "trace parameter b 0").contains("at most 65536"));
        let mut header = Header::default();
        header.push("trace parameter a 0").unwrap();
        assert!(refused(&mut header, "trace parameter a 1").contains("declared before"));
    }

    #[test]
    fn bad_lines_are_refused_with_a_reason() {
        for (line, reason) in [
            ("trace version 2", "newer"),
            ("trace phase 0", "above 0"),
            ("trace squares h1", "a8 or a1"),
            ("trace parameter", "name"),
            ("trace parameter x", "expected one value"),
            ("trace parameter x 1 2 3", "expected one value"),
            ("trace parameter x 5 max=4", "bounds"),
            ("trace parameter x 5 curve=y", "no curve"),
            ("trace parameter x 5 decimals=10", "expected 0 to 9"),
            ("trace curve x cubic 3", "cubic"),
            ("trace constraint y rising", "no table"),
            ("trace ready", "no parameter"),
        ] {
            let error = Header::default().push(line).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
        }
    }
}
