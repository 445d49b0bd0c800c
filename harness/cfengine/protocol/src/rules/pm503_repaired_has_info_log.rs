//! # `repaired` comes with an info log
//!
//! ## What it requires
//! An evaluation with the result `repaired` contains at least one log message of level `info`,
//! whatever `log_level` the request has.
//!
//! ## Why
//! Info messages are the record of changes on a host. The agent counts them even if it does
//! not print them, and reports a bug in the module if there is none.
//!
//! ## How it is judged
//! - Judged: every evaluation that is answered `repaired`. Log lines and the list in a JSON
//!   answer both count; a notice is not enough.
//! - Not judged: requests with `action_policy` warn or nop (PM704); unreadable lists (PM508).
//!
//! ## Example
//! ```text
//! → {"operation": "evaluate_promise", "log_level": "error", …}
//! ← {"operation": "evaluate_promise", "result": "repaired"}
//! ```
//!
//! ## How to fix
//! Send the info message right after the change, whatever `log_level` is. Leave out only
//! `verbose` and `debug` messages if the level asks for less.
//! - Shell: `printf 'log_info=%s\n' "Wrote '$promiser'"`
//! - CFEngine's Python library: `self.log_info("Wrote …")` is always sent.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results". cf-agent says "Failed to log about changes".

use crate::logs;
use crate::phase;
use crate::reads::OUTCOMES;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for exchange in logs::own(session, phase::EVALUATE).filter(|exchange| exchange.is("repaired")) {
        if logs::only_warns(exchange) || !logs::legible(exchange) {
            continue;
        }
        let broken = (!logs::has(exchange, &["info"])).then(|| message(exchange));
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}

fn message(exchange: &Exchange) -> &'static str {
    let wanted = exchange
        .request
        .as_ref()
        .and_then(|request| request.log_level.as_deref());
    match wanted {
        Some(b"error" | b"warning" | b"notice") => {
            "`repaired` without a log message of level info where `log_level` asks for less"
        }
        _ => "`repaired` without a log message of level info",
    }
}
