//! # `insync?` changes nothing
//!
//! ## What it requires
//! `insync?` changes neither its arguments nor the system, and gives the same answer to the same
//! question.
//!
//! ## Why
//! The runtime calls `insync?` in every run, also in those that must not change anything.
//! Afterwards it uses the same hashes.
//!
//! ## How it is judged
//! - Judged: files that each call changes; the hashes after the call; repeated questions about the
//!   same state, also to another instance and after other questions.
//!
//! ## Example
//! `should_hash[:aliases].sort!` in `insync?`.
//!
//! ## How to fix
//! Work on copies: `should_hash[:aliases].sort`. Leave changes to `set`.
//!
//! ## Source
//! Resource API specification, "Provider feature: custom_insync".

use crate::message::Answer;
use crate::phase;
use crate::reads::READS;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::visible;

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// It modified an argument.
const ARGUMENTS: Variant = Variant::new("arguments");
/// It changed a file.
const CHANGES: Variant = Variant::new("changes");
/// It answers otherwise.
const DIFFERS: Variant = Variant::new("differs");

/// What a call asks, whichever instance is asked.
fn question(call: &Call) -> [Option<Value>; 4] {
    ["name", "property", "is", "should"].map(|name| call.param(name))
}

fn check(session: &Session, ledger: &mut Ledger) {
    let all: Vec<_> = session.calls(phase::INSYNC).collect();
    let questions: Vec<_> = all.iter().map(|(call, _)| question(call)).collect();
    for (at, (call, answer)) in all.iter().enumerate() {
        let Answer::Result(result) = answer else {
            continue;
        };
        let modified = ["is", "should"]
            .into_iter()
            .find(|name| result.get(&format!("{name}_after")).is_some());
        let modified =
            modified.map(|name| ARGUMENTS.says(format!("it modified the `{name}` hash")));
        let effect = call.effects.iter().flatten().next();
        let effect = effect
            .map(|change| CHANGES.says(format!("`insync?` changed {}", visible(&change.path))));
        let mut earlier = all[..at].iter().zip(&questions[..at]);
        let before = earlier.find(|((other, _), question)| {
            session.is_same_provider(other, call) && **question == questions[at]
        });
        let before = before.map(|(one, _)| one);
        let differs = before.filter(|(_, other)| {
            other.failure().is_none() && other.value("value") != answer.value("value")
        });
        // It may look at the system itself.
        let differs = differs.filter(|(other, _)| {
            !session.is_set_between(other, call) && !session.changed_between(other, call)
        });
        let differs = differs.map(|_| DIFFERS.says("the same question has another answer"));
        ledger.check(
            call.number,
            call.provenance,
            modified.or(effect).or(differs),
        );
    }
}
