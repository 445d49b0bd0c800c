//! # Arguments are not modified
//!
//! ## What it requires
//! A provider does not modify the changes, names and resources that it receives. Only
//! `canonicalize` may modify its argument.
//!
//! ## Why
//! The runtime uses them afterwards, for its report.
//!
//! ## How it is judged
//! - Judged: each call of `get` and `set` (`insync?`: RA403), if the host reports the arguments
//!   afterwards.
//!
//! ## Example
//! `change[:should].delete(:force)` in `set`.
//!
//! ## How to fix
//! Work on a copy: `should = change[:should].dup`.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize", on copies; good practice
//! elsewhere.

use crate::message::Answer;
use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for phase in [phase::GET, phase::SET] {
        for (call, answer) in session.calls(phase) {
            let Answer::Result(result) = answer else {
                continue;
            };
            let after = ["names", "changes"]
                .into_iter()
                .find(|name| result.get(&format!("{name}_after")).is_some());
            let broken =
                after.map(|name| format!("`{phase}` modified the {name} that it was handed"));
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
