//! # `Cleanup` right after `Init` works, and frees everything
//!
//! ## What it requires
//! `Init` and `Cleanup` (`Close`) with nothing between leave no goroutine, descriptor or child
//! process, and undo nothing of the managed state.
//!
//! ## Why
//! A vertex may be removed before it starts. What is left behind adds up with each swap of a graph.
//!
//! ## How it is judged
//! - Judged: the error or panic of `Cleanup`; what the host counts before `Init` and after
//!   `Cleanup`; the changes of files; what new objects find before and after it.
//!
//! ## Example
//! `Cleanup` closes a channel that only `Watch` makes.
//!
//! ## How to fix
//! Free in `Cleanup` what `Init` made, and what `Watch` makes at the end of `Watch`.
//!
//! ## Source
//! mgmt resource guide, "Close".

use crate::counts::left;
use crate::phase;
use crate::reads::BEGINS;
use crate::session::Session;
use crate::settled::is_disturbed;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(BEGINS, check)];

/// It fails or panics.
const FAILS: Variant = Variant::new("fails");
/// It never returns.
const HANGS: Variant = Variant::new("hangs");
/// Something is left.
const LEAKS: Variant = Variant::new("leaks");
/// What was brought about is gone.
const UNDOES: Variant = Variant::new("undoes");
/// A file changes.
const SYSTEM: Variant = Variant::new("system");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CLEANUP) {
        if super::never_returns(call, ledger, HANGS.says("`Cleanup` does not return")) {
            continue;
        }
        let failed = call
            .panic()
            .or_else(|| super::host_ended(call))
            // What the harness lets fail may be what it frees.
            .or_else(|| call.error().filter(|_| !is_disturbed(session)));
        let effect = call.effects.as_ref().and_then(|effects| effects.first());
        let broken = failed
            .map(|why| FAILS.says(format!("`Cleanup` fails: {why}")))
            .or_else(|| {
                left(session, call)
                    .map(|left| LEAKS.says(format!("after `Cleanup` there is {left}")))
            })
            .or_else(|| {
                effect.map(|change| {
                    SYSTEM.says(format!("`Cleanup` changed {}", visible(&change.path)))
                })
            });
        ledger.check(call.number, call.provenance, broken);
    }
    undone(session, ledger);
}

/// Is what was right before a resource ended wrong afterwards?
fn undone(session: &Session, ledger: &mut Ledger) {
    let looks = |suffix: &str| {
        let mut calls = session.calls(phase::CHECKAPPLY);
        calls.find(|call| call.resource().ends_with(suffix) && !call.has("apply"))
    };
    let (Some(before), Some(after)) = (looks(".before"), looks(".after")) else {
        return;
    };
    if before.ok() == Some(true) && after.succeeds() {
        let broken = (after.ok() == Some(false))
            .then(|| UNDOES.says("when the resource has ended, its state is wrong"));
        ledger.check_against(before.number, after.number, after.provenance, broken);
    }
}
