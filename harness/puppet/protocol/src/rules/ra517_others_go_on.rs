//! # One failing resource does not stop the others
//!
//! ## What it requires
//! If one of several changes fails, `set` makes the others.
//!
//! ## Why
//! Changes in one call do not depend on each other; the runtime orders those that do.
//!
//! ## How it is judged
//! - Judged: a `set` with one example that fails and one that works alone.
//!
//! ## Example
//! `changes.each { |name, change| write(name, change) }`: an exception in the first change skips
//! the second.
//!
//! ## How to fix
//! Make each change in its own block: `context.updating(name) { … }` catches exceptions.
//!
//! ## Source
//! Resource API specification, "Logging reference". Puppet calls `set` with one change at a time.

use crate::after::all_afters;
use crate::purpose;
use crate::relation;
use crate::session::Session;
use crate::together::works_alone;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::TOGETHER], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for after in all_afters(session) {
        if !after.set.key.is(purpose::BESIDE) || after.each.len() < 2 {
            continue;
        }
        let reached = after.each.iter().any(|one| one.wrong.is_none());
        if reached {
            ledger.pass(after.set.number);
        } else if let Some(one) = after
            .each
            .iter()
            .find(|one| works_alone(session, &one.name))
        {
            let broken = format!(
                "another resource fails, and {} is not set",
                one.name.inspect()
            );
            ledger.check(after.set.number, after.set.provenance, Some(broken));
        }
    }
}
