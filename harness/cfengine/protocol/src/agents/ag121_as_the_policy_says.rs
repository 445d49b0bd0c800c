//! # The agent sends promises as the policy states them
//!
//! ## What it requires
//! Promise type, promiser and attributes of each request are those that the policy states, with
//! its variables resolved, and each promise is sent.
//!
//! ## Why
//! A module does what it is told, so a changed attribute changes the host in another way.
//!
//! ## How it is judged
//! - Judged: each validation and evaluation in a situation of `stickler conform`, where the
//!   measured releases show what the policy states. A request must equal one of theirs, apart from
//!   its place and its log level. If all of them do the same, none may be missing.
//! - Not judged: recordings; situations of which nothing was recorded; unusable headers.
//!
//! ## Example
//! The policy says `repo => "a"`, and the agent sends `"repo": "b"`.
//!
//! ## How to fix
//! Compare the request in the finding with the policy of the situation, which the reproducer
//! holds.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (fully resolved promises).

use super::view;
use crate::session::Session;
use crate::stated::promise_of;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// Another one is sent.
const OTHER: Variant = Variant::new("other");
/// One is never sent.
const NEVER: Variant = Variant::new("never");

fn check(session: &Session, ledger: &mut Ledger) {
    let promised = &session.facts.promised;
    if promised.is_empty() || !session.case().is_driven() {
        return;
    }
    let usable = |one: &crate::Exchange| view::is_usable(session, one.process);
    for (exchange, request) in view::requests(session).filter(|(one, _)| usable(one)) {
        let sent = promise_of(request);
        if promised.contains(&sent) {
            ledger.pass(exchange.number);
            continue;
        }
        let message = match &promised[..] {
            [only] => format!("the policy states another promise: `{only}`"),
            _ => "the policy states no such promise".to_owned(),
        };
        ledger.report(ledger.finding(exchange.number, OTHER.says(message)));
    }
    let last = view::all(session).last().map(|one| one.number);
    let all: Vec<_> = view::all(session).collect();
    let sound = view::was_clean(&all, usize::MAX) && all.iter().all(|one| usable(one));
    if let Some(unsent) = view::unsent(session).first().filter(|_| sound) {
        let message = format!("a promise of the policy was never sent: `{unsent}`");
        ledger.report(ledger.finding(last, NEVER.says(message)));
    }
}
