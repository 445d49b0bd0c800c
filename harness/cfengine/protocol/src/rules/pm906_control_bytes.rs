//! # Raw control bytes and invalid UTF-8 do not end the module
//!
//! ## What it requires
//! A request with raw control bytes or invalid UTF-8 does not end the process; any answer
//! passes, also `error`.
//!
//! ## Why
//! cf-agent 3.21.0 sends such requests: a policy may read a value from a file or a command. Since 3.24, JSON
//! requests have escapes instead, and the line protocol is as before. A module
//! that exits while it decodes its input fails every later promise.
//!
//! ## How it is judged
//! - Judged: control bytes and invalid UTF-8 after each text value and the promiser. Only the
//!   exit of the process is a finding.
//! - Not judged: requests without an answer. PM902 reports them as a should.
//!
//! ## Example
//! A Python module reads stdin as strict UTF-8. The byte `0xff` raises an uncaught exception.
//!
//! ## How to fix
//! Read bytes, decode them without errors, and catch the errors of the JSON parser: answer
//! `error` with a critical log.
//! - Python: `json.loads(line.decode("utf-8", "surrogateescape"))` and `except ValueError`
//! - Ruby: `rescue JSON::ParserError`. Perl: `eval { decode_json($line) }`. Node: `try` and
//!   `catch`.
//! - Encode messages without errors, too: Python `text.encode("utf-8", "replace")`.
//!
//! ## Source
//! The bytes that cf-agent 3.21.0 sends: in JSON it escapes TAB, CR, LF, backspace, form feed,
//! quotes and backslashes, and sends all other bytes raw. CFEngine: Custom promise types,
//! "Line based protocol" (values hold anything but newlines and NUL).

use crate::narrower;
use crate::output::{in_time, unanswered};
use crate::phase;
use crate::session::{Ended, Session};
use crate::wire::Protocol;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::ExitCause;

pub(super) const CHECKS: super::Checks =
    &[Check::Session(&[Relation::FIELDS, Relation::TEXT], check)];

/// Raw control bytes end the module.
const CONTROL: Variant = Variant::new("exits-on-control");
/// Invalid UTF-8 ends the module.
const NOT_UTF8: Variant = Variant::new("exits-on-invalid-text");

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in &session.exchanges {
        let asked = matches!(exchange.phase, phase::VALIDATE | phase::EVALUATE) && exchange.owed;
        if !asked || !narrower::is_raw(exchange) {
            continue;
        }
        if in_time(exchange) {
            ledger.pass(exchange.number);
            continue;
        }
        let Ended::Exited(cause) = exchange.ended else {
            continue;
        };
        if cause == ExitCause::Lost {
            continue;
        }
        let (variant, what) = match std::str::from_utf8(&exchange.sent) {
            Ok(_) => (CONTROL, "a request with raw control bytes"),
            Err(_) => (NOT_UTF8, "a request with invalid UTF-8"),
        };
        let how = unanswered(exchange).unwrap_or_default();
        // Requests of the line protocol are the same for all agents.
        let json = session.protocol(exchange) == Some(Protocol::Json);
        let senders = session.agents(|release| !release.escapes_bytes);
        let whose = match json && !senders.is_empty() {
            true => format!(", as cf-agent {senders} sends it,"),
            false => String::new(),
        };
        let finding = ledger
            .finding(
                exchange.number,
                variant.says(format!("{what}{whose} {how}")),
            )
            .expected("any answer, also `invalid` or `error`")
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
