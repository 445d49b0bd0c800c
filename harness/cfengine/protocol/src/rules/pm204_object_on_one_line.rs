//! # JSON: the answer's object is on one line
//!
//! ## What it requires
//! In the JSON protocol, the module writes the object that answers a request on a single line.
//!
//! ## Why
//! The agent reads an answer line by line and parses each line by itself. A pretty-printed
//! object becomes several invalid lines, and the agent loses the answer.
//!
//! ## How it is judged
//! - Judged: every answer whose object is valid JSON.
//! - Not judged: a broken object, for example one with a raw line feed in a string (PM205).
//!
//! ## Example
//! A module uses Python's `json.dumps(answer, indent=2)`, or `jq` without `-c`.
//!
//! ## How to fix
//! Switch off the JSON library's layout:
//! - Python: `json.dumps(answer)` without `indent`. Shell: `jq -c`.
//! - Node: `JSON.stringify(answer)` with one argument. Ruby: `JSON.generate(answer)`.
//! - Go: `json.Marshal`, not `MarshalIndent`. Perl: `JSON::PP` without `pretty`.
//!
//! ## Source
//! CFEngine: Custom promise types, "JSON protocol" (messages are single line JSON data).
//! cf-agent then reports "sent invalid JSON".

use crate::reads::ANSWERS;
use crate::session::Session;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(ANSWERS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (exchange, response) in session.responses().filter(|(exchange, _)| exchange.owed) {
        let (Some(object), Some(Ok(_))) = (&response.object, &response.json) else {
            continue;
        };
        let broken = object
            .spans_lines
            .then_some("the answer's JSON object spans several lines");
        ledger.check(exchange.number, exchange.provenance, broken);
    }
}
