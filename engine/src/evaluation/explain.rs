//! The evaluation term by term, for the `eval` command, recorded by a trace.

use std::fmt;

use smalt_chess::{Color, Position};

use super::parameters::{Parameters, Weight};
use super::schema::{Part, SCHEMA};
use super::score::PackedScore;
use super::taper::{FULL_PHASE, Parts};
use super::trace::Trace;
use super::trace_parts;

/// Value of each term for each side and the total. Displays as a table.
pub struct Explanation {
    /// In schema order, for White and for Black.
    terms: [[PackedScore; 2]; SCHEMA.len()],
    parts: Parts<i32>,
}

/// Evaluates the position term by term.
pub fn explain(position: &Position, parameters: &Parameters) -> Explanation {
    let mut listener = Listener { terms: [[PackedScore::ZERO; 2]; SCHEMA.len()] };
    let parts = trace_parts(position, parameters, &mut listener);
    Explanation { terms: listener.terms, parts }
}

impl Explanation {
    /// Sums of the terms.
    pub fn parts(&self) -> &Parts<i32> {
        &self.parts
    }

    /// The evaluation in centipawns, from White's point of view.
    pub fn evaluation(&self) -> i32 {
        self.parts.evaluation()
    }
}

struct Listener {
    terms: [[PackedScore; 2]; SCHEMA.len()],
}

impl Trace for Listener {
    fn found(&mut self, weight: Weight, _: i32, owner: Color, value: PackedScore) {
        let next = SCHEMA.partition_point(|entry| entry.term.start() <= weight.index());
        self.terms[next - 1][owner.index()] += value;
    }
}

/// Width of the name column.
const NAMES: usize = 38;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<NAMES$} {:^13} {:^13} {:>12}", "term [mg, eg]", "White", "Black", "difference")?;
        for part in [Part::Linear, Part::Danger] {
            self.write_terms(f, part)?;
        }
        let Parts { linear, danger: [white, black], .. } = self.parts;
        let linear = PackedScore::new(linear.middlegame, linear.endgame);
        writeln!(f, "{:<NAMES$} {:>13} {:>13} {}", "sum, centipawns", "", "", Columns(linear))?;
        let white = PackedScore::new(white.middlegame, white.endgame);
        let black = PackedScore::new(black.middlegame, black.endgame);
        writeln!(f, "{:<NAMES$} {} {}", "king danger, units", Columns(white), Columns(black))?;
        self.write_complexity(f)?;
        let [white, black] = self.parts.scale;
        writeln!(f, "{:<NAMES$} {white:>13} {black:>13}", "endgame scale if ahead, of 64")?;
        writeln!(f, "{:<NAMES$} {:>13}", "phase, of 24", format!("{}/{FULL_PHASE}", self.parts.phase))?;
        write!(f, "{:<NAMES$} {:>+13}", "evaluation, centipawns for White", self.evaluation())
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
            let difference = white - black;
            writeln!(f, "{name:<NAMES$} {} {} {}", Columns(white), Columns(black), Columns(difference))?;
        }
        Ok(())
    }

    fn write_complexity(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, [value, _]) in self.found(Part::Complexity) {
            writeln!(f, "{name:<NAMES$} {:>13}", value.middlegame())?;
        }
        writeln!(f, "{:<NAMES$} {:>13}", "complexity, before its limits", self.parts.complexity)
    }
}

/// Middlegame and endgame value side by side.
struct Columns(PackedScore);

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6} {:>6}", self.0.middlegame(), self.0.endgame())
    }
}
