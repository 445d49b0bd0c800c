//! A module's answer to one request, parsed for rules.
//!
//! Source: the specification's sections "Results", "Result classes", "JSON protocol" and "Line
//! based protocol". Nothing is judged here: every oddity stays visible. What is readable in spite
//! of it is read as cf-agent 3.21.0 reads it (the last of repeated keys counts).

mod members;
mod object;
mod parts;
pub use parts::{
    Classes, ClassesDefect, Duplicate, Field, FieldState, LOG_LEVELS, Line, LineKind, Log,
    LogDefect, LogPlace, ObjectPlace, Position, is_log_level, is_well_formed_key,
};

use super::framing::{End, How, message_end};
use super::header::Protocol;
use super::json::{JsonError, JsonType};
use super::{lines, split_key};
use std::ops::Range;
use stickler_transcript::Bytes;
use stickler_transcript::Value;

/// One response. All offsets and ranges refer to [`Response::text`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The message without its last LF and without the empty line.
    pub text: Bytes,
    /// The protocol by which it was parsed.
    pub protocol: Protocol,
    /// How the message ended; `None` if no empty line came.
    pub end: Option<End>,
    /// Every key in order, without log lines: members of the JSON object, or the keys of lines with
    /// their texts.
    pub keys: Vec<(Vec<u8>, Value)>,
    /// The operation that it names.
    pub operation: Field,
    /// The result.
    pub result: Field,
    /// The promiser, if it is echoed.
    pub promiser: Field,
    /// The classes to set.
    pub result_classes: Option<Classes>,
    /// Log messages: first the lines in order, then those inside the JSON object.
    pub logs: Vec<Log>,
    /// JSON protocol: the type of the value that is the answer, or why it does not parse. `None` if
    /// nothing in the message looks like a value, and in the line protocol.
    pub json: Option<Result<JsonType, JsonError>>,
    /// Where that value is.
    pub object: Option<ObjectPlace>,
    /// Further JSON objects in the message.
    pub extra_objects: Vec<Range<usize>>,
    /// Every line.
    pub lines: Vec<Line>,
    /// Keys that occur more than once, at any depth, without log lines.
    pub duplicates: Vec<Duplicate>,
    /// The first NUL.
    pub nul: Option<usize>,
    /// The first CR.
    pub carriage_return: Option<usize>,
    /// The first byte that is not UTF-8.
    pub invalid_utf8: Option<usize>,
}

impl Response {
    /// Parses one message, with or without its empty line. What follows the first empty line is
    /// ignored.
    pub fn analyse(message: &[u8], protocol: Protocol) -> Self {
        Self::of(&message.into(), protocol)
    }

    /// Like [`Response::analyse`], without copying the message.
    pub(crate) fn of(message: &Bytes, protocol: Protocol) -> Self {
        let end = message_end(message);
        let length = match end {
            Some(end) => end.text_len(),
            None => message.len() - usize::from(message.ends_with(b"\n")),
        };
        let shared = message.part(..length);
        let text = &shared[..];
        let find = |wanted| text.iter().position(|&byte| byte == wanted);
        let mut response = Self {
            text: shared.clone(),
            protocol,
            end,
            keys: Vec::new(),
            operation: Field::default(),
            result: Field::default(),
            promiser: Field::default(),
            result_classes: None,
            logs: Vec::new(),
            json: None,
            object: None,
            extra_objects: Vec::new(),
            lines: Vec::new(),
            duplicates: Vec::new(),
            nul: find(0),
            carriage_return: find(b'\r'),
            invalid_utf8: std::str::from_utf8(text)
                .err()
                .map(|error| error.valid_up_to()),
        };
        // Windows line ends are reported once, as the form of the message's end; the lines are read
        // without the CR.
        let windows = end.is_some_and(|end| end.how == How::CarriageReturn);
        let ranges: Vec<_> = lines(text)
            .map(
                |line| match windows && text[line.clone()].ends_with(b"\r") {
                    true => line.start..line.end - 1,
                    false => line,
                },
            )
            .collect();
        let mut object = None;
        if protocol == Protocol::Json {
            let (found, extra) = object::find(text, &ranges);
            response.extra_objects = extra;
            if let Some(object::Found { place, json }) = found {
                response.object = Some(place);
                object = Some(json);
            }
        }
        for range in ranges {
            response.add_line(text, range);
        }
        match protocol {
            Protocol::Json => {
                if let Some(Ok(json)) = &object {
                    response.read_json(json);
                }
            }
            Protocol::Line => response.read_lines(),
        }
        response.json = object.map(|object| object.map(|json| json.json_type()));
        response.read_fields();
        response
    }

    /// The bytes of a range of the message.
    pub fn bytes(&self, range: &Range<usize>) -> &[u8] {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// All values of a top-level key.
    pub fn field(&self, key: &str) -> Field {
        let of_key = self.keys.iter().filter(|(name, _)| name == key.as_bytes());
        Field {
            values: of_key.map(|(_, value)| value.clone()).collect(),
        }
    }

    /// The attributes, if they are echoed: a JSON object, or lines `attribute_<name>`.
    pub fn attributes(&self) -> impl DoubleEndedIterator<Item = (&[u8], &Value)> {
        let line = self.protocol == Protocol::Line;
        let lines = self.keys.iter().filter(move |_| line);
        let lines =
            lines.filter_map(|(key, value)| Some((key.strip_prefix(b"attribute_")?, value)));
        let of_key = |(name, _): &&(Vec<u8>, Value)| !line && name == b"attributes";
        let object = match self.keys.iter().rfind(of_key) {
            Some((_, Value::Object(members))) => &members[..],
            _ => &[],
        };
        let members = object.iter().map(|(name, value)| (&name[..], value));
        lines.chain(members)
    }

    /// How often a top-level key occurs.
    pub fn count(&self, key: &str) -> usize {
        self.keys
            .iter()
            .filter(|(name, _)| name == key.as_bytes())
            .count()
    }

    /// The log messages whose level has exactly this spelling.
    pub fn logs_of<'a>(&'a self, level: &'a str) -> impl Iterator<Item = &'a Log> + 'a {
        self.logs
            .iter()
            .filter(move |log| log.level == level.as_bytes())
    }

    fn add_line(&mut self, text: &[u8], range: Range<usize>) {
        let (place, kind) = (self.place(&range), self.kind(text, &range));
        let log = match (&kind, &self.object) {
            (LineKind::Log, _) => Some(range.clone()),
            // A log line without its LF, so that the object follows on the same line.
            (LineKind::Object, Some(object)) => object
                .glued_before
                .clone()
                .filter(|glued| glued.start == range.start),
            _ => None,
        };
        if let Some(range) = log.filter(|range| text[range.clone()].starts_with(b"log_")) {
            self.logs.push(line_log(text, &range));
        }
        self.lines.push(Line { range, kind, place });
    }

    fn place(&self, line: &Range<usize>) -> Position {
        match &self.object {
            None => Position::Alone,
            Some(object) if line.end <= object.range.start => Position::Before,
            Some(object) if line.start >= object.range.end => Position::After,
            Some(_) => Position::Within,
        }
    }

    fn kind(&self, text: &[u8], line: &Range<usize>) -> LineKind {
        let bytes = &text[line.clone()];
        let touches = |object: &Range<usize>| object.start < line.end && line.start < object.end;
        // Extra objects are in order and do not overlap, so only the first that ends after the
        // line's start can touch it.
        let next = self
            .extra_objects
            .partition_point(|object| object.end <= line.start);
        let extra = self.extra_objects.get(next);
        if extra
            .into_iter()
            .chain(self.object.iter().map(|object| &object.range))
            .any(touches)
        {
            return LineKind::Object;
        }
        if matches!(bytes, b"" | b"\r") {
            return LineKind::Empty;
        }
        if bytes.starts_with(b"log_") {
            return LineKind::Log;
        }
        split_key(bytes).map_or(LineKind::Text, |(key, value)| LineKind::KeyValue {
            key: key.to_vec(),
            value: line.end - value.len()..line.end,
        })
    }
}

fn line_log(text: &[u8], line: &Range<usize>) -> Log {
    let bytes = &text[line.clone()];
    let split = split_key(bytes);
    let (key, message) = split.unwrap_or((bytes, b""));
    Log {
        level: key.strip_prefix(b"log_").unwrap_or(key).to_vec(),
        message: message.to_vec(),
        place: LogPlace::Line,
        malformed: split.is_none().then_some(LogDefect::NoEqualsSign),
        offset: line.start,
    }
}
