//! # The result of a validation is `valid`, `invalid` or `error`
//!
//! ## What it requires
//! The module answers `validate_promise` with the result `valid`, `invalid` or `error`,
//! spelled exactly like this.
//!
//! ## Why
//! An agent treats every result but `valid` as a refusal. A module that answers `success` or
//! `kept` makes its promises fail without a hint.
//!
//! ## How it is judged
//! - Judged: each answered validation. In the line protocol, also a missing result.
//! - Not judged: in JSON, a missing result or one that is not a string (PM206); answers after
//!   an extra message (PM202).
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "ok"}
//! ```
//!
//! ## How to fix
//! Answer `valid`, or `invalid` with an error log that says why (PM502). Compute the word in
//! one place: Python `"invalid" if problems else "valid"`.
//! CFEngine's Python library: `validate_promise` returns nothing, or raises
//! `ValidationError("…")`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results". cf-agent treats any other result as a refusal,
//! and does not name it.

use crate::phase;
use crate::reads::ANSWERS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    crate::results::check(
        session,
        ledger,
        phase::VALIDATE,
        &["valid", "invalid", "error"],
    );
}
