//! # After `set`, `get` shows the target
//!
//! ## What it requires
//! After `set` returns, `get` shows the target value of every property. Stickler compares values as
//! the runtime does.
//!
//! ## Why
//! Otherwise the resource changes in every run, or reports a change that did not happen.
//!
//! ## How it is judged
//! - Judged: the call of `get` right after each `set` that returned and marked no resource as
//!   failed.
//! - Not judged: difficult texts (RA803), several resources at once (RA506), Sensitive values,
//!   parameters, properties that `insync?` decides.
//!
//! ## Example
//! `set` writes the port, but `get` reads it from another file.
//!
//! ## How to fix
//! Let `get` read what `set` writes.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api never reads again.

use crate::after::{After, afters};
use crate::backends::commands_fail;
use crate::reads::UNENDED;
use crate::rows::is_difficult;
use crate::session::Session;
use crate::told::changes;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(UNENDED, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    // RA511 judges what comes of commands that fail.
    if commands_fail(session) {
        return;
    }
    for After { set, wrong, .. } in afters(session) {
        // What other rules judge: calls that fail, other texts, several changes at once.
        let is_other = is_difficult(session, set) || changes(set).len() > 1;
        if is_other || set.failed_write().is_some() {
            continue;
        }
        let broken = wrong.as_ref().map(|wrong| wrong.message.clone());
        let finding = match broken {
            None => {
                ledger.pass(set.number);
                continue;
            }
            Some(message) => ledger.finding(set.number, message),
        };
        let group = wrong.map(|wrong| wrong.properties.join(" ")).unwrap_or_default();
        ledger.report(finding.grouped(group).graded(set.provenance));
    }
}
