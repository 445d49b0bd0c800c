//! Planned messages, with what earlier answers say.

use crate::deferred::Pick;
use puppet_protocol::{Answer, request};
use puppet_types::Value;
use stickler_session::{SessionError, Stage};
use stickler_transcript::{Key, Piece, Send, Step};

/// Sends the planned message with these parameters, or notes that there is nothing to send.
pub(super) fn send(
    planned: &Send,
    params: Option<Value>,
    stage: &mut dyn Stage,
) -> Result<bool, SessionError> {
    match params {
        Some(params) => {
            let line = request::line(stage.number(), &planned.phase.name(), params);
            stage.step(Step::Send(with_message(planned, line)))
        }
        None => {
            stage.omit(&planned.key);
            Ok(true)
        }
    }
}

/// The planned message with these bytes.
pub(super) fn with_message(planned: &Send, line: Vec<u8>) -> Send {
    let pause_us = planned.pieces.first().map_or(0, |piece| piece.pause_us);
    Send {
        pieces: vec![Piece {
            pause_us,
            data: line.into(),
        }],
        ..planned.clone()
    }
}

/// Parameters with the number of a provider or a transport, if the exchange with a key tells it.
pub(super) fn with(stage: &dyn Stage, what: &str, key: &Key, params: Value) -> Option<Value> {
    let number = Answer::read(stage.answer(key)?).value(what)?;
    let Value::Hash(members) = params else {
        return None;
    };
    let mut all = vec![(Value::symbol(what), number)];
    all.extend(members);
    Some(Value::Hash(all))
}

/// The value that the exchange with a key was answered with.
pub(super) fn said(stage: &dyn Stage, key: &Key) -> Option<Value> {
    Answer::read(stage.answer(key)?).value("value")
}

/// The names of rows: the values of their namevar, or hashes of several.
pub(super) fn names(rows: &Value, namevars: &[String]) -> Option<Value> {
    let named = |row: &Value| match namevars {
        [one] => row.get(one).cloned(),
        several => {
            let value = |name: &String| row.get(name).cloned().unwrap_or(Value::Undef);
            let members = several.iter().map(|name| (name.as_str(), value(name)));
            Some(Value::hash(members))
        }
    };
    let names = rows.as_array()?.iter().map(named);
    Some(Value::Array(names.collect::<Option<_>>()?))
}

/// Some of the names, and others among them. `None` if that is none.
pub(super) fn picked(names: Value, pick: &Pick) -> Option<Value> {
    let all = names.as_array()?;
    let chosen = match pick {
        Pick::All => return Some(names),
        Pick::One(number) => vec![all.get(*number)?.clone()],
        Pick::Among(others) => {
            let others = others.iter().map(|other| other.0.clone());
            let others: Vec<Value> = others.filter(|other| !all.contains(other)).collect();
            let mut more = others.iter().cycle().take(all.len().min(others.len()));
            let pairs = all.iter().rev();
            pairs
                .flat_map(|name| more.next().cloned().into_iter().chain([name.clone()]))
                .collect()
        }
    };
    (!chosen.is_empty()).then_some(Value::Array(chosen))
}

/// Can the types that an exchange loaded do without a target?
pub(super) fn is_local(stage: &dyn Stage, loaded: &Key) -> bool {
    let Some(answer) = stage.answer(loaded) else {
        return false;
    };
    let loaded = Answer::read(answer).value("types");
    let needs_target = |one: &Value| {
        let features = one.get("definition").and_then(|own| own.get("features"));
        let features = features.and_then(Value::as_array).unwrap_or_default();
        let mut names = features.iter().filter_map(Value::as_str);
        names.any(|name| name == "remote_resource")
    };
    let types = loaded.as_ref().and_then(Value::as_array);
    !types.unwrap_or_default().iter().any(needs_target)
}
