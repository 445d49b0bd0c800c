//! What `--format json` prints keeps to the published schema.
//!
//! The check knows the keywords that the schema uses, and refuses others, so
//! that no constraint goes unchecked. (A library for this would bring sixty
//! crates.)

use crate::support::{all, rendered};
use serde_json::Value;
use stickler_report::{Format, Options, json_schema};

struct Schema(Value);

impl Schema {
    /// What is wrong with a value, or nothing.
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        for (keyword, want) in schema.as_object().expect("a schema is an object") {
            let ok = match keyword.as_str() {
                "$ref" => {
                    let pointer = want.as_str().expect("a reference").trim_start_matches('#');
                    let target = self.0.pointer(pointer).expect("references lead somewhere");
                    self.check(target, value, at)?;
                    true
                }
                "oneOf" => {
                    let results: Vec<_> = list(want)
                        .iter()
                        .map(|one| self.check(one, value, at))
                        .collect();
                    if results.iter().filter(|result| result.is_ok()).count() != 1 {
                        return Err(format!("{at}: not one of: {results:?}"));
                    }
                    true
                }
                "const" => want == value,
                "enum" => list(want).contains(value),
                "type" => match want {
                    Value::Array(types) => types.iter().any(|one| is(value, one)),
                    one => is(value, one),
                },
                "minimum" => value.as_f64().is_none_or(|value| value >= number(want)),
                "minLength" => value
                    .as_str()
                    .is_none_or(|text| text.chars().count() as f64 >= number(want)),
                "minItems" => value
                    .as_array()
                    .is_none_or(|items| items.len() as f64 >= number(want)),
                "maxItems" => value
                    .as_array()
                    .is_none_or(|items| items.len() as f64 <= number(want)),
                "required" => list(want)
                    .iter()
                    .all(|key| value.get(key.as_str().expect("a key")).is_some()),
                "properties" => {
                    for (key, schema) in want.as_object().expect("properties") {
                        if let Some(value) = value.get(key) {
                            self.check(schema, value, &format!("{at}/{key}"))?;
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    assert_eq!(want, &Value::Bool(false));
                    value.as_object().is_none_or(|object| {
                        object
                            .keys()
                            .all(|key| schema["properties"].get(key).is_some())
                    })
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(want, item, &format!("{at}/{index}"))?;
                    }
                    true
                }
                "$schema" | "$id" | "$defs" | "title" | "description" => true,
                other => panic!("teach this check the keyword {other}"),
            };
            if !ok {
                return Err(format!(
                    "{at}: {keyword} wants {want}, and there is {value}"
                ));
            }
        }
        Ok(())
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn is(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("a type") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("teach this check the type {other}"),
    }
}

fn schema() -> Schema {
    Schema(serde_json::from_str(json_schema()).expect("the schema is JSON"))
}

#[test]
fn every_line_keeps_to_the_schema() {
    let schema = schema();
    for (name, report) in all() {
        let text = rendered(&report, Format::Json, &Options::default());
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("each line is JSON"))
            .collect();
        for line in &lines {
            schema.check(&schema.0, line, name).expect("a valid line");
        }
        let (last, rules) = lines.split_last().expect("there is a summary");
        assert_eq!(last["event"], "summary");
        assert!(rules.iter().all(|rule| rule["event"] == "rule"));
    }
}

#[test]
fn the_schema_check_notices_mistakes() {
    let schema = schema();
    let text = rendered(&crate::support::wrong(), Format::Json, &Options::default());
    let rule: Value = serde_json::from_str(text.lines().nth(3).expect("a rule")).expect("JSON");
    let spoil = |spoil: &dyn Fn(&mut Value)| {
        let mut rule = rule.clone();
        spoil(&mut rule);
        schema.check(&schema.0, &rule, "").is_err()
    };
    assert!(!spoil(&|_| {}));
    assert!(spoil(&|rule| rule["verdict"] = "failed".into()));
    assert!(spoil(&|rule| rule["cases"] = (-1).into()));
    assert!(spoil(&|rule| rule["message"] = Value::Null));
    assert!(spoil(&|rule| rule["surprise"] = 1.into()));
    assert!(spoil(
        &|rule| rule["findings"][0]["excerpt"][0]["mark"] = Value::Array(Vec::new())
    ));
    assert!(spoil(&|rule| {
        rule.as_object_mut().expect("an object").remove("title");
    }));
}

#[test]
fn the_first_keys_are_those_of_the_manual() {
    let text = rendered(&crate::support::wrong(), Format::Json, &Options::default());
    let failed = text
        .lines()
        .find(|line| line.contains("\"fail\""))
        .expect("a failure");
    let keys = [
        "event",
        "rule",
        "level",
        "verdict",
        "cases",
        "message",
        "reproducer",
        "title",
        "findings",
    ];
    let places: Vec<_> = keys
        .iter()
        .map(|key| failed.find(&format!("\"{key}\":")))
        .collect();
    assert!(places.is_sorted() && places[0] == Some(1), "{failed}");
}
