//! # An `Init` that cannot work returns an error, and leaves nothing behind
//!
//! ## What it requires
//! If `Init` fails, it returns an error. No goroutine, descriptor or child process is left.
//!
//! ## Why
//! The engine never calls `Cleanup` after an `Init` that failed.
//!
//! ## How it is judged
//! - Judged: `Init` of `[[invalid]]` items, of kinds without fields, and where `VarDir` returns an
//!   error; what the host counts before and after one that fails.
//!
//! ## Example
//! `Init` opens a connection, then finds a field that it does not like, and returns.
//!
//! ## How to fix
//! Close what was opened before each `return` with an error.
//!
//! ## Source
//! mgmt resource guide, "Init".

use crate::counts::{MayStay, around, more};
use crate::phase;
use crate::relation;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::UNREADY], check)];

/// It panics.
const PANICS: Variant = Variant::new("panics");
/// Something is left.
const LEAKS: Variant = Variant::new("leaks");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::INIT) {
        let panic = call.panic().or_else(|| super::host_ended(call));
        // What panics in any case is another rule's finding.
        let mut usual = session
            .calls(phase::INIT)
            .take_while(|one| one.number < call.number);
        if let Some(panic) = panic.filter(|_| session.has_no_folder(call))
            && usual.any(|one| one.resource() == call.resource() && one.returns())
        {
            let broken = PANICS.says(format!(
                "where no folder can be made, `Init` ends in a {panic}"
            ));
            ledger.check(call.number, call.provenance, Some(broken));
            continue;
        }
        if call.error().is_none() {
            continue;
        }
        let left = around(session, call, call)
            .and_then(|(before, after)| more(before, after, MayStay::Nothing));
        let broken = left.map(|left| {
            let (words, origin) = (left.words, left.origin);
            LEAKS.says(format!(
                "after an `Init` that failed there is {words} more{origin}"
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
