//! Compares JSON with its schema.

use serde_json::{Map, Value};

/// Paths of the fields of a document that its JSON schema does not have, or has without a description, and of those that
/// the schema requires and the document lacks.
pub fn schema_mismatches(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(schema, schema, document, "", &mut found);
    found
}

fn collect(schema: &Value, part: &Value, document: &Value, path: &str, found: &mut Vec<String>) {
    let parts = alternatives(schema, part);
    match document {
        Value::Object(fields) => {
            found.extend(missing_fields(schema, part, fields).iter().map(|name| format!("{path}/{name}")));
            for (name, value) in fields {
                let path = format!("{path}/{name}");
                if let Some(property) = parts.iter().find_map(|part| part["properties"].get(name)) {
                    // A constant is the name of the variant, which has the description.
                    let is_described =
                        |part: &&Value| part["description"].is_string() || !part["const"].is_null();
                    if !alternatives(schema, property).iter().any(is_described) {
                        found.push(path.clone());
                    }
                    collect(schema, property, value, &path, found);
                } else if let Some(others) =
                    parts.iter().find_map(|part| part["additionalProperties"].as_object())
                {
                    collect(schema, &Value::Object(others.clone()), value, &path, found);
                } else {
                    found.push(path);
                }
            }
        }
        Value::Array(values) => {
            let items: Vec<&Value> = parts.iter().filter_map(|part| part.get("items")).collect();
            for value in values {
                items.iter().for_each(|items| collect(schema, items, value, path, found));
            }
        }
        _ => (),
    }
}

/// Fields that a part of a schema requires and the document lacks; of alternatives, one must have all of its fields.
fn missing_fields<'a>(schema: &'a Value, part: &'a Value, fields: &Map<String, Value>) -> Vec<&'a str> {
    let list = |part: &'a Value, name: &str| part[name].as_array().into_iter().flatten();
    let target = part["$ref"].as_str().and_then(|path| schema.pointer(path.strip_prefix('#')?));
    let all = target.into_iter().chain(list(part, "allOf"));
    let required = list(part, "required").filter_map(Value::as_str);
    let mut missing: Vec<&str> = required.filter(|name| !fields.contains_key(*name)).collect();
    missing.extend(all.flat_map(|part| missing_fields(schema, part, fields)));
    for name in ["anyOf", "oneOf"] {
        let of_objects =
            list(part, name).filter(|part| part["type"].as_str().is_none_or(|kind| kind == "object"));
        let of_each = of_objects.map(|part| missing_fields(schema, part, fields));
        missing.extend(of_each.min_by_key(Vec::len).into_iter().flatten());
    }
    missing
}

/// A part of a schema with all that it refers to.
fn alternatives<'a>(schema: &'a Value, part: &'a Value) -> Vec<&'a Value> {
    let target = part["$ref"].as_str().and_then(|path| schema.pointer(path.strip_prefix('#')?));
    let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|name| part[name].as_array()).flatten();
    let deeper = target.into_iter().chain(lists).flat_map(|part| alternatives(schema, part));
    [part].into_iter().chain(deeper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_missing_fields_are_found() {
        let schema = serde_json::json!({
            "properties": {
                "a": { "description": "A.", "type": "integer" },
                "b": { "description": "B.", "anyOf": [{ "$ref": "#/$defs/B" }, { "type": "null" }] },
            },
            "required": ["a"],
            "$defs": { "B": { "properties": { "c": { "description": "C." } }, "required": ["c"] } },
        });
        let mismatches = |document| schema_mismatches(&schema, &document);
        assert_eq!(mismatches(serde_json::json!({ "a": 1, "b": { "c": 2 } })), [""; 0]);
        assert_eq!(mismatches(serde_json::json!({ "a": 1, "b": null })), [""; 0]);
        assert_eq!(mismatches(serde_json::json!({ "b": { "d": 2 } })), ["/a", "/b/c", "/b/d"]);
    }
}
