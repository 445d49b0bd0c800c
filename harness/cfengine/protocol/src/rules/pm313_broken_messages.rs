//! # The module does not answer a broken message with success
//!
//! ## What it requires
//! In the JSON protocol, a message that is no JSON object gets no success (`valid`, `kept` or
//! `repaired`), and does not make the module hang.
//!
//! ## Why
//! A success for an unreadable request claims a state that nobody checked. Usually the module
//! reuses what is left of the previous request.
//!
//! ## How it is judged
//! - Judged: broken and empty messages between ordinary requests: a success as the answer; a
//!   next request that gets no answer, if the module answered such requests before.
//! - Not judged: another result, no answer, or the module's exit, which are all accepted.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "promiser": "/etc/mo
//! ← {"operation": "validate_promise", "result": "valid"}
//! ```
//!
//! ## How to fix
//! If a message cannot be parsed, or is no object, answer `error` with a critical log. Then
//! read the next message; keep nothing of it or of the request before.
//! - Python: `except (ValueError, RecursionError)` around `json.loads`, then
//!   `isinstance(request, dict)`
//! - Shell: `request=$(printf '%s\n' "$line" | jq -ce objects) || request=`
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" and "Results". No agent sends such messages
//! on purpose, but text with raw control characters comes close (PM906). cf-agent 3.21.0 sends
//! it; since 3.24 these characters are escaped.

use crate::relation;
use crate::session::{Ended, Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::json::parse_lenient;
use crate::words::{contains, cut, shown, visible};
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::Phase;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::BROKEN], check)];

/// A broken message gets the result of a good one.
const SUCCESS: Variant = Variant::new("false-success");
/// The next request gets no answer.
const STOPS: Variant = Variant::new("stops-answering");

fn check(session: &Session, ledger: &mut Ledger) {
    let broken = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.phase == Phase::OTHER && is_broken(session, exchange));
    for exchange in broken {
        if exchange.message.is_some() {
            answered(session, exchange, ledger);
        } else {
            unanswered(session, exchange, ledger);
        }
    }
}

/// Is this a message that is not a JSON object? An incomplete one is not judged, nor several at once.
fn is_broken(session: &Session, exchange: &Exchange) -> bool {
    session.protocol(exchange) == Some(Protocol::Json)
        && exchange.sent.ends_with(b"\n")
        && !contains(exchange.sent.trim_ascii(), b"\n\n")
        && parse_lenient(&exchange.sent).map_or(true, |json| json.as_object().is_none())
}

fn answered(session: &Session, exchange: &Exchange, ledger: &mut Ledger) {
    let Some(result) = exchange.result() else {
        return;
    };
    if !matches!(result, b"valid" | b"kept" | b"repaired") {
        ledger.pass(exchange.number);
        return;
    }
    // Not lowered: a false success is the worst answer to such a message.
    let finding = ledger
        .finding(
            exchange.number,
            SUCCESS.says(format!(
                "the module answers `{}` to a message that is not a JSON object: `{}`",
                visible(result),
                cut(
                    &shown(exchange.sent.trim_ascii_end(), session.case(), 60),
                    60
                )
            )),
        )
        .expected("result error, or no answer")
        .quote(result);
    ledger.report(finding);
}

fn unanswered(session: &Session, exchange: &Exchange, ledger: &mut Ledger) {
    let next = session
        .exchanges
        .iter()
        .filter(|other| other.process == exchange.process && other.number > exchange.number)
        .find(|other| other.owed);
    let Some(next) = next else {
        return;
    };
    if next.message.is_some() || matches!(next.ended, Ended::Exited(_)) {
        ledger.pass(exchange.number);
        return;
    }
    let answered_before = session.exchanges.iter().any(|other| {
        other.number < exchange.number
            && other.process == exchange.process
            && other.phase == next.phase
            && other.message.is_some()
    });
    if !next.is_quiet() || !answered_before {
        return;
    }
    let also = ledger.place(next.number);
    let finding = ledger
        .finding(
            exchange.number,
            STOPS.says("after a broken message the next request is not answered"),
        )
        .expected("an answer to the next request")
        .hang(exchange.provenance)
        .also(also);
    ledger.report(finding);
}
