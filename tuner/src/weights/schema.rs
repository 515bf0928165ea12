//! The schema of the weights: names, bounds, and ties between weights. Smalt's comes from the engine, another
//! engine's from its trace header.

use std::sync::LazyLock;

use smalt::evaluation::schema::{Constraint, Part, Shape, TENTHS, WEIGHTS};
use smalt::evaluation::taper::FULL_SCALE;

use super::{entry_of, name_of};

/// Start values of king danger weights if all are zero.
const DANGER_LIFT: [f64; 2] = [16.0, 0.0];

/// Inclusive bounds of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub least: f64,
    pub most: f64,
}

/// A weight: a pair [middlegame, endgame], or a single number. Its parameters are 2·index and 2·index + 1; a single
/// number has only the first.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaWeight {
    /// Full name, with an index or square if the term has several weights.
    pub name: String,
    /// Group and term, `mobility.knight`; the name up to its index.
    pub term: String,
    /// Length of the group at the start of `term`.
    pub group_length: usize,
    /// True for a single number.
    pub is_single: bool,
    /// Bounds of the engine.
    pub bounds: Bounds,
    pub decimals: usize,
    /// Weight with the same numbers.
    pub twin: Option<usize>,
    /// Whether the next weight must not be smaller.
    pub rises: bool,
    /// Curve applied to its sum, if any.
    pub curve: Option<Curve>,
}

/// The curve of a non-linear group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    pub index: usize,
    /// Start of the middlegame and endgame numbers if all of the group are zero: the curve is flat there and has no
    /// gradient. 0 for a curve with a slope at zero.
    pub lift: [f64; 2],
}

impl SchemaWeight {
    pub(crate) fn group(&self) -> &str {
        &self.term[..self.group_length]
    }

    /// Distance between two values that the engine can have.
    pub(crate) fn step(&self) -> f64 {
        10_f64.powi(-(self.decimals as i32))
    }
}

/// All weights of an evaluation, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    pub weights: Vec<SchemaWeight>,
}

impl Schema {
    /// The schema of Smalt's evaluation.
    pub fn own() -> &'static Schema {
        static OWN: LazyLock<Schema> =
            LazyLock::new(|| Schema { weights: (0..WEIGHTS).map(own_weight).collect() });
        &OWN
    }

    pub(crate) fn parameter_count(&self) -> usize {
        2 * self.weights.len()
    }

    /// The weight of a parameter.
    pub(crate) fn weight_of(&self, parameter: usize) -> &SchemaWeight {
        &self.weights[parameter / 2]
    }

    /// Whether the evaluation uses this parameter: all but the second ones of single numbers.
    pub(crate) fn is_used(&self, parameter: usize) -> bool {
        parameter.is_multiple_of(2) || !self.weight_of(parameter).is_single
    }

    /// Name of a parameter: its weight, and which half of a pair.
    pub(crate) fn parameter_name(&self, parameter: usize) -> String {
        let weight = self.weight_of(parameter);
        if weight.is_single {
            return weight.name.clone();
        }
        format!("{} {}", weight.name, if parameter.is_multiple_of(2) { "mg" } else { "eg" })
    }

    /// The groups, in order.
    pub(crate) fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = self.weights.iter().map(SchemaWeight::group).collect();
        groups.dedup();
        groups
    }

    /// Rounds the parameters to the engine's precision, within its bounds.
    pub(crate) fn rounded(&self, parameters: &[f64]) -> Vec<f64> {
        let rounded = |(parameter, &number): (usize, &f64)| {
            let weight = self.weight_of(parameter);
            let scale = 10_f64.powi(weight.decimals as i32);
            ((number * scale).round() / scale).clamp(weight.bounds.least, weight.bounds.most)
        };
        parameters.iter().enumerate().map(rounded).collect()
    }

    /// Gives the free parameters of each flat curve a start value, if all its numbers of one half are zero. Returns
    /// whether there was such a curve.
    pub(crate) fn lift_curves(&self, parameters: &mut [f64], free: &[usize]) -> bool {
        let is_flat = |curve: Curve, half: usize| {
            let of_curve =
                |weight: &SchemaWeight| weight.curve.is_some_and(|other| other.index == curve.index);
            let mut all = self.weights.iter().zip(parameters.iter().skip(half).step_by(2));
            curve.lift[half] != 0.0 && all.all(|(weight, number)| !of_curve(weight) || *number == 0.0)
        };
        let lifted: Vec<(usize, f64)> = free
            .iter()
            .filter_map(|&parameter| Some((parameter, self.weight_of(parameter).curve?)))
            .filter(|&(parameter, curve)| is_flat(curve, parameter % 2))
            .map(|(parameter, curve)| (parameter, curve.lift[parameter % 2]))
            .collect();
        for &(parameter, lift) in &lifted {
            parameters[parameter] = lift;
        }
        !lifted.is_empty()
    }
}

fn own_weight(index: usize) -> SchemaWeight {
    let entry = entry_of(index);
    let bounds = match entry.part {
        Part::Scale => Bounds { least: 0.0, most: FULL_SCALE.into() },
        Part::Linear | Part::Danger | Part::Complexity => {
            Bounds { least: (-entry.limit()).into(), most: entry.limit().into() }
        }
    };
    let square = index - entry.term.start();
    let is_mirrored = entry.constraint == Constraint::Mirrored && entry.shape == Shape::Board;
    let is_last = index + 1 == WEIGHTS || entry_of(index + 1).term != entry.term;
    SchemaWeight {
        name: name_of(index),
        term: format!("{}.{}", entry.group, entry.name),
        group_length: entry.group.len(),
        is_single: entry.part.is_single(),
        bounds,
        decimals: TENTHS.ilog10() as usize,
        twin: is_mirrored.then_some(entry.term.start() + (square ^ 7)),
        rises: entry.constraint == Constraint::Rising && !is_last,
        curve: (entry.part == Part::Danger).then_some(Curve { index: 0, lift: DANGER_LIFT }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt::evaluation::schema::SCHEMA;

    #[test]
    fn every_term_of_the_engine_is_in_the_schema() {
        let schema = Schema::own();
        let mut terms: Vec<&str> = schema.weights.iter().map(|weight| weight.term.as_str()).collect();
        terms.dedup();
        let expected: Vec<String> =
            SCHEMA.iter().map(|entry| format!("{}.{}", entry.group, entry.name)).collect();
        assert_eq!(terms, expected);
        assert_eq!(schema.weights[0].group(), "material");
    }
}
