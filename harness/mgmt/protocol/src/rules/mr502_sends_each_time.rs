//! # Each `CheckApply` without an error sends
//!
//! ## What it requires
//! A resource with the trait Sendable calls `Send` in each call of `CheckApply` that returns no
//! error, also when nothing was to do, with a value of the type that `Sends` returns.
//!
//! ## Why
//! A receiver of nothing fails: "received nil value". The engine compares types by what `Sends`
//! returns.
//!
//! ## How it is judged
//! - Judged: all calls of kinds whose `Sends` returns something. In the interface without contexts,
//!   what is missing lowers the level to should.
//!
//! ## Example
//! `CheckApply` returns `true, nil` at its begin, and sends at its end.
//!
//! ## How to fix
//! Send before each `return` without an error.
//!
//! ## Source
//! mgmt resource guide, "Send/Recv".

use crate::phase;
use crate::relation;
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::SENT], check)];

/// It sends nothing.
const NOTHING: Variant = Variant::new("nothing");
/// It sends another type.
const OTHER_TYPE: Variant = Variant::new("other-type");
/// It lacks the trait.
const NO_TRAIT: Variant = Variant::new("no-trait");

fn check(session: &Session, ledger: &mut Ledger) {
    let is_old = session.has_done();
    for call in session.calls(phase::CHECKAPPLY) {
        if let Some(panic) = call.lacks_trait("Sendable") {
            ledger.check(call.number, call.provenance, Some(NO_TRAIT.says(panic)));
            continue;
        }
        let Some(sends) = session.kind_of(call).and_then(|kind| kind.sends.clone()) else {
            continue;
        };
        if !call.succeeds() {
            continue;
        }
        let answer = call.answer.as_ref();
        let sent = answer.and_then(|answer| answer.text("sent_type"));
        let is_nothing = answer.and_then(|answer| answer.member("sent")) == Some(&Json::Null);
        let broken = match sent {
            None if is_nothing => Some(NOTHING.says(format!(
                "it returns `({}, nil)` and sends nothing",
                call.ok().unwrap_or_default()
            ))),
            Some(sent) if sent != sends => Some(OTHER_TYPE.says(format!(
                "it sends a `{sent}`, and `Sends` returns a `{sends}`"
            ))),
            _ => None,
        };
        match broken {
            None => ledger.pass(call.number),
            Some(defect) => {
                let level = if is_old { Level::Should } else { Level::Must };
                let finding = ledger.finding(call.number, defect).at_most(level);
                ledger.report(finding.graded(call.provenance));
            }
        }
    }
}
