//! # `Validate` rejects what can never work
//!
//! ## What it requires
//! A value that `CheckApply` can never take, whatever the world looks like, is refused by `Validate`.
//!
//! ## Why
//! `Validate` stops a graph before it runs. A value that fails later leaves a graph half applied.
//!
//! ## How it is judged
//! - Judged: values at the borders of the fields' types that `Validate` passes. A finding needs the
//!   same error with and without `apply`, after the setup and after the example, and an error about
//!   the value itself: a syntax, a range, a length, an invalid argument.
//! - Not judged: errors that another world might not give, such as a missing file.
//!
//! ## Example
//! `CheckApply` calls `time.ParseDuration` with a field that `Validate` does not look at.
//!
//! ## How to fix
//! Parse the field in `Validate`, too, and return the error there.
//!
//! ## Source
//! mgmt resource guide, "Validate".

use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use std::collections::BTreeMap;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::ODD], check)];

/// What Go's errors about values say.
const ABOUT_VALUES: &[&str] = &[
    "invalid syntax",
    "value out of range",
    "invalid argument",
    "invalid duration",
    "missing unit in duration",
    "unknown unit",
    "error parsing regexp",
    "unsupported protocol scheme",
    "missing protocol scheme",
    "invalid control character in URL",
    "invalid URL escape",
    "cannot parse",
];

/// What authors say of a value that is too long or out of range. Whatever the world looks like, it stays so.
const ABOUT_RANGES: &[&str] = &[
    "too long",
    "too short",
    "too large",
    "too big",
    "too small",
    "too many",
    "too few",
    "too high",
    "too low",
    "out of range",
    "out of bounds",
    "at most",
    "at least",
    "exceeds",
    "negative",
    "positive",
];

/// What the system says of the world, in words like these.
const ABOUT_THE_WORLD: &[&str] = &[
    "file name too long",
    "too many open files",
    "argument list too long",
    "too many links",
    "too many levels of symbolic links",
    "file too large",
    "value too large for defined data type",
];

/// Is an error about a value itself?
fn is_about_value(error: &str) -> bool {
    let lower = error.to_lowercase();
    let is_range = ABOUT_RANGES.iter().any(|words| lower.contains(words))
        && !ABOUT_THE_WORLD.iter().any(|words| lower.contains(words));
    is_range || ABOUT_VALUES.iter().any(|words| error.contains(words))
}

fn check(session: &Session, ledger: &mut Ledger) {
    let mut tried: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
    for call in session.calls(phase::CHECKAPPLY) {
        let is_odd = session.item(call).is_some_and(|item| item.field.is_some());
        if is_odd && call.returns() {
            tried.entry(call.resource()).or_default().push(call);
        }
    }
    for calls in tried.values() {
        // Twice in each of two worlds.
        let [first, .., last] = calls.as_slice() else {
            continue;
        };
        if calls.len() < 4 || first.process == last.process {
            continue;
        }
        let error = first.error().filter(|error| is_about_value(error));
        let error = error.filter(|error| {
            calls
                .iter()
                .all(|call| call.error().as_ref() == Some(error))
        });
        let broken =
            error.map(|error| format!("`Validate` passes what `CheckApply` never takes: {error}"));
        ledger.check(first.number, first.provenance, broken);
    }
}
