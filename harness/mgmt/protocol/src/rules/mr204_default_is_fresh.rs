//! # `Default` gives a fresh value each time
//!
//! ## What it requires
//! Two calls of `Default` give values of one type that share no map, slice or pointer.
//!
//! ## Why
//! What one resource puts into a shared map is in all others of its kind.
//!
//! ## How it is judged
//! - Judged: two new resources of a kind: their fields are equal, and they share nothing; two calls of
//!   `Default` of one resource: each gives a new one.
//!
//! ## Example
//! `Default` returns `&FooRes{Env: defaultEnv}` with a map of the package.
//!
//! ## How to fix
//! Make maps and slices in `Default` itself.
//!
//! ## Source
//! mgmt resource guide, "Default".

use crate::fields::{fields_of, shared_paths};
use crate::phase;
use crate::reads::KINDS;
use crate::resources::walk;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(KINDS, check)];

/// Two resources share something.
const SHARED: Variant = Variant::new("shared");
/// Two new resources differ.
const DIFFERS: Variant = Variant::new("differs");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::DESCRIBE) {
        let answer = call.answer.as_ref();
        let same = answer.and_then(|answer| answer.text("same_default"));
        let broken = same.map(|same| match &*same {
            "receiver" => SHARED.says("`Default` gives back the resource on which it is called"),
            _ => SHARED.says("two calls of `Default` give one and the same resource"),
        });
        if let Some(broken) = broken {
            ledger.check(call.number, call.provenance, Some(broken));
        }
    }
    walk(session, |resources, call| {
        if call.phase != phase::SHARED || !call.returns() {
            return;
        }
        let both = (resources.of(call, "resource"), resources.of(call, "other"));
        let (Some(one), Some(other)) = both else {
            return;
        };
        if !(one.is_default && other.is_default && one.kind == other.kind) {
            return;
        }
        let shared = shared_paths(call);
        let of = |label: &str| fields_of(session, call, label);
        let other = call.param("other").unwrap_or_default();
        let differs = match (of(call.resource()), of(other)) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        };
        let broken = match shared.first() {
            Some(path) => Some(SHARED.says(format!("two resources from `Default` share {path}"))),
            None if differs => Some(DIFFERS.says("two calls of `Default` give different fields")),
            None => None,
        };
        ledger.check(call.number, call.provenance, broken);
    });
}
