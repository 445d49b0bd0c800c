//! # A module that does not answer is given up in time
//!
//! ## What it requires
//! An agent does not wait for ever: a module that does not answer is ended, or left,
//! after a while.
//!
//! ## Why
//! One module that hangs would keep the whole host from being looked after.
//!
//! ## How it is judged
//! On each request that was not answered while the module lived: standard input has
//! to be closed, or a signal sent, within a minute, or twice the deadline that the
//! transcript names. Recordings that stop before are not judged.
//!
//! ## Example
//! cf-agent 3.21.0 waits for ever.
//!
//! ## Source
//! The specification is silent; agents run every few minutes.

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::Event;

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    let last = session.transcript.events.iter().rev().find_map(|event| match event {
        Event::Exit { t, .. } | Event::Killed { t, .. } | Event::Closed { t, .. } => Some(*t),
        _ => None,
    });
    for exchange in view::all(session).filter(|one| one.owed && one.message.is_none()) {
        let state = session.process(exchange);
        let killed = session.transcript.events.iter().find_map(|event| match event {
            Event::Killed { t, process } if *process == exchange.process && *t >= exchange.sent_at => Some(*t),
            _ => None,
        });
        let ended = state.exit.map(|(t, _)| t);
        let left = [killed, state.input_closed_at].into_iter().flatten().min();
        // It ended by itself, and nobody had to give it up.
        let by_itself = ended.is_some_and(|ended| left.is_none_or(|left| ended < left));
        let Some(until) = left.or(last).filter(|_| !by_itself) else {
            continue;
        };
        let limit = (2 * session.case().deadlines.of(exchange.phase)).max(60_000_000);
        let waited = until.saturating_sub(exchange.sent_at);
        if waited <= limit {
            ledger.pass(exchange.number);
        } else {
            let message = format!("waited for an answer for {} seconds", waited / 1_000_000);
            ledger.report(ledger.finding(exchange.number, message));
        }
    }
}
