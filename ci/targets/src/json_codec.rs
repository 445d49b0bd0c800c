//! JSON and its messages: no bytes make them panic, acceptance agrees with serde_json, and
//! values survive being written.

use cfengine_protocol::wire::json::{self, Json};
use cfengine_protocol::wire::{Encode as _, Protocol, Request, Response, Style, value::from_json};

/// What serde_json refuses though RFC 8259 allows it: its own limits.
fn is_their_limit(error: &serde_json::Error) -> bool {
    let message = error.to_string();
    ["out of range", "surrogate", "hex escape", "recursion"]
        .iter()
        .any(|part| message.contains(part))
}

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    let response = Response::analyse(bytes, Protocol::Json);
    for range in response
        .lines
        .iter()
        .map(|line| &line.range)
        .chain(&response.extra_objects)
    {
        assert!(range.end <= response.text.len());
    }
    let strict = json::parse(bytes);
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Ok(_) => assert!(strict.is_ok()),
        Err(error) if is_their_limit(&error) => {}
        Err(_) => assert!(strict.is_err()),
    }
    match &strict {
        Ok(value) => survives(value),
        Err(error) => assert!(error.offset <= bytes.len()),
    }
    if let Some(request) = Request::parse(bytes, Protocol::Json) {
        let once = request.encode(Protocol::Json, Style::Agent);
        let read = Request::parse(&once, Protocol::Json).expect("a request that was written");
        assert_eq!(read.encode(Protocol::Json, Style::Agent), once);
    }
}

fn survives(value: &Json) {
    let plain = from_json(value);
    for style in [Style::Spec, Style::Ascii] {
        let read = json::parse(&plain.encode(style)).expect("valid JSON");
        assert_eq!(from_json(&read), plain);
    }
}
