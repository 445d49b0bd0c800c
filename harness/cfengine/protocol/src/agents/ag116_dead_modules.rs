//! # The agent restarts a module that died, or fails its promises with an error
//!
//! ## What it requires
//! If a module exited without `terminate`, the agent restarts it for the next promise, or that
//! promise fails with an error.
//!
//! ## Why
//! Otherwise the agent silently skips promises.
//!
//! ## How it is judged
//! - Judged: each promise after the exit of the last process, if the agent keeps the record
//!   itself.
//! - Not judged: promises after the agent closed the module's stdin, or after a restart.
//!
//! ## Example
//! A module exits with a traceback. The agent reports the later promises as kept.
//!
//! ## How to fix
//! Notice the end of the module's output, and ignore SIGPIPE, so that a write reports an
//! error. Start the module again for the next promise, or log an error for each later promise
//! and fail it.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (a module may be started
//! several times).

use super::view;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Event, Fate, Stream};

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for outcome in view::outcomes(session) {
        let before = session.transcript.events.iter().take_while(
            |event| !matches!(event, Event::Outcome(other) if std::ptr::eq(&**other, outcome)),
        );
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
                "the module had exited, but the promise `{}` neither failed with an error nor restarted it",
                crate::words::visible(&outcome.identity)
            );
            ledger.report(ledger.finding(None, message));
        }
    }
}
