//! JSON output of the programs: the version of its form, and JSON Schemas.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;

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

/// The JSON Schema of a form, as text.
pub fn schema_text<T: JsonSchema>() -> String {
    serde_json::to_string_pretty(&schema_for!(T)).expect("a schema has only texts, numbers and lists") + "\n"
}
