//! # `should` of a change has the values of the manifest, and no others
//!
//! ## What it requires
//! `should` of a change has each value that the manifest gives the resource, the type's defaults of
//! the attributes that it does not give, and the resource's name. It has nothing else.
//!
//! ## Why
//! The provider changes the system to what `should` says, and to nothing that nobody asked for.
//!
//! ## How it is judged
//! - Judged: each change of a resource that the manifest declares, where values are known.
//! - Not judged: attributes that `canonicalize` changes, and whether a value is Sensitive (RT111).
//!
//! ## Example
//! ```text
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a"}}]],"type":"t"}
//! ```
//! The manifest says `t { 'a': v => 1 }`.
//!
//! ## How to fix
//! Take the attributes of the resource in the catalog, and add the type's defaults.
//!
//! ## Source
//! Resource API specification, "Resource definition (\"type\")" and "The resource implementation (\"provider\")".

use super::view::{self, Declared, Known, Type, alike, unwrapped};
use crate::session::Session;
use serde_json::Value;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// A value of the manifest is missing, or another one.
const DECLARED: Variant = Variant::new("declared");
/// A default is missing, or another one.
const DEFAULT: Variant = Variant::new("default");
/// A value is neither.
const OTHER: Variant = Variant::new("other");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for set in view::sets(&all) {
        let Some(kind) = known.types.get(set.kind) else {
            continue;
        };
        let Some(free) = kind.canonicalized().filter(|_| !kind.attributes.is_empty()) else {
            continue;
        };
        for (name, change) in set.plain_changes() {
            let Some(declared) = known.declared(set.kind, &name) else {
                continue;
            };
            let broken = broken(kind, free, declared, &change);
            ledger.check(set.call.number, set.call.provenance, broken);
        }
    }
}

fn broken(kind: &Type, free: &[String], declared: &Declared, change: &Value) -> Option<Defect> {
    let title = &declared.title;
    let should = change.get("should").unwrap_or(&Value::Null);
    let is_any = |key: &String| free.contains(key) || kind.namevars.contains(key);
    let given = declared.values.iter().filter(|(key, _)| {
        kind.attributes.contains(key) && !kind.read_only.contains(key) && !is_any(key)
    });
    let has = |key: &str, value: &Value| {
        let own = should.get(key);
        own.is_some_and(|own| value.is_null() || alike(unwrapped(own), unwrapped(value)))
    };
    for (key, value) in given {
        if !has(key, value) {
            return Some(DECLARED.says(format!(
                "`should` of `{title}` has not the value of `{key}` that the manifest gives"
            )));
        }
    }
    let members = should.as_object()?;
    let defaults = kind.defaults.iter();
    for (key, value) in defaults.filter(|(key, _)| !declared.values.contains_key(*key)) {
        let is_unknown = value.get("$obj").is_some() || is_any(key);
        let is_there = match is_unknown {
            true => should.get(key).is_some() || is_any(key),
            false => has(key, value),
        };
        if !is_there {
            return Some(DEFAULT.says(format!(
                "`should` of `{title}` has not the default of `{key}`"
            )));
        }
    }
    let is_asked_for = |key: &String| {
        is_any(key)
            || key == "title"
            || kind.title_patterns
            || declared.values.contains_key(key)
            || kind.defaults.contains_key(key)
    };
    let (key, _) = members
        .iter()
        .find(|(key, value)| !value.is_null() && !is_asked_for(key))?;
    Some(OTHER.says(format!(
        "`should` of `{title}` has `{key}`, which neither the manifest nor a default gives"
    )))
}
