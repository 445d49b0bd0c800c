//! # What is evaluated was validated before
//!
//! ## What it requires
//! An evaluation's promiser and attributes, of the same promise type, were
//! validated in this run, with the result `valid`.
//!
//! ## Why
//! Modules assume that what they are to evaluate is sound, and need not look again.
//!
//! ## How it is judged
//! On each evaluation: a validation of the same promise type, promiser and
//! attributes has to be answered before, in any process of the module. Where it was
//! answered, and not with `valid`, that is AG112's matter. What a process sent that
//! answers more than it is asked is not judged.
//!
//! ## Example
//! An agent validates the promise as it stands in the policy, and evaluates it with
//! `action_policy` added.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in view::of(session, phase::EVALUATE) {
        if exchange.shifted {
            continue;
        }
        let validated = view::of(session, phase::VALIDATE).any(|other| {
            other.number < exchange.number
                && other.promise == exchange.promise
                && other.response.is_some()
        });
        if validated {
            ledger.pass(exchange.number);
        } else {
            let message = "evaluated without a validation of the same promiser and attributes";
            ledger.report(ledger.finding(exchange.number, message));
        }
    }
}
