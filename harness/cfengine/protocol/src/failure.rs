//! Failures that the suite causes, and whether the module met one.

use crate::effects::comes_after_failure;
use crate::session::{Exchange, Session};
use stickler_reading::Observed;
use stickler_transcript::{Change, Event};

/// Did something certainly fail in this evaluation: a call that changes files, or each write to the target? Of a
/// command, nobody knows whether it mattered.
pub(crate) fn is_met(session: &Session, exchange: &Exchange) -> bool {
    let met = exchange.failed_write().is_some() || is_closed(session, exchange);
    met && !comes_after_failure(exchange)
}

/// Did the target refuse writes before this exchange?
fn is_closed(session: &Session, exchange: &Exchange) -> bool {
    session
        .transcript
        .events
        .iter()
        .take_while(|event| !is_request(event, exchange))
        .any(|event| matches!(event, Event::Protected { .. }))
}

/// All changes at the next observation after a request, also those that never count. `None` if
/// they were not read, or not completely.
pub(crate) fn observed<'s>(session: &'s Session, exchange: &Exchange) -> Option<&'s [Change]> {
    Observed::after(&session.transcript, exchange.number)?.all()
}

fn is_request(event: &Event, exchange: &Exchange) -> bool {
    matches!(event, Event::Request(input) if input.exchange == exchange.number)
}
