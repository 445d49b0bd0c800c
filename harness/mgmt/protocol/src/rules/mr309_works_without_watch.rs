//! # A resource works while the engine polls
//!
//! ## What it requires
//! `CheckApply` does its work if `Watch` is never called.
//!
//! ## Why
//! With the meta parameter `poll`, the engine calls `CheckApply` from time to time, and no `Watch`.
//!
//! ## How it is judged
//! - Judged: an apply and a look, a change from outside, an apply and a look, without `Watch`.
//! - Not judged: what does not work with `Watch` either.
//!
//! ## Example
//! `Watch` makes the channel that `CheckApply` reads from.
//!
//! ## How to fix
//! Make in `Init` what `CheckApply` needs.
//!
//! ## Source
//! mgmt resource guide, "Watch": the meta parameter `poll`.

use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use crate::visit::fate;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Fate, Purpose};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::POLLED], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let mut polls = session.calls(phase::META).filter(|call| call.returns());
    let Some(poll) = polls.next() else {
        return;
    };
    let turn = |turn: usize| {
        let apply = session.checked(Purpose::EVALUATE, turn).next()?;
        let look = session.checked(Purpose::LOOK, turn).next()?;
        Some((apply, look))
    };
    // The control: the same with `Watch`.
    let Some((apply, look)) = turn(3) else {
        return;
    };
    if !apply.succeeds() || !look.succeeds() {
        return;
    }
    let converges = fate(apply) == Some(Fate::Changed) && look.ok() == Some(true);
    for number in [1, 2] {
        let Some((apply, look)) = turn(number) else {
            continue;
        };
        let broken = fails(apply, look, converges);
        ledger.check_against(poll.number, apply.number, apply.provenance, broken);
    }
}

fn fails(apply: &Call, look: &Call, converges: bool) -> Option<String> {
    match apply.why_it_fails().or_else(|| look.why_it_fails()) {
        Some(why) => Some(format!("without `Watch`, it fails: {why}")),
        None if apply.answer.is_none() => Some("without `Watch`, it does not return".to_owned()),
        None if converges && look.ok() == Some(false) => {
            Some("without `Watch`, it never finds the state right".to_owned())
        }
        None => None,
    }
}
