//! # A partial failure is not reported as a success
//!
//! ## What it requires
//! If some resources of a block or an action have not reached their targets, `set` does not report
//! a success for all of them.
//!
//! ## Why
//! Otherwise the runtime applies resources that depend on the failed ones.
//!
//! ## How it is judged
//! - Judged: blocks that end without a failure, and actions such as `updated`, if they name several
//!   resources. They are compared with the rows of `get` afterwards.
//!
//! ## Example
//! `context.updating(changes.keys) { changes.each { |name, change| write(name, change) rescue nil } }`.
//!
//! ## How to fix
//! Use one block for each resource, or `context.failed` for those that failed.
//!
//! ## Source
//! Resource API specification, "Logging reference".

use crate::after::all_afters;
use crate::reads::READS;
use crate::session::Session;
use crate::told::{is_same, titles};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let all = all_afters(session).into_iter();
    for one in all.flat_map(|after| after.each) {
        let told = one.set.events.iter().filter(|event| {
            let is_success = match &*event.kind {
                "done" => true,
                "action" => !["failed", "attribute_changed"].contains(&&*event.name),
                _ => false,
            };
            let titles = titles(event);
            is_success && titles.len() > 1 && titles.iter().any(|title| is_same(title, &one.name))
        });
        for event in told {
            let broken = one.wrong.as_ref().map(|wrong| {
                format!(
                    "`{}` is reported as a success for all, and {}",
                    event.name, wrong.message
                )
            });
            ledger.check(one.set.number, one.set.provenance, broken);
        }
    }
}
