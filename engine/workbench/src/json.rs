//! JSON output of the programs: the version of its form, and JSON Schemas.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use smalt_report::sanitize::escape_json;

/// JSON version of the programs. New fields do not change it.
pub const SCHEMA: u32 = 1;

/// JSON with its version.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Versioned<T> {
    /// Version of this form.
    schema: u32,
    #[serde(flatten)]
    content: T,
}

impl<T> Versioned<T> {
    /// Adds the version to JSON that is an object.
    pub fn of(content: T) -> Versioned<T> {
        Versioned { schema: SCHEMA, content }
    }
}

/// JSON as text that is safe to print on a terminal.
pub fn to_text(document: &(impl Serialize + ?Sized)) -> String {
    let text = serde_json::to_string_pretty(document).expect("JSON has only texts, numbers and lists");
    escape_json(&text) + "\n"
}

/// The JSON Schema of a form, as text.
pub fn schema_text<T: JsonSchema>() -> String {
    to_text(&schema_for!(T))
}
