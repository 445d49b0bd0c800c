//! # `Watch` can be started again
//!
//! ## What it requires
//! After `Watch` was stopped, or has returned an error, a second call on the same object works.
//!
//! ## Why
//! The engine restarts a Watch that failed, and starts it again after a pause.
//!
//! ## How it is judged
//! - Judged: a second start of the same object, where the first one said that it had started.
//!
//! ## Example
//! `Watch` closes a channel of the object, and the second call closes it again.
//!
//! ## How to fix
//! Make in `Watch` what `Watch` uses, not in `Init`.
//!
//! ## Source
//! mgmt resource guide, "Watch".

use crate::phase;
use crate::reads::WATCHES;
use crate::session::Session;
use crate::watched::watched;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(WATCHES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let all = watched(session);
    for pair in all.windows(2) {
        let [first, second] = pair else { continue };
        let starts = |told: &[(usize, &stickler_rpc::Notification)]| {
            told.iter().any(|(_, told)| told.method == "started")
        };
        if !starts(&first.told) || first.start.resource() != second.start.resource() {
            continue;
        }
        let Some(wait) = second
            .calls
            .iter()
            .find(|call| call.phase == phase::AWAIT && call.returns())
        else {
            continue;
        };
        let broken = match (starts(&second.told), second.ended_early()) {
            (true, _) => None,
            (false, Some((_, error, panic))) => {
                let why = error.or(panic).unwrap_or_else(|| "nil".to_owned());
                Some(format!("started again, it ends: {why}"))
            }
            (false, None) => Some("started again, it does not say that it has started".to_owned()),
        };
        ledger.check_against(first.start.number, wait.number, wait.provenance, broken);
    }
}
