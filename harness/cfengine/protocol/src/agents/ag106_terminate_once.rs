//! # `terminate` is sent once, last
//!
//! ## What it requires
//! When an agent is done with a module, it sends `terminate`, once, and nothing
//! after it.
//!
//! ## Why
//! A module cleans up then. One that is only cut off may leave things behind.
//!
//! ## How it is judged
//! On each process that was spoken with: a request after `terminate`, a second
//! `terminate`, and an input that was closed without one are reported. A module that
//! ended by itself, had no usable header or did not answer need not be asked.
//!
//! ## Example
//! An agent closes the module's standard input when it is done.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use crate::phase;
use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for process in view::processes(session) {
        let all: Vec<_> = view::exchanges(session, process).collect();
        let Some(last) = all.last() else {
            continue;
        };
        let first = all.iter().find(|one| one.phase == phase::TERMINATE);
        if let Some(after) =
            first.and_then(|first| all.iter().find(|one| one.number > first.number))
        {
            let message = match after.phase {
                phase::TERMINATE => "a second `terminate`",
                _ => "a message after `terminate`",
            };
            ledger.report(ledger.finding(after.number, message));
        } else if first.is_some() {
            ledger.pass(last.number);
        } else if view::is_usable(session, process) && left_open(session, process, &all) {
            let message = "standard input is closed, and no `terminate` was sent";
            ledger.report(ledger.finding(last.number, message));
        }
    }
}

/// Was there a module that answered everything, and could have been asked?
fn left_open(session: &Session, process: usize, all: &[&crate::Exchange]) -> bool {
    let state = &session.processes[process];
    let answered = all.iter().all(|one| one.message.is_some() || !one.owed);
    let closed = state.input_closed_at;
    let before = closed.is_some_and(|closed| state.exit.is_none_or(|(t, _)| t >= closed));
    answered && before && !state.killed
}
