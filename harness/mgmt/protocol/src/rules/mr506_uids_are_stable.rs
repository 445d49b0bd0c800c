//! # UIDs are stable, and match themselves
//!
//! ## What it requires
//! `UIDs` gives the same each time, and each UID matches itself.
//!
//! ## Why
//! Automatic edges are found by UIDs. One that changes connects a resource to nothing.
//!
//! ## How it is judged
//! - Judged: two calls of `UIDs`; a comparison of a resource's UIDs with its own.
//!
//! ## Example
//! `IFF` compares pointers.
//!
//! ## How to fix
//! Compare the values that make the UID.
//!
//! ## Source
//! mgmt resource guide, "Edgeable".

use crate::message::plain;
use crate::phase;
use crate::reads::KINDS;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(KINDS, check)];

/// It panics.
const PANICS: Variant = Variant::new("panics");
/// A second call gives others.
const UNSTABLE: Variant = Variant::new("unstable");
/// It does not match itself.
const NOT_ITSELF: Variant = Variant::new("not-itself");

fn check(session: &Session, ledger: &mut Ledger) {
    let all: Vec<_> = session.calls(phase::UIDS).collect();
    for (at, call) in all.iter().enumerate() {
        if let Some(panic) = call.panic() {
            let broken = PANICS.says(format!("`UIDs` ends in a {panic}"));
            ledger.check(call.number, call.provenance, Some(broken));
            continue;
        }
        let first = all[..at].iter().find(|one| one.process == call.process && one.resource() == call.resource());
        let uids = |call: &crate::Call| call.answer.as_ref().and_then(|answer| answer.member("uids")).map(plain);
        if let Some(first) = first {
            let broken = (uids(first) != uids(call)).then(|| UNSTABLE.says("a second call gives other UIDs"));
            ledger.check(call.number, call.provenance, broken);
        }
    }
    for call in session.calls(phase::IFF) {
        let is_own = call.param("other") == Some(call.resource());
        if let Some(panic) = call.panic() {
            let broken = PANICS.says(format!("`IFF` ends in a {panic}"));
            ledger.check(call.number, call.provenance, Some(broken));
        } else if is_own && call.returns() {
            let matches = call.answer.as_ref().and_then(|answer| answer.member("matches"));
            let broken = (matches == Some(&stickler_json::Json::Bool(false)))
                .then(|| NOT_ITSELF.says("a UID does not match itself"));
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
