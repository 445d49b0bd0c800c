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

use crate::phase;
use crate::reads::READS;
use crate::releases::Releases;
use crate::rows::reads;
use crate::session::Session;
use crate::shown::{SHORTEST, check_secrets, is_made_of, shown};
use crate::told::changes;
use puppet_types::Value;
use std::collections::BTreeSet;
use stickler_judge::{Check, Ledger, Level, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(READS, check)];

fn check(session: &Session, ledger: &mut Ledger) {
    check_secrets(session, ledger, &secrets(session), shown);
    if Releases::of(session).seven {
        read_openly(session, ledger);
    }
}

/// `get` gives in plain text what users wrap.
const OPENLY: Variant = Variant::new("read-openly");

/// Secrets that `get` gives as they are. Their types admit that, and Puppet 7 shows the current value of what it
/// changes.
fn read_openly(session: &Session, ledger: &mut Ledger) {
    let mut sent = Vec::new();
    for (call, _) in session.calls(phase::SET) {
        for (_, change) in changes(call) {
            let should = change.get("should").and_then(Value::as_hash);
            for (key, value) in should.unwrap_or_default() {
                if let (Some(name), Value::Sensitive(inner)) = (key.as_symbol(), value)
                    && let Some(text) = inner.as_str().filter(|text| text.len() >= SHORTEST)
                {
                    sent.push((name.to_owned(), text.to_owned()));
                }
            }
        }
    }
    for read in reads(session).filter(|_| !sent.is_empty()) {
        let shown = read.rows().iter().find_map(|row| {
            let mut all = sent.iter();
            let is_shown = |(name, text): &&(String, String)| {
                row.get(name).and_then(Value::as_str) == Some(text.as_str())
            };
            let (name, _) = all.find(is_shown)?;
            // A value of a wrong type is another matter.
            let own = read.definition.attribute(name)?.data_type.as_ref()?;
            own.matches(row.get(name)?).is_yes().then_some(name)
        });
        let Some(name) = shown else {
            ledger.pass(read.call.number);
            continue;
        };
        let message = OPENLY.says(format!(
            "`get` gives `{name}`, which users wrap as Sensitive, as plain text: Puppet 7.23 shows it when it changes, \
             8 redacts it"
        ));
        let finding = ledger.finding(read.call.number, message);
        let finding = finding.grouped(name.as_str()).at_most(Level::Should);
        ledger.report(finding.graded(read.call.provenance));
    }
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
