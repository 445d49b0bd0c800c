//! # Two resources of a kind do not share state
//!
//! ## What it requires
//! A resource does its work in the same way whether another one of its kind is in the process or
//! not.
//!
//! ## Why
//! A graph has many resources of a kind, and they run at the same time.
//!
//! ## How it is judged
//! - Judged: an example in two folders: both begun, both applied, both looked at, in one process;
//!   then each in processes of its own.
//! - Not judged: two that undo each other's work in processes of their own, too: they manage one
//!   thing; an example that needs two calls alone, too (MR106).
//!
//! ## Example
//! `Init` keeps the path in a variable of the package, so that the second one's path is used by both.
//!
//! ## How to fix
//! Keep everything in the struct.
//!
//! ## Source
//! mgmt resource guide: resources are independent of each other.

use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use crate::visit::fate;
use stickler_judge::{Check, Ledger, Variant};
use stickler_transcript::{Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::BESIDE], check)];

/// It does something else beside another one.
const DISTURBED: Variant = Variant::new("disturbed");
/// Together, they take for right what they do not take for right alone.
const MIXED_UP: Variant = Variant::new("mixed-up");

fn check(session: &Session, ledger: &mut Ledger) {
    let mut inits = session
        .calls(phase::INIT)
        .filter(|call| call.process == 0 && call.succeeds());
    let (Some(one), Some(other)) = (inits.next(), inits.next()) else {
        return;
    };
    // The control: another one, alone, is right after one call.
    let of_third = |turn: usize| {
        let mut calls = session.checked(Purpose::EVALUATE, turn);
        calls.find(|call| call.process > 0)
    };
    let works = of_third(4).is_some_and(Call::succeeds);
    let again = of_third(3).filter(|_| works);
    if again.is_some_and(|again| fate(again) != Some(Fate::Unchanged)) {
        return;
    }
    let labels = [one.resource(), other.resource()];
    let called = |label: &str, purpose: Purpose, turn: usize| {
        let mut calls = session.checked(purpose, turn);
        calls.find(|call| call.resource() == label && (turn == 1) == (call.process == 0))
    };
    // The control: in processes of their own, both work, and each stays right beside the other's work.
    let is_kept = |label: &&str| {
        called(label, Purpose::LOOK, 2)
            .is_none_or(|later| later.succeeds() && later.ok() == Some(true))
    };
    if !labels.iter().all(is_kept) {
        return;
    }
    for label in labels {
        let called = |purpose: Purpose, turn: usize| called(label, purpose, turn);
        let found = (
            called(Purpose::EVALUATE, 1),
            called(Purpose::LOOK, 1),
            called(Purpose::EVALUATE, 2),
            called(Purpose::LOOK, 2),
        );
        let (Some(applied), Some(looked), Some(alone), Some(later)) = found else {
            continue;
        };
        if !alone.succeeds() || !later.succeeds() || later.ok() != Some(true) {
            continue;
        }
        let broken = match () {
            () if !applied.succeeds() => Some(DISTURBED.says(format!(
                "beside another one, it fails: {}",
                applied.why_it_fails().unwrap_or_default()
            ))),
            () if fate(alone) == Some(Fate::Unchanged) && !is_right(looked) => {
                Some(DISTURBED.says("beside another one, it takes for wrong what is right"))
            }
            // Nothing is there of what it has done.
            () if fate(alone) == Some(Fate::Changed) => {
                Some(MIXED_UP.says("beside another one, it does not do its own work"))
            }
            () => None,
        };
        ledger.check_against(applied.number, looked.number, looked.provenance, broken);
    }
}

fn is_right(looked: &Call) -> bool {
    looked.succeeds() && looked.ok() == Some(true)
}
