//! Requests whose fate is a narrower rule's matter, so that one defect is told once.

use crate::output::is_variant;
use crate::phase;
use crate::session::{Exchange, Session};
use crate::wire::Value;
use stickler_transcript::Relation;
use stickler_transcript::Variation;

/// Variants of how a request is sent or of the surroundings: rules about these
/// compare with the plain session and tell of an answer that is missing.
const RELATIONS: &[Relation] = &[
    Relation::Pieces,
    Relation::Keys,
    Relation::Attributes,
    Relation::Large,
    Relation::Restart,
    Relation::Environment,
    Relation::Kill,
];

/// Does a narrower rule tell when this request is not answered?
pub(crate) fn tells(session: &Session, exchange: &Exchange) -> bool {
    if session.case().is_driven() {
        return false;
    }
    is_variant(session, RELATIONS)
        || is_mistyped(session, exchange)
        || is_other_scalar(session, exchange)
}

/// Is this the validation of a promise with a list or an object where the
/// author's example has text?
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
            // A list of lists stands where the example has a list.
            Some(Value::List(items)) => items.iter().all(|item| item.as_text().is_some()),
            Some(Value::Object(_)) => true,
            _ => false,
        }
}

/// A number, a boolean, null or a lone surrogate as a value: no agent sends them.
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

/// Does the request hold control bytes but TAB and LF, or bytes that are no
/// UTF-8, as they stand?
pub(crate) fn is_raw(exchange: &Exchange) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t');
    exchange.sent.iter().any(control) || std::str::from_utf8(&exchange.sent).is_err()
}
