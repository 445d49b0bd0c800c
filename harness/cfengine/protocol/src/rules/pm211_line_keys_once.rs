//! # Line protocol: `operation`, `result` and `result_classes` appear at most once
//!
//! ## What it requires
//! An answer contains `operation`, `result` and `result_classes` on at most one line each; log
//! lines may repeat.
//!
//! ## Why
//! Of several lines, the agent uses the last. It ignores the other result, and loses all lists
//! of classes but the last.
//!
//! ## How it is judged
//! - Judged: every answer in the line protocol.
//!
//! ## Example
//! ```text
//! ← result_classes=cloned
//! ← result_classes=updated
//! ```
//!
//! ## How to fix
//! Collect the names, and print one line at the end: `result_classes=cloned,updated`.
//! - Python: `print("result_classes=" + ",".join(classes))`
//! - Bash: `(IFS=,; printf 'result_classes=%s\n' "${classes[*]}")`
//! - Other shells: `classes=${classes:+$classes,}cloned`
//!
//! Print `operation` and `result` only in the function that ends an answer.
//!
//! ## Source
//! CFEngine: Custom promise types, "Repeated keys" and "Result classes" (a comma separated
//! list). cf-agent uses the last line.

use crate::offer::speaks;
use crate::reads::ANSWERS;
use crate::session::Session;
use crate::wire::header::Protocol;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if !speaks(session, exchange, Protocol::Line) {
            continue;
        }
        let counts =
            ["operation", "result", "result_classes"].map(|key| (key, response.count(key)));
        if counts.iter().all(|(_, count)| *count == 0) {
            continue;
        }
        let broken = counts
            .iter()
            .find(|(_, count)| *count > 1)
            .map(|(key, count)| format!("`{key}` appears {count} times in one answer"));
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}
