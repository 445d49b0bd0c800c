//! # A change without `:should` removes the resource
//!
//! ## What it requires
//! A change that has no `:should` removes the resource, also if the type has `ensure`.
//!
//! ## Why
//! The specification lets a runtime ask for a removal in this way.
//!
//! ## How it is judged
//! - Judged: such a change of a resource that exists, and the call of `get` after it.
//! - Not judged: types without `ensure` whose provider raises; resources whose removal by
//!   `ensure => absent` raises an error of the same class.
//!
//! ## Example
//! `if change[:should][:ensure] == 'absent'` raises where `:should` is missing.
//!
//! ## How to fix
//! Write `should = change[:should]`, and remove the resource if `should.nil?` or its `ensure` is
//! absent.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 always sends
//! `:should`.

use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::CHANGES], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (set, get) in session.successive() {
        let (Some(done), Some(Value::Array(changes))) = (&set.answer, set.param("changes")) else {
            continue;
        };
        let [change] = &changes[..] else { continue };
        let Some([name, change]) = change.as_array() else {
            continue;
        };
        let is_noop = set.param("noop") == Some(Value::Bool(true));
        let has_target = change.get("should").is_some_and(|should| !should.is_nil());
        if set.phase != phase::SET || is_noop || has_target {
            continue;
        }
        if done.failure().is_some_and(|failure| failure.in_library) {
            ledger.skip(
                "SimpleProvider of puppet-resource_api 1.8.16 and 2.0.1 needs `:should` here",
            );
            continue;
        }
        // Without `ensure`, what the type describes may be there always.
        let is_lasting = session
            .definition(set)
            .is_some_and(|own| !own.is_ensurable());
        if is_lasting && set.fails() {
            ledger.skip("the provider refuses to remove what has no `ensure`");
            continue;
        }
        if set.fails() && is_refused_too(session, set, name) {
            ledger.skip("the provider refuses to remove the resource by `ensure => absent`, too");
            continue;
        }
        let broken = set.why_it_fails().or_else(|| {
            still_there(session, get, change).then(|| format!("{} is still there", name.inspect()))
        });
        ledger.check(set.number, set.provenance, broken);
    }
}

/// Does the usual removal of this resource fail with an error of the same class?
fn is_refused_too(session: &Session, set: &Call, name: &Value) -> bool {
    let class = |call: &Call| Some(call.failure()?.class.clone());
    session.calls(phase::SET).any(|(other, _)| {
        let is_removal = |(own, change): (Value, Value)| {
            let should = change.get("should").and_then(|should| should.get("ensure"));
            own == *name && should.is_some_and(|ensure| ensure.to_text() == "absent")
        };
        other.process == set.process
            && other.fails()
            && class(other) == class(set)
            && changes(other).into_iter().any(is_removal)
    })
}

fn still_there(session: &Session, get: &Call, change: &Value) -> bool {
    let (Some(definition), Some(rows)) = (session.definition(get), get.value()) else {
        return false;
    };
    let is = change.get("is");
    let rows = rows.as_array().unwrap_or_default().iter();
    let namevars = definition.namevars();
    let mut same = rows.filter(|row| {
        namevars
            .iter()
            .all(|name| row.get(name) == is.and_then(|is| is.get(name)))
    });
    same.any(|row| {
        row.get("ensure")
            .is_none_or(|ensure| ensure.to_text() != "absent")
    })
}
