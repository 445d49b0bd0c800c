//! # Attributes that the agent handles are not sent
//!
//! ## What it requires
//! `if`, `ifvarclass`, `unless`, `classes` and the members of its body, `action`,
//! `depends_on`, `with`, `meta`, `comment`, `handle` and `log_level` are the agent's
//! own and are not among the attributes of a request.
//!
//! ## Why
//! A module rejects attributes that it does not know. One that does so would reject
//! each promise that has a comment.
//!
//! ## How it is judged
//! On each validation and evaluation.
//!
//! ## Example
//! cf-agent 3.21.0 sends `comment` and `handle`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Evaluation details".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

/// What the agent takes for itself.
const OWN: [&str; 27] = [
    "if", "ifvarclass", "unless", "classes", "action", "depends_on", "with", "meta", "comment",
    "handle", "log_level", "classes_name", "action_name", "scope", "promise_repaired",
    "repair_failed", "repair_denied", "repair_timeout", "promise_kept", "cancel_repaired",
    "cancel_kept", "cancel_notkept", "kept_returncodes", "repaired_returncodes",
    "failed_returncodes", "persist_time", "timer_policy",
];

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, request) in view::requests(session) {
        let own: Vec<&str> = OWN
            .into_iter()
            .filter(|name| request.attribute(name.as_bytes()).is_some())
            .collect();
        if own.is_empty() {
            ledger.pass(exchange.number);
        } else {
            let message = format!("the agent's own attributes are sent: `{}`", own.join("`, `"));
            ledger.report(ledger.finding(exchange.number, message));
        }
    }
}
