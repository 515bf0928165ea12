//! The evaluation term by term, for the `eval` command, recorded by a trace.

use std::fmt;

use smalt_chess::{Color, Position};

use super::parameters::Parameters;
use super::schema::{Part, SCHEMA, Weight, entry_of, from_tenths};
use super::score::PackedScore;
use super::taper::{FULL_PHASE, Pair, Parts};
use super::trace::Trace;
use super::trace_parts;

/// Value of each term for each side and the total. Displays as a table.
pub struct Explanation {
    /// In schema order, for White and for Black.
    terms: [[PackedScore; 2]; SCHEMA.len()],
    parts: Parts<i64>,
}

/// Evaluates the position term by term.
pub fn explain(position: &Position, parameters: &Parameters) -> Explanation {
    let mut listener = Listener { terms: [[PackedScore::ZERO; 2]; SCHEMA.len()] };
    let parts = trace_parts(position, parameters, &mut listener);
    Explanation { terms: listener.terms, parts }
}

impl Explanation {
    /// Sums of the terms, in tenths.
    pub fn parts(&self) -> &Parts<i64> {
        &self.parts
    }

    /// The evaluation in centipawns, from White's point of view.
    pub fn evaluation(&self) -> i32 {
        self.parts.evaluation() as i32
    }
}

struct Listener {
    terms: [[PackedScore; 2]; SCHEMA.len()],
}

impl Trace for Listener {
    fn found(&mut self, weight: Weight, _: i32, owner: Color, value: PackedScore) {
        self.terms[entry_of(weight.index()).term as usize][owner.index()] += value;
    }
}

/// Width of the name column.
const NAMES: usize = 38;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<NAMES$} {:^17} {:^17} {:>14}", "term [mg, eg]", "White", "Black", "difference")?;
        for part in [Part::Linear, Part::Danger] {
            self.write_terms(f, part)?;
        }
        let Parts { linear, danger: [white, black], .. } = self.parts;
        let pair = |pair: Pair<i64>| Columns([pair.middlegame as i32, pair.endgame as i32]);
        writeln!(f, "{:<NAMES$} {:>17} {:>17} {}", "sum, centipawns", "", "", pair(linear))?;
        writeln!(f, "{:<NAMES$} {} {}", "king danger, units", pair(white), pair(black))?;
        self.write_complexity(f)?;
        let [white, black] = self.parts.scale.map(|scale| from_tenths(scale as i32));
        writeln!(f, "{:<NAMES$} {white:>17.1} {black:>17.1}", "endgame scale if ahead, of 64")?;
        writeln!(f, "{:<NAMES$} {:>17}", "phase, of 24", format!("{}/{FULL_PHASE}", self.parts.phase))?;
        write!(f, "{:<NAMES$} {:>+17}", "evaluation, centipawns for White", self.evaluation())
    }
}

impl Explanation {
    /// Terms of a part with a non-zero value, with their values for White and for Black.
    fn found(&self, part: Part) -> impl Iterator<Item = (String, [PackedScore; 2])> {
        let terms = SCHEMA.iter().zip(self.terms);
        let found =
            terms.filter(move |(entry, values)| entry.part == part && *values != [PackedScore::ZERO; 2]);
        found.map(|(entry, values)| (format!("{}.{}", entry.group, entry.name), values))
    }

    fn write_terms(&self, f: &mut fmt::Formatter<'_>, part: Part) -> fmt::Result {
        for (name, [white, black]) in self.found(part) {
            let columns =
                [white, black, white - black].map(|value| Columns([value.middlegame(), value.endgame()]));
            writeln!(f, "{name:<NAMES$} {} {} {}", columns[0], columns[1], columns[2])?;
        }
        Ok(())
    }

    fn write_complexity(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, [value, _]) in self.found(Part::Complexity) {
            writeln!(f, "{name:<NAMES$} {:>17.1}", from_tenths(value.middlegame()))?;
        }
        let complexity = from_tenths(self.parts.complexity as i32);
        writeln!(f, "{:<NAMES$} {complexity:>17.1}", "complexity, before its limits")
    }
}

/// Middlegame and endgame value in tenths, side by side.
struct Columns([i32; 2]);

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [middlegame, endgame] = self.0.map(from_tenths);
        write!(f, "{middlegame:>8.1} {endgame:>8.1}")
    }
}
