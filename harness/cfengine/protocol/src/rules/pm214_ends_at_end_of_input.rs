//! # At the end of input the module ends in time
//!
//! ## What it requires
//! When its standard input is closed, in whatever state the module is, it ends
//! within the deadline. It does not print without end and does not go on
//! reading nothing.
//!
//! ## Why
//! An agent that is killed cannot send `terminate`. Modules that live on fill
//! the machine; a loop around a read that returns nothing takes a whole
//! processor for each.
//!
//! ## How it is judged
//! Sessions close the module's input in several states: before the header,
//! within it, between requests, within one, during an evaluation. A session in
//! which `terminate` was sent is PM307's.
//!
//! ## Example
//! ```text
//! while true; do
//!   read -r line
//!   handle "$line"
//! done
//! ```
//! At the end of input `read` fails at once, again and again.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol" (silent on an agent that vanishes).
//! cf-agent 3.21.0 closes the module's input and then waits for its end.

use crate::phase;
use crate::session::Session;
use stickler_judge::{Check, Ledger};
use stickler_transcript::{Event, Silence, Stream};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for number in 0..session.processes.len() {
        let last = session
            .exchanges
            .iter()
            .filter(|exchange| exchange.process == number);
        if last
            .clone()
            .any(|exchange| exchange.phase == phase::TERMINATE)
        {
            continue;
        }
        let last = last.map(|exchange| exchange.number).max();
        match after_close(session, number) {
            None => {}
            Some(Ok(())) => ledger.pass(last),
            Some(Err(message)) => {
                let finding = ledger
                    .finding(last, message)
                    .expected("an end within the deadline");
                ledger.report(finding);
            }
        }
    }
}

/// What became of a process after the harness had closed its input, unless it
/// closed it only to end the session.
fn after_close(session: &Session, number: usize) -> Option<Result<(), String>> {
    let mut closed = false;
    let mut silent: Option<(Silence, u64)> = None;
    for event in &session.transcript.events {
        match event {
            Event::Start { process, .. } if *process == number => closed = false,
            Event::Closed {
                process,
                stream: Stream::Stdin,
                by_harness: true,
                ..
            } if *process == number => closed = true,
            Event::Silent {
                process,
                why,
                waited_us,
                ..
            } if *process == number => {
                if !closed {
                    // It had gone silent before: closing was the answer to that.
                    return None;
                }
                silent = Some((*why, *waited_us));
            }
            Event::Killed { process, .. } if *process == number && silent.is_none() => {
                return None;
            }
            Event::Exit { process, usage, .. } if *process == number && closed => {
                let Some((why, waited_us)) = silent else {
                    return Some(Ok(()));
                };
                let busy = usage.user_us + usage.system_us > waited_us / 2;
                return Some(Err(words(why, waited_us, busy)));
            }
            _ => {}
        }
    }
    silent.map(|(why, waited_us)| Err(words(why, waited_us, false)))
}

fn words(why: Silence, waited_us: u64, busy: bool) -> String {
    let seconds = Seconds(waited_us);
    match why {
        Silence::Flood => "prints without end once its input is closed".into(),
        Silence::Deadline if busy => {
            format!("runs on {seconds} after its input was closed, and keeps the processor busy")
        }
        Silence::Deadline | Silence::Input => format!("still there {seconds} after its input was closed"),
        Silence::Processes => "starts processes without end once its input is closed".into(),
        Silence::Memory => "takes memory without end once its input is closed".into(),
    }
}

struct Seconds(u64);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{} s", self.0 / 1_000_000, self.0 / 100_000 % 10)
    }
}
