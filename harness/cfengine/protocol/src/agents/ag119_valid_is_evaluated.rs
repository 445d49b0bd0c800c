//! # The agent evaluates each valid promise once
//!
//! ## What it requires
//! If a module answers a validation with `valid`, the agent evaluates the promise once, before it
//! validates it again and before it sends `terminate`.
//!
//! ## Why
//! A promise that is not evaluated is not kept, and nobody is told. Requests without need cost
//! time, and an evaluation may change something.
//!
//! ## How it is judged
//! - Judged: each `valid` answer, if an evaluation, the same validation or `terminate` follows.
//! - Judged: each evaluation that equals the one before it, without a validation in between.
//! - Not judged: promises of a module that exits; all after an answer that an agent could take for
//!   broken.
//!
//! ## Example
//! ```text
//! → {"operation": "validate_promise", …}
//! ← {"operation": "validate_promise", …, "result": "valid"}
//! → {"operation": "terminate"}
//! ```
//!
//! ## How to fix
//! Evaluate each promise as soon as it is found valid. Mark it as done for the pass.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence"; the order of requests there is
//! what agents do, and not promised to modules.

use super::view;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is never evaluated.
const NEVER: Variant = Variant::new("never");
/// It is validated again before that.
const VALIDATED_AGAIN: Variant = Variant::new("validated-again");
/// It is evaluated again.
const EVALUATED_AGAIN: Variant = Variant::new("evaluated-again");

fn check(session: &Session, ledger: &mut Ledger) {
    for process in view::processes(session) {
        let all: Vec<_> = view::exchanges(session, process).collect();
        for (at, one) in all.iter().enumerate() {
            if one.shifted || one.item.is_none() || !view::was_clean(&all, one.number) {
                continue;
            }
            let same = |other: &&&crate::Exchange| other.item == one.item;
            let next = all[at + 1..].iter().find(same);
            if one.phase == phase::EVALUATE {
                let again = next.filter(|next| next.phase == phase::EVALUATE);
                if let Some(again) = again.filter(|_| one.response.is_some()) {
                    let message = "evaluated again without a validation";
                    let also = ledger.place(one.number);
                    let defect = EVALUATED_AGAIN.says(message);
                    ledger.report(ledger.finding(again.number, defect).also(also));
                }
                continue;
            }
            if one.phase != phase::VALIDATE || !one.is("valid") || !view::is_clean(one) {
                continue;
            }
            let also = ledger.place(one.number);
            let last = all[at + 1..]
                .iter()
                .find(|other| other.phase == phase::TERMINATE);
            match (next, last) {
                (Some(next), _) if next.phase == phase::EVALUATE => ledger.pass(next.number),
                (Some(next), _) => {
                    let defect = VALIDATED_AGAIN.says("validated again before it was evaluated");
                    ledger.report(ledger.finding(next.number, defect).also(also));
                }
                (None, Some(last)) => {
                    let defect =
                        NEVER.says("`terminate` is sent, but the valid promise was not evaluated");
                    ledger.report(ledger.finding(last.number, defect).also(also));
                }
                (None, None) => {}
            }
        }
    }
}
