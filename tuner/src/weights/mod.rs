//! The weights as one list of parameters: names, selection by pattern, rounding and files.

pub(crate) mod difference;
pub(crate) mod document;
pub(crate) mod export;
pub(crate) mod schema;
pub(crate) mod source;
pub(crate) mod variables;

use smalt::evaluation::Parameters;
pub use smalt::evaluation::schema::entry_of;
use smalt::evaluation::schema::{Shape, TENTHS, WEIGHTS, from_tenths};
use smalt_chess::Square;

use schema::{Schema, SchemaWeight};

/// Numbers of all weights in tenths: [middlegame, endgame] each, as the engine stores them.
pub type Numbers = [[i32; 2]; WEIGHTS];

/// A pattern without a match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{pattern:?} matches no weight: expected a group or group.term, as in `mobility.*`; groups are {groups}"
)]
pub struct PatternError {
    pub pattern: String,
    pub groups: String,
}

/// The parameters of the engine's weights.
pub fn parameters_of(weights: &Parameters) -> Vec<f64> {
    weights.tenths().flatten().map(from_tenths).collect()
}

/// Name of a weight: group, term, and for a term with several weights the index, or the square from the owner's view.
fn name_of(weight: usize) -> String {
    let entry = entry_of(weight);
    let (term, index) = (format!("{}.{}", entry.group, entry.name), weight - entry.term.start());
    match entry.shape {
        Shape::One => term,
        Shape::List(_) => format!("{term}[{index}]"),
        // The file starts with the eighth rank.
        Shape::Board => format!("{term}[{}]", Square::from_index(index).flip_rank()),
    }
}

/// The numbers of Smalt's evaluation, rounded and clamped to the engine's bounds.
pub fn rounded(parameters: &[f64]) -> Box<Numbers> {
    let mut numbers = Box::new([[0; 2]; WEIGHTS]);
    let rounded = Schema::own().rounded(parameters);
    for (weight, pair) in rounded.as_chunks::<2>().0.iter().enumerate() {
        let [middlegame, endgame] = pair.map(|number| (number * f64::from(TENTHS)).round() as i32);
        numbers[weight] =
            if entry_of(weight).part.is_single() { [middlegame; 2] } else { [middlegame, endgame] };
    }
    numbers
}

/// A number with `decimals` decimals; never "-0".
fn format_number(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

/// Weights to tune, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Patterns of which a weight must match one; all match if empty.
    pub only: Vec<String>,
    /// Patterns that exclude a weight.
    pub freeze: Vec<String>,
}

impl Selection {
    /// The free parameters: those of selected weights that occur in the data, in ascending order.
    ///
    /// # Errors
    /// If a pattern has no match.
    pub(crate) fn free(&self, schema: &Schema, coverage: &[u32]) -> Result<Vec<usize>, PatternError> {
        for pattern in self.only.iter().chain(&self.freeze) {
            if !schema.weights.iter().any(|weight| is_match(pattern, weight)) {
                return Err(PatternError { pattern: pattern.clone(), groups: schema.groups().join(", ") });
            }
        }
        let is_free: Vec<bool> = schema.weights.iter().zip(coverage).map(|pair| self.is_free(pair)).collect();
        let all = 0..schema.parameter_count();
        Ok(all.filter(|&parameter| is_free[parameter / 2] && schema.is_used(parameter)).collect())
    }

    /// The parameters that match a pattern.
    ///
    /// # Errors
    /// If none does.
    pub(crate) fn named(schema: &Schema, pattern: &str) -> Result<Vec<usize>, PatternError> {
        let only = vec![pattern.to_owned()];
        Selection { only, freeze: Vec::new() }.free(schema, &vec![1; schema.weights.len()])
    }

    fn is_free(&self, (weight, &count): (&SchemaWeight, &u32)) -> bool {
        let named = |patterns: &[String]| patterns.iter().any(|pattern| is_match(pattern, weight));
        count > 0 && (self.only.is_empty() || named(&self.only)) && !named(&self.freeze)
    }
}

/// Whether a weight matches a pattern: `group`, `group.term` or the full name, with `*` as wildcard.
fn is_match(pattern: &str, weight: &SchemaWeight) -> bool {
    [weight.term.as_str(), weight.group(), &weight.name]
        .iter()
        .any(|name| is_like(pattern.as_bytes(), name.as_bytes()))
}

fn is_like(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => is_like(rest, text) || !text.is_empty() && is_like(pattern, &text[1..]),
        (Some((wanted, rest)), Some((letter, others))) => wanted == letter && is_like(rest, others),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use smalt::evaluation::schema::SCHEMA;

    use super::*;
    use crate::loss::PARAMETERS;

    #[track_caller]
    fn check(only: &[&str], freeze: &[&str], names: &[&str]) {
        let own = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let selection = Selection { only: own(only), freeze: own(freeze) };
        let free = selection.free(Schema::own(), &vec![1; WEIGHTS]).unwrap();
        let mut terms: Vec<String> = free
            .iter()
            .map(|&index| entry_of(index / 2))
            .map(|e| format!("{}.{}", e.group, e.name))
            .collect();
        terms.dedup();
        assert_eq!(terms, names);
    }

    #[test]
    fn groups_and_terms_are_chosen_by_name() {
        check(&["mobility.*"], &["*.queen"], &["mobility.knight", "mobility.bishop", "mobility.rook"]);
        check(&["endgame"], &["endgame.lone*"], &["endgame.tempo"]);
        check(&["material.pawn", "endgame.tempo"], &[], &["material.pawn", "endgame.tempo"]);
    }

    #[test]
    fn weights_of_a_board_are_named_by_their_squares() {
        let start = SCHEMA.iter().find(|entry| entry.shape == Shape::Board).unwrap().term.start();
        let names = [0, 7, 8, 36, 63].map(|index| name_of(start + index));
        let squares = ["a8", "h8", "a7", "e4", "h1"].map(|square| format!("squares.pawn[{square}]"));
        assert_eq!(names, squares);
    }

    #[test]
    fn unknown_names_are_refused() {
        let selection = Selection { only: vec!["mobilty.*".into()], freeze: Vec::new() };
        let said = selection.free(Schema::own(), &[1; WEIGHTS]).unwrap_err().to_string();
        assert!(said.contains("mobilty") && said.contains("mobility,"), "{said}");
    }

    #[test]
    fn weights_that_never_occur_are_not_free() {
        assert_eq!(Selection::default().free(Schema::own(), &[0; WEIGHTS]), Ok(Vec::new()));
        let singles = SCHEMA.iter().filter(|entry| entry.part.is_single());
        let singles: usize = singles.map(|entry| entry.shape.length()).sum();
        assert_eq!(
            Selection::default().free(Schema::own(), &[1; WEIGHTS]).unwrap().len(),
            PARAMETERS - singles
        );
    }

    #[test]
    fn rounding_stays_within_what_the_engine_accepts() {
        let numbers = rounded(&vec![1e9; PARAMETERS]);
        assert_eq!(numbers[0], [300_000; 2]);
        assert_eq!(numbers[WEIGHTS - 1], [640; 2]);
        let numbers = rounded(&vec![f64::NAN; PARAMETERS]);
        assert_eq!(numbers[0], [0; 2]);
    }
}
