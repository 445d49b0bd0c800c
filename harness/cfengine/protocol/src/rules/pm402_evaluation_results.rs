//! # An evaluation is answered `kept`, `repaired`, `not_kept` or `error`
//!
//! ## What it requires
//! The result of `evaluate_promise` is one of `kept`, `repaired`, `not_kept` and
//! `error`, spelled exactly so. `valid` and `invalid` belong to validation: the
//! promise was validated already.
//!
//! ## Why
//! An agent defines classes and counts promises by the result. It reports any
//! other one as unacceptable and the promise as failed.
//!
//! ## How it is judged
//! On each answered evaluation. In the line protocol a missing result is reported
//! here; in JSON it is PM206's matter, as is a result that is no string.
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": "notkept"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Results".

use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let allowed = ["kept", "repaired", "not_kept", "error"];
    crate::results::check(session, ledger, phase::EVALUATE, &allowed);
}
