//! # Messages have the usual levels
//!
//! ## What it requires
//! A provider does not use critical, alert and emerg. It logs `err` only with a failure, and no
//! warning in a run that finds nothing to do.
//!
//! ## Why
//! Such levels alert operators. A warning in every run is soon ignored.
//!
//! ## How it is judged
//! - Judged: messages of the context. Warnings: in an evaluation of an example that fails nothing
//!   and changes nothing, after one that reached the target.
//! - Not judged: a change that is made again, as no runtime makes it.
//!
//! ## Example
//! `context.critical('cannot reach the server')`; `get` warns that it reads the whole file.
//!
//! ## How to fix
//! Use `err`, and raise. Use `debug` or `info` for what happens in every run.
//!
//! ## Source
//! Resource API specification, "General messages".

use crate::message::HostEvent;
use crate::purpose;
use crate::reads::READS;
use crate::rows::evaluations;
use crate::session::{Call, Session};
use puppet_types::Value;
use std::collections::BTreeSet;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::{cut, visible};
use stickler_transcript::Fate;

pub(super) const CHECKS: super::Checks =
    &[Check::Session(READS, check), Check::Session(READS, idle)];

/// A level that providers do not use.
const LEVEL: Variant = Variant::new("level");
/// An error without a failure.
const ERROR: Variant = Variant::new("error");
/// A warning without a cause.
const WARNING: Variant = Variant::new("warning");

fn check(session: &Session, ledger: &mut Ledger) {
    for call in &session.exchanges {
        // No runtime makes a change again that was made.
        if call.answer.is_none() || call.key.is(purpose::REPEATED) {
            continue;
        }
        let failed = call.fails();
        for event in call.events.iter().filter(|event| event.kind == "log") {
            let broken = match event.name.as_str() {
                level @ ("critical" | "alert" | "emerg") => {
                    Some(LEVEL.says(format!("a message of level {level}")))
                }
                "err" if !failed => Some(ERROR.says(format!(
                    "a message of level err, and nothing failed{}",
                    text(event)
                ))),
                _ => None,
            };
            let Some(broken) = broken else {
                ledger.pass(call.number);
                continue;
            };
            // Who logs this text does so for one reason.
            let finding = ledger.finding(call.number, broken).telling();
            ledger.report(finding.graded(call.provenance));
        }
    }
}

/// A warning in an evaluation that has nothing to do.
fn idle(session: &Session, ledger: &mut Ledger) {
    if session.is_disturbed() {
        return;
    }
    let mut settled = BTreeSet::new();
    for (key, call, fate) in evaluations(session) {
        let Some(item) = session.item(call).filter(|item| item.original) else {
            continue;
        };
        match fate {
            Fate::Changed => {
                settled.insert(&item.label);
            }
            Fate::Unchanged if settled.contains(&item.label) => {
                let own = session.exchanges.iter();
                for call in own.filter(|call| call.key.parted().0 == key) {
                    let broken = warning(call).map(|text| {
                        WARNING.says(format!("nothing was to do, and it warns: {text}"))
                    });
                    ledger.check(call.number, call.provenance, broken);
                }
            }
            _ => {
                settled.remove(&item.label);
            }
        }
    }
}

/// The text of the first warning during a call.
fn warning(call: &Call) -> Option<String> {
    let mut told = call.events.iter();
    let first = told.find(|event| event.kind == "log" && event.name == "warning")?;
    let text = first.arguments.last()?.to_text();
    Some(cut(&visible(text.as_bytes()), 80))
}

/// What is logged, to be quoted.
fn text(event: &HostEvent) -> String {
    let said = event.arguments.last().map(Value::to_text);
    said.map_or_else(String::new, |said| {
        format!(": {}", cut(&visible(said.as_bytes()), 100))
    })
}
