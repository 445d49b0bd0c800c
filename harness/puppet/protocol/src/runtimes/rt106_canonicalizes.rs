//! # The runtime canonicalizes what it compares, if the type has the feature
//!
//! ## What it requires
//! If a type has the feature `canonicalize`, a runtime passes the row of `get` and the values of the
//! manifest to `canonicalize`, for each resource, before it calls `set`.
//!
//! ## Why
//! Two spellings of one value differ else, and each run changes the resource.
//!
//! ## How it is judged
//! - Judged: each change, by the resources that earlier calls of `canonicalize` got. Of a row, all
//!   attributes count that are to be set.
//! - Not judged: rows where the setting `strict` is off or not known, since Puppet does not check
//!   them then; resources that are to be removed have no desired values.
//!
//! ## Example
//! ```text
//! → called {"call":"get","type":"t"}
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a"}}]],"type":"t"}
//! ```
//! The type has the feature, but `canonicalize` is never called.
//!
//! ## How to fix
//! Call `provider.canonicalize(context, resources)` for rows and for desired values.
//!
//! ## Source
//! Resource API specification, "Provider feature: canonicalize".

use super::view::{self, Known, Noted, Type, alike, plain};
use crate::session::Session;
use serde_json::Value;
use stickler_judge::{Check, Defect, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is never called.
const NEVER: Variant = Variant::new("never");
/// It did not get the row.
const ROW: Variant = Variant::new("row");
/// It did not get what should be.
const DESIRED: Variant = Variant::new("desired");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    let is_strict = known
        .strict
        .as_deref()
        .is_some_and(|strict| strict != "off");
    for set in view::sets(&all) {
        let kind = known.types.get(set.kind);
        let Some(kind) = kind.filter(|kind| kind.has("canonicalize")) else {
            continue;
        };
        let given = given(&all, set);
        for (name, change) in set.plain_changes() {
            let rows = rows(&all, set, kind, &name, &change);
            let broken = broken(set, kind, &given, &rows, &change, is_strict);
            ledger.check(set.call.number, set.call.provenance, broken);
        }
    }
}

/// The resources that earlier calls of `canonicalize` got.
fn given(all: &[Noted<'_>], set: &Noted<'_>) -> Vec<Value> {
    let earlier = all
        .iter()
        .filter(|one| one.is_before(set) && one.kind == set.kind && one.method == "canonicalize");
    let resources = earlier.filter_map(|one| Some(plain(one.param("resources")?)));
    let lists = resources.map(|one| match one {
        Value::Array(items) => items,
        other => vec![other],
    });
    lists.flatten().collect()
}

/// The row of a change, and those that `get` returned for its name.
fn rows(
    all: &[Noted<'_>],
    set: &Noted<'_>,
    kind: &Type,
    name: &Value,
    change: &Value,
) -> Vec<Value> {
    let is = change.get("is").filter(|is| !kind.is_absent(is));
    let Some(is) = is.filter(|is| is.is_object()) else {
        return Vec::new();
    };
    let read = view::rows_before(all, set, kind).unwrap_or_default();
    let read = read.into_iter().flatten();
    let mut rows: Vec<Value> = read
        .filter(|row| kind.is_named(row, name))
        .cloned()
        .collect();
    rows.push(is.clone());
    rows
}

fn broken(
    set: &Noted<'_>,
    kind: &Type,
    given: &[Value],
    rows: &[Value],
    change: &Value,
    is_strict: bool,
) -> Option<Defect> {
    let name = set.kind;
    if given.is_empty() {
        return Some(NEVER.says(format!(
            "`canonicalize` of `{name}` is not called before `set`"
        )));
    }
    let should = change.get("should").filter(|should| should.is_object());
    let is_row = |one: &Value| rows.iter().any(|row| holds(one, row, should));
    let (of_rows, others): (Vec<&Value>, Vec<&Value>) = given.iter().partition(|one| is_row(one));
    if is_strict && !rows.is_empty() && of_rows.is_empty() {
        return Some(ROW.says(format!(
            "`canonicalize` of `{name}` did not get the row of the resource before `set`"
        )));
    }
    let should = should.filter(|should| !kind.is_absent(should))?;
    // Both may be spelled the same.
    let fits = others.iter().any(|one| is_desired(one, should, kind)) || of_rows.len() > 1;
    (!fits).then(|| {
        DESIRED.says(format!(
            "`canonicalize` of `{name}` did not get the desired values of the resource before `set`"
        ))
    })
}

/// Is a resource a row, at least in the attributes that are to be set?
fn holds(given: &Value, row: &Value, should: Option<&Value>) -> bool {
    let (Some(given), Some(row)) = (given.as_object(), row.as_object()) else {
        return false;
    };
    let needed = |key: &String| should.is_none_or(|should| should.get(key).is_some());
    let is_part = given
        .iter()
        .all(|(key, value)| row.get(key).is_some_and(|own| alike(own, value)));
    is_part
        && row
            .keys()
            .filter(|key| needed(key))
            .all(|key| given.contains_key(key))
}

/// Has a resource the desired values, in any spelling of what `canonicalize` changes? Defaults may come later.
fn is_desired(given: &Value, should: &Value, kind: &Type) -> bool {
    let rewritten = kind.rewritten.as_deref();
    let may_differ = |key: &String| rewritten.is_none_or(|all| all.contains(key));
    let Some(members) = should.as_object() else {
        return false;
    };
    members.iter().all(|(key, value)| match given.get(key) {
        Some(own) => may_differ(key) || alike(own, value),
        None => value.is_null() || kind.defaults.contains_key(key),
    })
}
