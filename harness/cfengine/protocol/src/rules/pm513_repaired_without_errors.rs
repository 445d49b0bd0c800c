//! # `repaired` has no error log
//!
//! ## What it requires
//! An evaluation with the result `repaired` sends no log message of level `error`.
//!
//! ## Why
//! `repaired` means that everything is well now. If the module could not fix something, the
//! promise is `not_kept`, even if it fixed other parts.
//!
//! ## How it is judged
//! - Judged: every evaluation that is answered `repaired`.
//! - Not judged: critical messages (PM514).
//!
//! ## Example
//! ```text
//! ← log_info=Created the file
//! ← log_error=Could not set its owner
//! ← {"operation": "evaluate_promise", "result": "repaired"}
//! ```
//!
//! ## How to fix
//! Answer `not_kept` if any part failed, even if others were fixed. Their info messages stay.
//! - Python: `"not_kept" if failed else "repaired" if changed else "kept"`
//!
//! If the failed part does not matter for the promise, send a warning instead.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results" (the order of the three outcomes). cf-agent
//! accepts such a message.

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::words::{cut, visible};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::EVALUATE).filter(|exchange| exchange.is("repaired")) {
        let Some(text) = logs::find(exchange, &["error"]) else {
            ledger.pass(exchange.number);
            continue;
        };
        let finding = ledger
            .finding(
                exchange.number,
                format!(
                    "`repaired` with a log message of level error: `{}`",
                    cut(&visible(text), 80)
                ),
            )
            .expected("not_kept, or a message of another level")
            .quote(text)
            .graded(exchange.provenance);
        ledger.report(finding);
    }
}
