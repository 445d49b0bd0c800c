//! # UIDs are stable and match themselves, and the search for edges ends
//!
//! ## What it requires
//! `UIDs` gives the same each time. Each UID matches itself, and `IFF` says the same in both directions.
//! `AutoEdges` comes to an end, and none of it panics.
//!
//! ## Why
//! Automatic edges are found by UIDs. One that changes connects a resource to nothing.
//!
//! ## How it is judged
//! - Judged: two calls of `UIDs`; comparisons of a resource's UIDs with its own, and with those of
//!   another one in both directions; `Next` and `Test` where nothing is found, at most 40 times.
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
use crate::purpose;
use crate::relation;
use crate::session::{Call, Session};
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::RESOURCES], check)];

/// It panics.
const PANICS: Variant = Variant::new("panics");
/// A second call gives others.
const UNSTABLE: Variant = Variant::new("unstable");
/// It matches in one direction alone.
const ONE_WAY: Variant = Variant::new("one-way");
/// The search does not end.
const ENDLESS: Variant = Variant::new("endless");
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
        let first = all[..at]
            .iter()
            .find(|one| one.process == call.process && one.resource() == call.resource());
        let uids = |call: &crate::Call| {
            call.answer
                .as_ref()
                .and_then(|answer| answer.member("uids"))
                .map(plain)
        };
        if let Some(first) = first {
            let broken = (uids(first) != uids(call))
                .then(|| UNSTABLE.says("a second call gives other UIDs"));
            ledger.check(call.number, call.provenance, broken);
        }
    }
    for call in session.calls(phase::IFF) {
        let is_own = call.param("other") == Some(call.resource());
        if let Some(panic) = call.panic() {
            let broken = PANICS.says(format!("`IFF` ends in a {panic}"));
            ledger.check(call.number, call.provenance, Some(broken));
        } else if is_own && call.returns() {
            let matches = call
                .answer
                .as_ref()
                .and_then(|answer| answer.member("matches"));
            let broken = (matches == Some(&Json::Bool(false)))
                .then(|| NOT_ITSELF.says("a UID does not match itself"));
            ledger.check(call.number, call.provenance, broken);
        }
        let mut others = session
            .calls(phase::IFF)
            .take_while(|other| other.number < call.number);
        let back = others.find(|other| {
            other.process == call.process
                && !is_own
                && Some(other.resource()) == call.param("other")
                && other.param("other") == Some(call.resource())
        });
        if let Some(back) = back.filter(|back| back.returns() && call.returns()) {
            let said = |call: &Call| {
                call.answer
                    .as_ref()
                    .and_then(|answer| answer.member("matches"))
                    .cloned()
            };
            let broken = (said(back).map(|one| plain(&one)) != said(call).map(|one| plain(&one)))
                .then(|| ONE_WAY.says("`IFF` matches in one direction, and not in the other"));
            ledger.check_against(back.number, call.number, call.provenance, broken);
        }
    }
    edges(session, ledger);
}

/// The last of so many rounds that a plan asks for.
const ROUNDS: &str = "40";

fn edges(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        let name = match call.phase {
            phase::AUTOEDGES => "`AutoEdges`",
            phase::NEXTUIDS => "`Next`",
            phase::TESTUIDS => "`Test`",
            _ => continue,
        };
        if call.answer.is_none() {
            continue;
        }
        let more = call
            .answer
            .as_ref()
            .and_then(|answer| answer.member("more"));
        let is_last = call
            .key
            .part_of(purpose::AUTOEDGES)
            .is_some_and(|part| part.ends_with(ROUNDS));
        let broken = match call.why_it_fails() {
            Some(why) => Some(PANICS.says(format!("{name} fails: {why}"))),
            None if is_last && more == Some(&Json::Bool(true)) => Some(ENDLESS.says(format!(
                "`Test` wants more after {ROUNDS} rounds in which nothing was found"
            ))),
            None => None,
        };
        ledger.check(call.number, call.provenance, broken);
    }
}
