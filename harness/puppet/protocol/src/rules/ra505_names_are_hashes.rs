//! # With several namevars, names are hashes
//!
//! ## What it requires
//! If a type has several namevars, the keys of the changes are hashes of them. `set` accepts them.
//!
//! ## Why
//! The runtime sends them in this form, and no other.
//!
//! ## How it is judged
//! - Judged: calls of `set` with such names: whether they raise, and what `get` shows afterwards.
//!
//! ## Example
//! `changes.each { |name, change| File.write("#{dir}/#{name}", …) }`.
//!
//! ## How to fix
//! Read the parts: `name[:package]` and `name[:manager]`.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::after::afters;
use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let afters = afters(session);
    for (call, answer) in session.calls(phase::SET) {
        let names = changes(call);
        let is_hashed = names.iter().any(|(name, _)| matches!(name, Value::Hash(_)));
        // Without one of them, the call may fail for a reason that RA503 or RA504 judges.
        let is_whole = names.iter().all(|(_, change)| {
            let has = |key| change.get(key).is_some_and(|value| !value.is_nil());
            has("is") && has("should")
        });
        // Where other values are tried or calls fail, this says nothing about names.
        if !is_hashed || !is_whole || call.failed_write().is_some() || !session.is_original(call) {
            continue;
        }
        let raised = answer.failure();
        if raised.is_some_and(|failure| failure.in_library || failure.missing.is_some()) {
            continue;
        }
        let raised = raised
            .filter(|failure| {
                let class = failure.class.as_deref().unwrap_or_default();
                super::ra801_plain_errors::OF_THE_CODE.contains(&class)
            })
            .map(|failure| format!("given hashes as names, `set` raised {}", failure.in_words()));
        let after = afters.iter().find(|after| after.set.number == call.number);
        let lost = after.and_then(|after| after.wrong.as_ref());
        let lost = lost.filter(|wrong| wrong.properties == ["ensure"]);
        let lost = lost.map(|wrong| format!("given hashes as names: {}", wrong.message));
        ledger.check(call.number, call.provenance, raised.or(lost));
    }
}
