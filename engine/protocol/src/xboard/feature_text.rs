//! The arguments of `feature`.

use std::fmt;

use crate::number;
use crate::words::{self, OneLine};

/// A feature of an engine, answered by `accepted` or `rejected`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature<'a> {
    pub name: &'a str,
    pub value: FeatureValue<'a>,
}

/// Value of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeatureValue<'a> {
    /// A number; 0 and 1 are off and on.
    Number(i64),
    /// A text, without quotation marks.
    Text(&'a str),
}

impl<'a> FeatureValue<'a> {
    /// Whether the feature is on.
    pub fn is_on(self) -> bool {
        matches!(self, FeatureValue::Number(number) if number != 0)
    }

    /// The text; empty for a number.
    pub fn text(self) -> &'a str {
        match self {
            FeatureValue::Number(_) => "",
            FeatureValue::Text(text) => text,
        }
    }
}

/// Parses the arguments of `feature`; words without an equals sign are skipped.
pub(super) fn parse(text: &str) -> Vec<Feature<'_>> {
    let mut features = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('=') {
        // Engines may omit a value, or put spaces around the sign.
        let name = words::trim(before).rsplit(|c| c <= ' ').next().unwrap_or_default();
        let after = after.trim_start_matches(|c| c <= ' ');
        let (value, left) = match after.strip_prefix('"') {
            Some(quoted) => {
                let (inside, left) = quoted.split_once('"').unwrap_or((quoted, ""));
                (FeatureValue::Text(inside), left)
            }
            None => {
                let end = after.find(|c| c <= ' ' || c == '"').unwrap_or(after.len());
                let word = &after[..end];
                (number::signed(word).map_or(FeatureValue::Text(word), FeatureValue::Number), &after[end..])
            }
        };
        if !name.is_empty() && !name.contains('"') {
            features.push(Feature { name, value });
        }
        rest = left;
    }
    features
}

impl fmt::Display for Feature<'_> {
    /// Text values are quoted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            FeatureValue::Number(number) => write!(f, "{}={number}", self.name),
            FeatureValue::Text(text) => write!(f, "{}=\"{}\"", self.name, OneLine(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, FeatureValue<'_>)]) {
        let found: Vec<_> = parse(text).into_iter().map(|Feature { name, value }| (name, value)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn features_are_read_as_engines_write_them() {
        use FeatureValue::{Number, Text};
        check(
            "ping=1 setboard=0 done=1",
            &[("ping", Number(1)), ("setboard", Number(0)), ("done", Number(1))],
        );
        check(
            "myname=\"A = B 1.0\" variants=\"normal,fischerandom\" san=1",
            &[("myname", Text("A = B 1.0")), ("variants", Text("normal,fischerandom")), ("san", Number(1))],
        );
        check("myname=\"open", &[("myname", Text("open"))]);
        check("nonsense ping = 1 x", &[("ping", Number(1))]);
        check("myname= san=\"1", &[("myname", Text("san="))]);
        check("", &[]);
    }
}
