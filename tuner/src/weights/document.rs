//! Writes weights into a parameter file, preserving comments, order and layout. The only writer of `engine/params/`.

use smalt::evaluation::schema::{Entry, Part, SCHEMA, Shape, from_tenths};
use smalt::evaluation::{Parameters, ParametersError};
use toml_edit::{DocumentMut, Item, TableLike, Value, value};

use super::Numbers;

const WIDTH: usize = 110;

/// Pairs per line of a long list.
const ROW: usize = 8;

/// Why numbers could not be written into a text.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("the old file is not a parameter file: {0}")]
    Old(ParametersError),
    #[error("the old file is not TOML: {0}")]
    Syntax(#[from] toml_edit::TomlError),
    #[error("the new text does not hold the numbers; the old file was left alone")]
    Unfaithful,
}

/// Origin of the numbers: keys and values of the table `origin`.
pub(crate) type Origin = Vec<(&'static str, OriginValue)>;

/// A value of the table `origin`.
#[derive(Clone, Debug, PartialEq)]
pub enum OriginValue {
    Text(String),
    Count(u64),
    Number(f64),
}

impl OriginValue {
    /// As a value of TOML.
    pub(crate) fn to_toml(&self) -> String {
        match self {
            OriginValue::Text(text) => value(text.as_str()).to_string().trim().to_owned(),
            OriginValue::Count(count) => count.to_string(),
            OriginValue::Number(number) => value(*number).to_string().trim().to_owned(),
        }
    }

    /// As a value of JSON.
    pub(crate) fn to_json(&self) -> String {
        let value = match self {
            OriginValue::Text(text) => serde_json::Value::from(text.as_str()),
            OriginValue::Count(count) => (*count).into(),
            OriginValue::Number(number) => (*number).into(),
        };
        value.to_string()
    }
}

impl std::fmt::Display for OriginValue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OriginValue::Text(text) => formatter.write_str(&text.replace(['\n', '\r'], " ")),
            OriginValue::Count(count) => write!(formatter, "{count}"),
            OriginValue::Number(number) => write!(formatter, "{number}"),
        }
    }
}

/// A parameter file's text with new numbers and a new origin.
///
/// # Errors
/// If the old text is not a parameter file.
pub fn rewritten(old: &str, numbers: &Numbers, origin: &Origin) -> Result<String, DocumentError> {
    Parameters::parse_toml(old).map_err(DocumentError::Old)?;
    let mut document: DocumentMut = old.parse()?;
    for entry in &SCHEMA {
        let start = entry.term.start();
        let weights = &numbers[start..start + entry.shape.length()];
        let item = document
            .get_mut(entry.group)
            .and_then(Item::as_table_like_mut)
            .and_then(|table| table.get_mut(entry.name))
            .ok_or(DocumentError::Unfaithful)?;
        set(item, entry, weights)?;
    }
    set_origin(&mut document, origin);
    let text = document.to_string();
    match Parameters::parse_toml(&text) {
        Ok(read) if read == Parameters::from_tenths(numbers) => Ok(text),
        _ => Err(DocumentError::Unfaithful),
    }
}

/// A parameter file's text with more keys in its origin.
///
/// # Errors
/// If the text is not TOML.
pub(crate) fn with_origin(text: &str, keys: &[(&str, String)]) -> Result<String, toml_edit::TomlError> {
    let mut document: DocumentMut = text.parse()?;
    for (key, words) in keys {
        document["origin"][key] = value(words.as_str());
    }
    Ok(document.to_string())
}

/// Sets the values of a term if they differ.
fn set(item: &mut Item, entry: &Entry, weights: &[[i32; 2]]) -> Result<(), DocumentError> {
    let old = item.as_value_mut().ok_or(DocumentError::Unfaithful)?;
    let decor = old.decor().clone();
    let texts: Vec<String> = weights.iter().map(|pair| shown(entry.part, *pair)).collect();
    let room = WIDTH.saturating_sub(entry.name.len() + " = []".len());
    let text = match entry.shape {
        Shape::One => texts[0].clone(),
        Shape::Board => broken(&texts, 8),
        Shape::List(_) if texts.iter().map(|text| text.len() + 2).sum::<usize>() > room => {
            broken(&texts, ROW)
        }
        Shape::List(_) => format!("[{}]", texts.join(", ")),
    };
    let mut new: Value = text.parse().map_err(|_| DocumentError::Unfaithful)?;
    if plain(old) == plain(&new) {
        return Ok(());
    }
    *new.decor_mut() = decor;
    *old = new;
    Ok(())
}

/// All numbers of a value, in order.
fn plain(value: &Value) -> Vec<Option<f64>> {
    match value {
        Value::Array(array) => array.iter().flat_map(plain).collect(),
        value => vec![value.as_float().or(value.as_integer().map(|integer| integer as f64))],
    }
}

fn shown(part: Part, pair: [i32; 2]) -> String {
    let [middlegame, endgame] = pair.map(from_tenths);
    if part.is_single() { middlegame.to_string() } else { format!("[{middlegame}, {endgame}]") }
}

/// A list in rows with aligned columns.
fn broken(texts: &[String], columns: usize) -> String {
    let width =
        |column: usize| texts.iter().skip(column).step_by(columns).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut list = String::from("[\n");
    for row in texts.chunks(columns) {
        let cell =
            |(text, width): (&String, &usize)| format!("{:<width$}", format!("{text},"), width = width + 1);
        let line: Vec<String> = row.iter().zip(&widths).map(cell).collect();
        list.push_str("    ");
        list.push_str(line.join(" ").trim_end());
        list.push('\n');
    }
    list.push(']');
    list
}

fn set_origin(document: &mut DocumentMut, origin: &Origin) {
    let old = document.get("origin").and_then(Item::as_table);
    let (decor, place) = old.map(|table| (table.decor().clone(), table.position())).unwrap_or_default();
    let mut table = toml_edit::Table::new();
    for (key, origin_value) in origin {
        let item = match origin_value {
            OriginValue::Text(text) => value(text.as_str()),
            OriginValue::Count(count) => value(i64::try_from(*count).unwrap_or(i64::MAX)),
            OriginValue::Number(number) => value(*number),
        };
        TableLike::insert(&mut table, key, item);
    }
    *table.decor_mut() = decor;
    table.set_position(place);
    document.insert("origin", Item::Table(table));
}
