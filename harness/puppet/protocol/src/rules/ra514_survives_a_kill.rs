//! # After a kill, the next run reaches the target
//!
//! ## What it requires
//! If a run is killed while it sets a resource, the next run still reaches the target. Other
//! resources stay unchanged.
//!
//! ## Why
//! Machines lose power, and operators stop agents. The next run must repair the state without help.
//!
//! ## How it is judged
//! - Judged: evaluations in a fresh process after a kill. Stickler kills at several moments, mostly
//!   before a call that changes a file.
//! - Judged: the rows of other resources before the kill and in the next run.
//! - Not judged: examples whose author expects `error`, or `changed` in each evaluation; other
//!   resources of modules with `[fake]` commands, since the kill may hit a command too.
//!
//! ## Example
//! `set` opens the file with `w`, writes it in pieces, and `get` raises if the file is incomplete.
//!
//! ## How to fix
//! Write a new file beside the old one, and rename it.
//!
//! ## Source
//! Good practice.

use crate::after::is_outdated;
use crate::others::differ;
use crate::phase;
use crate::rows::{evaluations, reads};
use crate::session::Session;
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[Relation::KILL], check)];

/// The next run fails.
const FAILS: Variant = Variant::new("fails");
/// Other resources are gone, or no longer what they were.
const LOST: Variant = Variant::new("lost");
/// The target is not reached.
const MISSED: Variant = Variant::new("missed");

fn check(session: &Session, ledger: &mut Ledger) {
    let mut groups = session.case().groups.iter();
    if !groups.any(|member| member.relation == Relation::KILL) {
        return;
    }
    let all = evaluations(session);
    let later: Vec<_> = all
        .iter()
        .filter(|(_, call, _)| call.process == 1)
        .collect();
    let [(_, first, outcome), rest @ ..] = &later[..] else {
        return;
    };
    let expect = session
        .item(first)
        .map(|item| &item.expect[..])
        .unwrap_or_default();
    let errs = expect.iter().any(|expected| expected == "error");
    if errs || expect.last().is_some_and(|last| last == "changed") {
        return;
    }
    let failed = |call: &crate::session::Call| {
        let mut calls = session.exchanges.iter();
        let same = |other: &&crate::session::Call| {
            other.process == call.process && other.item == call.item
        };
        let why = calls.find_map(|other| other.why_it_fails().filter(|_| same(&other)));
        why.map_or_else(String::new, |why| format!(": {why}"))
    };
    let broken = if *outcome == Fate::Failed {
        Some(FAILS.says(format!("after a kill, the next run fails{}", failed(first))))
    } else if let Some((_, call, _)) = rest.iter().find(|(_, call, outcome)| {
        *outcome == Fate::Changed && call.phase == phase::SET && !is_outdated(session, call)
    }) {
        Some(MISSED.says(format!(
            "after a kill, the next run does not reach the target: evaluation {} changes it again",
            1 + rest.iter().position(|(_, other, _)| other.number == call.number).unwrap_or(0) + 1
        )))
    } else {
        others(session).map(|how| LOST.says(format!("after a kill: {how}")))
    };
    ledger.check(first.number, first.provenance, broken);
}

/// What the next run finds of other resources.
fn others(session: &Session) -> Option<String> {
    let plan = session.case().plan.as_ref();
    if plan.is_some_and(|plan| !plan.stand_ins.is_empty()) {
        return None;
    }
    let mut calls = session.exchanges.iter();
    let killed = calls.find(|call| call.phase == phase::SET && call.process == 0)?;
    let names: Vec<Value> = changes(killed).into_iter().map(|(name, _)| name).collect();
    let all = || {
        reads(session).filter(|read| read.call.param("names").is_none_or(|names| names.is_nil()))
    };
    let before = all().filter(|read| read.call.process == 0).last()?;
    let after = all().find(|read| read.call.process == 1)?;
    let how = differ(before.definition, &names, before.rows(), after.rows())?;
    (!how.is_new).then_some(how.in_words)
}
