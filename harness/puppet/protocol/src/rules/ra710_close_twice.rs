//! # `close` works twice; connection info is not modified
//!
//! ## What it requires
//! A second `close` does nothing and does not raise. `initialize` does not modify the connection
//! info that it receives.
//!
//! ## Why
//! Callers clean up after a failure at any point, and connect again with the same connection info.
//!
//! ## How it is judged
//! - Judged: a second `close` of a connection; the connection info before and after `initialize`.
//!   Keys that the library adds do not count.
//!
//! ## Example
//! `connection_info.delete(:password)`.
//!
//! ## How to fix
//! Write `@socket&.close` and `@socket = nil`; work on a copy: `info = connection_info.dup`.
//!
//! ## Source
//! Good practice; the specification says that `close` never raises.

use crate::message::Answer;
use crate::phase;
use crate::purpose;
use crate::session::Session;
use crate::targets::{TARGETS, keyed, returned};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TARGETS, check)];

/// The second call raised.
const TWICE: Variant = Variant::new("twice");
/// The information was modified.
const MODIFIED: Variant = Variant::new("modified");

fn check(session: &Session, ledger: &mut Ledger) {
    if let Some((call, answer)) = keyed(session, purpose::CLOSE_TWICE)
        && returned(keyed(session, purpose::CLOSE))
    {
        let broken = answer
            .failure()
            .map(|failure| TWICE.says(format!("a second `close` raised {}", failure.in_words())));
        ledger.check(call.number, call.provenance, broken);
    }
    for (call, answer) in session.calls(phase::CONNECT) {
        if let Answer::Result(result) = answer {
            let broken = result
                .get("connection_info_after")
                .map(|_| MODIFIED.says("`initialize` modified the connection info"));
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
