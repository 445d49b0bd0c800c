//! Requests to a host.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value as Json, json};
use stickler_transcript::Value;

/// A folder below which nobody can make one.
pub const NOWHERE: &str = "/dev/null/var";

/// A request as a line of JSON-RPC.
pub fn line(id: usize, method: &str, params: &Json) -> Vec<u8> {
    stickler_rpc::request_line(id, method, &params.to_string())
}

/// Fields with their values, as the protocol writes them.
pub fn fields(fields: &[(Vec<u8>, Value)]) -> Json {
    let members = fields
        .iter()
        .map(|(name, own)| (String::from_utf8_lossy(name).into_owned(), value(own)));
    Json::Object(members.collect::<Map<_, _>>())
}

/// A value of a field as the protocol writes it.
fn value(own: &Value) -> Json {
    match own {
        Value::Null => Json::Null,
        Value::Bool(truth) => Json::Bool(*truth),
        // Spellings that JSON lacks are text, which the host refuses for a number.
        Value::Number(number) => {
            serde_json::from_str(number).unwrap_or_else(|_| Json::from(number.as_str()))
        }
        Value::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Json::from(text),
            Err(_) => json!({ "bytes": BASE64_STANDARD.encode(text) }),
        },
        Value::List(items) => Json::Array(items.iter().map(value).collect()),
        Value::Object(members) => fields(members),
    }
}
