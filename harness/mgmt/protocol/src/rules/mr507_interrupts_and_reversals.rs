//! # `Interrupt` returns at once, and the reversed resource undoes the change
//!
//! ## What it requires
//! `Interrupt`, where there is one, returns at once and does not panic, whether `CheckApply` runs or
//! not. If `Reversed` returns a resource, that one undoes what the first one has done.
//!
//! ## Why
//! The engine calls `Interrupt` when it has to end soon. It runs what `Reversed` has returned after the
//! resource has left the graph.
//!
//! ## How it is judged
//! - Judged: `Interrupt` during the first call of an example, and of a resource that is idle; the
//!   reverse of an example, applied after it.
//! - Not judged: a `Reversed` that returns nil.
//!
//! ## Example
//! `Interrupt` sends to a channel that only `CheckApply` reads.
//!
//! ## How to fix
//! Close a channel in `Interrupt`, once.
//!
//! ## Source
//! mgmt's interfaces InterruptableRes and ReversibleRes.

use crate::phase;
use crate::relation;
use crate::session::{Call, Session};
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;
use stickler_transcript::{ChangeKind, FileType};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[relation::CANCELLED, relation::REVERSED],
    check,
)];

/// How long `Interrupt` may take, in milliseconds.
const PROMPT: u64 = 2_000;

/// `Interrupt` takes long.
const SLOW: Variant = Variant::new("slow");
/// It panics.
const PANICS: Variant = Variant::new("panics");
/// The reverse fails.
const FAILS: Variant = Variant::new("fails");
/// The reverse undoes nothing.
const KEEPS: Variant = Variant::new("keeps");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        let panic = call
            .answer
            .as_ref()
            .and_then(|answer| answer.text("interrupt_panic"));
        let Some(took) = call.number("interrupt_ms") else {
            continue;
        };
        let broken = match panic {
            Some(panic) => Some(PANICS.says(format!("`Interrupt` ends in a panic: {panic}"))),
            None if took > PROMPT => Some(SLOW.says("`Interrupt` does not return at once")),
            None => None,
        };
        ledger.check(call.number, call.provenance, broken);
    }
    reversal(session, ledger);
}

/// A file or link that a resource has made, and that is there after the call of another one.
fn still_there(session: &Session, label: &str, reverse: &Call) -> Option<String> {
    let mut applied = session.calls(phase::CHECKAPPLY);
    let applied = applied.find(|call| call.resource() == label && call.has("apply"))?;
    let now = session.state_after(reverse);
    let mut made = applied
        .effects
        .iter()
        .flatten()
        .filter(|change| change.kind == ChangeKind::Created);
    let left = made.find(|change| {
        let entry = now.get(&change.path[..]).copied().flatten();
        entry.is_some_and(|entry| matches!(entry.kind, FileType::File | FileType::Link))
    })?;
    Some(visible(&left.path))
}

fn reversal(session: &Session, ledger: &mut Ledger) {
    let Some(made) = session.calls(phase::REVERSED).find(|call| call.returns()) else {
        return;
    };
    let own = |call: &&Call| call.number > made.number;
    let from = made.param("from").unwrap_or_default();
    let calls = || session.calls(phase::CHECKAPPLY).filter(own);
    let reverse = calls().find(|call| call.resource() == made.resource());
    let before = calls().find(|call| call.resource() == from && !call.has("apply"));
    let after = calls()
        .filter(|call| call.resource() == from && !call.has("apply"))
        .nth(1);
    let (Some(reverse), Some(before), Some(after)) = (reverse, before, after) else {
        return;
    };
    if before.ok() != Some(true) {
        return;
    }
    let broken = match reverse.why_it_fails() {
        Some(why) => Some(FAILS.says(format!("what `Reversed` returns fails: {why}"))),
        None if after.ok() == Some(true) => {
            Some(KEEPS.says("what `Reversed` returns leaves everything as it was"))
        }
        None => still_there(session, from, reverse).map(|path| {
            KEEPS.says(format!(
                "what `Reversed` returns leaves {path}, which the resource has made"
            ))
        }),
    };
    ledger.check_against(before.number, reverse.number, reverse.provenance, broken);
}
