//! Requests: encoded exactly as agents send them, and parsed leniently from recordings.
//!
//! Source: the specification's sections "Protocol request sequence", "JSON protocol" and "Line
//! based protocol", and the bytes that cf-agent 3.21.0 sends.

use super::header::Protocol;
use super::json::writer;
use super::value::{Style, from_json};
use super::{json, lines, split_key};
use std::ops::Range;
use stickler_transcript::Value;

/// The operation that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `validate_promise`.
    Validate,
    /// `evaluate_promise`.
    Evaluate,
    /// `terminate`.
    Terminate,
    /// An operation that no agent knows.
    Other(Vec<u8>),
}

impl Operation {
    /// The operation's name on the wire.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Validate => b"validate_promise",
            Self::Evaluate => b"evaluate_promise",
            Self::Terminate => b"terminate",
            Self::Other(name) => name,
        }
    }

    /// The operation with this name.
    pub fn from_bytes(name: &[u8]) -> Self {
        match name {
            b"validate_promise" => Self::Validate,
            b"evaluate_promise" => Self::Evaluate,
            b"terminate" => Self::Terminate,
            other => Self::Other(other.to_vec()),
        }
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The operation.
    pub operation: Operation,
    /// The least severe log level that the agent asks for.
    pub log_level: Option<Vec<u8>>,
    /// The promise type.
    pub promise_type: Option<Vec<u8>>,
    /// The promiser.
    pub promiser: Option<Vec<u8>>,
    /// The policy file of the promise. Agents send it, but the specification does not mention it.
    pub filename: Option<Vec<u8>>,
    /// The line in that file.
    pub line_number: Option<u64>,
    /// The promise's attributes. Agents omit the key if there are none.
    pub attributes: Option<Vec<(Vec<u8>, Value)>>,
    /// Keys that are none of the above, or whose values have another type.
    pub extra: Vec<(Vec<u8>, Value)>,
}

/// The keys of a request, except extra ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Operation,
    LogLevel,
    PromiseType,
    Promiser,
    LineNumber,
    Filename,
    Attributes,
}

impl Key {
    /// The order in the line protocol and in the specification's examples.
    const SPOKEN: [Self; 7] = [
        Self::Operation,
        Self::LogLevel,
        Self::PromiseType,
        Self::Promiser,
        Self::LineNumber,
        Self::Filename,
        Self::Attributes,
    ];

    /// Sorted by name, as agents send them in JSON.
    const SORTED: [Self; 7] = [
        Self::Attributes,
        Self::Filename,
        Self::LineNumber,
        Self::LogLevel,
        Self::Operation,
        Self::PromiseType,
        Self::Promiser,
    ];

    /// The key as a JSON string.
    fn quoted(self) -> &'static [u8] {
        match self {
            Self::Operation => b"\"operation\"",
            Self::LogLevel => b"\"log_level\"",
            Self::PromiseType => b"\"promise_type\"",
            Self::Promiser => b"\"promiser\"",
            Self::LineNumber => b"\"line_number\"",
            Self::Filename => b"\"filename\"",
            Self::Attributes => b"\"attributes\"",
        }
    }

    fn name(self) -> &'static [u8] {
        let quoted = self.quoted();
        &quoted[1..quoted.len() - 1]
    }
}

/// An encoded request.
#[derive(Debug, Clone)]
pub struct Encoded {
    bytes: Vec<u8>,
    /// The range of the operation's name, without quotes.
    operation: Range<usize>,
}

impl Encoded {
    /// The encoded bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same request with `evaluate_promise` instead of `validate_promise`.
    pub fn evaluating(mut self) -> Self {
        let name = Operation::Evaluate.as_bytes();
        let end = self.operation.start + name.len();
        self.bytes
            .splice(self.operation.clone(), name.iter().copied());
        self.operation.end = end;
        self
    }
}

/// The value of a key.
enum Sent<'a> {
    Text(&'a [u8]),
    Number(u64),
    Members(&'a [(Vec<u8>, Value)]),
}

impl Request {
    /// A request for an operation, with nothing else in it.
    pub fn new(operation: Operation) -> Self {
        Self {
            operation,
            log_level: None,
            promise_type: None,
            promiser: None,
            filename: None,
            line_number: None,
            attributes: None,
            extra: Vec::new(),
        }
    }

    /// The last value of an attribute.
    pub fn attribute(&self, name: &[u8]) -> Option<&Value> {
        let attributes = self.attributes.as_deref()?;
        attributes
            .iter()
            .rfind(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// The attribute `action_policy`, if it is text. Source: "Action policy".
    pub fn action_policy(&self) -> Option<&[u8]> {
        self.attribute(b"action_policy")?.as_text()
    }

    /// May the promise only warn? It may if `action_policy` is `warn`, or `nop`, which cf-agent
    /// 3.21.0 sends unchanged from the policy.
    pub fn only_warns(&self) -> bool {
        matches!(self.action_policy(), Some(b"warn" | b"nop"))
    }

    /// The request's bytes, including the empty line that ends them.
    ///
    /// Fields that are `None` are omitted, except `attributes` in the specification's styles. In
    /// the line protocol, lists, containers and `null` are sent as compact JSON, which no agent
    /// does.
    pub fn encode(&self, protocol: Protocol, style: Style) -> Vec<u8> {
        self.encoded(protocol, style).bytes
    }

    /// Like [`Request::encode`], for a request whose operation may be replaced.
    pub fn encoded(&self, protocol: Protocol, style: Style) -> Encoded {
        let mut bytes = Vec::with_capacity(512);
        let operation = match protocol {
            Protocol::Json => self.json(style, &mut bytes),
            Protocol::Line => self.lines(style, &mut bytes),
        };
        bytes.extend_from_slice(match protocol {
            Protocol::Json => b"\n\n",
            Protocol::Line => b"\n",
        });
        Encoded { bytes, operation }
    }

    /// The value that a style writes for a key; `None` if it omits the key.
    fn sent(&self, key: Key, style: Style) -> Option<Sent<'_>> {
        let agent = style.is_agents();
        let terminate = self.operation == Operation::Terminate;
        fn text(text: &Option<Vec<u8>>) -> Option<Sent<'_>> {
            text.as_deref().map(Sent::Text)
        }
        match key {
            Key::Operation => Some(Sent::Text(self.operation.as_bytes())),
            Key::LogLevel if !(agent && terminate) => text(&self.log_level),
            _ if terminate => None,
            Key::PromiseType => text(&self.promise_type),
            Key::Promiser => text(&self.promiser),
            Key::LineNumber if agent => self.line_number.map(Sent::Number),
            Key::Filename if agent => text(&self.filename),
            Key::Attributes => {
                let attributes = self.attributes.as_deref().unwrap_or_default();
                (!agent || !attributes.is_empty()).then_some(Sent::Members(attributes))
            }
            Key::LogLevel | Key::LineNumber | Key::Filename => None,
        }
    }

    /// Encodes as JSON. Returns the range of the operation's name.
    fn json(&self, style: Style, out: &mut Vec<u8>) -> Range<usize> {
        let agent = style.is_agents();
        let order = if agent { Key::SORTED } else { Key::SPOKEN };
        let mut extra: Vec<_> = self.extra.iter().collect();
        if agent {
            extra.sort_by_key(|(key, _)| key);
        }
        let mut extra = extra.into_iter().peekable();
        let mut object = writer::Object::open(style, out);
        let mut operation = 0..0;
        for key in order {
            let Some(sent) = self.sent(key, style) else {
                continue;
            };
            let before = |extra: &&(Vec<u8>, Value)| agent && *extra.0 < *key.name();
            while let Some((key, value)) = extra.next_if(before) {
                writer::write(value, style, object.member(key));
            }
            let out = object.quoted(key.quoted());
            let start = out.len();
            match sent {
                Sent::Text(text) => writer::string(text, style, out),
                Sent::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
                Sent::Members(members) => writer::members(members, style, out),
            }
            if key == Key::Operation {
                operation = start + 1..out.len() - 1;
            }
        }
        for (key, value) in extra {
            writer::write(value, style, object.member(key));
        }
        object.close();
        operation
    }

    /// Encodes for the line protocol. Returns the range of the operation's name.
    fn lines(&self, style: Style, out: &mut Vec<u8>) -> Range<usize> {
        let mut line = |prefix: &str, key: &[u8], value: &dyn Fn(&mut Vec<u8>)| {
            out.extend_from_slice(prefix.as_bytes());
            out.extend_from_slice(key);
            out.push(b'=');
            value(out);
            out.push(b'\n');
        };
        let plain = |value: &Value, out: &mut Vec<u8>| match value {
            Value::Text(text) => out.extend_from_slice(text),
            value => writer::write(value, Style::Agent, out),
        };
        for key in Key::SPOKEN {
            let name = key.name();
            match self.sent(key, style) {
                Some(Sent::Text(text)) => line("", name, &|out| out.extend_from_slice(text)),
                Some(Sent::Number(number)) => {
                    line("", name, &|out| {
                        out.extend_from_slice(number.to_string().as_bytes());
                    });
                }
                Some(Sent::Members(attributes)) => {
                    for (name, value) in attributes {
                        line("attribute_", name, &|out| plain(value, out));
                    }
                }
                None => {}
            }
        }
        for (key, value) in &self.extra {
            line("", key, &|out| plain(value, out));
        }
        let start = Key::Operation.name().len() + 1;
        start..start + self.operation.as_bytes().len()
    }

    /// Parses a request from a recording, with or without its empty line, as far as it is readable.
    /// The last of repeated keys counts, and JSON strings may contain raw bytes. `None` if there is
    /// no readable operation.
    pub fn parse(bytes: &[u8], protocol: Protocol) -> Option<Self> {
        let mut request = Self::new(Operation::Other(Vec::new()));
        let mut operation = None;
        let keys = match protocol {
            Protocol::Json => match from_json(&json::parse_lenient(bytes).ok()?) {
                Value::Object(members) => members,
                _ => return None,
            },
            Protocol::Line => lines(bytes)
                .filter_map(|line| split_key(&bytes[line]))
                .map(|(key, value)| (key.to_vec(), Value::text(value)))
                .collect(),
        };
        for (key, value) in keys {
            request.read(key, value, protocol, &mut operation);
        }
        request.operation = Operation::from_bytes(&operation?);
        Some(request)
    }

    fn read(
        &mut self,
        key: Vec<u8>,
        value: Value,
        protocol: Protocol,
        operation: &mut Option<Vec<u8>>,
    ) {
        let json = protocol == Protocol::Json;
        match (&key[..], value) {
            (b"operation", Value::Text(text)) => *operation = Some(text),
            (b"log_level", Value::Text(text)) => self.log_level = Some(text),
            (b"promise_type", Value::Text(text)) => self.promise_type = Some(text),
            (b"promiser", Value::Text(text)) => self.promiser = Some(text),
            (b"filename", Value::Text(text)) => self.filename = Some(text),
            (b"attributes", Value::Object(members)) if json => self.attributes = Some(members),
            (b"line_number", value) => match line_number(&value) {
                Some(number) => self.line_number = Some(number),
                None => self.extra.push((key, value)),
            },
            (_, value) => match key.strip_prefix(b"attribute_").filter(|_| !json) {
                Some(name) => {
                    self.attributes
                        .get_or_insert_default()
                        .push((name.to_vec(), value));
                }
                None => self.extra.push((key, value)),
            },
        }
    }
}

fn line_number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(raw) => raw.parse().ok(),
        Value::Text(text) => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}
