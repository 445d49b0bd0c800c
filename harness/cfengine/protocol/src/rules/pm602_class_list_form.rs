//! # `result_classes` is a list of strings, or names separated by commas
//!
//! ## What it requires
//! In the JSON protocol `result_classes` is a list of strings; in the line protocol it is a
//! line of names separated by commas, without blanks.
//!
//! ## Why
//! A string or `null` instead of the list crashes the agent. A blank becomes part of the
//! name: `a, b` defines the classes `a` and `_b`.
//!
//! ## How it is judged
//! - Judged: every answer that has `result_classes`. An empty list passes.
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": "kept", "result_classes": "a,b"}
//! ← result_classes=a, b
//! ```
//!
//! ## How to fix
//! - JSON: `"result_classes": ["a", "b"]`, also for a single name. If there is none, leave
//!   the key out or send an empty list, not `null`.
//! - Line protocol: `result_classes=a,b`. Bash:
//!   `(IFS=,; printf 'result_classes=%s\n' "${classes[*]}")`.
//! - Shell with `jq`: `jq -cn '{result_classes: $ARGS.positional}' --args "${classes[@]}"`
//! - CFEngine's Python library: `return (Result.KEPT, ["a", "b"])`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Result classes".

use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::wire::response::ClassesDefect;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// JSON: no list.
const NOT_A_LIST: Variant = Variant::new("not-a-list");
/// JSON: an item is no string.
const NOT_TEXT: Variant = Variant::new("not-text");
/// Line protocol: a blank beside a name.
const BLANK: Variant = Variant::new("blank");

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let Some(classes) = &response.result_classes else {
            continue;
        };
        match classes.malformed {
            None => ledger.pass(exchange.number),
            Some(defect) => {
                let variant = match defect {
                    ClassesDefect::NotAList(_) => NOT_A_LIST,
                    ClassesDefect::NotText { .. } => NOT_TEXT,
                    ClassesDefect::Blank { .. } => BLANK,
                };
                let message = format!("`result_classes` is malformed: {defect}");
                let finding = ledger
                    .finding(exchange.number, variant.says(message))
                    .expected("a list of strings; line protocol: names separated by commas")
                    .quote(b"result_classes")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}
