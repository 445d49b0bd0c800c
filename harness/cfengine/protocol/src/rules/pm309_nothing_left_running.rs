//! # No process is left behind
//!
//! ## What it requires
//! When a session is over in which nothing was repaired, no process that the
//! module started is left. A repaired promise may leave one (a daemon that it
//! started), but never one that still holds the module's standard input or
//! output.
//!
//! ## Why
//! A process that holds the pipes keeps the agent waiting: it does not see the
//! end of the module's output. Others gather from run to run.
//!
//! ## How it is judged
//! After sessions in which the module ended by itself. Processes that end shortly
//! after it are not counted. A daemon has to be started with its input and output
//! elsewhere (`</dev/null >/dev/null 2>&1`, or a service manager's help).
//!
//! cf-agent 3.21.0 waits for a child of the module that holds its standard
//! output as long as that child lives.
//!
//! ## Example
//! A module checks its service with `tail -f log &`, and answers `kept`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Creating custom promise types" (standard
//! input and output belong to the protocol) and "Protocol request sequence".

use crate::ending::ended_by_itself;
use crate::session::Session;
use crate::words::cut;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if !ended_by_itself(session) || session.responses().next().is_none() {
        return;
    }
    let left = &session.left;
    // Whatever holds the pipes after the module's end is a process that is left.
    let pipe = match (left.holds_stdin, left.holds_stdout) {
        (_, true) => Some("output"),
        (true, false) => Some("input"),
        (false, false) => None,
    };
    let repaired = session
        .evaluations()
        .find(|exchange| exchange.is("repaired"));
    let process = left
        .processes
        .first()
        .map_or_else(String::new, |command| format!(" `{}`", cut(command, 60)));
    let (message, expected) = match (pipe, repaired) {
        (Some(pipe), _) => (
            format!("a process{process} is left that holds the module's standard {pipe}"),
            "no process with the protocol's pipes",
        ),
        (None, None) if !left.processes.is_empty() => (
            format!("a process{process} is left, and nothing was repaired"),
            "no process left",
        ),
        (None, _) => {
            ledger.pass(None);
            return;
        }
    };
    let provenance = session
        .exchanges
        .iter()
        .map(|exchange| exchange.provenance)
        .max()
        .unwrap_or_default();
    // Evidence: the evaluation that most likely started it.
    let number = repaired
        .or_else(|| session.evaluations().last())
        .or_else(|| session.responses().last().map(|(exchange, _)| exchange))
        .map(|exchange| exchange.number);
    let finding = ledger
        .finding(number, message)
        .expected(expected)
        .graded(provenance);
    ledger.report(finding);
}
