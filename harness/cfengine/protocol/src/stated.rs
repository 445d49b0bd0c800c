//! What a request says of its promise.

use crate::wire::header::Protocol;
use crate::wire::request::{Operation, Request};
use crate::wire::value::Style;
use stickler_transcript::Value;

/// What a request for a promise says of it, apart from its place and its log level: the same text for the same promise.
/// `None` if the text is no such request.
pub fn promise(text: &[u8], protocol: Protocol) -> Option<String> {
    let request = Request::parse(text, protocol)?;
    let is_of_a_promise = matches!(request.operation, Operation::Validate | Operation::Evaluate);
    is_of_a_promise.then(|| promise_of(&request))
}

/// The same of a request that was read.
pub(crate) fn promise_of(request: &Request) -> String {
    let attributes = request.attributes.clone().unwrap_or_default();
    let attributes = canonical_members(attributes);
    let plain = Request {
        promise_type: request.promise_type.clone(),
        promiser: request.promiser.clone(),
        attributes: Some(attributes).filter(|all| !all.is_empty()),
        ..Request::new(Operation::Validate)
    };
    String::from_utf8_lossy(&plain.encode(Protocol::Json, Style::Spec))
        .trim()
        .to_owned()
}

/// The same value for each way to write it: members in the order of their names, numbers without needless zeros.
fn canonical(value: Value) -> Value {
    match value {
        Value::List(all) => Value::List(all.into_iter().map(canonical).collect()),
        Value::Object(members) => Value::Object(canonical_members(members)),
        Value::Number(text) => Value::Number(canonical_number(text)),
        other => other,
    }
}

fn canonical_members(members: Vec<(Vec<u8>, Value)>) -> Vec<(Vec<u8>, Value)> {
    let members = members.into_iter();
    let mut members: Vec<_> = members
        .map(|(name, value)| (name, canonical(value)))
        .collect();
    members.sort_by(|(one, _), (other, _)| one.cmp(other));
    members
}

fn canonical_number(text: String) -> String {
    if !text.contains('.') || text.contains(['e', 'E']) {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::promise;
    use crate::wire::header::Protocol;

    #[test]
    fn a_promise_is_the_same_however_it_is_written() {
        let of = |text: &str| promise(text.as_bytes(), Protocol::Json).expect("a request");
        let one = of(concat!(
            r#"{"attributes":{"a":1.5000,"b":{"x":[2.0],"y":"\u00e9"}},"log_level":"info","#,
            r#""operation":"validate_promise","promise_type":"t","promiser":"p"}"#
        ));
        let other = of(concat!(
            r#"{ "operation": "evaluate_promise", "promiser": "p", "promise_type": "t","#,
            r#" "attributes": { "b": { "y": "é", "x": [2] }, "a": 1.5 } }"#
        ));
        assert_eq!(one, other);
        let text = of(concat!(
            r#"{"attributes":{"a":"1.50"},"operation":"validate_promise","promise_type":"t","#,
            r#""promiser":"p"}"#
        ));
        assert!(text.contains("1.50"), "{text}");
    }
}
