//! # `Watch` ends promptly when it is told to
//!
//! ## What it requires
//! When its context ends, or `Done` is closed, `Watch` returns soon and without an error, also
//! while it waits to deliver an event. The context's own error counts as none.
//!
//! ## Why
//! The engine waits for it. A Watch that stays blocks each swap of a graph and the end of mgmt.
//!
//! ## How it is judged
//! - Judged: each call that is told to end, with an event that nobody takes and without one: three seconds,
//!   or five in a recorded graph.
//!
//! ## Example
//! `Watch` waits for the next change in a read that nothing ends, or calls `Event(context.Background())`.
//!
//! ## How to fix
//! Put `<-ctx.Done()` (`<-obj.init.Done`) into each `select`, and give the context to what waits.
//!
//! ## Source
//! mgmt resource guide, "Watch".

use crate::reads::WATCHES;
use crate::recorded::may_have_changed;
use crate::session::Session;
use crate::watched::{has_ended, is_held, watched};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(WATCHES, check)];

/// It stays.
const STAYS: Variant = Variant::new("stays");
/// It stays since nobody takes its event.
const HELD: Variant = Variant::new("held");
/// It returns an error.
const ERROR: Variant = Variant::new("error");

fn check(session: &Session, ledger: &mut Ledger) {
    for watch in watched(session) {
        let Some(cancel) = watch.cancel().filter(|call| call.returns()) else {
            continue;
        };
        if watch.ended_early().is_some() {
            continue;
        }
        let broken = match (has_ended(cancel), cancel.error()) {
            (Some(false), _) if is_held(cancel) => Some(HELD.says(
                "three seconds after it was told to end, it still waits to deliver an event",
            )),
            (Some(false), _) => {
                let waited = cancel.number("ms").unwrap_or(0) / 1_000;
                Some(STAYS.says(format!(
                    "{waited} seconds after it was told to end, it still runs"
                )))
            }
            // After a change from outside, the error may be about that.
            (Some(true), Some(error))
                if error != "context canceled"
                    && !may_have_changed(session, watch.start, cancel) =>
            {
                Some(ERROR.says(format!("told to end, it returns an error: {error}")))
            }
            _ => None,
        };
        ledger.check(cancel.number, cancel.provenance, broken);
    }
}
