//! # `repaired` comes with an info log
//!
//! ## What it requires
//! An evaluation that answers `repaired` carries at least one log message of
//! level `info`, whatever the request's `log_level` asks for.
//!
//! ## Why
//! Info messages are the record of what was changed on a host. The agent counts
//! them even where it does not print them, and reports a bug in the module when
//! there is none.
//!
//! ## How it is judged
//! On every evaluation that is answered `repaired`, except where only warnings
//! were asked for (PM704). Log lines before the answer and the list inside a
//! JSON answer count alike. A notice is not enough.
//!
//! ## Example
//! ```text
//! → {"operation": "evaluate_promise", "log_level": "error", …}
//! ← {"operation": "evaluate_promise", "result": "repaired"}
//! ```
//! The module sends only messages that `log_level` asks for.
//!
//! ## Source
//! CFEngine: Custom promise types, "Results". cf-agent 3.21.0 says "Failed to
//! log about changes".

use crate::phase;
use crate::logs;
use crate::session::{Exchange, Session};
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
