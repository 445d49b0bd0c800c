//! The line protocol: no bytes make it panic, and what was read once is read the same again
//! after it was written.

use cfengine_protocol::wire::{Protocol, Request, Response, Style};

/// Holds for any bytes.
pub fn run(bytes: &[u8]) {
    let response = Response::analyse(bytes, Protocol::Line);
    for line in &response.lines {
        assert!(line.range.end <= response.text.len());
    }
    assert!(response.json.is_none() && response.extra_objects.is_empty());
    let Some(request) = Request::parse(bytes, Protocol::Line) else {
        return;
    };
    for style in [Style::Agent, Style::Spec] {
        let once = request.encode(Protocol::Line, style);
        let read = Request::parse(&once, Protocol::Line).expect("a request that was written");
        assert_eq!(read.operation, request.operation);
        assert_eq!(read.encode(Protocol::Line, style), once);
    }
}
