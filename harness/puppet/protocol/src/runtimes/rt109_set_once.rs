//! # `set` gets each change once
//!
//! ## What it requires
//! A runtime passes a change to `set` once. It passes the same resource again only after it has
//! read the state again. It reports a resource as changed only if it passed it to `set`.
//!
//! ## Why
//! `set` is called only if there are changes to be made; the second call has none.
//!
//! ## How it is judged
//! - Judged: each change; and each resource that the report says was changed, if the provider
//!   noted calls.
//! - Not judged: reports of resources that failed, and of types with the feature `custom_insync`,
//!   whose provider may want a report without a change. `create`, `update` and `delete` of
//!   SimpleProvider stand for `set`.
//!
//! ## Example
//! ```text
//! → called {"call":"get","type":"t"}
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a"}}]],"type":"t"}
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a"}}]],"type":"t"}
//! ```
//! Nobody has looked whether the resource is still missing.
//!
//! ## How to fix
//! Call `set` in one place, and forget what was changed.
//!
//! ## Source
//! Resource API specification, "The resource implementation (\"provider\")".

use super::view::{self, Known, Noted, alike};
use crate::session::Session;
use serde_json::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It gets a change again.
const AGAIN: Variant = Variant::new("again");
/// It did not get a change that is reported.
const NEVER: Variant = Variant::new("never");

/// The calls by which providers change resources: SimpleProvider's `set` makes the others of itself.
const CHANGE: [&str; 4] = ["set", "create", "update", "delete"];

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    let mut passed: Vec<(&Noted<'_>, Value)> = Vec::new();
    for set in view::sets(&all) {
        for (name, _) in set.plain_changes() {
            let is_read_between = |earlier: &Noted<'_>| {
                all.iter().any(|one| {
                    let is_get = one.method == "get" && one.kind == set.kind;
                    is_get && earlier.is_before(one) && one.is_before(set)
                })
            };
            let mut earlier = passed.iter().rev();
            let before = earlier.find(|(other, own)| other.kind == set.kind && alike(own, &name));
            let broken = before
                .filter(|(earlier, _)| !is_read_between(earlier))
                .map(|_| {
                    let shown = view::text(&name).map_or_else(|| name.to_string(), str::to_owned);
                    AGAIN.says(format!(
                        "`set` gets `{shown}` again without a `get` between"
                    ))
                });
            ledger.check(set.call.number, set.call.provenance, broken);
            passed.push((set, name));
        }
    }
    for (reference, flags) in known.reported.iter().flatten() {
        let (Some(last), Some(kind)) = (all.last(), kind_of(&all, reference)) else {
            continue;
        };
        let is = |flag: &str| flags.iter().any(|one| one == flag);
        let decides = known.types.get(kind).map(|kind| kind.has("custom_insync"));
        // What failed was perhaps to be passed.
        if !is("changed") || is("failed") || decides != Some(false) {
            continue;
        }
        let mut own = all.iter().filter(|one| one.kind == kind);
        let is_changed = own.any(|one| CHANGE.contains(&one.method));
        let broken = (!is_changed).then(|| {
            NEVER.says(format!(
                "`{reference}` is reported as changed, but `set` is never called"
            ))
        });
        ledger.check(last.call.number, last.call.provenance, broken);
    }
}

/// The type of a reported resource, if its provider was asked.
fn kind_of<'s>(all: &[Noted<'s>], reference: &str) -> Option<&'s str> {
    let mut asked = all.iter().filter(|one| one.method == "get");
    asked
        .find(|one| view::is_of(reference, one.kind).is_some())
        .map(|one| one.kind)
}
