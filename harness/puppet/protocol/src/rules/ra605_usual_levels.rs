//! # Messages have the usual levels
//!
//! ## What it requires
//! A provider does not use critical, alert and emerg. It logs `err` only with a failure.
//!
//! ## Why
//! Such levels alert operators.
//!
//! ## How it is judged
//! - Judged: messages of the context.
//!
//! ## Example
//! `context.critical('cannot reach the server')`.
//!
//! ## How to fix
//! Use `err`, and raise.
//!
//! ## Source
//! Resource API specification, "General messages".

use crate::reads::READS;
use crate::session::Session;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// A level that providers do not use.
const LEVEL: Variant = Variant::new("level");
/// An error without a failure.
const ERROR: Variant = Variant::new("error");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        if call.answer.is_none() {
            continue;
        }
        let failed = call.fails();
        for event in call.events.iter().filter(|event| event.kind == "log") {
            let broken = match event.name.as_str() {
                level @ ("critical" | "alert" | "emerg") => {
                    Some(LEVEL.says(format!("a message of level {level}")))
                }
                "err" if !failed => Some(ERROR.says("a message of level err, and nothing failed")),
                _ => None,
            };
            ledger.check(call.number, call.provenance, broken);
        }
    }
}
