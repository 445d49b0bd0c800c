//! What sessions with targets show: connections, and what is secret about them.

use crate::message::Answer;
use crate::phase;
use crate::purpose;
use crate::relation;
use crate::session::{Call, Session};
use puppet_types::Value;
use stickler_judge::Relation;
use stickler_transcript::Purpose;

/// Sessions with transports and their targets.
pub(crate) const TARGETS: &[Relation] = &[relation::TARGETS];

/// Sessions with transports, with a target or without.
pub(crate) const TRANSPORTS: &[Relation] = &[relation::DEFINITIONS, relation::TARGETS];

/// Shorter secrets occur by chance.
const SHORTEST: usize = 4;

/// The answered call about something for this purpose.
pub(crate) fn keyed(session: &Session, purpose: Purpose) -> Option<(&Call, &Answer)> {
    all_keyed(session, purpose).next()
}

/// The answered calls about something for this purpose.
pub(crate) fn all_keyed(
    session: &Session,
    purpose: Purpose,
) -> impl Iterator<Item = (&Call, &Answer)> {
    let calls = session.exchanges.iter();
    calls.filter_map(move |call| {
        let answer = call.answer.as_ref()?;
        let is_meant = call.key.is(purpose) && call.key.label().is_some();
        is_meant.then_some((call, answer))
    })
}

/// The calls that connect to a target.
pub(crate) fn connections(session: &Session) -> impl Iterator<Item = (&Call, &Answer)> {
    let phases = [phase::CONNECT, phase::DEVICE];
    phases.into_iter().flat_map(|phase| session.calls(phase))
}

/// Did a call return, without an exception?
pub(crate) fn returned(called: Option<(&Call, &Answer)>) -> bool {
    called.is_some_and(|(_, answer)| matches!(answer, Answer::Result(_)))
}

/// Did the provider or the transport raise?
pub(crate) fn raised(called: Option<(&Call, &Answer)>) -> bool {
    called.is_some_and(|(_, answer)| answer.failure().is_some())
}

/// Is it a call of a method that the transport does not have? RA705 asks for the method.
pub(crate) fn lacks_method(session: &Session, call: &Call) -> bool {
    // What Ruby's own objects have, such as `inspect`, is never missing.
    if ![phase::VERIFY, phase::FACTS, phase::CLOSE].contains(&call.phase) {
        return false;
    }
    let number = call.param("transport");
    let built = connections(session)
        .filter(|(one, _)| one.process == call.process && one.number < call.number)
        .filter_map(|(_, answer)| match answer {
            Answer::Result(result) if answer.value("transport") == number => result.get("methods"),
            _ => None,
        });
    let name = call.phase.name();
    number.is_some()
        && built
            .last()
            .is_some_and(|methods| methods.get(&name).is_none())
}

/// The rows that a call of `get` returned.
pub(crate) fn rows(called: Option<(&Call, &Answer)>) -> Option<Value> {
    let value = called?.1.value("value")?;
    value.as_array().is_some().then_some(value)
}

/// The secrets that a session hands to transports: the names of attributes, and texts that nothing
/// else in the information holds.
pub(crate) fn secrets(session: &Session) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (call, _) in connections(session) {
        let name = call.param("transport").or_else(|| call.param("name"));
        let mut schemas = session.transports.iter().map(|loaded| &loaded.definition);
        let schema =
            schemas.find(|own| own.name.as_deref() == name.as_ref().and_then(Value::as_str));
        let info = call.param("connection_info");
        let (Some(schema), Some(Value::Hash(members))) = (schema, info) else {
            continue;
        };
        let is_secret = |key: &Value| {
            let attribute = key.as_symbol().and_then(|name| schema.attribute(name));
            attribute.is_some_and(|attribute| attribute.sensitive)
        };
        let open: Vec<String> = members
            .iter()
            .filter(|(key, _)| !is_secret(key))
            .map(|(_, value)| value.to_text())
            .collect();
        for (key, value) in members.iter().filter(|(key, _)| is_secret(key)) {
            let Some(text) = value.as_str() else { continue };
            let is_open = open.iter().any(|other| other.contains(text));
            let secret = (key.as_symbol().unwrap_or("?").to_owned(), text.to_owned());
            if text.len() >= SHORTEST && !is_open && !found.contains(&secret) {
                found.push(secret);
            }
        }
    }
    found
}

/// The facts that a connection told for this purpose.
fn told(session: &Session, purpose: Purpose) -> Option<Value> {
    keyed(session, purpose)?.1.value("value")
}

/// Does a session lack facts that a target which answers told twice? Nothing but the target knows them.
pub(crate) fn lacks_facts(whole: &Session, session: &Session) -> bool {
    let Some(lost) = told(session, purpose::FACTS) else {
        return false;
    };
    let mut earlier = whole.calls(phase::FACTS);
    let first = earlier.find(|(call, _)| call.key.part_of(purpose::FIRST).is_some());
    let first = first.and_then(|(_, answer)| answer.value("value"));
    let (Some(first), Some(usual)) = (first, told(whole, purpose::FACTS)) else {
        return false;
    };
    let is_empty = |value: Option<&Value>| {
        value.is_none_or(|value| value.is_nil() || value.to_text().is_empty())
    };
    let value = |facts: &Value, key: &Value| {
        let all = facts.as_hash().unwrap_or_default().iter();
        let mut all = all.filter(|(own, _)| own == key);
        all.next().map(|(_, value)| value.clone())
    };
    let mut all = usual.as_hash().unwrap_or_default().iter();
    all.any(|(key, own)| {
        let lasts = value(&first, key).as_ref() == Some(own) && !is_empty(Some(own));
        lasts && is_empty(value(&lost, key).as_ref())
    })
}
