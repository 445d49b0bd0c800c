//! # `Watch` can be started again
//!
//! ## What it requires
//! After `Watch` was stopped, or has returned an error, a second call on the same object works.
//!
//! ## Why
//! The engine restarts a Watch that failed, and starts it again after a pause.
//!
//! ## How it is judged
//! - Judged: a second start of the same object, where the first one said that it had started; whether the
//!   second one ends by itself where nothing changes, and sees a change from outside that the first one saw.
//!
//! ## Example
//! `Watch` stops a ticker that `Init` has made, so that a second call never looks again.
//!
//! ## How to fix
//! Make in `Watch` what `Watch` uses, not in `Init`.
//!
//! ## Source
//! mgmt resource guide, "Watch".

use crate::phase;
use crate::relation;
use crate::session::Session;
use crate::watched::{deaf, fails_again, watched};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::WATCHED], check)];

/// It does not start again.
const STAYS_OUT: Variant = Variant::new("stays-out");
/// It sees no changes any more.
const DEAF: Variant = Variant::new("deaf");

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
            (true, _) => fails_again(session, &all, second)
                .map(|error| format!("started again, it ends by itself with an error: {error}")),
            (false, Some((_, error, panic))) => {
                let why = error.or(panic).unwrap_or_else(|| "nil".to_owned());
                Some(format!("started again, it ends: {why}"))
            }
            (false, None) => Some("started again, it does not say that it has started".to_owned()),
        };
        let broken = broken.map(|broken| STAYS_OUT.says(broken));
        ledger.check_against(first.start.number, wait.number, wait.provenance, broken);
        if let Some(noticed) = deaf(session, &all, second) {
            let broken = DEAF.says("started again, it does not see a change that it saw before");
            let start = first.start.number;
            ledger.check_against(start, noticed.number, noticed.provenance, Some(broken));
        }
    }
}
