//! # The runtime canonicalizes what it compares, if the type has the feature
//!
//! ## What it requires
//! If a type has the feature `canonicalize`, a runtime passes the rows of `get` and the values of
//! the manifest to `canonicalize` before it compares them and calls `set`.
//!
//! ## Why
//! Two spellings of one value differ else, and each run changes the resource.
//!
//! ## How it is judged
//! - Judged: the first call of `set`. A change with a row needs two resources in earlier calls of
//!   `canonicalize`, one without a row needs one.
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

use super::view::{self, Known};
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is never called.
const NEVER: Variant = Variant::new("never");
/// It got only one of both.
const ONE_SIDE: Variant = Variant::new("one-side");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for (name, kind) in &known.types {
        let first = view::sets(&all).find(|set| set.kind == name);
        let Some(set) = first.filter(|_| kind.has("canonicalize")) else {
            continue;
        };
        let earlier = all
            .iter()
            .filter(|one| one.is_before(set) && one.kind == name);
        let canonicalized = earlier.filter(|one| one.method == "canonicalize");
        let count = |one: &view::Noted<'_>| match one.param("resources") {
            Some(Json::Array(resources)) => resources.len(),
            _ => 1,
        };
        let count: usize = canonicalized.map(count).sum();
        let has_row = |change: &Json| {
            let is = change.get("is").and_then(Json::as_object);
            is.is_some_and(|is| is.len() > 1) && !is_absent(change)
        };
        let needed = match set.changes().any(|(_, change)| has_row(change)) {
            true => 2,
            false => 1,
        };
        let broken = match count {
            0 => Some(NEVER.says(format!(
                "`canonicalize` of `{name}` is not called before `set`"
            ))),
            count if count < needed => Some(ONE_SIDE.says(format!(
                "`canonicalize` of `{name}` got either the row or the desired values, but not both"
            ))),
            _ => None,
        };
        ledger.check(set.call.number, set.call.provenance, broken);
    }
}

/// Did the runtime make the row itself, of a resource that is not there?
fn is_absent(change: &Json) -> bool {
    let ensure = change.get("is").and_then(|is| is.get("ensure"));
    match ensure {
        Some(Json::String(text)) => text.as_str() == Some("absent"),
        Some(other) => {
            matches!(other.get("$sym"), Some(Json::String(text)) if text.as_str() == Some("absent"))
        }
        None => false,
    }
}
