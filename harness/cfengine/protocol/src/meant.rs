//! What an agent means by text that it wrote byte by byte. Source: the requests of cf-agent 3.24.4 and later.

use crate::wire::{Request, Value};

/// The text whose bytes arrived as one character each. `None` if no character is beyond ASCII, or if those bytes are
/// no UTF-8.
pub fn text(arrived: &[u8]) -> Option<Vec<u8>> {
    let arrived = std::str::from_utf8(arrived).ok()?;
    let bytes = arrived.chars().map(|it| u8::try_from(u32::from(it)));
    let bytes = bytes.collect::<Result<Vec<u8>, _>>().ok()?;
    (!bytes.is_ascii() && std::str::from_utf8(&bytes).is_ok()).then_some(bytes)
}

/// The value with all its texts as they were meant. Texts that mean themselves stay.
pub fn value(arrived: &Value) -> Value {
    let text = |arrived: &Vec<u8>| text(arrived).unwrap_or_else(|| arrived.clone());
    match arrived {
        Value::Text(arrived) => Value::Text(text(arrived)),
        Value::List(items) => Value::List(items.iter().map(value).collect()),
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(members.map(|(name, it)| (text(name), value(it))).collect())
        }
        other => other.clone(),
    }
}

/// The request as it was meant.
pub fn request(arrived: &Request) -> Request {
    let mut meant = arrived.clone();
    let promiser = arrived.promiser.as_deref().and_then(text);
    meant.promiser = promiser.or(meant.promiser);
    for (name, own) in meant.attributes.iter_mut().flatten() {
        *own = value(own);
        *name = text(name).unwrap_or_else(|| std::mem::take(name));
    }
    meant
}
