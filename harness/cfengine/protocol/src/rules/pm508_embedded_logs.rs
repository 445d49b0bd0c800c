//! # JSON: `log` is a list of objects with the strings `level` and `message`
//!
//! ## What it requires
//! Where an answer has the key `log`, its value is a list, and each entry is an
//! object with a `level` and a `message` that are strings.
//!
//! ## Why
//! The agent reads the entries without asking for their types: a string or
//! `null` for the list crashes it, an entry without a level ends it.
//!
//! ## How it is judged
//! On every answer in the JSON protocol that has the key `log`. An empty list
//! is fine. Which levels there are is PM501.
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "invalid", "log": ["no path"]}
//! ```
//!
//! ## Source
//! CFEngine: Custom promise types, "Example response in JSON based protocol".

use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::LogPlace;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        if response.protocol != Protocol::Json || response.count("log") == 0 {
            continue;
        }
        let broken = response
            .logs
            .iter()
            .filter(|log| log.place == LogPlace::Embedded)
            .find_map(|log| log.malformed.as_ref())
            .map(|defect| format!("in the answer's list of log messages: {defect}"));
        match broken {
            None => ledger.pass(exchange.number),
            Some(message) => {
                let finding = ledger
                    .finding(exchange.number, message)
                    .expected("a list of objects with the strings `level` and `message`")
                    .quote(b"\"log\"")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}
