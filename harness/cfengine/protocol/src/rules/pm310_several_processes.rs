//! # The module can be started again, and several times at once
//!
//! ## What it requires
//! A second process of the module, started after the first or beside it, serves other promises
//! as the first does.
//!
//! ## Why
//! An agent may start a module several times in a run, and run several processes of it in
//! parallel. A lock, a fixed port or a leftover state file makes the second process fail.
//!
//! ## How it is judged
//! - Judged: one session starts the module twice in a row; another interleaves two processes
//!   on different promisers.
//! - Judged: each outcome must be that of the same promise in a single process. A second
//!   evaluation is compared with a second evaluation.
//! - Not judged: outcomes that differ between two runs of the single process.
//!
//! ## Example
//! A module writes its process id to `/tmp/module.pid`, and exits if that file exists.
//!
//! ## How to fix
//! Use no pid file, no fixed port, and no temporary file with a fixed name (`mktemp`,
//! `tempfile`). Lock only what the promise changes, only while it changes, and wait for the
//! lock:
//! - Shell: `exec 9<"$folder"; flock 9`, and afterwards `exec 9<&-`
//! - Python: `fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)`, and then close the
//!   descriptor.
//!
//! A lock on a directory needs no lock file, and ends with the process.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence".

use crate::compare::{expected, unstable};
use crate::partner::{Seen, at, graded, seen, unanswered};
use crate::phase;
use crate::session::{Ended, Exchange, Session};
use std::collections::BTreeSet;
use stickler_judge::{Check, Group, Ledger, Relation, Role, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Group(&[Relation::RESTART], check)];

/// A process that ended before changes the outcome.
const RESTARTED: Variant = Variant::new("restarted");
/// A process beside it changes the outcome.
const CONCURRENT: Variant = Variant::new("concurrent");

fn check(group: &Group<'_, Session>, ledger: &mut Ledger) {
    let Some((partner, baseline)) = group.baseline() else {
        return;
    };
    let unstable = unstable(group);
    for (role, index, variant) in group.variants().filter(|variant| *variant.0 != Role::Again) {
        let (defect, what) = match role {
            Role::Concurrent => (CONCURRENT, "beside another process of the module"),
            _ => (RESTARTED, "started again"),
        };
        // The first of two processes in a row is an ordinary one.
        let judged = variant
            .exchanges
            .iter()
            .filter(|exchange| exchange.process > 0 || *role == Role::Concurrent);
        for after in judged {
            let Some(before) = counterpart(baseline, variant, after) else {
                continue;
            };
            if unstable.contains(&before.key) {
                continue;
            }
            let Some(seen) = compared(baseline, before, after) else {
                continue;
            };
            let (Seen::Differs(words) | Seen::Unanswered(words)) = seen else {
                ledger.passes.push(at(index, after));
                continue;
            };
            let finding = ledger
                .finding_at(at(index, after), defect.says(format!("{what}: {words}")))
                .also(at(partner, before));
            let finding = match after.phase {
                phase::HEADER => finding.expected("the header"),
                _ => finding.expected(expected(before, after)),
            };
            ledger.report(graded(finding, after));
        }
    }
}

fn compared(baseline: &Session, before: &Exchange, after: &Exchange) -> Option<Seen> {
    if after.phase == phase::HEADER {
        if before.ended != Ended::Answered {
            return None;
        }
        return match unanswered(after) {
            Some(words) => Some(Seen::Unanswered(words.replace("answer", "header"))),
            None => (after.ended == Ended::Answered).then_some(Seen::Same),
        };
    }
    let seen = seen(before, after)?;
    // Names of classes may contain the promiser, and PM305 judges what is left of an
    // earlier promise in the same process.
    let comparable = before.item == after.item && !has_company(baseline, before);
    if !comparable && before.result() == after.result() {
        return Some(Seen::Same);
    }
    Some(seen)
}

/// Did the process have another promise before this exchange?
fn has_company(session: &Session, exchange: &Exchange) -> bool {
    session.exchanges.iter().any(|other| {
        other.process == exchange.process
            && other.number < exchange.number
            && other.item.is_some()
            && other.item != exchange.item
    })
}

/// The exchange of the single process that this one is compared with.
fn counterpart<'s>(
    baseline: &'s Session,
    variant: &Session,
    exchange: &Exchange,
) -> Option<&'s Exchange> {
    match exchange.phase {
        // The first process is an ordinary session.
        phase::HEADER => (exchange.process > 0)
            .then(|| baseline.headers().next())
            .flatten(),
        phase::VALIDATE => first(baseline, variant, exchange, 0),
        phase::EVALUATE => {
            let earlier = variant
                .exchanges
                .iter()
                .filter(|other| {
                    other.phase == phase::EVALUATE
                        && other.number < exchange.number
                        && other.item == exchange.item
                })
                .collect::<Vec<_>>();
            // The state is known only if all earlier evaluations were answered.
            let known = earlier.iter().all(|other| other.result().is_some());
            known.then(|| first(baseline, variant, exchange, earlier.len()))?
        }
        _ => None,
    }
}

/// The baseline's exchange of the same phase about the same promise, else about
/// the same example, after `skip` others.
fn first<'s>(
    baseline: &'s Session,
    variant: &Session,
    exchange: &Exchange,
    skip: usize,
) -> Option<&'s Exchange> {
    let label = exchange.item.as_deref()?;
    let example = variant
        .item(exchange)
        .filter(|promise| promise.original)
        .map(|promise| promise.example.as_str());
    let labels: BTreeSet<&str> = baseline
        .exchanges
        .iter()
        .filter_map(|other| other.item.as_deref())
        .collect();
    let same_promise = |other: &Exchange| {
        if labels.contains(label) {
            return other.item.as_deref() == Some(label);
        }
        let Some(promise) = baseline.item(other) else {
            return false;
        };
        promise.original && Some(promise.example.as_str()) == example
    };
    baseline
        .exchanges
        .iter()
        .filter(|other| other.phase == exchange.phase && other.policy() == exchange.policy())
        .filter(|other| same_promise(other))
        .nth(skip)
}
