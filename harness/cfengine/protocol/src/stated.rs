//! What a request says of its promise.

use crate::wire::header::Protocol;
use crate::wire::request::{Operation, Request};
use crate::wire::value::Style;

/// What a request for a promise says of it, apart from its place and its log level: the same text for the same promise.
/// `None` if the text is no such request.
pub fn promise(text: &[u8], protocol: Protocol) -> Option<String> {
    let request = Request::parse(text, protocol)?;
    let is_of_a_promise = matches!(request.operation, Operation::Validate | Operation::Evaluate);
    is_of_a_promise.then(|| promise_of(&request))
}

/// The same of a request that was read.
pub(crate) fn promise_of(request: &Request) -> String {
    let mut attributes = request.attributes.clone().unwrap_or_default();
    attributes.sort_by(|(one, _), (other, _)| one.cmp(other));
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
