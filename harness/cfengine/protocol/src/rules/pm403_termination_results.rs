//! # `terminate` is answered `success`, `failure` or `error`
//!
//! ## What it requires
//! The result of `terminate` is one of `success`, `failure` and `error`, spelled
//! exactly so.
//!
//! ## Why
//! It is the module's last word about what it leaves behind: locks, connections,
//! temporary files. A word that no agent knows says nothing.
//!
//! ## How it is judged
//! On each answered `terminate`. In the line protocol a missing result is
//! reported here; in JSON it is PM206's matter, as is a result that is no string.
//!
//! cf-agent 3.21.0 ignores the result.
//!
//! ## Example
//! ```text
//! ← {"operation": "terminate", "result": "kept"}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Results".

use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    crate::results::check(
        session,
        ledger,
        phase::TERMINATE,
        &["success", "failure", "error"],
    );
}
