//! # The agent gives up a module that does not answer
//!
//! ## What it requires
//! If a module does not answer, the agent ends it or closes its stdin after a while.
//!
//! ## Why
//! Otherwise one module that hangs stops the agent's work on the whole host.
//!
//! ## How it is judged
//! - Judged: each request without an answer while the module runs. The agent must close stdin
//!   or send a signal within a minute, or within twice the transcript's deadline if that is
//!   longer.
//! - Not judged: modules that exit by themselves; recordings without an end.
//!
//! ## Example
//! cf-agent waits forever.
//!
//! ## How to fix
//! Wait for each answer with a deadline of less than a minute, for example with `poll`. Then
//! log an error, close the module's stdin, send SIGTERM and at last SIGKILL.
//!
//! ## Source
//! The specification does not define this; agents run every few minutes.

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Event;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let last = session
        .transcript
        .events
        .iter()
        .rev()
        .find_map(|event| match event {
            Event::Exit { t, .. } | Event::Killed { t, .. } | Event::Closed { t, .. } => Some(*t),
            _ => None,
        });
    for exchange in view::all(session).filter(|one| one.owed && one.message.is_none()) {
        let state = session.process(exchange);
        let killed = session
            .transcript
            .events
            .iter()
            .find_map(|event| match event {
                Event::Killed { t, process }
                    if *process == exchange.process && *t >= exchange.sent_at =>
                {
                    Some(*t)
                }
                _ => None,
            });
        let ended = state.exit.map(|(t, _)| t);
        let left = [killed, state.input_closed_at].into_iter().flatten().min();
        // The module exited by itself, so the agent did not have to give it up.
        let by_itself = ended.is_some_and(|ended| left.is_none_or(|left| ended < left));
        let Some(until) = left.or(last).filter(|_| !by_itself) else {
            continue;
        };
        let limit = (2 * session.case().deadlines.of(exchange.phase)).max(60_000_000);
        let waited = until.saturating_sub(exchange.sent_at);
        if waited <= limit {
            ledger.pass(exchange.number);
        } else {
            let message = format!(
                "the agent waited for an answer for {} seconds",
                waited / 1_000_000
            );
            ledger.report(ledger.finding(exchange.number, message));
        }
    }
}
