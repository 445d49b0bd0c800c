//! # JSON: `log` is a list of objects with the strings `level` and `message`
//!
//! ## What it requires
//! If an answer has the key `log`, its value is a list of objects, each with the strings
//! `level` and `message`.
//!
//! ## Why
//! The agent does not check the types of the entries. A string or `null` instead of the list
//! crashes it, and an entry without a level ends it.
//!
//! ## How it is judged
//! - Judged: every answer in the JSON protocol that has the key `log`. An empty list is fine.
//! - Not judged: which levels there are (PM501).
//!
//! ## Example
//! ```text
//! ← {"operation": "validate_promise", "result": "invalid", "log": ["no path"]}
//! ```
//! Fix: write the entry as `{"level": "error", "message": "no path"}`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Example response in JSON based protocol".

use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::LogPlace;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

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
