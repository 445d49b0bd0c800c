//! # `set` gets no resource that is as it should be
//!
//! ## What it requires
//! A runtime passes a resource to `set` only if a value that it should have differs from the one
//! that it has.
//!
//! ## Why
//! Else each run changes the system and reports a change, and what depends on it runs again.
//!
//! ## How it is judged
//! - Judged: each change with both hashes, if `should` has more than one attribute.
//! - Not judged: types with the feature `custom_insync`, whose provider decides.
//!
//! ## Example
//! ```text
//! → called {"call":"set","changes":[["a",{"is":{"name":"a","v":1},"should":{"name":"a","v":1}}]],"type":"t"}
//! ```
//! Nothing is to be done.
//!
//! ## How to fix
//! Compare the canonical values, and leave out resources without a difference.
//!
//! ## Source
//! Resource API specification, "The resource implementation (\"provider\")".

use super::view::{self, Known, members};
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for set in view::sets(&all) {
        // Without the definition, nobody knows who compares.
        let decides = known
            .types
            .get(set.kind)
            .map(|kind| kind.has("custom_insync"));
        if decides != Some(false) {
            continue;
        }
        for (_, change) in set.changes() {
            let both = (change.get("is"), change.get("should"));
            let (Some(is), Some(should)) = (both.0, both.1.and_then(members)) else {
                continue;
            };
            if is.as_object().is_none() || should.len() < 2 {
                continue;
            }
            let alike = should.iter().all(|(key, value)| is.get(key) == Some(value));
            let broken = alike.then(|| format!("`set` of `{}` gets a resource in sync", set.kind));
            ledger.check(set.call.number, set.call.provenance, broken);
        }
    }
}
