//! # `action_policy` warn goes to modules that advertise it, and always in dry-run
//!
//! ## What it requires
//! The attribute `action_policy` with the value `warn` is sent only to modules whose
//! header advertises `action_policy`. In dry-run and simulate modes it is always
//! sent to them.
//!
//! ## Why
//! Other modules do not know the attribute, and may change things.
//!
//! ## How it is judged
//! On each validation and evaluation with `action_policy` `warn` or `nop`; and on
//! all of them, where the transcript says that the agent ran in such a mode.
//!
//! ## Example
//! ```text
//! ← module 1.0 v1 json_based
//! → {"operation": "evaluate_promise", "attributes": {"action_policy": "warn"}, …}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let dry = view::is_dry(session);
    for (exchange, request) in view::requests(session) {
        let knows = session.process(exchange).action_policy;
        let policy = request.action_policy();
        let warns = policy == Some(b"warn");
        let message = match policy {
            Some(b"warn" | b"nop") if !knows => {
                "sent with `action_policy`, which the module does not advertise"
            }
            Some(b"nop") => "`action_policy` is `nop`, which modules do not know, not `warn`",
            _ if knows && dry && !warns => "sent without `action_policy` warn in a dry run",
            _ if warns || knows => {
                ledger.pass(exchange.number);
                continue;
            }
            _ => continue,
        };
        ledger.report(ledger.finding(exchange.number, message));
    }
}
