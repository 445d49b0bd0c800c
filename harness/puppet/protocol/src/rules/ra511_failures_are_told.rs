//! # A failure raises, or marks the resource as failed
//!
//! ## What it requires
//! If a resource cannot be brought about, `set` raises, or a block of the context fails.
//!
//! ## Why
//! Otherwise the runtime reports a success, and what depends on the resource goes on.
//!
//! ## How it is judged
//! - Judged: each `set` of which one call that changes files fails, and that has not reached its target;
//!   each `set` that logs an error and returns without its target.
//! - Not judged: targets that are reached all the same; resources that nothing on this machine's files
//!   tells of.
//!
//! ## Example
//! `rescue SystemCallError => e` and `context.err(e.message)`.
//!
//! ## How to fix
//! Let the exception pass. In 1.8.16, neither `err` nor `failed` marks a resource as failed.
//!
//! ## Source
//! Resource API specification, "Resource implementation", "Logging reference".

use crate::after::afters;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation};

pub(super) const CHECKS: super::Checks = &[Check::Session(SESSIONS, check)];

/// Sessions that set resources, and those in which calls fail.
const SESSIONS: &[Relation] = &[Relation::Attributes, Relation::Keys, Relation::Write];

fn check(session: &Session, ledger: &mut Ledger) {
    let fails = session.exchanges.iter();
    let fails = fails.filter(|call| call.failed_write().is_some() && call.fails());
    for call in fails {
        ledger.pass(call.number);
    }
    for after in afters(session) {
        let logs_error = after.set.events.iter().any(|event| {
            event.kind == "log" && event.name == "err"
                || event.kind == "action" && event.name == "failed"
        });
        let why = match after.set.stopped_at() {
            _ if after.set.failed_write().is_some() => "a call fails".to_owned(),
            _ if logs_error => "an error is logged".to_owned(),
            _ => continue,
        };
        let broken = after.wrong.map(|wrong| {
            format!(
                "{why}, and `set` returns as if all was well: {}",
                wrong.message
            )
        });
        ledger.check(after.set.number, after.set.provenance, broken);
    }
}
