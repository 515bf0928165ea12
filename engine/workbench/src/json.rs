//! JSON output of the programs: the version of its form, and JSON Schemas.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use smalt_report::sanitize::escape_json;

/// JSON version of the programs. New fields do not change it.
pub const SCHEMA: u32 = 1;

// JSON with its version. No doc comment: the schema has the title and the description of the content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}")]
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of a lap.
    #[derive(Serialize, JsonSchema)]
    struct Lap {
        /// Seconds.
        seconds: u32,
    }

    #[test]
    fn a_schema_has_the_title_and_description_of_its_document() {
        let schema = schema_for!(Versioned<Lap>).to_value();
        assert_eq!((&schema["title"], &schema["description"]), (&"Lap".into(), &"Times of a lap.".into()));
        assert!(schema["properties"]["schema"].is_object() && schema["properties"]["seconds"].is_object());
        assert_eq!(schema_for!(Vec<Versioned<Lap>>).to_value()["title"], "Array_of_Lap");
    }
}
