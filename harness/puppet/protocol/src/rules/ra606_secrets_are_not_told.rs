//! # Sensitive values are not logged
//!
//! ## What it requires
//! No message of any level, and no exception, contains a value of the type Sensitive.
//!
//! ## Why
//! Logs and reports are stored where others can read them.
//!
//! ## How it is judged
//! - Judged: messages, exceptions and output of all calls, and the reasons of `insync?`, which
//!   runtimes log. Stickler searches them for the sensitive values that the session sent, also in
//!   base64 or percent encoding.
//! - Lowered to should: a new file with such a value that everybody may read.
//! - Not judged: values shorter than four characters; values that the session also sends as a title
//!   or in an attribute that is not sensitive.
//!
//! ## Example
//! `context.debug("password is #{should[:password].unwrap}")`.
//!
//! ## How to fix
//! Log the wrapped value, which shows as redacted. Pass secrets to programs on their standard
//! input. `Puppet::Util::Execution.execute` logs arguments, unless it gets `sensitive: true`. Write
//! files with mode 0600.
//!
//! ## Source
//! Resource API specification, "Resource definition".

use crate::reads::READS;
use crate::session::Session;
use crate::shown::{SHORTEST, check_secrets, is_made_of, shown};
use puppet_types::Value;
use std::collections::BTreeSet;
use stickler_judge::{Check, Ledger};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    check_secrets(session, ledger, &secrets(session), shown);
}

/// The sensitive texts that runtimes send, by the names of their attributes. What they also send
/// openly is none, nor is what a title makes of that.
fn secrets(session: &Session) -> Vec<(String, String)> {
    let mut sent = Sent::default();
    for call in &session.exchanges {
        let params = call.params.clone();
        if let Some(params) = params.and_then(|params| Value::from_json(params, 0).ok()) {
            sent.take("?", &params);
        }
    }
    let Sent { mut secret, open } = sent;
    secret.retain(|(_, text)| text.len() >= SHORTEST && !open.iter().any(|one| one.contains(text)));
    secret.retain(|(_, text)| !is_made_of(text, &open));
    secret.sort();
    secret.dedup();
    secret
}

/// The texts of requests.
#[derive(Default)]
struct Sent {
    secret: Vec<(String, String)>,
    open: BTreeSet<String>,
}

impl Sent {
    /// Takes the secret texts of what is wrapped.
    fn hide(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) => self.secret.push((name.to_owned(), text.clone())),
            Value::Sensitive(inner) => self.hide(name, inner),
            Value::Array(items) => items.iter().for_each(|one| self.hide(name, one)),
            Value::Hash(members) => members.iter().for_each(|(_, one)| self.hide(name, one)),
            _ => {}
        }
    }

    /// Takes the texts of a value. `name` is the attribute that it is of.
    fn take(&mut self, name: &str, value: &Value) {
        match value {
            Value::Sensitive(inner) => {
                self.hide(name, inner);
            }
            Value::Hash(members) => {
                for (key, value) in members {
                    self.take(key.as_symbol().unwrap_or(name), value);
                }
            }
            Value::Array(items) => items.iter().for_each(|one| self.take(name, one)),
            other => {
                self.open.insert(other.to_text());
            }
        }
    }
}
