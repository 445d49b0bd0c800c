//! # The author's examples have the declared outcomes
//!
//! ## What it requires
//! Each evaluation of an example ends as its `expect` in `stickler.toml` says.
//!
//! ## Why
//! The author knows best what a resource needs.
//!
//! ## How it is judged
//! - Judged: evaluations of the author's own examples: `ok` if nothing had to be set, `changed` if
//!   `set` returned, `error` if a call failed.
//!
//! ## Example
//! `expect = ["changed", "ok"]`, and the first evaluation fails.
//!
//! ## How to fix
//! Correct the provider, or the expectation.
//!
//! ## Source
//! `expect` of the example.

use crate::phase;
use crate::reads::READS;
use crate::rows::evaluations;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Relation, View as _};
use stickler_transcript::Role;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// Does the harness keep the provider from its work, or has it done so?
fn is_disturbed(session: &Session) -> bool {
    let mut groups = session.case().groups.iter();
    session.refuses_writes()
        || groups.any(|member| {
            member.relation == Relation::Kill
                || member.relation == Relation::Write && !matches!(member.role, Role::Baseline)
        })
}

fn check(session: &Session, ledger: &mut Ledger) {
    if is_disturbed(session) {
        return;
    }
    // A campaign mixes examples, and what their authors declare holds for each alone.
    let mut groups = session.case().groups.iter();
    if groups.any(|member| member.relation == Relation::Fuzz) {
        return;
    }
    for phase in [phase::CONNECT, phase::DEVICE] {
        for (call, answer) in session.calls(phase) {
            let (true, Some(failure)) = (call.key.starts_with("connect:"), answer.failure()) else {
                continue;
            };
            let mut items = session.case().items.iter();
            let expects = |expect: &[String]| expect.first().is_none_or(|first| first != "error");
            if let Some(item) = items.find(|item| item.original && expects(&item.expect)) {
                let why = format!(
                    "\"{}\" cannot be brought about: {}",
                    item.example,
                    failure.in_words()
                );
                ledger.check(call.number, call.provenance, Some(why));
            }
        }
    }
    let mut counts = std::collections::BTreeMap::new();
    for (_, call, outcome) in evaluations(session) {
        let count = counts.entry(call.item.clone()).or_insert(0_usize);
        *count += 1;
        let Some(item) = session.item(call).filter(|item| item.original) else {
            continue;
        };
        let Some(expected) = item.expect.get(*count - 1).or(item.expect.last()) else {
            continue;
        };
        let broken = (expected != outcome.name()).then(|| {
            let why = call.answer.as_ref().and_then(|answer| answer.failure());
            let why = why.map_or_else(String::new, |why| format!(": {}", why.message));
            format!(
                "evaluation {count} is `{}` instead of `{expected}`{why}",
                outcome.name()
            )
        });
        ledger.check(call.number, call.provenance, broken);
    }
}
