//! The parts of a parsed response.

use crate::wire::Value;
use std::ops::Range;

/// The log levels that a module may use, the most severe first. Source: "Logging".
pub const LOG_LEVELS: [&str; 7] = [
    "critical", "error", "warning", "notice", "info", "verbose", "debug",
];

/// Does the level have the specification's spelling?
pub fn is_log_level(level: &[u8]) -> bool {
    LOG_LEVELS.iter().any(|known| known.as_bytes() == level)
}

/// Does a key consist of lowercase letters and underscores, with at least one character? Source:
/// "Line based protocol".
pub fn is_well_formed_key(key: &[u8]) -> bool {
    !key.is_empty() && key.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'_'))
}

/// The values of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// In order; there are several if the key is repeated.
    pub values: Vec<Value>,
}

/// The form of a [`Field`], as far as rules distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldState<'a> {
    /// The key is missing.
    Absent,
    /// One text.
    Text(&'a [u8]),
    /// One value that is not text.
    OtherType(&'a Value),
    /// Several values.
    Doubled(&'a [Value]),
}

impl Field {
    /// The form of the field.
    pub fn state(&self) -> FieldState<'_> {
        match &self.values[..] {
            [] => FieldState::Absent,
            [Value::Text(text)] => FieldState::Text(text),
            [other] => FieldState::OtherType(other),
            several => FieldState::Doubled(several),
        }
    }

    /// The last value, if it is text; agents use this one.
    pub fn text(&self) -> Option<&[u8]> {
        self.values.last().and_then(Value::as_text)
    }

    /// Is its text this one?
    pub fn is(&self, text: &str) -> bool {
        self.text() == Some(text.as_bytes())
    }

    /// Is the key missing?
    pub fn is_absent(&self) -> bool {
        self.values.is_empty()
    }
}

/// `result_classes`. Source: "Result classes".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    /// The readable names, without blanks at their ends; empty and repeated names are kept.
    pub names: Vec<Vec<u8>>,
    /// What is wrong with the list; the first of several defects.
    pub malformed: Option<ClassesDefect>,
}

/// The defects of a list of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClassesDefect {
    /// JSON: a value that is not a list; its type.
    #[error("{0} instead of a list")]
    NotAList(&'static str),
    /// JSON: an item that is not a string.
    #[error("item {index} is {found} instead of a string")]
    NotText {
        /// The item, counted from 0.
        index: usize,
        /// Its type, with the article.
        found: &'static str,
    },
    /// Line protocol: a blank before or after a name.
    #[error("a space beside name {index}")]
    Blank {
        /// The name, counted from 0.
        index: usize,
    },
}

/// A log message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The level with its original spelling.
    pub level: Vec<u8>,
    /// The text.
    pub message: Vec<u8>,
    /// How it was sent.
    pub place: LogPlace,
    /// Why the log message is malformed; level and message contain what is readable.
    pub malformed: Option<LogDefect>,
    /// The start of its line, or of the JSON member `log`.
    pub offset: usize,
}

/// How a log message was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPlace {
    /// On a line of its own, `log_<level>=<message>`.
    Line,
    /// In the JSON object's list `log`.
    Embedded,
}

/// The defects of a log message; the first of several is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LogDefect {
    /// A line without `=`.
    #[error("a log line without `=`")]
    NoEqualsSign,
    /// JSON: `log` is not a list; its type.
    #[error("`log` is {0} instead of a list")]
    NotAList(&'static str),
    /// JSON: an entry is not an object; its type.
    #[error("a log entry is {0} instead of an object")]
    NotAnObject(&'static str),
    /// JSON: no `level`.
    #[error("a log entry without `level`")]
    LevelMissing,
    /// JSON: `level` is not a string; its type.
    #[error("`level` is {0} instead of a string")]
    LevelNotText(&'static str),
    /// JSON: no `message`.
    #[error("a log entry without `message`")]
    MessageMissing,
    /// JSON: `message` is not a string; its type.
    #[error("`message` is {0} instead of a string")]
    MessageNotText(&'static str),
}

/// The position of the JSON value that is the answer, and the text around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPlace {
    /// The range of the value; if it is broken, of the lines that seem to belong to it.
    pub range: Range<usize>,
    /// Does it span several lines?
    pub spans_lines: bool,
    /// Text before it on its line.
    pub glued_before: Option<Range<usize>>,
    /// Text after it on its line.
    pub glued_after: Option<Range<usize>>,
}

/// A line of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its range, without the LF.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: LineKind,
    /// Its position relative to the JSON object.
    pub place: Position,
}

/// The kind of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineKind {
    /// It begins with `log_`.
    Log,
    /// It has an `=`; the key may be malformed.
    KeyValue {
        /// The text before the first `=`.
        key: Vec<u8>,
        /// The range of the text after it, in [`Response::text`](super::Response::text).
        value: Range<usize>,
    },
    /// A JSON object, a part of one, or another JSON value that is the answer.
    Object,
    /// Nothing, or only a CR.
    Empty,
    /// Anything else.
    Text,
}

impl Line {
    /// Is the line free text outside the protocol? It is if it has no `=`, or if blanks or other
    /// characters that no key has come before the `=`.
    pub fn is_free_text(&self) -> bool {
        let key_byte = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        match &self.kind {
            LineKind::Text => true,
            LineKind::KeyValue { key, .. } => !key.iter().all(key_byte),
            LineKind::Log | LineKind::Object | LineKind::Empty => false,
        }
    }
}

/// The position of a line relative to the JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// There is no object; always in the line protocol.
    Alone,
    /// Before the object.
    Before,
    /// The line belongs to the object.
    Within,
    /// After the object.
    After,
}

/// A key that occurs more than once in one object, or in one line-based message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The keys on the path to it, and the key itself; lists on the path are left out.
    pub path: Vec<Vec<u8>>,
    /// How often it occurs.
    pub count: usize,
}
