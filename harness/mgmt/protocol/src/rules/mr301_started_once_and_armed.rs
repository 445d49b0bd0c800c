//! # `Watch` reports once that it is ready, and then sees each change
//!
//! ## What it requires
//! `Watch` says that it has started once, first, and only when its watches are armed: it sees a
//! change right after it.
//!
//! ## Why
//! The engine calls `CheckApply` after it, and relies on events from then on. A change in the gap
//! is never seen.
//!
//! ## How it is judged
//! - Judged: what each call of `Watch` says within three seconds; a change from outside right after
//!   it has started.
//! - Not judged: a Watch that ends with an error.
//!
//! ## Example
//! `obj.init.Running()` is called before the watcher of the file is made.
//!
//! ## How to fix
//! Arm all watches first, then say so: `Running()`, or the first `Event`.
//!
//! ## Source
//! mgmt resource guide, "Running".

use crate::phase;
use crate::reads::WATCHES;
use crate::session::Session;
use crate::settled::changes_again;
use crate::watched::{Watched, came, deaf, fails_again, watched};
use stickler_judge::{Check, Ledger, Level, Variant};
use stickler_transcript::Drift;

pub(super) const CHECKS: super::Checks = &[Check::Session(WATCHES, check)];

/// How long it may take to start, in microseconds.
const LONG: u64 = 3_000_000;

/// It never says so.
const NEVER: Variant = Variant::new("never");
/// It says something else first, or says so again.
const NOT_ONCE: Variant = Variant::new("not-once");
/// It misses what comes right after.
const NOT_ARMED: Variant = Variant::new("not-armed");

fn check(session: &Session, ledger: &mut Ledger) {
    let all = watched(session);
    for (at, watch) in all.iter().enumerate() {
        // The first wait is for the start. Nobody waits in a graph, where the start itself is judged.
        let wait = watch.calls.iter().find(|call| call.phase == phase::AWAIT);
        let first = wait.copied().unwrap_or(watch.start);
        if !first.returns() {
            continue;
        }
        // What it says when it is told to end says nothing of its start.
        let end = watch.cancel().filter(|_| wait.is_none());
        let end = end.map_or(usize::MAX, |cancel| cancel.number);
        let said: Vec<&str> = watch
            .told
            .iter()
            .filter(|(number, _)| *number < end)
            .map(|(_, told)| told.method.as_str())
            .filter(|method| ["started", "event", "ended"].contains(method))
            .collect();
        let times = said.iter().filter(|said| **said == "started").count();
        let is_silent = match wait {
            Some(wait) => came(wait).as_deref() == Some("nothing"),
            None => watch.lasts() >= LONG,
        };
        let broken = match (said.first(), times) {
            (None, _) if is_silent => Some(NEVER.says("`Watch` does not say that it has started")),
            (Some(&"ended"), 0) | (None, _) => continue,
            (Some(&"event"), _) => {
                Some(NOT_ONCE.says("an event comes before `Watch` says that it has started"))
            }
            (_, 2..) => Some(NOT_ONCE.says("`Watch` says more than once that it has started")),
            _ => None,
        };
        ledger.check(first.number, first.provenance, broken);
        let mut early = watch.noticed().filter(|noticed| watch.is_early(noticed));
        if let Some(noticed) = early.next().filter(|_| times == 1) {
            if let Some(why) = session.drift_failed(noticed) {
                ledger.skip(why);
                continue;
            }
            let is_declared = matches!(session.drift_before(noticed), Some(Drift::Command { .. }));
            // What is always wrong is not made wrong from outside.
            if !is_declared && changes_again(session, noticed) {
                continue;
            }
            // It sees such a change when more time has passed.
            let is_seen = is_declared || all.iter().any(sees_later);
            if came(noticed).as_deref() != Some("nothing") {
                ledger.pass(noticed.number);
                continue;
            }
            // What sees nothing at all once it is started again is the matter of another rule.
            let is_broken = |one: &Watched<'_>| {
                deaf(session, &all, one).is_some() || fails_again(session, &all, one).is_some()
            };
            if all[..at].iter().any(is_broken) {
                continue;
            }
            let level = if is_seen { Level::Must } else { Level::Should };
            let defect = NOT_ARMED.says("a change right after the start leads to no event");
            let finding = ledger.finding(noticed.number, defect).at_most(level);
            ledger.report(finding.graded(noticed.provenance));
        }
    }
}

/// Does a change that comes later lead to an event?
fn sees_later(watch: &Watched<'_>) -> bool {
    let mut later = watch.noticed().filter(|noticed| !watch.is_early(noticed));
    later.any(|noticed| came(noticed).as_deref() == Some("event"))
}
