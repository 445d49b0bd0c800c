//! # Other resources stay as they are
//!
//! ## What it requires
//! `set` changes the resources of its changes. The other rows of `get` are what they were.
//!
//! ## Why
//! Nobody asked for a change of the others, and no report tells of it.
//!
//! ## How it is judged
//! - Judged: all rows before and after a `set`, without those of its changes.
//! - Not judged: values of read_only attributes; calls of `get` with a filter.
//!
//! ## Example
//! `set` writes the file anew with the resources of its changes alone.
//!
//! ## How to fix
//! Read what is there, change the part in question, and write the rest back as it was.
//!
//! ## Source
//! Resource API specification, "Resource implementation".

use crate::backends::commands_fail;
use crate::others::differ;
use crate::phase;
use crate::reads::UNENDED;
use crate::rows::{Read, reads};
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(UNENDED, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    if commands_fail(session) {
        return;
    }
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
