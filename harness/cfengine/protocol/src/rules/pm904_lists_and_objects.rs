//! # A list or an object where text is expected is answered `valid` or `invalid`
//!
//! ## What it requires
//! JSON protocol: a validation of a promise with an attribute that is a list or
//! an object, where the promise type takes text, is answered `valid` or
//! `invalid`. It does not end in `error`, a crash or a hang.
//!
//! ## Why
//! A policy writer who passes a list, or a container, made a mistake that
//! validation is there to explain. A module that calls methods of text on it
//! stops with an internal error instead, and takes the run's other promises
//! down with it.
//!
//! ## How it is judged
//! Each attribute that is text in one of the author's examples is sent as a
//! list of texts, an empty list, an object and an empty object. Whether they
//! are accepted is the module's choice; if so, they have to be evaluated
//! without an error too (PM405).
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", "attributes": {"path": ["/a", "/b"]}, …}
//! ← log_critical=AttributeError: list has no startswith
//!   {"operation": "validate_promise", "result": "error"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (validation looks
//! at attribute names, types and values), "Results" (`invalid`: problems with
//! data or data types; `error`: a bug) and "JSON protocol" (lists and
//! containers are sent).

use stickler_transcript::Variation;
use crate::narrower;
use crate::output::{in_time, unanswered};
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::ExitCause;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        if !exchange.owed || !narrower::is_mistyped(session, exchange) {
            continue;
        }
        let Some(promise) = session.promise(exchange) else {
            continue;
        };
        let field = promise.field.as_deref().unwrap_or_default();
        let kind = match promise.variation {
            Some(Variation::List) => "a list",
            _ => "an object",
        };
        let broken = if in_time(exchange) {
            match exchange.result() {
                Some(b"valid" | b"invalid") => None,
                Some(b"error") => Some("is answered `error`".to_owned()),
                // Missing or foreign results are other rules' matter.
                _ => continue,
            }
        } else {
            let lost = crate::session::Ended::Exited(ExitCause::Lost);
            match unanswered(exchange).filter(|_| !exchange.late && exchange.ended != lost) {
                Some(what) => Some(what),
                None => continue,
            }
        };
        match broken {
            None => ledger.pass(exchange.number),
            Some(what) => {
                let finding = ledger
                    .finding(exchange.number, format!("{kind} as `{field}` {what}"))
                    .expected("`invalid` with an error log, or `valid`")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}
