//! # Resources with different names do not match each other's UIDs
//!
//! ## What it requires
//! If two resources of a kind have different names and nothing in common, no UID of one matches the
//! other's.
//!
//! ## Why
//! Automatic edges would connect a resource to another one that has nothing to do with it, and
//! the graph may get a circle.
//!
//! ## How it is judged
//! - Judged: the UIDs of an example, compared with those of a resource with a longer name, and with
//!   other values of its fields.
//! - Not judged: resources without UIDs; matches of resources that share a value of a field, since
//!   that may be what they are, such as a path.
//!
//! ## Example
//! `IFF` compares the kinds alone.
//!
//! ## How to fix
//! Compare what makes the resource the one that it is, such as its path.
//!
//! ## Source
//! mgmt resource guide, "Edgeable".

use crate::phase;
use crate::relation;
use crate::resources::walk;
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::RESOURCES], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    walk(session, |resources, call| {
        let both = (resources.of(call, "resource"), resources.of(call, "other"));
        let (Some(one), Some(other)) = both else {
            return;
        };
        let differ = one.kind == other.kind && one.name != other.name;
        if call.phase != phase::IFF || !differ || !call.returns() {
            return;
        }
        let answer = call.answer.as_ref();
        let matches = answer.and_then(|answer| answer.member("matches"));
        let matches = matches == Some(&Json::Bool(true));
        if matches && one.shares_value(other) {
            return;
        }
        let broken = matches
            .then_some("the UIDs match those of a resource that has another name and other fields");
        ledger.check(call.number, call.provenance, broken);
    });
}
