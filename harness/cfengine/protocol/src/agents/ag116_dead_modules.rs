//! # A module that died is started again, or its promises fail with the reason
//!
//! ## What it requires
//! When a module has ended without being asked to, the next promise starts it again,
//! or fails, with an error that tells.
//!
//! ## Why
//! Promises would be passed over in silence.
//!
//! ## How it is judged
//! Where the agent keeps the record itself: on each outcome after the end of the last
//! process that was not asked to terminate.
//!
//! ## Example
//! A module ends with a traceback; the agent calls the promises that follow kept.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (a module may be started several times).

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Event, Fate, Stream};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for outcome in view::outcomes(session) {
        let before = session.transcript.events.iter().take_while(|event| {
            !matches!(event, Event::Outcome(other) if std::ptr::eq(&**other, outcome))
        });
        let (mut dead, mut done) = (false, false);
        for event in before {
            match event {
                Event::Start { .. } => (dead, done) = (false, false),
                Event::Closed {
                    stream: Stream::Stdin,
                    by_harness: true,
                    ..
                } => done = true,
                Event::Exit { .. } => dead = !done,
                _ => {}
            }
        }
        if !dead {
            continue;
        }
        if outcome.outcome == Fate::Failed && !outcome.errors.is_empty() {
            ledger.pass(None);
        } else {
            let message = format!(
                "the module had ended, and the promise `{}` neither failed with an error nor started it again",
                crate::words::visible(&outcome.identity)
            );
            ledger.report(ledger.finding(None, message));
        }
    }
}
