//! # A change without `:should` removes the resource
//!
//! ## What it requires
//! A change that has no `:should` removes the resource, also where the type has `ensure`.
//!
//! ## Why
//! The specification lets a runtime ask for a removal in this way.
//!
//! ## How it is judged
//! - Judged: such a change of a resource that was made before, and the call of `get` after it.
//! - Not judged: types without `ensure` whose provider refuses with an error.
//!
//! ## Example
//! `if change[:should][:ensure] == 'absent'` raises where `:should` is missing.
//!
//! ## How to fix
//! Write `should = change[:should]`, and remove the resource if `should.nil?` or its `ensure` is absent.
//!
//! ## Source
//! Resource API specification, "Resource implementation". puppet-resource_api 1.8.16 always sends
//! `:should`.

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (set, get) in session.successive() {
        let (Some(done), Some(Value::Array(changes))) = (&set.answer, set.param("changes")) else {
            continue;
        };
        let [change] = &changes[..] else { continue };
        let Some([name, change]) = change.as_array() else {
            continue;
        };
        if set.phase != phase::SET || change.get("should").is_some_and(|should| !should.is_nil()) {
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
        let broken = if let Some(failure) = done.failure() {
            Some(format!("it raised {}", failure.in_words()))
        } else if set.marks_failure() {
            Some("it failed".to_owned())
        } else {
            still_there(session, get, change).then(|| format!("{} is still there", name.inspect()))
        };
        ledger.check(set.number, set.provenance, broken);
    }
}

fn still_there(session: &Session, get: &crate::session::Call, change: &Value) -> bool {
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
