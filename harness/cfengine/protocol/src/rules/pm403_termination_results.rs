//! # The result of `terminate` is `success`, `failure` or `error`
//!
//! ## What it requires
//! The module answers `terminate` with the result `success`, `failure` or `error`, spelled
//! exactly like this.
//!
//! ## Why
//! The result says whether the module leaves something behind: locks, connections, temporary
//! files. No agent understands another word.
//!
//! ## How it is judged
//! - Judged: each answered `terminate`. In the line protocol, also a missing result.
//! - Not judged: in JSON, a missing result or one that is not a string (PM206); answers after
//!   an extra message (PM202).
//!
//! ## Example
//! ```text
//! ← {"operation": "terminate", "result": "kept"}
//! ```
//!
//! ## How to fix
//! Answer `success`. If cleaning up failed, answer `failure` with a critical log (PM506).
//! CFEngine's Python library: return `Result.SUCCESS` or `Result.FAILURE` from
//! `protocol_terminate`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results". cf-agent ignores the result.

use crate::phase;
use crate::reads::ANSWERS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    crate::results::check(
        session,
        ledger,
        phase::TERMINATE,
        &["success", "failure", "error"],
    );
}
