//! # The rows of `get` are canonical
//!
//! ## What it requires
//! `canonicalize` changes nothing in the rows that `get` returns.
//!
//! ## Why
//! The runtime compares them with canonical targets.
//!
//! ## How it is judged
//! - Judged: a call with the rows of an earlier `get` in the session.
//!
//! ## Example
//! `get` returns `0x6F6B`, and `canonicalize` removes `0x`.
//!
//! ## How to fix
//! Return canonical values from `get`.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize". puppet-resource_api 1.8.16 warns, and
//! with `--strict=error` stops.

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
        let mut earlier = session.calls(phase::GET);
        let are_rows = earlier.any(|(one, answer)| {
            one.number < call.number && answer.value("value").as_ref() == Some(&given)
        });
        if are_rows {
            let broken = (got != given).then(|| super::changed_by_canonicalize(&given, &got));
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
