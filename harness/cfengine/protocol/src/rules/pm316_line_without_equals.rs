//! # A line without `=` is refused
//!
//! ## What it requires
//! In the line protocol, a request with a line that has no `=` is answered
//! `invalid` or `error`, not as if the line were not there.
//!
//! ## Why
//! Such a line is what is left of a value with a newline in it. A module that
//! passes over it works with half a value, and nobody hears of it.
//!
//! ## How it is judged
//! A valid promise is sent for validation with such a line among the others. The
//! specification only says what lines are, so this is advice.
//!
//! cf-agent 3.21.0 sends values with newlines as they are, so it can send such
//! lines.
//!
//! ## Example
//! A policy's `message => "one$(const.n)two"` arrives as the line
//! `attribute_message=one` and the line `two`; the module writes "one".
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol".

use crate::session::Session;
use crate::wire::header::Protocol;
use crate::words::visible;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let sent = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.key.split(':').next() == Some("no-equals"));
    for exchange in sent {
        if session.protocol(exchange) != Some(Protocol::Line) {
            continue;
        }
        let Some(result) = exchange.result() else {
            continue;
        };
        if !matches!(result, b"valid" | b"kept" | b"repaired") {
            ledger.pass(exchange.number);
            continue;
        }
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "a request with a line without `=` is answered `{}`",
                    visible(result)
                ),
            )
            .expected("result invalid or error")
            .quote(result)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
