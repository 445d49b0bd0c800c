//! # The agent survives whatever a module answers
//!
//! ## What it requires
//! Whatever a module answers, the agent goes on with the next promise, and ends by itself.
//!
//! ## Why
//! One defective module must not keep a host from all of its policy. What crashes the agent may
//! also be used against it.
//!
//! ## How it is judged
//! - Judged: each session of which it is known how the agent ended. A signal or a fatal error is a
//!   finding, and so is an agent that had to be killed although no answer was missing.
//! - Not judged: agents that wait for an answer (AG115); recordings of one module.
//!
//! ## Example
//! A module answers a validation with `true`. cf-agent 3.21.0 crashes.
//!
//! ## How to fix
//! Check the type of each value before it is used: the answer, the result, each entry of `log` and
//! each of `result_classes`. Then log an error, and fail the promise.
//!
//! ## Source
//! The specification does not define this; it follows from "Results", which names the values.

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It crashes.
const CRASHES: Variant = Variant::new("crashes");
/// It ends with a fatal error.
const GIVES_UP: Variant = Variant::new("gives-up");
/// It does not end.
const HANGS: Variant = Variant::new("hangs");

fn check(session: &Session, ledger: &mut Ledger) {
    let driven = session.case().is_driven();
    let ended = session.facts.agent_ended.as_deref();
    let Some(ended) = ended.filter(|_| driven) else {
        return;
    };
    let place = view::all(session).last().map(|one| one.number);
    let waits = view::all(session).any(|one| one.owed && one.message.is_none());
    if let Some(signal) = ended.strip_prefix("signal ") {
        let message = match signal {
            "6" => "the agent aborts (SIGABRT)".to_owned(),
            "11" => "the agent crashes (SIGSEGV)".to_owned(),
            signal => format!("the agent crashes (signal {signal})"),
        };
        ledger.report(ledger.finding(place, CRASHES.says(message)));
    } else if ended == "fatal error" {
        let message = "the agent ends with a fatal error, and leaves out all other promises";
        ledger.report(ledger.finding(place, GIVES_UP.says(message)));
    } else if ended != "hung" {
        ledger.pass(place);
    } else if !waits {
        let message = "the agent does not end, although the module answered";
        ledger.report(ledger.finding(place, HANGS.says(message)));
    }
}
