//! # The module has no attribute that the agent keeps to itself
//!
//! ## What it requires
//! No attribute is named `if`, `ifvarclass`, `unless`, `classes`, `action`, `depends_on`,
//! `with`, `meta`, `comment`, `handle`, `log_level`, or like a member of a `classes` body.
//!
//! ## Why
//! The agent takes such an attribute for itself. The module never gets it, or the agent
//! rejects the policy.
//!
//! ## How it is judged
//! - Judged: the attributes of the author's own examples that the module calls `valid`. The
//!   members are `scope`, `promise_…`, `repair_…`, `cancel_…`, `…_returncodes`,
//!   `persist_time`, `timer_policy` and `classes_name`.
//! - Not judged: `action_policy`, which agents send.
//!
//! ## Example
//! A module for mail takes its text from an attribute `comment`.
//!
//! ## How to fix
//! Rename the attribute, for example `comment` to `body`. A prefix helps: `mail_comment`,
//! `file_handle`. If the old name is `comment` or `handle`, do not refuse it, since cf-agent
//! 3.21.0 passes both on (PM907).
//!
//! ## Source
//! CFEngine: Custom promise types, "Evaluation details". cf-agent 3.21.0 also sends `comment`,
//! `handle` and most members of an `action` body; later agents do not.

use crate::phase;
use crate::output::in_time;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::Fields], check)];

/// Attributes that agents handle themselves.
const RESERVED: [&str; 26] = [
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
    "scope",
    "promise_kept",
    "promise_repaired",
    "repair_failed",
    "repair_denied",
    "repair_timeout",
    "cancel_kept",
    "cancel_repaired",
    "cancel_notkept",
    "kept_returncodes",
    "repaired_returncodes",
    "failed_returncodes",
    "persist_time",
    "timer_policy",
];

fn check(session: &Session, ledger: &mut Ledger) {
    let mut seen: Vec<&str> = Vec::new();
    for exchange in &session.exchanges {
        let accepted = exchange.phase == phase::VALIDATE
            && in_time(exchange)
            && exchange.is("valid")
            && session.is_original(exchange);
        let label = exchange.item.as_deref().unwrap_or_default();
        if !accepted || seen.contains(&label) {
            continue;
        }
        seen.push(label);
        let names: Vec<&[u8]> = exchange
            .request
            .iter()
            .filter_map(|request| request.attributes.as_deref())
            .flatten()
            .map(|(name, _)| &name[..])
            .collect();
        if names.is_empty() {
            continue;
        }
        let mut reserved = RESERVED
            .iter()
            .filter(|known| names.contains(&known.as_bytes()))
            .peekable();
        if reserved.peek().is_none() {
            ledger.pass(exchange.number);
        }
        for name in reserved {
            let finding = ledger
                .finding(
                    exchange.number,
                    format!("the agent keeps the attribute `{name}` to itself"),
                )
                .expected("another name")
                .graded(exchange.provenance);
            ledger.report(finding);
        }
    }
}
