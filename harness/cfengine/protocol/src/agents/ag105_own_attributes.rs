//! # The agent does not send the attributes that it handles itself
//!
//! ## What it requires
//! A request has no attribute `if`, `ifvarclass`, `unless`, `classes`, `action`, `depends_on`,
//! `with`, `meta`, `comment`, `handle` or `log_level`, and no member of the `classes` body.
//!
//! ## Why
//! A module rejects attributes that it does not know. It would reject each promise with a
//! comment.
//!
//! ## How it is judged
//! - Judged: each validation and evaluation. `classes_name` and `action_name` count, too.
//!
//! ## Example
//! cf-agent sends `comment` and `handle`.
//!
//! ## How to fix
//! Remove all attributes that the agent handles itself from the request, `comment` and
//! `handle` included, and all members of the `classes` body. Send `log_level` as a member of
//! the request, not as an attribute.
//!
//! ## Source
//! CFEngine: Custom promise types, "Evaluation details".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

/// Attributes that the agent handles itself.
const OWN: [&str; 27] = [
    "if",
    "ifvarclass",
    "unless",
    "classes",
    "action",
    "depends_on",
    "with",
    "meta",
    "comment",
    "handle",
    "log_level",
    "classes_name",
    "action_name",
    "scope",
    "promise_repaired",
    "repair_failed",
    "repair_denied",
    "repair_timeout",
    "promise_kept",
    "cancel_repaired",
    "cancel_kept",
    "cancel_notkept",
    "kept_returncodes",
    "repaired_returncodes",
    "failed_returncodes",
    "persist_time",
    "timer_policy",
];

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, request) in view::requests(session) {
        let own: Vec<&str> = OWN
            .into_iter()
            .filter(|name| request.attribute(name.as_bytes()).is_some())
            .collect();
        if own.is_empty() {
            ledger.pass(exchange.number);
        } else {
            let message = format!("the agent sends its own attributes: `{}`", own.join("`, `"));
            ledger.report(ledger.finding(exchange.number, message));
        }
    }
}
