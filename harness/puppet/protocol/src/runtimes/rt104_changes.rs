//! # Changes hold `is` and `should` of resources, as hashes or nil
//!
//! ## What it requires
//! Each change has `is`, `should` or both, and nothing else. Each is a hash of attributes, or nil,
//! and `should` has no attribute that is only read.
//!
//! ## Why
//! A provider reads these keys. What it cannot set, it must refuse, or ignores in silence.
//!
//! ## How it is judged
//! - Judged: each change of each call of `set`.
//!
//! ## Example
//! ```text
//! → called {"call":"set","changes":[["a",{"was":null,"should":{"name":"a"}}]],"type":"t"}
//! ```
//! `was` is no key of a change.
//!
//! ## How to fix
//! Pass `{ is: row_or_nil, should: hash_or_nil }` for each name, and drop read-only attributes.
//!
//! ## Source
//! Resource API specification, "The resource implementation (\"provider\")" and "read_only".

use super::view::{self, Known, Type, members};
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It has other keys, or none.
const KEYS: Variant = Variant::new("keys");
/// One of both is neither a hash nor nil.
const VALUES: Variant = Variant::new("values");
/// What is only read is to be set.
const READ_ONLY: Variant = Variant::new("read-only");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for set in view::sets(&all) {
        for (_, change) in set.changes() {
            let broken = broken(change, known.types.get(set.kind));
            ledger.check(set.call.number, set.call.provenance, broken);
        }
    }
}

fn broken(change: &Json, kind: Option<&Type>) -> Option<Defect> {
    let keys = members(change).unwrap_or_default();
    if keys.is_empty() || keys.iter().any(|(key, _)| !["is", "should"].contains(key)) {
        return Some(KEYS.says("a change has other keys than `is` and `should`"));
    }
    let is_odd = |value: &Json| *value != Json::Null && value.as_object().is_none();
    if let Some((key, _)) = keys.iter().find(|(_, value)| is_odd(value)) {
        return Some(VALUES.says(format!("`{key}` of a change is neither a hash nor nil")));
    }
    let wanted = change.get("should").and_then(members)?;
    let is_read_only =
        |name: &str| kind.is_some_and(|kind| kind.read_only.iter().any(|one| one == name));
    let (name, _) = wanted
        .iter()
        .find(|(name, value)| is_read_only(name) && **value != Json::Null)?;
    Some(READ_ONLY.says(format!("`should` has `{name}`, which is only read")))
}
