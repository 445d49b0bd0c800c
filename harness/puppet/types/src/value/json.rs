//! The JSON encoding of values, as hosts speak it.
//!
//! `nil`, booleans, integers, strings and arrays are plain JSON; a float has a point or an exponent;
//! a hash of symbol keys is an object. Everything else is an object with one key that starts with
//! `$`. A symbol key that starts with `$` itself is written with two.

use super::Value;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use num_bigint::BigInt;
use stickler_json::{Json, JsonError, Member};

/// What is wrong with an encoded value, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct ValueError {
    /// Offset in the input; for values inside an array, that of the member around it.
    pub offset: usize,
    /// What is wrong there.
    pub kind: ValueErrorKind,
}

/// What can be wrong with an encoded value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueErrorKind {
    /// It is no JSON.
    #[error("{0}")]
    Json(stickler_json::JsonErrorKind),
    /// A key that starts with `$` and is none of the known ones.
    #[error("unknown kind of value `{0}`")]
    UnknownTag(String),
    /// What stands behind a known key does not fit it.
    #[error("`{tag}` expects {expected}")]
    Malformed {
        /// The key.
        tag: &'static str,
        /// What it needs.
        expected: &'static str,
    },
    /// A hash has one key twice.
    #[error("the key {0} occurs twice")]
    DuplicateKey(String),
    /// A string with half of a surrogate pair.
    #[error("a string that is no text")]
    NoText,
}

impl From<JsonError> for ValueError {
    fn from(error: JsonError) -> Self {
        Self {
            offset: error.offset,
            kind: ValueErrorKind::Json(error.kind),
        }
    }
}

type Decoded<T> = Result<T, ValueError>;

impl Value {
    /// Reads one encoded value.
    ///
    /// # Errors
    /// The first place that is no JSON or no encoding of a value.
    pub fn parse(bytes: &[u8]) -> Decoded<Self> {
        decode(stickler_json::parse(bytes)?, 0)
    }

    /// Reads a value from JSON. `offset` is where it began in its message, for errors.
    ///
    /// # Errors
    /// As [`Value::parse`].
    pub fn from_json(json: Json, offset: usize) -> Decoded<Self> {
        decode(json, offset)
    }

    /// Writes the value as JSON, on one line.
    pub fn encode(&self) -> String {
        let mut out = String::new();
        self.encode_to(&mut out);
        out
    }

    /// Appends what [`Value::encode`] gives.
    pub fn encode_to(&self, out: &mut String) {
        encode(self, out);
    }
}

fn error(offset: usize, kind: ValueErrorKind) -> ValueError {
    ValueError { offset, kind }
}

fn malformed(offset: usize, tag: &'static str, expected: &'static str) -> ValueError {
    error(offset, ValueErrorKind::Malformed { tag, expected })
}

fn text(text: stickler_json::Text, offset: usize) -> Decoded<String> {
    String::from_utf8(text.into_bytes()).map_err(|_| error(offset, ValueErrorKind::NoText))
}

fn decode(json: Json, offset: usize) -> Decoded<Value> {
    Ok(match json {
        Json::Null => Value::Undef,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(raw) => number(&raw),
        Json::String(own) => Value::String(text(own, offset)?),
        Json::Array(items) => {
            let items = items.into_iter().map(|item| decode(item, offset));
            Value::Array(items.collect::<Decoded<_>>()?)
        }
        Json::Object(members) => {
            let special = members.first().is_some_and(|first| {
                let key = first.key.as_bytes();
                key.starts_with(b"$") && !key.starts_with(b"$$")
            });
            if special {
                tagged(members)?
            } else {
                symbols(members)?
            }
        }
    })
}

fn number(raw: &str) -> Value {
    // The grammar of JSON admits nothing that these two would refuse.
    if raw.contains(['.', 'e', 'E']) {
        Value::Float(raw.parse().unwrap_or(f64::NAN))
    } else {
        Value::Integer(raw.parse::<BigInt>().unwrap_or_default())
    }
}

fn symbols(members: Vec<Member>) -> Decoded<Value> {
    let mut pairs = Vec::with_capacity(members.len());
    let mut seen = std::collections::HashSet::new();
    for member in members {
        let offset = member.span.start;
        let key = text(member.key, offset)?;
        let name = match key.strip_prefix('$') {
            Some(rest) if rest.starts_with('$') => rest.to_owned(),
            Some(_) => return Err(error(offset, ValueErrorKind::UnknownTag(key))),
            None => key,
        };
        if !seen.insert(name.clone()) {
            return Err(error(
                offset,
                ValueErrorKind::DuplicateKey(Value::symbol(name).inspect()),
            ));
        }
        pairs.push((Value::Symbol(name), decode(member.value, offset)?));
    }
    Ok(Value::Hash(pairs))
}

fn tagged(members: Vec<Member>) -> Decoded<Value> {
    let mut members = members.into_iter().peekable();
    let Some(Member { key, value, span }) = members.next() else {
        return Ok(Value::Hash(Vec::new()));
    };
    let offset = span.start;
    let key = text(key, offset)?;
    let mut extra = |name: &'static str, tag: &'static str| -> Decoded<String> {
        let member = members.next();
        match member.map(|member| (member.key.as_bytes() == name.as_bytes(), member.value)) {
            Some((true, Json::String(own))) => text(own, offset),
            _ => Err(malformed(offset, tag, "its second key")),
        }
    };
    let value = match (key.as_str(), value) {
        ("$f", Json::String(own)) => Value::Float(match text(own, offset)?.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => return Err(malformed(offset, "$f", "NaN, Infinity or -Infinity")),
        }),
        ("$sym", Json::String(name)) => Value::Symbol(text(name, offset)?),
        ("$re", Json::String(source)) => {
            let options = extra("options", "$re")?;
            let canonical: String = "imx".chars().filter(|&o| options.contains(o)).collect();
            if canonical.len() != options.chars().count() {
                return Err(malformed(offset, "$re", "options out of i, m and x"));
            }
            let source = text(source, offset)?;
            Value::Regexp {
                source,
                options: canonical,
            }
        }
        ("$sens", inner) => Value::Sensitive(Box::new(decode(inner, offset)?)),
        ("$bin", Json::String(own)) => {
            // What the string claims to be is not needed.
            members.next_if(|member| member.key.as_bytes() == b"encoding");
            let bytes = STANDARD.decode(own.as_bytes());
            Value::Binary(bytes.map_err(|_| malformed(offset, "$bin", "base64"))?)
        }
        ("$h", Json::Array(pairs)) => hash(pairs, offset)?,
        ("$proc", Json::String(place)) => Value::Proc(text(place, offset)?),
        ("$obj", Json::String(own)) => {
            let class = extra("class", "$obj")?;
            let text = text(own, offset)?;
            Value::Object { class, text }
        }
        ("$cycle", Json::Bool(true)) => Value::Cycle,
        ("$f" | "$sym" | "$re" | "$bin" | "$proc" | "$obj", _) => {
            return Err(malformed(offset, known(&key), "a string"));
        }
        ("$h", _) => return Err(malformed(offset, "$h", "a list of pairs")),
        ("$cycle", _) => return Err(malformed(offset, "$cycle", "true")),
        _ => return Err(error(offset, ValueErrorKind::UnknownTag(key))),
    };
    if members.next().is_some() {
        return Err(malformed(offset, known(&key), "no more keys"));
    }
    Ok(value)
}

/// The static spelling of a known key.
fn known(key: &str) -> &'static str {
    const ALL: [&str; 9] = [
        "$f", "$sym", "$re", "$sens", "$bin", "$h", "$proc", "$obj", "$cycle",
    ];
    ALL.into_iter().find(|&one| one == key).unwrap_or("$")
}

fn hash(pairs: Vec<Json>, offset: usize) -> Decoded<Value> {
    let mut decoded: Vec<(Value, Value)> = Vec::with_capacity(pairs.len());
    let mut seen = std::collections::HashSet::new();
    for pair in pairs {
        let mut items = match pair {
            Json::Array(items) if items.len() == 2 => items.into_iter(),
            _ => return Err(malformed(offset, "$h", "pairs of a key and a value")),
        };
        let (Some(key), Some(value)) = (items.next(), items.next()) else {
            return Err(malformed(offset, "$h", "pairs of a key and a value"));
        };
        let key = decode(key, offset)?;
        // Two equal keys have one encoding; objects that look alike may differ.
        let opaque = matches!(key, Value::Object { .. } | Value::Proc(_) | Value::Cycle);
        if !opaque && !seen.insert(key.encode()) {
            return Err(error(offset, ValueErrorKind::DuplicateKey(key.inspect())));
        }
        decoded.push((key, decode(value, offset)?));
    }
    Ok(Value::Hash(decoded))
}

fn encode(value: &Value, out: &mut String) {
    match value {
        Value::Undef => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::Float(number) if number.is_finite() => out.push_str(&format!("{number:?}")),
        Value::Float(number) => tag("$f", &super::float_text(*number), out),
        Value::String(own) => string(own, out),
        Value::Binary(bytes) => tag("$bin", &STANDARD.encode(bytes), out),
        Value::Symbol(name) => tag("$sym", name, out),
        Value::Array(items) => list(items.iter(), out, encode),
        Value::Hash(pairs) if pairs.iter().all(|(key, _)| key.as_symbol().is_some()) => {
            out.push('{');
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let name = key.as_symbol().unwrap_or_default();
                if name.starts_with('$') {
                    string(&format!("${name}"), out);
                } else {
                    string(name, out);
                }
                out.push(':');
                encode(value, out);
            }
            out.push('}');
        }
        Value::Hash(pairs) => {
            out.push_str("{\"$h\":");
            list(pairs.iter(), out, |(key, value), out| {
                out.push('[');
                encode(key, out);
                out.push(',');
                encode(value, out);
                out.push(']');
            });
            out.push('}');
        }
        Value::Regexp { source, options } => tags(("$re", source), ("options", options), out),
        Value::Sensitive(inner) => {
            out.push_str("{\"$sens\":");
            encode(inner, out);
            out.push('}');
        }
        Value::Proc(place) => tag("$proc", place, out),
        Value::Object { class, text } => tags(("$obj", text), ("class", class), out),
        Value::Cycle => out.push_str("{\"$cycle\":true}"),
    }
}

fn list<T>(items: impl Iterator<Item = T>, out: &mut String, one: impl Fn(T, &mut String)) {
    out.push('[');
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        one(item, out);
    }
    out.push(']');
}

fn tag(key: &str, value: &str, out: &mut String) {
    out.push('{');
    string(key, out);
    out.push(':');
    string(value, out);
    out.push('}');
}

fn tags(first: (&str, &str), second: (&str, &str), out: &mut String) {
    tag(first.0, first.1, out);
    out.pop();
    out.push(',');
    string(second.0, out);
    out.push(':');
    string(second.1, out);
    out.push('}');
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
}
