//! Answers of a host as plain JSON.

use serde_json::{Map, Value};
use stickler_json::Json;

/// A value as plain JSON. A number that is none becomes text.
pub fn plain(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => {
            serde_json::from_str(number).unwrap_or_else(|_| Value::from(number.as_str()))
        }
        Json::String(text) => {
            let text = text.as_str().map(str::to_owned);
            Value::from(text.unwrap_or_else(|| "\u{fffd}".to_owned()))
        }
        Json::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Json::Object(members) => {
            let members = members.iter().map(|member| {
                let key = member.key.as_str().unwrap_or("\u{fffd}");
                (key.to_owned(), plain(&member.value))
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
    }
}
