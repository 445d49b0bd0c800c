//! # `set` leaves other resources unchanged
//!
//! ## What it requires
//! `set` changes only the resources of its changes. The other rows of `get` stay unchanged.
//!
//! ## Why
//! The user did not ask for other changes, and no report shows them.
//!
//! ## How it is judged
//! - Judged: all rows before and after a `set`, without those of its changes. If every `get` has a
//!   filter: whether an example has to be set again after a similar one.
//! - Not judged: values of read_only attributes; calls of `set` that fail.
//!
//! ## Example
//! `set` rewrites the file with only the resources of its changes.
//!
//! ## How to fix
//! Read the file, change only the affected part, and write the rest back unchanged.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::after::is_outdated;
use crate::backends::commands_fail;
use crate::others::differ;
use crate::phase;
use crate::reads::{AMONG_OTHERS, UNENDED};
use crate::rows::{Read, evaluations, reads};
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger, View as _};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(UNENDED, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if commands_fail(session) {
        return;
    }
    in_turns(session, ledger);
    let all: Vec<Read<'_>> = reads(session)
        .filter(|read| read.call.param("names").is_none_or(|names| names.is_nil()))
        .collect();
    for pair in fresh(all).windows(2) {
        let [before, after] = pair else { continue };
        let is_pair = session.is_same_provider(before.call, after.call);
        if !is_pair || session.changed_between(before.call, after.call) {
            continue;
        }
        let between = before.call.number..after.call.number;
        let sets = session.calls(phase::SET);
        let sets: Vec<_> = sets
            .filter(|(set, _)| between.contains(&set.number))
            .collect();
        // What a failure leaves behind is another question.
        let fails = sets.iter().any(|(set, _)| set.fails());
        let Some((set, _)) = sets.first().filter(|_| !fails) else {
            continue;
        };
        let names: Vec<Value> = sets
            .iter()
            .flat_map(|(set, _)| changes(set))
            .map(|(name, _)| name)
            .collect();
        let broken = differ(before.definition, &names, before.rows(), after.rows());
        let broken = broken.map(|how| how.in_words);
        ledger.check(set.number, set.provenance, broken);
    }
}

/// One resource is set, then a similar one, then the first again, which must already hold.
fn in_turns(session: &Session, ledger: &mut Ledger) {
    let mut groups = session.case().groups.iter();
    if !groups.any(|member| AMONG_OTHERS.contains(&member.relation)) {
        return;
    }
    let [
        (_, first, Fate::Changed),
        (_, other, Fate::Changed),
        (_, again, last),
    ] = evaluations(session)[..]
    else {
        return;
    };
    let Some(item) = session.item(first) else {
        return;
    };
    let is_filtered = reads(session).all(|read| {
        read.call
            .param("names")
            .is_some_and(|names| !names.is_nil())
    });
    let is_expected = item.expect.last().is_some_and(|last| last == "changed");
    if is_outdated(session, again)
        || !is_filtered
        || is_expected
        || first.item != again.item
        || last == Fate::Failed
    {
        return;
    }
    let broken = (last == Fate::Changed).then(|| {
        format!(
            "a `set` of another resource undid \"{}\": it has to be set again",
            item.example
        )
    });
    ledger.check(other.number, other.provenance, broken);
}

/// Without what an instance may only remember: it has read before, and another one since then.
fn fresh(all: Vec<Read<'_>>) -> Vec<Read<'_>> {
    let by: Vec<_> = all.iter().map(|read| read.call.param("provider")).collect();
    let is_fresh = |at: usize| {
        let last = by[..at].iter().rposition(|own| *own == by[at]);
        last.is_none_or(|last| last + 1 == at)
    };
    let kept = all.into_iter().enumerate().filter(|(at, _)| is_fresh(*at));
    kept.map(|(_, read)| read).collect()
}
