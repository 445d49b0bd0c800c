//! Requests that a narrower rule judges, so that one defect is reported once.

use crate::output::is_variant;
use crate::phase;
use crate::relation;
use crate::session::{Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::{Value, json};
use stickler_transcript::Relation;
use stickler_transcript::Variation;

/// Relations whose variants change how a request is sent, or the environment. The rules about them
/// compare with the plain session, and report a missing answer.
const RELATIONS: &[Relation] = &[
    relation::PIECES,
    relation::KEYS,
    relation::ATTRIBUTES,
    relation::LARGE,
    Relation::RESTART,
    Relation::ENVIRONMENT,
    Relation::KILL,
];

/// Does a narrower rule report a missing answer to this request?
pub(crate) fn tells(session: &Session, exchange: &Exchange) -> bool {
    if session.case().is_driven() {
        return false;
    }
    is_variant(session, RELATIONS)
        || is_mistyped(session, exchange)
        || is_other_scalar(session, exchange)
}

/// Does this validation send a list or an object instead of the text in the author's example?
pub(crate) fn is_mistyped(session: &Session, exchange: &Exchange) -> bool {
    let Some(promise) = session.item(exchange) else {
        return false;
    };
    let (Some(Variation::List | Variation::Object), Some(field)) =
        (promise.variation, promise.field.as_deref())
    else {
        return false;
    };
    let value = exchange
        .request
        .as_ref()
        .and_then(|request| request.attribute(field.as_bytes()));
    exchange.phase == phase::VALIDATE
        && match value {
            // Unless the example already has a list: then the variant is a list of lists.
            Some(Value::List(items)) => items.iter().all(|item| item.as_text().is_some()),
            Some(Value::Object(_)) => true,
            _ => false,
        }
}

/// Does the promise have a number, a boolean, null or a lone surrogate as a value? No agent sends
/// these.
pub(crate) fn is_other_scalar(session: &Session, exchange: &Exchange) -> bool {
    session
        .item(exchange)
        .and_then(|promise| promise.variation)
        .is_some_and(|kind| {
            matches!(
                kind,
                Variation::Number | Variation::Bool | Variation::Null | Variation::Surrogate
            )
        })
}

/// Does the answer refuse a request in which the module may have read nothing? Such an answer owes
/// no echo.
pub(crate) fn is_unread(session: &Session, exchange: &Exchange) -> bool {
    let succeeds = ["valid", "kept", "repaired", "success"]
        .iter()
        .any(|result| exchange.is(result));
    session.protocol(exchange) == Some(Protocol::Json)
        && !succeeds
        && (exchange.is("error") && is_other_scalar(session, exchange)
            || json::parse(&exchange.sent).is_err())
}

/// Does the request contain raw control bytes other than TAB and LF, or invalid UTF-8?
pub(crate) fn is_raw(exchange: &Exchange) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t');
    exchange.sent.iter().any(control) || std::str::from_utf8(&exchange.sent).is_err()
}
