//! # What changes outside is repaired
//!
//! ## What it requires
//! After the outside has undone what the resource made, `CheckApply` repairs it: it returns
//! `(false, nil)`, and no error.
//!
//! ## Why
//! Resources of mgmt live on a system that others change, too.
//!
//! ## How it is judged
//! - Judged: the first apply after what the resource made was undone from outside, or after a command of `drift`.
//! - Not judged: a command that changes no file, where no process of anybody else runs.
//!
//! ## Example
//! A resource opens its file once in `Init`, and writes into a file that is gone.
//!
//! ## How to fix
//! Look at the system anew in each call.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use crate::spoilt::{has_services, what};
use crate::visit;
use stickler_judge::{Check, Ledger, Relation, Variant};
use stickler_transcript::{Change, ChangeKind, Drift, Event, Fate};

/// Sessions in which the state is spoilt from outside.
const SPOILT: &[Relation] = &[
    Relation::UNDONE,
    relation::WATCHED,
    relation::POLLED,
    relation::SPOILT,
];

pub(super) const CHECKS: super::Checks = &[Check::Session(SPOILT, check)];

/// It fails.
const FAILS: Variant = Variant::new("fails");
/// It says that all is right.
const UNSEEN: Variant = Variant::new("unseen");

fn check(session: &Session, ledger: &mut Ledger) {
    // Other changes from outside need not make the state wrong.
    let mut groups = session.case().groups.iter();
    if !groups.any(|member| SPOILT.contains(&member.relation)) {
        return;
    }
    let mut drifted = false;
    let mut alone = false;
    let mut applied = false;
    for event in &session.transcript.events {
        match event {
            Event::Drifted {
                failed: None,
                alone: ends_none,
                ..
            } => {
                drifted = applied;
                alone = *ends_none && !has_services(session.case());
            }
            // A command that writes what is there already spoils nothing.
            Event::Effects { changes, .. } if drifted && (alone || !changes.is_empty()) => {
                let is_same = |change: &Change| change.kind == ChangeKind::Rewritten;
                drifted = !changes.iter().all(is_same);
            }
            Event::Request(input) => {
                let mut calls = session.exchanges.iter();
                let Some(call) = calls.find(|call| call.number == input.exchange) else {
                    continue;
                };
                let Some(fate) = visit::fate(call) else {
                    // What a look has repaired is the matter of another rule.
                    drifted &= !has_changed(call);
                    continue;
                };
                if std::mem::take(&mut drifted) {
                    let why = call.why_it_fails().unwrap_or_default();
                    let undone = match session.drift_before(call) {
                        drift @ Some(Drift::Command { .. }) => {
                            format!("what {} has changed", what(drift))
                        }
                        _ => "what was undone from outside".to_owned(),
                    };
                    let broken = match fate {
                        Fate::Failed => {
                            Some(FAILS.says(format!("{undone} is not repaired: {why}")))
                        }
                        // What it writes all the same, it has seen.
                        Fate::Unchanged if call.effects.as_ref().is_none_or(Vec::is_empty) => {
                            Some(UNSEEN.says(format!("{undone} is taken for right")))
                        }
                        _ => None,
                    };
                    let place = ledger.place(call.number);
                    ledger.check_with(place, call.provenance, broken, |finding| match fate {
                        // A check may have seen it, although an apply does not.
                        Fate::Unchanged => finding.follows("MR105"),
                        _ => finding,
                    });
                }
                applied = fate != Fate::Failed;
            }
            _ => {}
        }
    }
}

/// Did a call that may only look change something?
fn has_changed(call: &Call) -> bool {
    call.phase == phase::CHECKAPPLY
        && call
            .effects
            .as_ref()
            .is_some_and(|effects| !effects.is_empty())
}
