//! # A resource sends the same values while its state stays the same
//!
//! ## What it requires
//! While the state is right, each call sends the same. What was sent is not changed afterwards.
//!
//! ## Why
//! Each new value makes a receiver run again. The engine keeps the pointer, and others read it at any
//! time.
//!
//! ## How it is judged
//! - Judged: what pointers, slices and maps that were sent hold after the next calls.
//! - Judged: calls one after another that return `(true, nil)`, of one resource, while nothing outside
//!   changes; what was sent, read at the end of the call and later.
//! - Not judged: zero values that are filled in before the call ends.
//!
//! ## Example
//! A resource that makes a password sends a new one in each call, or clears the struct behind `Send`.
//!
//! ## How to fix
//! Send what the system holds; make a new struct for each `Send`.
//!
//! ## Source
//! mgmt resource guide, "Send/Recv".

use crate::message::plain;
use crate::phase;
use crate::recorded::{is_told_of, may_have_changed};
use crate::relation;
use crate::session::{Call, Session};
use crate::settled::is_disturbed;
use stickler_json::Json;
use stickler_judge::{Check, Ledger, Relation, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(
    &[relation::SENT, Relation::WARN, relation::POLLED],
    check,
)];

/// The next call sends something else.
const UNSTABLE: Variant = Variant::new("unstable");
/// What was sent has changed.
const CHANGED: Variant = Variant::new("changed");

fn check(session: &Session, ledger: &mut Ledger) {
    // What it looks at with may fail.
    let is_disturbed = is_disturbed(session);
    let mut last: Option<&Call> = None;
    for call in &session.exchanges {
        match call.phase {
            phase::CHECKAPPLY => {
                if let Some(key) = changed_behind_send(call) {
                    let broken = CHANGED.says(format!(
                        "what it sent as `{key}` has changed before the call ends"
                    ));
                    ledger.check(call.number, call.provenance, Some(broken));
                }
                let answer = call.answer.as_ref();
                let behind = answer.and_then(|answer| answer.text("sent_before_changed"));
                if let Some(key) = behind {
                    let broken = CHANGED.says(format!(
                        "what an earlier call sent as `{key}` is changed behind its receivers"
                    ));
                    ledger.check(call.number, call.provenance, Some(broken));
                }
                let sent = sent(call).filter(|_| call.ok() == Some(true));
                if let (Some(sent), Some(before)) = (&sent, last) {
                    let is_same =
                        before.process == call.process && before.resource() == call.resource();
                    if is_same
                        && !is_disturbed
                        && !may_have_changed(session, before, call)
                        && !is_told_of(session, before, call)
                    {
                        let broken = (self::sent(before).as_ref() != Some(sent)).then(|| {
                            UNSTABLE
                                .says("the state is right as before, and it sends something else")
                        });
                        ledger.check_against(before.number, call.number, call.provenance, broken);
                    }
                }
                last = sent.is_some().then_some(call);
            }
            phase::SENT => check_later(session, call, ledger),
            phase::SET | phase::RECEIVE => last = None,
            _ => {}
        }
    }
}

/// What a call changed that it had sent. What was zero may still have been filled in.
fn changed_behind_send(call: &Call) -> Option<String> {
    let answer = call.answer.as_ref()?;
    let before = answer.member("sent_at_first")?.as_object()?;
    let after = answer.member("sent")?;
    let changed = before.iter().find(|member| {
        let name = String::from_utf8_lossy(member.key.as_bytes());
        let now = after.get(&name).map(plain);
        !is_zero(&member.value) && now != Some(plain(&member.value))
    })?;
    Some(String::from_utf8_lossy(changed.key.as_bytes()).into_owned())
}

/// Is it what Go gives a variable of the type at first?
fn is_zero(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Bool(truth) => !truth,
        Json::Number(number) => number.parse() == Ok(0.0),
        Json::String(text) => text.as_bytes().is_empty(),
        Json::Array(items) => items.iter().all(is_zero),
        Json::Object(members) => members.iter().all(|member| is_zero(&member.value)),
    }
}

/// Is what was sent still what the call told?
fn check_later(session: &Session, later: &Call, ledger: &mut Ledger) {
    let before = session.calls(phase::CHECKAPPLY).filter(|call| {
        call.number < later.number
            && call.process == later.process
            && call.resource() == later.resource()
    });
    let Some((call, told)) = before.filter_map(|call| Some((call, values(call)?))).last() else {
        return;
    };
    let Some(Json::Object(now)) = later
        .answer
        .as_ref()
        .and_then(|answer| answer.member("sent"))
    else {
        return;
    };
    let mut now: Vec<String> = now
        .iter()
        .filter_map(|member| member.value.get("value").map(plain))
        .collect();
    now.sort();
    let broken = (now != told).then(|| CHANGED.says("what it sent has changed afterwards"));
    ledger.check_against(call.number, later.number, call.provenance, broken);
}

/// What a call sent, as a text that can be compared.
fn sent(call: &Call) -> Option<String> {
    let sent = call.answer.as_ref()?.member("sent")?;
    (*sent != Json::Null && call.succeeds()).then(|| plain(sent))
}

/// The values that a call sent, sorted.
fn values(call: &Call) -> Option<Vec<String>> {
    let sent = call.answer.as_ref()?.member("sent")?.as_object()?;
    let mut values: Vec<String> = sent.iter().map(|member| plain(&member.value)).collect();
    values.sort();
    Some(values)
}
