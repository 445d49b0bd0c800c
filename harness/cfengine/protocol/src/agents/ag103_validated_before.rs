//! # The agent validates a promise before it evaluates it
//!
//! ## What it requires
//! Before an evaluation, the agent validates the same promise type, promiser and attributes in
//! this run, with the result `valid`.
//!
//! ## Why
//! Modules assume that a promise is valid when they evaluate it, and need not check it again.
//!
//! ## How it is judged
//! - Judged: each evaluation. An answered validation of the same promise type, promiser and
//!   attributes must come before it, in any process of the module.
//! - Not judged: validations with another result than `valid` (AG112); processes that send
//!   more answers than requests.
//!
//! ## Example
//! An agent validates the promise as the policy has it, and evaluates it with `action_policy`
//! added.
//!
//! ## How to fix
//! Build the request once, with resolved variables and `action_policy`. Validate it, and
//! change only `operation` for the evaluation. If anything else changes, validate again.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use super::view;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in view::of(session, phase::EVALUATE) {
        if exchange.shifted {
            continue;
        }
        let validated = view::of(session, phase::VALIDATE).any(|other| {
            other.number < exchange.number
                && other.item == exchange.item
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
