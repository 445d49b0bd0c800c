//! Requests to hosts.

use mgmt_protocol::request::fields;
use stickler_transcript::Value;

#[test]
fn values_are_written_as_the_protocol_has_them() {
    let own = [
        (b"text".to_vec(), Value::text("é")),
        (b"bytes".to_vec(), Value::Text(vec![0xff])),
        (b"number".to_vec(), Value::Number("12".into())),
        (
            b"list".to_vec(),
            Value::List(vec![Value::Null, Value::Bool(true)]),
        ),
    ];
    let wanted = serde_json::json!({
        "text": "é", "bytes": {"bytes": "/w=="}, "number": 12, "list": [null, true],
    });
    assert_eq!(fields(&own), wanted);
}
