//! # The agent sends promises as the policy states them
//!
//! ## What it requires
//! Promise type, promiser and attributes of each request are those that the policy states, with
//! its variables resolved, and each promise is sent.
//!
//! ## Why
//! A module does what it is told, so a changed attribute changes the host in another way.
//!
//! ## How it is judged
//! - Judged: each validation and evaluation in a situation of `stickler conform`, where the
//!   measured releases show what the policy states. A request must equal one of theirs, apart from
//!   its place and its log level. If all of them do the same, none may be missing.
//! - Not judged: recordings; situations of which nothing was recorded; unusable headers.
//!
//! ## Example
//! The policy says `repo => "a"`, and the agent sends `"repo": "b"`.
//!
//! ## How to fix
//! Compare the request in the finding with the policy of the situation, which the reproducer
//! holds.
//!
//! ## Source
//! CFEngine: Custom promise types, "Protocol request sequence" (fully resolved promises).

use super::view;
use crate::session::Session;
use crate::stated::promise_of;
use serde_json::Value;
use stickler_judge::{Check, Ledger, Variant};
use stickler_reading::words::cut;

pub(super) const CHECKS: super::Checks = &[Check::Session(&[], check)];

/// Another one is sent.
const OTHER: Variant = Variant::new("other");
/// One is never sent.
const NEVER: Variant = Variant::new("never");

fn check(session: &Session, ledger: &mut Ledger) {
    let promised = &session.facts.promised;
    if promised.is_empty() || !session.case().is_driven() {
        return;
    }
    let usable = |one: &crate::Exchange| view::is_usable(session, one.process);
    for (exchange, request) in view::requests(session).filter(|(one, _)| usable(one)) {
        let sent = promise_of(request);
        if promised.contains(&sent) {
            ledger.pass(exchange.number);
            continue;
        }
        let message = match &promised[..] {
            [only] => match apart(only, &sent) {
                Some((member, stated, sent)) => {
                    format!("{member} is {sent}, but the policy states {stated}")
                }
                None => format!("the policy states another promise: `{only}`"),
            },
            _ => "the policy states no such promise".to_owned(),
        };
        ledger.report(ledger.finding(exchange.number, OTHER.says(message)));
    }
    let last = view::all(session).last().map(|one| one.number);
    let all: Vec<_> = view::all(session).collect();
    let sound = view::was_clean(&all, usize::MAX) && all.iter().all(|one| usable(one));
    if let Some(unsent) = view::unsent(session).first().filter(|_| sound) {
        let message = format!("a promise of the policy was never sent: `{unsent}`");
        ledger.report(ledger.finding(last, NEVER.says(message)));
    }
}

/// The first member in which two promises differ, with both values as JSON.
fn apart(stated: &str, sent: &str) -> Option<(String, String, String)> {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let (mut stated, mut sent) = (read(stated)?, read(sent)?);
    let mut path = String::new();
    loop {
        let (Value::Object(one), Value::Object(other)) = (&stated, &sent) else {
            return Some((format!("`{path}`"), worded(&stated), worded(&sent)));
        };
        let mut names = one.keys().chain(other.keys());
        let name = names.find(|name| one.get(*name) != other.get(*name))?;
        let of = |members: &serde_json::Map<String, Value>| members.get(name).cloned();
        let (inner, outer) = (of(one), of(other));
        path = match path.is_empty() {
            true => name.clone(),
            false => format!("{path}.{name}"),
        };
        let (Some(inner), Some(outer)) = (&inner, &outer) else {
            let word = |value: &Option<Value>| value.as_ref().map_or("missing".to_owned(), worded);
            return Some((format!("`{path}`"), word(&inner), word(&outer)));
        };
        (stated, sent) = (inner.clone(), outer.clone());
    }
}

fn worded(value: &Value) -> String {
    format!("`{}`", cut(&value.to_string(), LONG))
}

/// The longest value in a message, in characters.
const LONG: usize = 200;
