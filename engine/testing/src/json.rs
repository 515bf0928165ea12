//! Compares JSON with its schema.

use serde_json::Value;

/// Paths of the fields of a document that its JSON schema does not have, or has without a description.
pub fn undescribed_fields(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(schema, schema, document, "", &mut found);
    found
}

fn collect(schema: &Value, part: &Value, document: &Value, path: &str, found: &mut Vec<String>) {
    let parts = alternatives(schema, part);
    match document {
        Value::Object(fields) => {
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

/// A part of a schema with all that it refers to.
fn alternatives<'a>(schema: &'a Value, part: &'a Value) -> Vec<&'a Value> {
    let target = part["$ref"].as_str().and_then(|path| schema.pointer(path.strip_prefix('#')?));
    let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|name| part[name].as_array()).flatten();
    let deeper = target.into_iter().chain(lists).flat_map(|part| alternatives(schema, part));
    [part].into_iter().chain(deeper).collect()
}
