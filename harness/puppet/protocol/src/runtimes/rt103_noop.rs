//! # Under noop, the runtime calls `set` only if the type supports noop, and says so
//!
//! ## What it requires
//! Under noop, `set` is called only if the type has the feature `supports_noop`, and then with
//! `noop: true`. Else it never gets `noop: true`.
//!
//! ## Why
//! A provider without the feature cannot know of noop: it changes the system.
//!
//! ## How it is judged
//! - Judged: each call of `set` in a run that is under noop as a whole, or not at all.
//! - Not judged: where resources set `noop` themselves.
//!
//! ## Example
//! ```text
//! → called {"call":"set","changes":[["a",{"is":null,"should":{"name":"a"}}]],"type":"t"}
//! ```
//! The run is under noop, and the type has no features.
//!
//! ## How to fix
//! Report the change without a call; with the feature, call `set(context, changes, noop: true)`.
//!
//! ## Source
//! Resource API specification, "Provider feature: supports_noop".

use super::view::{self, Known, Noop};
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// The type cannot know of it.
const CALLED: Variant = Variant::new("called");
/// The provider is not told.
const UNTOLD: Variant = Variant::new("untold");
/// It is told of noop without need.
const TOLD: Variant = Variant::new("told");

fn check(session: &Session, ledger: &mut Ledger) {
    let known = Known::of(session);
    let all = view::noted(session);
    for set in view::sets(&all) {
        let Some(kind) = known.types.get(set.kind) else {
            continue;
        };
        let told = set.param("noop") == Some(&Json::Bool(true));
        let name = set.kind;
        let broken = match (known.noop, kind.has("supports_noop"), told) {
            (Noop::Unknown, ..) => continue,
            (Noop::Yes, false, _) => Some(CALLED.says(format!(
                "`set` is called under noop, but `{name}` does not support noop"
            ))),
            (Noop::Yes, true, false) => Some(UNTOLD.says(format!(
                "`set` of `{name}` is called under noop without `noop: true`"
            ))),
            (Noop::No, _, true) => Some(TOLD.says(format!(
                "`set` of `{name}` gets `noop: true`, but the run is not under noop"
            ))),
            _ => None,
        };
        ledger.check(set.call.number, set.call.provenance, broken);
    }
}
