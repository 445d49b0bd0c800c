//! Values of JSON, and the ones that JSON itself does not have.

use crate::error::Kind;
use crate::hash::hash_of;
use puppet_types::Value;
use puppet_types::value::BigInt;
use stickler_json::{Json, Member};

type Read = Result<Value, (Kind, String)>;

fn no_text() -> (Kind, String) {
    (Kind::Syntax, "has a string that is no text".to_owned())
}

/// Reads a value.
///
/// # Errors
/// What is wrong with it, as the rest of a sentence.
pub(super) fn value(json: &Json) -> Read {
    Ok(match json {
        Json::Null => Value::Undef,
        Json::Bool(own) => Value::Bool(*own),
        // The grammar of JSON admits nothing that these two would refuse.
        Json::Number(raw) if raw.contains(['.', 'e', 'E']) => {
            Value::Float(raw.parse().unwrap_or(f64::NAN))
        }
        Json::Number(raw) => Value::Integer(raw.parse::<BigInt>().unwrap_or_default()),
        Json::String(text) => Value::string(text.as_str().ok_or_else(no_text)?),
        Json::Array(items) => Value::Array(items.iter().map(value).collect::<Result<_, _>>()?),
        Json::Object(members) => match json.get("__ptype") {
            Some(Json::String(kind)) => {
                let kind = kind.as_str().ok_or_else(no_text)?;
                tagged(kind, json)?
            }
            Some(Json::Object(_)) => return Err(unknown("a type of its own")),
            _ => plain(members)?,
        },
    })
}

fn unknown(kind: &str) -> (Kind, String) {
    let message = format!("has a value of {kind}, which is not supported");
    (Kind::Unsupported, message)
}

fn plain(members: &[Member]) -> Read {
    let mut pairs = Vec::with_capacity(members.len());
    for member in members {
        let key = member.key.as_str().ok_or_else(no_text)?;
        pairs.push((Value::string(key), value(&member.value)?));
    }
    Ok(hash_of(pairs))
}

/// The class of a value that a function is to give later. Its text is the name of the function.
pub const DEFERRED: &str = "Puppet::Pops::Evaluator::DeferredValue";

/// The classes of objects that are written as one string.
const WRITTEN: [(&str, &str); 6] = [
    ("Binary", "Puppet::Pops::Types::PBinaryType::Binary"),
    ("Timestamp", "Puppet::Pops::Time::Timestamp"),
    ("Timespan", "Puppet::Pops::Time::Timespan"),
    ("SemVer", "SemanticPuppet::Version"),
    ("SemVerRange", "SemanticPuppet::VersionRange"),
    ("URI", "URI::Generic"),
];

fn tagged(kind: &str, json: &Json) -> Read {
    let inner = json.get("__pvalue");
    let malformed = || {
        let message = format!("has a malformed value of the type '{kind}'");
        (Kind::Syntax, message)
    };
    let string = || match inner {
        Some(Json::String(text)) => text.as_str().ok_or_else(no_text),
        _ => Err(malformed()),
    };
    match kind {
        "Default" => Ok(Value::symbol("default")),
        // What becomes of it depends on the attribute.
        "Deferred" => match json.get("name") {
            Some(Json::String(name)) => Ok(Value::Object {
                class: DEFERRED.to_owned(),
                text: name.as_str().ok_or_else(no_text)?.to_owned(),
            }),
            _ => Err(malformed()),
        },
        "Symbol" => Ok(Value::symbol(string()?)),
        "Sensitive" => Ok(Value::Sensitive(Box::new(value(
            inner.ok_or_else(malformed)?,
        )?))),
        "Regexp" => Ok(Value::Regexp {
            source: string()?.to_owned(),
            options: String::new(),
        }),
        "Hash" => {
            let Some(Json::Array(items)) = inner else {
                return Err(malformed());
            };
            let (pairs, rest) = items.as_chunks::<2>();
            if !rest.is_empty() {
                return Err(malformed());
            }
            let pairs = pairs
                .iter()
                .map(|[key, own]| Ok((value(key)?, value(own)?)));
            Ok(hash_of(pairs.collect::<Result<Vec<_>, _>>()?))
        }
        _ => match WRITTEN.iter().find(|(name, _)| *name == kind) {
            Some((_, class)) => Ok(Value::Object {
                class: (*class).to_owned(),
                text: string()?.to_owned(),
            }),
            None => Err(unknown(&format!("the type '{kind}'"))),
        },
    }
}
