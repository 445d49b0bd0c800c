//! # What is canonical stays as it is
//!
//! ## What it requires
//! `canonicalize` changes nothing in what it has returned.
//!
//! ## Why
//! The runtime calls it several times for one resource.
//!
//! ## How it is judged
//! - Judged: a call with what an earlier call in the session returned.
//!
//! ## Example
//! `r[:name] = '/' + r[:name]` adds a slash each time.
//!
//! ## How to fix
//! Add a prefix only where it is missing.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize". puppet-resource_api does not notice.

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::CANONICALIZE) {
        let (Some(given), Some(got)) = (call.param("resources"), answer.value("value")) else {
            continue;
        };
        let mut earlier = session.calls(phase::CANONICALIZE);
        let is_canonical = earlier.any(|(one, answer)| {
            one.number < call.number && answer.value("value").as_ref() == Some(&given)
        });
        if is_canonical {
            let broken = (got != given).then(|| super::changed_by_canonicalize(&given, &got));
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
