//! # The agent sends `action_policy` warn to modules that advertise it, always in a dry run
//!
//! ## What it requires
//! The agent sends `action_policy` `warn` only to modules whose header advertises
//! `action_policy`, and in dry-run and simulate modes always to them.
//!
//! ## Why
//! Other modules do not know the attribute, and may change things.
//!
//! ## How it is judged
//! - Judged: each validation and evaluation with `action_policy` `warn` or `nop`. `nop` is
//!   always a finding, since modules do not know it.
//! - Judged: all requests to modules that advertise it, if the transcript names a dry-run or
//!   simulate mode.
//!
//! ## Example
//! ```text
//! ← module 1.0 v1 json_based
//! → {"operation": "evaluate_promise", "attributes": {"action_policy": "warn"}, …}
//! ```
//!
//! ## How to fix
//! Keep the flags of each module's header. If `action_policy` is among them, and the promise
//! or the run may only warn, add `action_policy` `warn` to validation and evaluation; send
//! `warn` for `nop`, too. Without the flag, send neither request (AG117).
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is sent to a module that does not advertise it.
const UNADVERTISED: Variant = Variant::new("not-advertised");
/// A value that modules do not know.
const NOP: Variant = Variant::new("nop");
/// It is not sent.
const MISSING: Variant = Variant::new("missing");

fn check(session: &Session, ledger: &mut Ledger) {
    let dry = view::is_dry(session);
    for (exchange, request) in view::requests(session) {
        let knows = session.process(exchange).action_policy;
        let policy = request.action_policy();
        let warns = policy == Some(b"warn");
        let defect =
            match policy {
                Some(b"warn" | b"nop") if !knows => UNADVERTISED
                    .says("sent with `action_policy`, which the module does not advertise"),
                Some(b"nop") => NOP
                    .says("`action_policy` is `nop`, which modules do not know, instead of `warn`"),
                _ if knows && dry && !warns => {
                    MISSING.says("sent without `action_policy` warn in a dry run")
                }
                _ if warns || knows => {
                    ledger.pass(exchange.number);
                    continue;
                }
                _ => continue,
            };
        ledger.report(ledger.finding(exchange.number, defect));
    }
}
