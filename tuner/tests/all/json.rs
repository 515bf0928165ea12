//! The JSON of commands and its schemas. The tests of each command call this with the JSON that it wrote.

use serde_json::Value;
use smalt_testing::json::schema_mismatches;

use crate::programs::check;

/// Checks that the JSON of a command has a version, and a schema that describes each of its fields.
#[track_caller]
pub(crate) fn check_schema(command: &str, document: &Value) {
    let schema: Value = serde_json::from_str(&check(&["schema", command], 0).0).unwrap();
    assert_eq!(document["schema"], 1, "{document}");
    assert_eq!(schema_mismatches(&schema, document), [""; 0], "{document}");
}
