//! # An empty set of changes does nothing
//!
//! ## What it requires
//! `set` with no changes returns, and changes nothing.
//!
//! ## Why
//! A runtime may have nothing to do for a type.
//!
//! ## How it is judged
//! - Judged: a call of `set` without changes.
//!
//! ## Example
//! `changes.first[1]` raises where there are none.
//!
//! ## How to fix
//! Iterate over the changes.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::SET) {
        let changes = call.param("changes");
        let is_empty = changes
            .as_ref()
            .and_then(Value::as_array)
            .is_some_and(<[_]>::is_empty);
        if !is_empty {
            continue;
        }
        let raised = answer
            .failure()
            .map(|failure| format!("without changes it raised {}", failure.in_words()));
        let effect = call.effects.iter().flatten().next();
        let effect =
            effect.map(|change| format!("without changes it changed {}", visible(&change.path)));
        ledger.check(call.number, call.provenance, raised.or(effect));
    }
}
