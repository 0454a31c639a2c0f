//! The published schema is checked against what is written and read.

use super::read::known;
use super::write;
use crate::model::arbitrary;
use serde_json::Value;

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tick.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The part of JSON Schema that ours uses; an unknown word is a failure, never passed over.
fn validate(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let object = schema
        .as_object()
        .ok_or_else(|| format!("{path}: no schema"))?;
    for (word, wanted) in object {
        let ok = match word.as_str() {
            "$schema" | "title" | "description" | "$defs" => true,
            "$ref" => {
                let name = wanted
                    .as_str()
                    .and_then(|r| r.strip_prefix("#/$defs/"))
                    .expect("a local reference");
                validate(root, &root["$defs"][name], value, path)?;
                true
            }
            "type" => match wanted {
                Value::Array(types) => types.iter().any(|t| has_type(value, t)),
                one => has_type(value, one),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "oneOf" => {
                let fits = |choice: &&Value| validate(root, choice, value, path).is_ok();
                wanted.as_array().unwrap().iter().filter(fits).count() == 1
            }
            "required" => wanted
                .as_array()
                .unwrap()
                .iter()
                .all(|key| value.get(key.as_str().unwrap()).is_some()),
            "properties" => {
                for (key, schema) in wanted.as_object().unwrap() {
                    if let Some(member) = value.get(key) {
                        validate(root, schema, member, &format!("{path}.{key}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = &object["properties"];
                *wanted == false
                    && value
                        .as_object()
                        .is_none_or(|o| o.keys().all(|key| known.get(key).is_some()))
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    validate(root, wanted, item, &format!("{path}[{i}]"))?;
                }
                true
            }
            "minItems" => value
                .as_array()
                .is_none_or(|a| a.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|a| a.len() as u64 <= wanted.as_u64().unwrap()),
            "minProperties" => value
                .as_object()
                .is_none_or(|o| o.len() as u64 >= wanted.as_u64().unwrap()),
            "maxProperties" => value
                .as_object()
                .is_none_or(|o| o.len() as u64 <= wanted.as_u64().unwrap()),
            other => {
                return Err(format!(
                    "the schema uses `{other}`, which this test does not know"
                ));
            }
        };
        if !ok {
            return Err(format!("{path}: `{word}` does not hold for {value}"));
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type is called {other}"),
    }
}

#[test]
fn what_is_written_fits_the_schema() {
    let schema = schema();
    for seed in arbitrary::seeds(150) {
        let value = serde_json::from_str(&write(&arbitrary::document(seed))).unwrap();
        validate(&schema, &schema, &value, "")
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    let refused = |text: &str| {
        let value = serde_json::from_str(text).unwrap();
        assert!(validate(&schema, &schema, &value, "").is_err(), "{text}");
    };
    refused("{\"items\": []}");
    refused("{\"tickseed\": 1, \"items\": [{}]}");
    refused("{\"tickseed\": 1, \"items\": [], \"extra\": 1}");
    refused("{\"tickseed\": 1, \"items\": [{\"import\": {\"path\": 3}}]}");
}

/// The schema knows exactly the fields that are read.
#[test]
fn the_schema_lists_every_field() {
    let schema = schema();
    let fields = |object: &Value| {
        let mut names: Vec<String> = object["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        names.sort();
        names
    };
    for (name, known) in [
        ("document", known::DOCUMENT),
        ("item", known::ITEM),
        ("import", known::IMPORT),
        ("tree", known::TREE),
        ("node", known::NODE),
        ("attribute", known::ATTRIBUTE),
        ("model", known::MODEL),
        ("port", known::PORT),
        ("keyBlock", known::KEYS),
        ("key", known::KEY),
        ("enum", known::ENUM),
        ("word", known::WORD),
        ("longComment", known::COMMENT),
        ("taggedValue", known::VALUE),
    ] {
        let mut known: Vec<_> = known.iter().map(|s| s.to_string()).collect();
        known.sort();
        assert_eq!(fields(&schema["$defs"][name]), known, "{name}");
        assert_eq!(
            schema["$defs"][name]["additionalProperties"], false,
            "{name}"
        );
    }
    let words = |name: &str| schema["$defs"][name]["enum"].clone();
    let expected = |list: Vec<&str>| serde_json::json!(list);
    assert_eq!(
        words("category"),
        expected(crate::model::Category::ALL.map(|(word, _)| word).to_vec())
    );
    assert_eq!(
        words("hook"),
        expected(crate::model::Hook::ALL.map(|(_, word, _)| word).to_vec())
    );
}
