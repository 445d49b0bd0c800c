//! # The agent sends `terminate` once, as its last message
//!
//! ## What it requires
//! When an agent is done with a module, it sends `terminate` once, and nothing after it.
//!
//! ## Why
//! A module cleans up on `terminate`. Without it the module may leave things behind.
//!
//! ## How it is judged
//! - Judged: each process that got a message. A message after `terminate`, a second
//!   `terminate`, and a closed stdin without `terminate` are findings. If it is known what the
//!   agent had to do, so are a signal without `terminate`, and `terminate` before all is sent.
//! - Not judged: a missing `terminate`, if the module exited, had an unusable header or did not
//!   answer, or if the agent crashed.
//!
//! ## Example
//! An agent closes the module's stdin when it is done.
//!
//! ## How to fix
//! When the run ends, also early, send `terminate` to each module that still runs. Read its
//! answer, close its stdin, and wait for its exit with a limit. Send nothing after
//! `terminate`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use super::view;
use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// It is sent twice.
const TWICE: Variant = Variant::new("twice");
/// Something else is sent after it.
const NOT_LAST: Variant = Variant::new("not-last");
/// It is not sent.
const MISSING: Variant = Variant::new("missing");
/// It is sent while promises are left.
const EARLY: Variant = Variant::new("early");
/// A signal comes instead.
const KILLED: Variant = Variant::new("killed");

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
            let defect = match after.phase {
                phase::TERMINATE => TWICE.says("a second `terminate`"),
                _ => NOT_LAST.says("a message after `terminate`"),
            };
            ledger.report(ledger.finding(after.number, defect));
        } else if let Some(first) = first
            && is_early(session, process, &all, first.number)
        {
            let defect = EARLY.says("`terminate` before all promises of the policy are done");
            ledger.report(ledger.finding(last.number, defect));
        } else if first.is_some() {
            ledger.pass(last.number);
        } else if view::is_usable(session, process) && left_open(session, process, &all) {
            let defect = MISSING.says("the agent closed stdin without `terminate`");
            ledger.report(ledger.finding(last.number, defect));
        } else if view::is_usable(session, process) && left_running(session, process, &all) {
            let defect =
                MISSING.says("the agent ended without `terminate`, and the module runs on");
            ledger.report(ledger.finding(last.number, defect));
        } else if view::is_usable(session, process) && was_killed(session, process, &all) {
            let defect = KILLED.says("the agent killed the module without `terminate`");
            ledger.report(ledger.finding(last.number, defect));
        }
    }
}

/// Does it come while promises of the policy are left, or instead of an evaluation?
fn is_early(session: &Session, process: usize, all: &[&crate::Exchange], terminate: usize) -> bool {
    let is_last = process + 1 == session.processes.len();
    let before = all.iter().rfind(|one| one.number < terminate);
    let awaits = before.is_some_and(|one| one.phase == phase::VALIDATE && one.is("valid"));
    let known = !session.facts.promised.is_empty();
    is_last
        && view::is_usable(session, process)
        && view::was_clean(all, terminate)
        && (known && awaits || !view::unsent(session).is_empty())
}

/// Did the module answer everything, and does it still wait after an agent that ran to its end?
fn left_running(session: &Session, process: usize, all: &[&crate::Exchange]) -> bool {
    let state = &session.processes[process];
    let ended = session.facts.agent_ended.as_deref();
    let by_itself = ended.is_some_and(|ended| ended.starts_with("exit"));
    let answered = all.iter().all(|one| one.message.is_some() || !one.owed);
    let waits = state.exit.is_none() && state.input_closed_at.is_none() && !state.killed;
    by_itself && answered && waits && session.complete
}

/// Did the module answer everything, and was it killed all the same by an agent that ran to its end?
fn was_killed(session: &Session, process: usize, all: &[&crate::Exchange]) -> bool {
    let ended = session.facts.agent_ended.as_deref();
    let by_itself = ended.is_some_and(|ended| ended.starts_with("exit"));
    let answered = all.iter().all(|one| one.message.is_some() || !one.owed);
    by_itself && answered && session.processes[process].killed
}

/// Did the module answer everything, and was it running when its stdin was closed?
fn left_open(session: &Session, process: usize, all: &[&crate::Exchange]) -> bool {
    let state = &session.processes[process];
    let answered = all.iter().all(|one| one.message.is_some() || !one.owed);
    let closed = state.input_closed_at;
    let before = closed.is_some_and(|closed| state.exit.is_none_or(|(t, _)| t >= closed));
    let failed = session.facts.agent_ended.as_deref();
    let failed = failed.is_some_and(|ended| !ended.starts_with("exit"));
    answered && before && !state.killed && !failed
}
