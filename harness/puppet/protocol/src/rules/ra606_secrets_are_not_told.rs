//! # Sensitive values are not told
//!
//! ## What it requires
//! A value of the type Sensitive is part of no message, at no level, and of no exception.
//!
//! ## Why
//! Logs and reports are stored where others can read them.
//!
//! ## How it is judged
//! - Judged: messages, exceptions and output of all calls, by the sensitive values that the session sent.
//! - Not judged: values that are shorter than four characters, or occur in others that are not sensitive.
//!
//! ## Example
//! `context.debug("password is #{should[:password].unwrap}")`.
//!
//! ## How to fix
//! Log the wrapped value, which shows as redacted. Pass secrets to programs by their input, and not as
//! arguments: `Puppet::Util::Execution.execute` logs these, unless it is told `sensitive: true`.
//!
//! ## Source
//! Resource API specification, "Resource definition".

use crate::phase;
use crate::reads::READS;
use crate::session::Session;
use crate::shown::{check_secrets, shown};
use crate::told::changes;
use puppet_types::Value;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

/// Shorter secrets occur by chance.
const SHORTEST: usize = 4;

fn check(session: &Session, ledger: &mut Ledger) {
    check_secrets(session, ledger, &secrets(session), shown);
}

/// The sensitive texts of all changes, by the names of their attributes.
fn secrets(session: &Session) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open = Vec::new();
    for (call, _) in session.calls(phase::SET) {
        for (_, change) in changes(call) {
            let should = change.get("should").cloned().unwrap_or(Value::Undef);
            for (key, value) in should.as_hash().unwrap_or_default() {
                match value {
                    Value::Sensitive(inner) => {
                        let name = key.as_symbol().unwrap_or("?").to_owned();
                        if let Some(text) = inner.as_str() {
                            found.push((name, text.to_owned()));
                        }
                    }
                    other => open.push(other.to_text()),
                }
            }
        }
    }
    found.retain(|(_, secret)| {
        secret.len() >= SHORTEST && !open.iter().any(|other| other.contains(secret))
    });
    found.sort();
    found.dedup();
    found
}
