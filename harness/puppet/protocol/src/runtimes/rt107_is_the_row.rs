//! # `is` of a change is the row that `get` returned
//!
//! ## What it requires
//! `is` of a change is the row of this name that `get` returned last or before. It is nil, or says
//! that the resource is absent, if `get` returned none. It may be missing only then.
//!
//! ## Why
//! A provider takes from `is` what it must change, and may not read the state again.
//!
//! ## How it is judged
//! - Judged: each change, where it is known what `get` returned.
//! - Not judged: attributes that `canonicalize` changes.
//!
//! ## Example
//! ```text
//! → called {"call":"get","type":"t"}
//! → called {"call":"set","changes":[["b",{"is":{"name":"a","v":1},"should":{"name":"b","v":2}}]],"type":"t"}
//! ```
//! `is` is the row of another resource.
//!
//! ## How to fix
//! Find the row by all attributes that name the resource, and pass it as `is`.
//!
//! ## Source
//! Resource API specification, "The resource implementation (\"provider\")".

use super::view::{self, Known, Type, alike};
use crate::session::Session;
use serde_json::Value;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// There is a row, but no `is`.
const OMITTED: Variant = Variant::new("omitted");
/// There is a row, but `is` says that there is none.
const LOST: Variant = Variant::new("lost");
/// It is something else than the row.
const OTHER: Variant = Variant::new("other");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for set in view::sets(&all) {
        let Some(kind) = known.types.get(set.kind) else {
            continue;
        };
        let (Some(read), Some(free)) = (view::rows_before(&all, set, kind), kind.canonicalized())
        else {
            continue;
        };
        // A row has perhaps another name in its canonical form.
        let is_unnamed = kind.namevars.is_empty();
        if is_unnamed || read.is_empty() || kind.namevars.iter().any(|name| free.contains(name)) {
            continue;
        }
        for (name, change) in set.plain_changes() {
            let broken = broken(kind, free, &read, &name, &change);
            ledger.check(set.call.number, set.call.provenance, broken);
        }
    }
}

fn broken(
    kind: &Type,
    free: &[String],
    read: &[&[Value]],
    name: &Value,
    change: &Value,
) -> Option<Defect> {
    let own = |rows: &[Value]| -> Vec<Value> {
        let own = rows.iter().filter(|row| kind.is_named(row, name));
        own.cloned().collect()
    };
    let all: Vec<Value> = read.iter().flat_map(|rows| own(rows)).collect();
    let last = read.last().map(|rows| own(rows)).unwrap_or_default();
    let shown = view::text(name).map_or_else(|| name.to_string(), str::to_owned);
    let Some(is) = change.get("is") else {
        return (!all.is_empty()).then(|| {
            OMITTED.says(format!(
                "the change of `{shown}` has no `is`, but `get` returned its row"
            ))
        });
    };
    if !is.is_null() && !is.is_object() || all.iter().any(|row| is_row(kind, free, is, row)) {
        return None;
    }
    match kind.is_absent(is) {
        true => {
            let is_there = last.iter().any(|row| {
                let ensure = row.get("ensure");
                ensure.and_then(view::text) != Some("absent")
            });
            is_there.then(|| {
                LOST.says(format!(
                    "`is` of `{shown}` says that it is not there, but `get` returned its row"
                ))
            })
        }
        false => Some(OTHER.says(match all.is_empty() {
            true => format!("`is` of `{shown}` is a row, but `get` returned none of this name"),
            false => format!("`is` of `{shown}` is not the row that `get` returned"),
        })),
    }
}

fn is_row(kind: &Type, free: &[String], is: &Value, row: &Value) -> bool {
    let (Some(is), Some(row)) = (is.as_object(), row.as_object()) else {
        return false;
    };
    let counts = |key: &String, value: &Value| !value.is_null() && !free.contains(key);
    let is_name = |key: &String| key == "title" || kind.namevars.contains(key);
    let has = |other: &serde_json::Map<String, Value>, key: &String, value: &Value| {
        other.get(key).is_some_and(|own| alike(own, value))
    };
    row.iter()
        .filter(|(key, value)| counts(key, value))
        .all(|(key, value)| has(is, key, value))
        && is
            .iter()
            .filter(|(key, value)| counts(key, value) && !is_name(key))
            .all(|(key, value)| has(row, key, value))
}
