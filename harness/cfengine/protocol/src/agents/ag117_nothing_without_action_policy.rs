//! # Under warn, a module without `action_policy` is asked nothing
//!
//! ## What it requires
//! Where nothing may be changed (`action_policy` warn or nop, dry-run, simulate), a
//! module that does not advertise `action_policy` gets neither validations nor
//! evaluations, and its promises fail with an error.
//!
//! ## Why
//! It would change the host while its owner only wanted to look.
//!
//! ## How it is judged
//! Where the agent keeps the record itself: on the requests of a dry run to such a
//! module, and on each of its promises that may only warn.
//!
//! ## Example
//! `cf-agent --dry-run` evaluates promises of a module that knows nothing of it.
//!
//! ## Source
//! CFEngine: Custom promise types, "Action policy".

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

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
        ledger.report(ledger.finding(exchange.number, message));
    }
    for outcome in view::outcomes(session).filter(|outcome| outcome.warns && !outcome.unresolved) {
        let asked = view::about(session, outcome).last().map(|one| one.number);
        let wrong = if asked.is_some() {
            if dry {
                continue;
            }
            "the promise may only warn, and the module does not advertise `action_policy`"
        } else if outcome.outcome != Fate::Failed || outcome.errors.is_empty() {
            "a promise that cannot be looked at without changing it did not fail with an error"
        } else {
            ledger.pass(None);
            continue;
        };
        ledger.report(ledger.finding(asked, wrong));
    }
}
