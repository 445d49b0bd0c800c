//! # A validation is answered `valid`, `invalid` or `error`
//!
//! ## What it requires
//! The result of `validate_promise` is one of `valid`, `invalid` and `error`,
//! spelled exactly so.
//!
//! ## Why
//! An agent takes everything but `valid` for a refusal. A module that answers
//! `success` or `kept` has its promises fail, with no hint why.
//!
//! ## How it is judged
//! On each answered validation. In the line protocol a missing result is reported
//! here; in JSON it is PM206's matter, as is a result that is no string.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "ok"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Results". cf-agent 3.21.0 accepts any other
//! result as a refusal, without naming it.

use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    crate::results::check(
        session,
        ledger,
        phase::VALIDATE,
        &["valid", "invalid", "error"],
    );
}
