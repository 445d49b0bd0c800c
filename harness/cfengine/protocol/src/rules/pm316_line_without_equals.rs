//! # The module refuses a line without `=`
//!
//! ## What it requires
//! In the line protocol, the module answers `invalid` or `error` to a request that contains a
//! line without `=`.
//!
//! ## Why
//! Such a line is the rest of a value with a newline. A module that ignores it works with half
//! a value, and nobody notices.
//!
//! ## How it is judged
//! - Judged: the validation of a valid promise, with such a line among the others.
//! - Not judged: a request that gets no result.
//!
//! ## Example
//! A policy's `message => "one$(const.n)two"` arrives as the line `attribute_message=one` and
//! the line `two`; the module writes "one".
//!
//! ## How to fix
//! Note the line, read the request to its end, and refuse it: a validation with `invalid` and
//! an error log, an evaluation with `error` and a critical log.
//! - Shell: `case $line in *=*) … ;; *) broken=yes ;; esac`
//! - Python: `key, equals, value = line.partition("=")`, then `if not equals: broken = True`
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol" (it only defines lines, so this is
//! advice). cf-agent sends values with newlines as they are, so it can send such lines.

use crate::purpose;
use crate::relation;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::words::visible;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::BROKEN], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let sent = session
        .exchanges
        .iter()
        .filter(|exchange| exchange.key.is(purpose::NO_EQUALS));
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
