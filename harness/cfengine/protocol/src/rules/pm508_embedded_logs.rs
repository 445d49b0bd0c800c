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
//!
//! ## How to fix
//! Append objects to a list: `{"level": "error", "message": "no path"}`. Convert the message
//! to text. If there is none, leave the key out.
//! - Python:
//!   `answer.setdefault("log", []).append({"level": "error", "message": str(problem)})`
//! - Shell: `jq -cn --arg m "$text" '{log: [{level: "error", message: $m}]}'`
//! - Go: a nil slice becomes `null`; use the tag `json:"log,omitempty"`.
//!
//! ## Source
//! CFEngine: Custom promise types, "Example response in JSON based protocol". cf-agent shows an
//! escape such as `\u00e9` in a message wrongly. Write UTF-8 without escapes (PM205).

use crate::reads::OUTCOMES;
use crate::session::Session;
use crate::wire::header::Protocol;
use crate::wire::response::{LogDefect, LogPlace};
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(OUTCOMES, check)];

/// `log` is no list.
const NOT_A_LIST: Variant = Variant::new("not-a-list");
/// An entry is no object.
const NOT_AN_OBJECT: Variant = Variant::new("not-an-object");
/// An entry has no level.
const NO_LEVEL: Variant = Variant::new("no-level");
/// The level of an entry is no string.
const WRONG_LEVEL: Variant = Variant::new("wrong-level");
/// An entry has no message.
const NO_MESSAGE: Variant = Variant::new("no-message");
/// The message of an entry is no string.
const WRONG_MESSAGE: Variant = Variant::new("wrong-message");

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
            .map(|defect| {
                variant(defect).says(format!("in the answer's list of log messages: {defect}"))
            });
        match broken {
            None => ledger.pass(exchange.number),
            Some(defect) => {
                let finding = ledger
                    .finding(exchange.number, defect)
                    .expected("a list of objects with the strings `level` and `message`")
                    .quote(b"\"log\"")
                    .graded(exchange.provenance);
                ledger.report(finding);
            }
        }
    }
}

fn variant(defect: &LogDefect) -> Variant {
    match defect {
        LogDefect::NotAList(_) => NOT_A_LIST,
        LogDefect::NotAnObject(_) => NOT_AN_OBJECT,
        LogDefect::LevelMissing => NO_LEVEL,
        LogDefect::LevelNotText(_) => WRONG_LEVEL,
        LogDefect::MessageMissing => NO_MESSAGE,
        LogDefect::MessageNotText(_) => WRONG_MESSAGE,
        // Only log lines have it.
        LogDefect::NoEqualsSign => Variant::ONLY,
    }
}
