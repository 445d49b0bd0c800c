//! # Under warn, the agent sends no requests to a module without `action_policy`
//!
//! ## What it requires
//! If nothing may change (`action_policy` warn or nop, dry-run, simulate), a module that does
//! not advertise `action_policy` gets no request; its promises fail with an error.
//!
//! ## Why
//! The module would change the host, although the user only wants a report.
//!
//! ## How it is judged
//! - Judged: the requests of a dry run to such a module, and each of its promises that may
//!   only warn. Promises are judged if the agent keeps the record itself.
//! - Not judged: promises with unresolved variables (AG118).
//!
//! ## Example
//! `cf-agent --dry-run` evaluates promises of a module that does not know `action_policy`.
//!
//! ## How to fix
//! Before the validation, check whether the promise or the run may only warn. If so, and if
//! the header lacks `action_policy`, log an error, fail the promise, and send nothing.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// A request is sent in a dry run.
const DRY_RUN: Variant = Variant::new("sent-in-dry-run");
/// A promise that may only warn is sent.
const WARN: Variant = Variant::new("sent-under-warn");
/// A promise that is not sent does not fail with an error.
const NOT_FAILED: Variant = Variant::new("not-failed");

fn check(session: &Session, ledger: &mut Ledger) {
    let advertises = |exchange: &crate::Exchange| session.process(exchange).action_policy;
    let ignorant = view::processes(session).any(|process| {
        view::is_usable(session, process) && !session.processes[process].action_policy
    });
    if !ignorant {
        return;
    }
    let dry = view::is_dry(session);
    for (exchange, _) in view::requests(session).filter(|(one, _)| dry && !advertises(one)) {
        let message = "sent in a dry run to a module that does not advertise `action_policy`";
        ledger.report(ledger.finding(exchange.number, DRY_RUN.says(message)));
    }
    for outcome in view::outcomes(session).filter(|outcome| outcome.warns && !outcome.unresolved) {
        let asked = view::about(session, outcome).last().map(|one| one.number);
        let wrong = if asked.is_some() {
            if dry {
                continue;
            }
            WARN.says(
                "the promise may only warn, but the module does not advertise `action_policy`",
            )
        } else if outcome.outcome != Fate::Failed || outcome.errors.is_empty() {
            NOT_FAILED.says(
                "the promise may only warn and was not sent, but it did not fail with an error",
            )
        } else {
            ledger.pass(None);
            continue;
        };
        ledger.report(ledger.finding(asked, wrong));
    }
}
