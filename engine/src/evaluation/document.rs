//! Parses a parameter file: TOML text to the numbers of all weights, checked against the schema. The build script uses
//! it for the embedded numbers and the engine for those loaded at run time. Independent of chess.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::schema::{Entry, SCHEMA, Shape, TENTHS, WEIGHTS};

/// Version of the file format, key `format`.
const FORMAT: i64 = 1;

/// Two numbers per weight, in tenths: [middlegame, endgame]; a single number appears twice.
pub(super) type WeightPairs = [[i32; 2]; WEIGHTS];

/// Why a parameter file is invalid. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParametersError {
    #[error("line {line}: {message}")]
    Syntax {
        line: usize,
        /// Message of the TOML parser.
        message: String,
    },
    #[error("expected `format = {FORMAT}`, found {found}")]
    Format { found: String },
    #[error("line {line}: unknown {key}")]
    Unknown { line: usize, key: String },
    #[error("missing {key}")]
    Missing { key: String },
    #[error("line {line}: {key}: expected {expected} pairs, found {found}")]
    Length {
        line: usize,
        /// The term, or a row of its board.
        key: String,
        /// Length in the schema.
        expected: usize,
        /// The length in the file.
        found: usize,
    },
    #[error("line {line}: {key}: expected {expected}, found {found}")]
    Kind {
        line: usize,
        key: String,
        /// Type in the schema.
        expected: &'static str,
        /// Type in the file.
        found: &'static str,
    },
    #[error("line {line}: {key}: {value} is beyond ±{limit}")]
    Range {
        line: usize,
        key: String,
        value: String,
        /// Maximum absolute value of the term's weights.
        limit: i32,
    },
}

type Result<T> = std::result::Result<T, ParametersError>;
type Value<'i> = Spanned<DeValue<'i>>;

/// Parses a parameter file. The table `origin` is ignored: it describes the source of the numbers.
pub(crate) fn read(text: &str) -> Result<Box<WeightPairs>> {
    let document = DeTable::parse(text).map_err(|error| ParametersError::Syntax {
        line: line_at(text, error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let root = document.get_ref();
    check_format(root)?;
    check_names(text, root)?;
    let mut numbers = vec![[0; 2]; WEIGHTS].into_boxed_slice();
    for entry in &SCHEMA {
        let key = format!("{}.{}", entry.group, entry.name);
        let value = root
            .get(entry.group)
            .and_then(|group| group.get_ref().as_table()?.get(entry.name))
            .ok_or_else(|| ParametersError::Missing { key: key.clone() })?;
        let start = entry.term.start();
        let place = TermReader { text, key, limit: entry.limit() };
        place.read_term(entry, value, &mut numbers[start..start + entry.shape.length()])?;
    }
    Ok(numbers.try_into().expect("a vector of that length was made"))
}

fn check_format(root: &DeTable<'_>) -> Result<()> {
    let format = root.get("format").map(|value| value.get_ref());
    match format.and_then(DeValue::as_integer) {
        Some(integer) if integer.as_str() == FORMAT.to_string() => Ok(()),
        _ => {
            let found = match format {
                Some(DeValue::Integer(integer)) => integer.as_str().to_owned(),
                Some(value) => format!("a value of type {}", value.type_str()),
                None => "none".to_owned(),
            };
            Err(ParametersError::Format { found })
        }
    }
}

fn check_names(text: &str, root: &DeTable<'_>) -> Result<()> {
    let unknown = |span: std::ops::Range<usize>, key| {
        Err(ParametersError::Unknown { line: line_at(text, span.start), key })
    };
    for (group, value) in root {
        let name = group.get_ref().as_ref();
        if matches!(name, "format" | "origin") {
            continue;
        }
        let Some(table) =
            value.get_ref().as_table().filter(|_| SCHEMA.iter().any(|entry| entry.group == name))
        else {
            return unknown(group.span(), format!("table {name}"));
        };
        for key in table.keys() {
            if !SCHEMA.iter().any(|entry| entry.group == name && entry.name == key.get_ref().as_ref()) {
                return unknown(key.span(), format!("key {name}.{}", key.get_ref()));
            }
        }
    }
    Ok(())
}

fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

/// The term being parsed, for error messages.
struct TermReader<'t> {
    text: &'t str,
    key: String,
    /// Maximum absolute value of the term's weights.
    limit: i32,
}

impl TermReader<'_> {
    fn read_term(&self, entry: &Entry, value: &Value<'_>, weights: &mut [[i32; 2]]) -> Result<()> {
        let read = if entry.part.is_single() { Self::single } else { Self::pair };
        match entry.shape {
            Shape::One => weights[0] = read(self, value)?,
            Shape::List(_) | Shape::Board => self.read_list(value, weights, read)?,
        }
        Ok(())
    }

    fn read_list(
        &self,
        value: &Value<'_>,
        weights: &mut [[i32; 2]],
        read: fn(&Self, &Value<'_>) -> Result<[i32; 2]>,
    ) -> Result<()> {
        let items = self.array(value, "a list")?;
        if items.len() != weights.len() {
            return Err(ParametersError::Length {
                line: self.line(value),
                key: self.key.clone(),
                expected: weights.len(),
                found: items.len(),
            });
        }
        for (weight, item) in weights.iter_mut().zip(items) {
            *weight = read(self, item)?;
        }
        Ok(())
    }

    fn single(&self, value: &Value<'_>) -> Result<[i32; 2]> {
        self.number(value).map(|number| [number; 2])
    }

    fn pair(&self, value: &Value<'_>) -> Result<[i32; 2]> {
        match self.array(value, "a pair [mg, eg]")? {
            [middlegame, endgame] => Ok([self.number(middlegame)?, self.number(endgame)?]),
            items => Err(ParametersError::Kind {
                line: self.line(value),
                key: self.key.clone(),
                expected: "a pair [mg, eg]",
                found: if items.len() < 2 { "fewer numbers" } else { "more values" },
            }),
        }
    }

    /// In tenths.
    fn number(&self, value: &Value<'_>) -> Result<i32> {
        const EXPECTED: &str = "a number with at most one decimal";
        let (number, text) = match value.get_ref() {
            DeValue::Integer(integer) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix());
                (number.map_or(f64::INFINITY, |number| number as f64), integer.as_str())
            }
            DeValue::Float(float) => (float.as_str().parse().unwrap_or(f64::NAN), float.as_str()),
            _ => return Err(self.kind(value, EXPECTED)),
        };
        let tenths = (number * f64::from(TENTHS)).round();
        if number.is_nan() || number.abs() > f64::from(self.limit) {
            let (line, key) = (self.line(value), self.key.clone());
            return Err(ParametersError::Range { line, key, value: text.to_owned(), limit: self.limit });
        }
        if tenths / f64::from(TENTHS) == number {
            return Ok(tenths as i32);
        }
        let (line, key) = (self.line(value), self.key.clone());
        Err(ParametersError::Kind { line, key, expected: EXPECTED, found: "more decimals" })
    }

    fn array<'v, 'i>(&self, value: &'v Value<'i>, expected: &'static str) -> Result<&'v [Value<'i>]> {
        match value.get_ref().as_array() {
            Some(array) => Ok(array.as_ref()),
            None => Err(self.kind(value, expected)),
        }
    }

    fn kind(&self, value: &Value<'_>, expected: &'static str) -> ParametersError {
        let found = value.get_ref().type_str();
        ParametersError::Kind { line: self.line(value), key: self.key.clone(), expected, found }
    }

    fn line(&self, value: &Value<'_>) -> usize {
        line_at(self.text, value.span().start)
    }
}
