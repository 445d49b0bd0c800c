//! # Line protocol: every line is a key of lower-case letters and underscores, `=`, and a value
//!
//! ## What it requires
//! Every line of an answer has an `=`, and the key before the first `=` is one or more
//! lower-case letters and underscores.
//!
//! ## Why
//! Other lines are not part of the protocol. The agent reports them, or ignores a result whose
//! key is `Result` or ends with a blank.
//!
//! ## How it is judged
//! - Judged: every answer in the line protocol.
//! - Not judged: keys copied from the request, since agents send attribute names with capitals
//!   and digits; names of log levels (PM501).
//!
//! ## Example
//! ```text
//! ← operation=validate_promise
//! ← Result=valid
//! ```
//! If a line has blanks and no `=`, PM203 reports it as well.
//!
//! ## How to fix
//! Print each line as `key=value`, without blanks around the `=`, and spell keys as the
//! protocol does: `operation`, `promiser`, `attribute_…`, `result`, `result_classes`,
//! `log_…`. Send other text as a log message: `log_verbose=…`.
//! - Shell: `printf '%s=%s\n' result valid`
//!
//! ## Source
//! CFEngine: Custom promise types, "Line based protocol". cf-agent reports a line without `=`,
//! and accepts any key.

use crate::offer::speaks;
use crate::reads::ANSWERS;
use crate::session::{Exchange, Session};
use crate::wire::header::Protocol;
use crate::wire::response::{LineKind, Response, is_well_formed_key};
use crate::words::{cut, visible};
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

/// A line without `=`.
const NO_EQUALS: Variant = Variant::new("no-equals");
/// Nothing before the `=`.
const NO_KEY: Variant = Variant::new("no-key");
/// Other characters in the key.
const BAD_KEY: Variant = Variant::new("bad-key");

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if !speaks(session, exchange, Protocol::Line) || response.lines.is_empty() {
            continue;
        }
        let Some((defect, quote)) = broken(exchange, response) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(exchange.number, defect)
            .expected("key=value, with a key of lower-case letters and underscores")
            .quote(&quote)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}

fn broken(exchange: &Exchange, response: &Response) -> Option<(Defect, Vec<u8>)> {
    response.lines.iter().find_map(|line| {
        let bytes = response.bytes(&line.range);
        let without = || {
            Some(NO_EQUALS.says(format!(
                "a line without `=`: `{}`",
                cut(&visible(bytes), 80)
            )))
        };
        let defect = match &line.kind {
            LineKind::Text => without(),
            LineKind::Log if !bytes.contains(&b'=') => without(),
            LineKind::KeyValue { key, .. } if key.is_empty() => Some(NO_KEY.says(format!(
                "a line without a key: `{}`",
                cut(&visible(bytes), 80)
            ))),
            LineKind::KeyValue { key, .. }
                if !is_well_formed_key(key) && !is_copied(key, exchange) =>
            {
                Some(BAD_KEY.says(format!("`{}` is not a valid key", cut(&visible(key), 60))))
            }
            _ => None,
        }?;
        Some((defect, bytes.to_vec()))
    })
}

/// Does a line of the request have this key?
fn is_copied(key: &[u8], exchange: &Exchange) -> bool {
    exchange.sent.split(|byte| *byte == b'\n').any(|line| {
        line.strip_prefix(key)
            .is_some_and(|rest| rest.starts_with(b"="))
    })
}
