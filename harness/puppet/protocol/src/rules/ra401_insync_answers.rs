//! # `insync?` answers nil, true or false
//!
//! ## What it requires
//! `insync?` returns nil, true or false, or a list of false and a text.
//!
//! ## Why
//! Every runtime refuses other values, and the resource fails.
//!
//! ## How it is judged
//! - Judged: the result of each call.
//! - Not judged: a text after true or nil, which runtimes ignore.
//!
//! ## Example
//! `'out of sync'` alone.
//!
//! ## How to fix
//! Return `[false, 'out of sync']`.
//!
//! ## Source
//! Resource API specification, "Provider feature: custom_insync". One passage allows a bare string;
//! puppet-resource_api 1.8.16 refuses it with a DevError.

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    for (call, answer) in session.calls(phase::INSYNC) {
        let Some(value) = answer.value("value") else {
            continue;
        };
        let is_answer = |value: &Value| matches!(value, Value::Undef | Value::Bool(_));
        let is_fine = match &value {
            Value::Array(list) => match &list[..] {
                [first, Value::String(_)] => is_answer(first),
                _ => false,
            },
            value => is_answer(value),
        };
        let broken = (!is_fine).then(|| format!("it returned {}", value.inspect()));
        ledger.check(call.number, call.provenance, broken);
    }
}
