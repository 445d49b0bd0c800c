//! # No process is left behind
//!
//! ## What it requires
//! After a session no process of the module is left, except a daemon that a repair started
//! without the module's stdin and stdout.
//!
//! ## Why
//! A process that holds the pipes keeps the agent waiting for the end of the module's output.
//! Other processes accumulate from run to run.
//!
//! ## How it is judged
//! - Judged: sessions in which the module ended by itself: a process that holds its stdin or
//!   stdout; any process, if no promise was `repaired`.
//! - Not judged: processes that end shortly after the module.
//!
//! ## Example
//! A module checks its service with `tail -f log &`, and answers `kept`.
//!
//! ## How to fix
//! - A helper: end it before the answer. Shell: `kill "$pid"; wait "$pid"`. Python:
//!   `child.terminate(); child.wait()`.
//! - A daemon: let a service manager start it, or run
//!   `setsid daemon </dev/null >/dev/null 2>&1 &`. Python:
//!   `subprocess.Popen(…, start_new_session=True)`, with `DEVNULL` for all three streams.
//! - Close copies of the pipes for children: shell `3>&-`, C `O_CLOEXEC`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Creating custom promise types" (standard input and output
//! belong to the protocol) and "Protocol request sequence". cf-agent waits for a child that
//! holds the module's stdout as long as that child lives.

use crate::ending::ended_by_itself;
use crate::relation;
use crate::session::Session;
use crate::words::cut;
use stickler_judge::{Check, Ledger, Relation, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[
        Relation::BETWEEN,
        Relation::IDLE,
        relation::ENDS,
        Relation::FIELDS,
    ],
    check,
)];

/// It holds the pipes of the protocol.
const HOLDS_PIPE: Variant = Variant::new("holds-pipe");
/// It runs although nothing was repaired.
const LEFT: Variant = Variant::new("left-running");

fn check(session: &Session, ledger: &mut Ledger) {
    if !ended_by_itself(session) || session.responses().next().is_none() {
        return;
    }
    let left = &session.left;
    // Whatever holds the pipes after the module's end is a leftover process.
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
    let (defect, expected) = match (pipe, repaired) {
        (Some(pipe), _) => (
            HOLDS_PIPE.says(format!(
                "a process{process} is left that holds the module's standard {pipe}"
            )),
            "no process that holds the protocol's pipes",
        ),
        (None, None) if !left.processes.is_empty() => (
            LEFT.says(format!(
                "a process{process} is left, and nothing was repaired"
            )),
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
        .finding(number, defect)
        .expected(expected)
        .graded(provenance);
    ledger.report(finding);
}
