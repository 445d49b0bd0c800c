//! # JSON: the answer's object stands on one line
//!
//! ## What it requires
//! In the JSON protocol the object that answers a request is written on a
//! single line.
//!
//! ## Why
//! The agent reads an answer line by line and takes each for itself. A
//! pretty-printed object is a row of invalid lines, and its answer is lost.
//!
//! ## How it is judged
//! On every answer whose object is valid JSON. An object that is broken, be it
//! by a raw line feed in a string, is PM205.
//!
//! ## Example
//! Python's `json.dumps(answer, indent=2)`, or `jq` without `-c`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" (messages are single line
//! JSON data). cf-agent 3.21.0 then reports "sent invalid JSON".

use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let (Some(object), Some(Ok(_))) = (&response.object, &response.json) else {
            continue;
        };
        let broken = object
            .spans_lines
            .then_some("the answer's JSON object goes over several lines");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}
