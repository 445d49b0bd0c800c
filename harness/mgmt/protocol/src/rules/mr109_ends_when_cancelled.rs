//! # `CheckApply` ends when its context does
//!
//! ## What it requires
//! Two seconds after its context has ended, `CheckApply` has returned.
//!
//! ## Why
//! The engine waits for it, without a limit: when a graph is swapped, when mgmt ends, and behind
//! the meta parameter `timeout`.
//!
//! ## How it is judged
//! - Judged: calls whose context ends at once, and 50 ms after their start, also where the first command of
//!   `[fake]` takes three seconds; what they return does not matter.
//! - Not judged: interfaces without contexts.
//!
//! ## Example
//! A download is made with `http.Get`, which knows no context.
//!
//! ## How to fix
//! Hand the context on: `http.NewRequestWithContext`, `exec.CommandContext`; wait in a `select` with
//! `<-ctx.Done()`.
//!
//! ## Source
//! mgmt resource guide, "CheckApply".

use crate::phase;
use crate::relation;
use crate::session::Session;
use stickler_json::Json;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[relation::CANCELLED], check)];

/// How long it may take, in milliseconds.
const PROMPT: u64 = 2_000;

fn check(session: &Session, ledger: &mut Ledger) {
    for call in session.calls(phase::CHECKAPPLY) {
        let after = match call
            .params
            .as_ref()
            .and_then(|params| params.get("cancel_ms"))
        {
            Some(Json::Number(number)) => number.parse().unwrap_or(0),
            _ => continue,
        };
        // What is not answered at all hangs.
        let took = match call.number("ms") {
            Some(took) => took,
            None if super::hangs(call) => u64::MAX,
            None => continue,
        };
        let broken = (took.saturating_sub(after) > PROMPT).then(|| {
            format!(
                "it goes on after its context has ended{}",
                how_long(took - after)
            )
        });
        ledger.check(call.number, call.provenance, broken);
    }
}

fn how_long(ms: u64) -> String {
    match ms {
        0..60_000 => format!(", for {:.1} s", ms as f64 / 1_000.0),
        _ => String::new(),
    }
}
