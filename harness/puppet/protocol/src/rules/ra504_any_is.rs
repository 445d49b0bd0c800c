//! # `:is` may be nil or missing
//!
//! ## What it requires
//! `set` accepts changes whose `:is` is nil or missing.
//!
//! ## Why
//! A runtime that has not called `get` knows no state.
//!
//! ## How it is judged
//! - Judged: a change without `:is`, for an example whose usual change succeeds; a change with nil,
//!   if the resource does not exist.
//! - Lowered to should: a change without `:is` of a resource that is there as it is to be, and the
//!   removal of one that is gone.
//!
//! ## Example
//! `change[:is][:ensure]` raises where `:is` is missing.
//!
//! ## How to fix
//! Ask for the state yourself if you need it: `is = change.key?(:is) ? change[:is] : find(name)`.
//!
//! ## Source
//! Resource API specification, "Resource implementation". SimpleProvider of 1.8.16 accepts them
//! only if the namevar is called `name`.

use crate::after::afters;
use crate::backends::commands_fail;
use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::CHANGES], check)];

/// What is there is made, or what is gone is removed.
const REPEATED: Variant = Variant::new("repeated");

fn check(session: &Session, ledger: &mut Ledger) {
    // A runtime as the specification has it knows no state in any session.
    if commands_fail(session) || session.is_disturbed() {
        return;
    }
    for (call, answer) in session.calls(phase::SET) {
        let item = session.item(call);
        let errs = item.is_some_and(|item| item.expect.iter().any(|expected| expected == "error"));
        if !lacks_is(call) || errs {
            continue;
        }
        let without = match is_missing(call) {
            true => "without `:is`",
            false => "with nil in `:is`",
        };
        if answer.failure().is_some_and(|failure| failure.in_library) {
            ledger.skip("SimpleProvider of puppet-resource_api 1.8.16 needs `:is` here");
            continue;
        }
        let broken = match call.why_it_fails() {
            Some(why) => Some(format!("{without} {why}")),
            None => afters(session)
                .into_iter()
                .find(|after| after.set.number == call.number)
                // A `get` that raises is no matter of `:is`.
                .and_then(|after| after.wrong.filter(|wrong| wrong.properties != ["get"]))
                .map(|wrong| format!("{without}: {}", wrong.message)),
        };
        // What is left as it is need not be asked for.
        let repeats = [purpose::THERE, purpose::GONE.text()];
        let is_repeated = call.key.part_of(purpose::UNKNOWN);
        match broken {
            Some(broken) if is_repeated.is_some_and(|part| repeats.contains(&part)) => {
                let defect = REPEATED.says(match changes(call, removes) {
                    false => format!("of a resource that is there already, {broken}"),
                    true => format!("of a resource that is gone already, {broken}"),
                });
                let finding = ledger.finding(call.number, defect).at_most(Level::Should);
                ledger.report(finding.graded(call.provenance));
            }
            broken => ledger.check(call.number, call.provenance, broken),
        }
    }
}

/// Is the state in a change nil or missing?
fn lacks_is(call: &Call) -> bool {
    changes(call, |change| {
        let is = change.get("is");
        is.is_none_or(Value::is_nil) && change.get("should").is_some()
    })
}

fn is_missing(call: &Call) -> bool {
    changes(call, |change| change.get("is").is_none())
}

/// Is a resource to be gone after a change?
fn removes(change: &Value) -> bool {
    let should = change.get("should").filter(|should| !should.is_nil());
    should.is_none_or(|should| {
        let ensure = should.get("ensure");
        ensure.is_some_and(|ensure| ensure.to_text() == "absent")
    })
}

/// Is a change like this?
fn changes(call: &Call, is_like: impl Fn(&Value) -> bool) -> bool {
    let changes = call.param("changes");
    let pairs = changes.as_ref().and_then(Value::as_array);
    let like = |pair: &Value| {
        pair.as_array()
            .and_then(|pair| pair.get(1))
            .is_some_and(&is_like)
    };
    pairs.is_some_and(|pairs| pairs.iter().any(like))
}
