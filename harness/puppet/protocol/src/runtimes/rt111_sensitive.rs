//! # Sensitive values reach the provider as such, and are not printed
//!
//! ## What it requires
//! A value that the manifest gives as Sensitive, or whose attribute has the type Sensitive, is
//! Sensitive in `should`. What is within is not printed.
//!
//! ## Why
//! The wrapper keeps a secret out of logs and reports, those of the provider too.
//!
//! ## How it is judged
//! - Judged: each such attribute of each change; all that the run prints.
//! - Not judged: whether secrets of less than four characters are printed.
//!
//! ## Example
//! ```text
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a","key":"s3cret"}}]],"type":"t"}
//! ```
//! The manifest says `key => Sensitive('s3cret')`.
//!
//! ## How to fix
//! Keep the wrapper, and unwrap values only to compare them.
//!
//! ## Source
//! Resource API specification, "Resource definition (\"type\")", for the types of attributes, and "Transports", for what
//! Sensitive is for.

use super::view::{self, Known};
use crate::session::Session;
use serde_json::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It has no wrapper any more.
const UNWRAPPED: Variant = Variant::new("unwrapped");
/// It is printed.
const PRINTED: Variant = Variant::new("printed");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for set in view::sets(&all) {
        let Some(kind) = known.types.get(set.kind) else {
            continue;
        };
        for (name, change) in set.plain_changes() {
            let declared = known.declared(set.kind, &name);
            let given = |key: &str| declared.and_then(|one| one.values.get(key));
            let is_secret = |key: &String| {
                kind.sensitive.contains(key)
                    || given(key).is_some_and(|value| value.get("$sens").is_some())
            };
            let should = change.get("should").and_then(Value::as_object);
            let secret = should.into_iter().flatten();
            for (key, value) in secret.filter(|(key, value)| !value.is_null() && is_secret(key)) {
                let broken = value.get("$sens").is_none().then(|| {
                    UNWRAPPED.says(format!(
                        "`{key}` is Sensitive, but `should` has it without the wrapper"
                    ))
                });
                ledger.check(set.call.number, set.call.provenance, broken);
            }
        }
    }
    let declared = known.declared.iter().flatten();
    let mut values = declared.flat_map(|one| one.values.values());
    if let Some(last) = all
        .last()
        .filter(|_| values.any(|one| one.get("$sens").is_some()))
    {
        let shown = known.shown.first();
        let broken =
            shown.map(|line| PRINTED.says(format!("a Sensitive value is printed: {line}")));
        ledger.check(last.call.number, last.call.provenance, broken);
    }
}
