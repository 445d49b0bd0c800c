//! # The result of an evaluation is `kept`, `repaired`, `not_kept` or `error`
//!
//! ## What it requires
//! The module answers `evaluate_promise` with the result `kept`, `repaired`, `not_kept` or
//! `error`, spelled exactly like this.
//!
//! ## Why
//! An agent defines classes and counts promises by the result. It reports any other result as
//! unacceptable, and the promise as failed.
//!
//! ## How it is judged
//! - Judged: each answered evaluation. `valid` and `invalid` are wrong here, since the promise
//!   is already validated. In the line protocol, also a missing result.
//! - Not judged: in JSON, a missing result or one that is not a string (PM206); answers after
//!   an extra message (PM202).
//!
//! ## Example
//! ```text
//! ← {"operation": "evaluate_promise", "result": "notkept"}
//! ```
//!
//! ## How to fix
//! Choose the word by what happened:
//! - Nothing to do: `kept`. Everything is fixed: `repaired`, with an info log (PM503).
//! - Something could not be fixed: `not_kept`, with an error log (PM504).
//! - A bug in the module, or a broken request: `error`, with a critical log (PM505).
//! - CFEngine's Python library: `return Result.NOT_KEPT`, and not a text of your own.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results".

use crate::phase;
use crate::reads::ANSWERS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let allowed = ["kept", "repaired", "not_kept", "error"];
    crate::results::check(session, ledger, phase::EVALUATE, &allowed);
}
